#include "candidates/from_float/params.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct FromFloat {
  using Params = FromFloatParams;
  static constexpr std::string_view kName = "from_float";

  static void check_result(const View &out, const ConstView &image) {
    validate::output(kName, "out", out, image.shape, {Dtype::u8, Dtype::u16, Dtype::f32});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 1> kParameters{"max_value"};
  static auto values(const FromFloatParams &params) {
    return std::tuple{Values{&params.max_value, 1}};
  }
  static const VariantHandle &variant(const FromFloatParams & /*params*/) {
    static constinit const VariantHandle only("from_float");
    return only;
  }
  static bool copies(Dtype image, Dtype result) { return image == result; }
  static std::uint8_t dtype_case(Dtype /*image*/, Dtype result) {
    return result == Dtype::u8 ? 0 : result == Dtype::u16 ? 1 : 2;
  }
};
using edge::full_scale;
using Forms = edge::Unary<FromFloat>;

} // namespace

void unchecked::from_float(const ConstView &image, const View &out, std::optional<double> max_value,
                           const Options &options) {
  Forms::run(image, {max_value.value_or(full_scale(out.dtype)), options.rounding}, out, options);
}

void from_float(const ConstView &image, const View &out, std::optional<double> max_value,
                const Options &options) {
  Forms::into(image, {max_value.value_or(full_scale(out.dtype)), options.rounding}, out, options);
}

Image from_float(const ConstView &image, Dtype dtype, std::optional<double> max_value,
                 const Options &options) {
  if (dtype != Dtype::u8 && dtype != Dtype::u16 && dtype != Dtype::f32) {
    throw Error("from_float", "dtype", std::string(name_of(dtype)), "u8, u16, f32");
  }
  return Forms::fresh(image, {max_value.value_or(full_scale(dtype)), options.rounding}, dtype,
                      options);
}

} // namespace switchyard
