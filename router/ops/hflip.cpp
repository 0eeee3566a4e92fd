#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "hflip";

void check(const ConstView &image, const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8, Dtype::f32});
  validate::options(kOp, options);
}

void run(const ConstView &image, const View &out, OutputMode mode, const Options &options) {
  static const VariantHandle variant("hflip");
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.dtype_case = edge::u8_or_f32(image);
  dispatch(variant, call, mode, options);
}

} // namespace

void unchecked::hflip(const ConstView &image, const View &out, const Options &options) {
  run(image, out, OutputMode::into, options);
}

void hflip(const ConstView &image, const View &out, const Options &options) {
  check(image, options);
  validate::output(kOp, "out", out, image.shape, {image.dtype});
  validate::overlap(kOp, "image", out, image, false);
  run(image, out, OutputMode::into, options);
}

Image hflip(const ConstView &image, const Options &options) {
  check(image, options);
  Image out(image.shape, image.dtype, image.rank);
  run(image, out, OutputMode::fresh, options);
  return out;
}

} // namespace switchyard
