#include "candidates/to_float/params.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct ToFloat {
  using Params = ToFloatParams;
  static constexpr std::string_view kName = "to_float";

  static void check_result(const View &out, const ConstView &image) {
    validate::output(kName, "out", out, image.shape, {Dtype::f32});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::u16, Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 1> kParameters{"max_value"};
  static auto values(const ToFloatParams &params) {
    return std::tuple{Values{&params.max_value, 1}};
  }
  static const VariantHandle &variant(const ToFloatParams & /*params*/) {
    static constinit const VariantHandle only("to_float");
    return only;
  }
  static bool copies(Dtype image, Dtype result) { return image == result; }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : image == Dtype::u16 ? 1 : 2;
  }
};
using edge::full_scale;
using Forms = edge::Unary<ToFloat>;

} // namespace

void unchecked::to_float(const ConstView &image, const View &out, std::optional<double> max_value,
                         const Options &options) {
  Forms::run(image, {max_value.value_or(full_scale(image.dtype))}, out, options);
}

void to_float(const ConstView &image, const View &out, std::optional<double> max_value,
              const Options &options) {
  Forms::into(image, {max_value.value_or(full_scale(image.dtype))}, out, options);
}

Image to_float(const ConstView &image, std::optional<double> max_value, const Options &options) {
  return Forms::fresh(image, {max_value.value_or(full_scale(image.dtype))}, Dtype::f32, options);
}

} // namespace switchyard
