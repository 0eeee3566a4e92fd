#include "candidates/multiply_add/params.hpp"
#include "router/ops/arrays.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct MultiplyAdd {
  using Params = MultiplyAddParams;
  static constexpr std::string_view kName = "multiply_add";

  static void check_result(const View &out, const ConstView &image) {
    validate::output(kName, "out", out, image.shape, {image.dtype});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 2> kParameters{"factor", "value"};
  static auto values(const MultiplyAddParams &params) {
    return std::tie(params.factor, params.value);
  }
  static const VariantHandle &variant(const MultiplyAddParams &params) {
    static constinit const edge::ScalarAndVector both("multiply_add/scalar", "multiply_add/vector");
    return both(params.factor.scalar() && params.value.scalar());
  }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : 1;
  }
};
using Forms = edge::Unary<MultiplyAdd>;

struct MultiplyAddArray {
  static constexpr std::string_view kName = "multiply_add";
  static constexpr std::array<std::string_view, 2> kNames{"factor", "value"};
  static const VariantHandle &variant() {
    static constinit const VariantHandle array("multiply_add/array");
    return array;
  }
};
using ArrayForms = edge::Arrays<MultiplyAddArray>;

} // namespace

void unchecked::multiply_add(const ConstView &image, const Parameter &factor,
                             const Parameter &value, const View &out, const Options &options) {
  Forms::run(image, {edge::taken(factor), edge::taken(value), options.rounding}, out, options);
}

void multiply_add(const ConstView &image, const Parameter &factor, const Parameter &value,
                  const View &out, const Options &options) {
  Forms::into(image, {edge::taken(factor), edge::taken(value), options.rounding}, out, options);
}

Image multiply_add(const ConstView &image, const Parameter &factor, const Parameter &value,
                   const Options &options) {
  return Forms::fresh(image, {edge::taken(factor), edge::taken(value), options.rounding},
                      image.dtype, options);
}

void unchecked::multiply_add(const ConstView &image, const ArrayOperand &factor,
                             const ArrayOperand &value, const View &out, const Options &options) {
  ArrayForms::run(image, out, options, factor, value);
}
void multiply_add(const ConstView &image, const ArrayOperand &factor, const ArrayOperand &value,
                  const View &out, const Options &options) {
  ArrayForms::into(image, out, options, factor, value);
}
Image multiply_add(const ConstView &image, const ArrayOperand &factor, const ArrayOperand &value,
                   const Options &options) {
  return ArrayForms::fresh(image, options, factor, value);
}

void unchecked::multiply_add(const ConstView &image, const ArrayOperand &factor,
                             const Parameter &value, const View &out, const Options &options) {
  ArrayForms::run(image, out, options, factor, value);
}
void multiply_add(const ConstView &image, const ArrayOperand &factor, const Parameter &value,
                  const View &out, const Options &options) {
  ArrayForms::into(image, out, options, factor, value);
}
Image multiply_add(const ConstView &image, const ArrayOperand &factor, const Parameter &value,
                   const Options &options) {
  return ArrayForms::fresh(image, options, factor, value);
}

void unchecked::multiply_add(const ConstView &image, const Parameter &factor,
                             const ArrayOperand &value, const View &out, const Options &options) {
  ArrayForms::run(image, out, options, factor, value);
}
void multiply_add(const ConstView &image, const Parameter &factor, const ArrayOperand &value,
                  const View &out, const Options &options) {
  ArrayForms::into(image, out, options, factor, value);
}
Image multiply_add(const ConstView &image, const Parameter &factor, const ArrayOperand &value,
                   const Options &options) {
  return ArrayForms::fresh(image, options, factor, value);
}

} // namespace switchyard
