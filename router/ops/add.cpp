#include "candidates/add/params.hpp"
#include "router/ops/arrays.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct Add {
  using Params = AddParams;
  static constexpr std::string_view kName = "add";

  static void check_result(const View &out, const ConstView &image) {
    validate::output(kName, "out", out, image.shape, {image.dtype});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 1> kParameters{"value"};
  static auto values(const AddParams &params) { return std::tie(params.value); }
  static const VariantHandle &variant(const AddParams &params) {
    static constinit const edge::ScalarAndVector both("add/scalar", "add/vector");
    return both(params.value.scalar());
  }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : 1;
  }
};
using Forms = edge::Unary<Add>;

struct AddArray {
  static constexpr std::string_view kName = "add";
  static constexpr std::array<std::string_view, 1> kNames{"value"};
  static const VariantHandle &variant() {
    static constinit const VariantHandle array("add/array");
    return array;
  }
};
using ArrayForms = edge::Arrays<AddArray>;

} // namespace

void unchecked::add(const ConstView &image, const Parameter &value, const View &out,
                    const Options &options) {
  Forms::run(image, {edge::taken(value), options.rounding}, out, options);
}

void add(const ConstView &image, const Parameter &value, const View &out, const Options &options) {
  Forms::into(image, {edge::taken(value), options.rounding}, out, options);
}

Image add(const ConstView &image, const Parameter &value, const Options &options) {
  return Forms::fresh(image, {edge::taken(value), options.rounding}, image.dtype, options);
}

void unchecked::add(const ConstView &image, const ArrayOperand &value, const View &out,
                    const Options &options) {
  ArrayForms::run(image, out, options, value);
}

void add(const ConstView &image, const ArrayOperand &value, const View &out,
         const Options &options) {
  ArrayForms::into(image, out, options, value);
}

Image add(const ConstView &image, const ArrayOperand &value, const Options &options) {
  return ArrayForms::fresh(image, options, value);
}

} // namespace switchyard
