#include "candidates/normalize/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "normalize";

void check(const ConstView &image, const Parameter &mean, const Parameter &scale,
           const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8, Dtype::f32});
  validate::parameter(kOp, "mean", mean.values(), image.channels());
  validate::parameter(kOp, "scale", scale.values(), image.channels());
  validate::options(kOp, options);
}

void run(const ConstView &image, const Parameter &mean, const Parameter &scale, const View &out,
         OutputMode mode, const Options &options) {
  static const VariantHandle scalar("normalize/scalar");
  static const VariantHandle vector("normalize/vector");
  const NormalizeParams params{mean.values(), scale.values()};
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = edge::u8_or_f32(image);
  call.flags = edge::flags(out, {&image}, {params.mean, params.scale});
  dispatch(params.mean.scalar() && params.scale.scalar() ? scalar : vector, call, mode, options);
}

} // namespace

void unchecked::normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
                          const View &out, const Options &options) {
  run(image, mean, scale, out, OutputMode::into, options);
}

void normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
               const View &out, const Options &options) {
  check(image, mean, scale, options);
  validate::output(kOp, "out", out, image.shape, {Dtype::f32});
  validate::overlap(kOp, "image", out, image, true);
  run(image, mean, scale, out, OutputMode::into, options);
}

Image normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
                const Options &options) {
  check(image, mean, scale, options);
  Image out(image.shape, Dtype::f32, image.rank);
  run(image, mean, scale, out, OutputMode::fresh, options);
  return out;
}

} // namespace switchyard
