#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "histogram";

Extents result_shape(const ConstView &image, Over over) {
  return {1, 1, 256, over == Over::global ? 1 : image.channels()};
}

void check(const ConstView &image, const ConstView *mask, Over over, const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8});
  if (over != Over::global && over != Over::per_channel) {
    throw Error(kOp, "over", "another form", "global, per_channel");
  }
  if (mask != nullptr) {
    validate::image(kOp, "mask", *mask, {Dtype::u8});
    Extents shape = image.shape;
    shape[kC] = 1;
    validate::same_shape(kOp, "mask", *mask, shape);
  }
  validate::options(kOp, options);
}

void run(const ConstView &image, const ConstView *mask, Over over, const View &out, OutputMode mode,
         const Options &options) {
  static const VariantHandle together("histogram/together");
  static const VariantHandle per_channel("histogram/per_channel");
  static const VariantHandle together_masked("histogram/together_masked");
  static const VariantHandle per_channel_masked("histogram/per_channel_masked");
  Call call;
  call.in = {&image, mask};
  call.out = {&out};
  if (over == Over::global) {
    dispatch(mask == nullptr ? together : together_masked, call, mode, options);
  } else {
    dispatch(mask == nullptr ? per_channel : per_channel_masked, call, mode, options);
  }
}

void into(const ConstView &image, const ConstView *mask, Over over, const View &out,
          const Options &options) {
  check(image, mask, over, options);
  validate::output(kOp, "out", out, result_shape(image, over), {Dtype::u64});
  validate::overlap(kOp, "image", out, image, false);
  if (mask != nullptr) {
    validate::overlap(kOp, "mask", out, *mask, false);
  }
  run(image, mask, over, out, OutputMode::into, options);
}

Image fresh(const ConstView &image, const ConstView *mask, Over over, const Options &options) {
  check(image, mask, over, options);
  Image out(result_shape(image, over), Dtype::u64);
  run(image, mask, over, out, OutputMode::fresh, options);
  return out;
}

} // namespace

void unchecked::histogram(const ConstView &image, Over over, const View &out,
                          const Options &options) {
  run(image, nullptr, over, out, OutputMode::into, options);
}
void unchecked::histogram(const ConstView &image, const ConstView &mask, Over over, const View &out,
                          const Options &options) {
  run(image, &mask, over, out, OutputMode::into, options);
}

void histogram(const ConstView &image, Over over, const View &out, const Options &options) {
  into(image, nullptr, over, out, options);
}
void histogram(const ConstView &image, const ConstView &mask, Over over, const View &out,
               const Options &options) {
  into(image, &mask, over, out, options);
}

Image histogram(const ConstView &image, Over over, const Options &options) {
  return fresh(image, nullptr, over, options);
}
Image histogram(const ConstView &image, const ConstView &mask, Over over, const Options &options) {
  return fresh(image, &mask, over, options);
}

} // namespace switchyard
