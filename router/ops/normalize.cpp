#include "candidates/normalize/params.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct Normalize {
  using Params = NormalizeParams;
  static constexpr std::string_view kName = "normalize";

  static void check_result(const View &out, const ConstView &image) {
    validate::output(kName, "out", out, image.shape, {Dtype::f32});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::u16, Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 2> kParameters{"mean", "scale"};
  static auto values(const NormalizeParams &params) { return std::tie(params.mean, params.scale); }
  static const VariantHandle &variant(const NormalizeParams &params) {
    static constinit const edge::ScalarAndVector both("normalize/scalar", "normalize/vector");
    return both(params.scalar());
  }
  static std::uint8_t dtype_case(Dtype image, Dtype /*result*/) {
    return image == Dtype::u8 ? 0 : image == Dtype::u16 ? 1 : 2;
  }
};
using Forms = edge::Unary<Normalize>;

} // namespace

void unchecked::normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
                          const View &out, const Options &options) {
  Forms::run(image, {edge::taken(mean), edge::taken(scale)}, out, options);
}

void normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
               const View &out, const Options &options) {
  Forms::into(image, {edge::taken(mean), edge::taken(scale)}, out, options);
}

Image normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
                const Options &options) {
  return Forms::fresh(image, {edge::taken(mean), edge::taken(scale)}, Dtype::f32, options);
}

} // namespace switchyard
