#include "candidates/multiply/params.hpp"
#include "router/ops/arrays.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct Multiply {
  using Params = MultiplyParams;
  static constexpr std::string_view kName = "multiply";

  static void check_result(const View &out, const ConstView &image) {
    validate::output(kName, "out", out, image.shape, {image.dtype});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 1> kParameters{"factor"};
  static auto values(const MultiplyParams &params) { return std::tie(params.factor); }
  static const VariantHandle &variant(const MultiplyParams &params) {
    static constinit const edge::ScalarAndVector both("multiply/scalar", "multiply/vector");
    return both(params.factor.scalar());
  }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : 1;
  }
};
using Forms = edge::Unary<Multiply>;

struct MultiplyArray {
  static constexpr std::string_view kName = "multiply";
  static constexpr std::array<std::string_view, 1> kNames{"factor"};
  static const VariantHandle &variant() {
    static constinit const VariantHandle array("multiply/array");
    return array;
  }
};
using ArrayForms = edge::Arrays<MultiplyArray>;

} // namespace

void unchecked::multiply(const ConstView &image, const Parameter &factor, const View &out,
                         const Options &options) {
  Forms::run(image, {edge::taken(factor), options.rounding}, out, options);
}

void multiply(const ConstView &image, const Parameter &factor, const View &out,
              const Options &options) {
  Forms::into(image, {edge::taken(factor), options.rounding}, out, options);
}

Image multiply(const ConstView &image, const Parameter &factor, const Options &options) {
  return Forms::fresh(image, {edge::taken(factor), options.rounding}, image.dtype, options);
}

void unchecked::multiply(const ConstView &image, const ArrayOperand &factor, const View &out,
                         const Options &options) {
  ArrayForms::run(image, out, options, factor);
}

void multiply(const ConstView &image, const ArrayOperand &factor, const View &out,
              const Options &options) {
  ArrayForms::into(image, out, options, factor);
}

Image multiply(const ConstView &image, const ArrayOperand &factor, const Options &options) {
  return ArrayForms::fresh(image, options, factor);
}

} // namespace switchyard
