#include "candidates/power/params.hpp"
#include "router/ops/arrays.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct Power {
  using Params = PowerParams;
  static constexpr std::string_view kName = "power";

  static void check_result(const View &out, const ConstView &image) {
    validate::output(kName, "out", out, image.shape, {image.dtype});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 1> kParameters{"exponent"};
  static auto values(const PowerParams &params) { return std::tie(params.exponent); }
  static const VariantHandle &variant(const PowerParams &params) {
    static constinit const edge::ScalarAndVector both("power/scalar", "power/vector");
    return both(params.exponent.scalar());
  }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : 1;
  }
};
using Forms = edge::Unary<Power>;

struct PowerArray {
  static constexpr std::string_view kName = "power";
  static constexpr std::array<std::string_view, 1> kNames{"exponent"};
  static const VariantHandle &variant() {
    static constinit const VariantHandle array("power/array");
    return array;
  }
};
using ArrayForms = edge::Arrays<PowerArray>;

} // namespace

void unchecked::power(const ConstView &image, const Parameter &exponent, const View &out,
                      const Options &options) {
  Forms::run(image, {edge::taken(exponent), options.rounding}, out, options);
}

void power(const ConstView &image, const Parameter &exponent, const View &out,
           const Options &options) {
  Forms::into(image, {edge::taken(exponent), options.rounding}, out, options);
}

Image power(const ConstView &image, const Parameter &exponent, const Options &options) {
  return Forms::fresh(image, {edge::taken(exponent), options.rounding}, image.dtype, options);
}

void unchecked::power(const ConstView &image, const ArrayOperand &exponent, const View &out,
                      const Options &options) {
  ArrayForms::run(image, out, options, exponent);
}

void power(const ConstView &image, const ArrayOperand &exponent, const View &out,
           const Options &options) {
  ArrayForms::into(image, out, options, exponent);
}

Image power(const ConstView &image, const ArrayOperand &exponent, const Options &options) {
  return ArrayForms::fresh(image, options, exponent);
}

} // namespace switchyard
