#include "candidates/power/params.hpp"
#include "router/ops/arrays.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct Power {
  using Params = PowerParams;
  static constexpr std::string_view kName = "power";

  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::f32};
    return kImages;
  }
  static std::array<edge::Named, 1> parameters(const PowerParams &params) {
    return {{{"exponent", params.exponent}}};
  }
  static void check(const PowerParams & /*params*/) {}
  static const VariantHandle &variant(const PowerParams &params) {
    static const edge::ScalarAndVector both("power/scalar", "power/vector");
    return both(params.exponent.scalar());
  }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : 1;
  }
};
using Forms = edge::Unary<Power>;

struct PowerArray {
  static constexpr std::string_view kName = "power";
  static const VariantHandle &variant() {
    static const VariantHandle array("power/array");
    return array;
  }
};
using ArrayForms = edge::Arrays<PowerArray>;

std::array<edge::Operand, 1> operands(const ArrayOperand &exponent) {
  return {edge::operand("exponent", exponent)};
}

} // namespace

void unchecked::power(const ConstView &image, const Parameter &exponent, const View &out,
                      const Options &options) {
  Forms::run(image, {exponent.values(), options.rounding}, out, OutputMode::into, options);
}

void power(const ConstView &image, const Parameter &exponent, const View &out,
           const Options &options) {
  Forms::into(image, {exponent.values(), options.rounding}, out, {image.dtype}, options);
}

Image power(const ConstView &image, const Parameter &exponent, const Options &options) {
  return Forms::fresh(image, {exponent.values(), options.rounding}, image.dtype, options);
}

void unchecked::power(const ConstView &image, const ArrayOperand &exponent, const View &out,
                      const Options &options) {
  ArrayForms::run(image, operands(exponent), out, OutputMode::into, options);
}

void power(const ConstView &image, const ArrayOperand &exponent, const View &out,
           const Options &options) {
  ArrayForms::into(image, operands(exponent), out, options);
}

Image power(const ConstView &image, const ArrayOperand &exponent, const Options &options) {
  return ArrayForms::fresh(image, operands(exponent), options);
}

} // namespace switchyard
