#include "candidates/mean_std/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "mean_std";

Extents result_shape(const ConstView &image, Over over) {
  return {1, 1, 1, over == Over::global ? 1 : image.channels()};
}

void check(const ConstView &image, const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8, Dtype::f32});
  if (image.empty()) {
    throw Error(kOp, "image", "an empty image", "one element or more");
  }
  validate::options(kOp, options);
}

void run(const ConstView &image, const View &mean, const View &std, Over over, double eps,
         OutputMode mode, const Options &options) {
  static const VariantHandle global("mean_std/global");
  static const VariantHandle per_channel("mean_std/per_channel");
  const MeanStdParams params{eps};
  Call call;
  call.in = {&image};
  call.out = {&mean, &std};
  call.params = &params;
  call.dtype_case = edge::u8_or_f32(image);
  dispatch(over == Over::global ? global : per_channel, call, mode, options);
}

} // namespace

void unchecked::mean_std(const ConstView &image, const View &mean, const View &std, Over over,
                         double eps, const Options &options) {
  run(image, mean, std, over, eps, OutputMode::into, options);
}

void mean_std(const ConstView &image, const View &mean, const View &std, Over over, double eps,
              const Options &options) {
  check(image, options);
  const Extents shape = result_shape(image, over);
  validate::output(kOp, "mean", mean, shape, {Dtype::f64});
  validate::output(kOp, "std", std, shape, {Dtype::f64});
  validate::overlap(kOp, "image", mean, image, false);
  validate::overlap(kOp, "image", std, image, false);
  validate::overlap(kOp, "mean", std, mean, false);
  run(image, mean, std, over, eps, OutputMode::into, options);
}

MeanStd mean_std(const ConstView &image, Over over, double eps, const Options &options) {
  check(image, options);
  const Extents shape = result_shape(image, over);
  MeanStd result{Image(shape, Dtype::f64), Image(shape, Dtype::f64)};
  run(image, result.mean, result.std, over, eps, OutputMode::fresh, options);
  return result;
}

} // namespace switchyard
