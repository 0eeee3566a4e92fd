#include "candidates/power/params.hpp"
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
    static const VariantHandle scalar("power/scalar");
    static const VariantHandle vector("power/vector");
    return params.exponent.scalar() ? scalar : vector;
  }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : 1;
  }
};
using Forms = edge::Unary<Power>;

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

} // namespace switchyard
