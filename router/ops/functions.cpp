// exp, log and sqrt: functions of one f32 image, without parameters.
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

// What such ops have in common; `Op` names itself and its variant.
template <class Op> struct Function {
  struct Params {};

  static void check_result(const View &out, const ConstView &image) {
    validate::output(Op::kName, "out", out, image.shape, {Dtype::f32});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 0> kParameters{};
  static auto values(const Params & /*params*/) { return std::tuple<>{}; }
  static const VariantHandle &variant(const Params & /*params*/) {
    static constinit const VariantHandle only(Op::kName);
    return only;
  }
  static std::uint8_t dtype_case(Dtype /*image*/, Dtype /*result*/) { return 0; }
};

struct Exp : Function<Exp> {
  static constexpr std::string_view kName = "exp";
};
struct Log : Function<Log> {
  static constexpr std::string_view kName = "log";
};
struct Sqrt : Function<Sqrt> {
  static constexpr std::string_view kName = "sqrt";
};

template <class Op>
void unchecked_into(const ConstView &image, const View &out, const Options &options) {
  edge::Unary<Op>::run(image, {}, out, options);
}
template <class Op> void into(const ConstView &image, const View &out, const Options &options) {
  edge::Unary<Op>::into(image, {}, out, options);
}
template <class Op> Image fresh(const ConstView &image, const Options &options) {
  return edge::Unary<Op>::fresh(image, {}, Dtype::f32, options);
}

} // namespace

void unchecked::exp(const ConstView &image, const View &out, const Options &options) {
  unchecked_into<Exp>(image, out, options);
}
void exp(const ConstView &image, const View &out, const Options &options) {
  into<Exp>(image, out, options);
}
Image exp(const ConstView &image, const Options &options) {
  return fresh<Exp>(image, options);
}

void unchecked::log(const ConstView &image, const View &out, const Options &options) {
  unchecked_into<Log>(image, out, options);
}
void log(const ConstView &image, const View &out, const Options &options) {
  into<Log>(image, out, options);
}
Image log(const ConstView &image, const Options &options) {
  return fresh<Log>(image, options);
}

void unchecked::sqrt(const ConstView &image, const View &out, const Options &options) {
  unchecked_into<Sqrt>(image, out, options);
}
void sqrt(const ConstView &image, const View &out, const Options &options) {
  into<Sqrt>(image, out, options);
}
Image sqrt(const ConstView &image, const Options &options) {
  return fresh<Sqrt>(image, options);
}

} // namespace switchyard
