#include "candidates/normalize_per_image/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "normalize_per_image";

void check(const ConstView &image, const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8, Dtype::f32});
  validate::options(kOp, options);
}

const VariantHandle &variant_of(Normalization mode) {
  static const VariantHandle image("normalize_per_image/image");
  static const VariantHandle image_per_channel("normalize_per_image/image_per_channel");
  static const VariantHandle min_max("normalize_per_image/min_max");
  static const VariantHandle min_max_per_channel("normalize_per_image/min_max_per_channel");
  switch (mode) {
  case Normalization::image:
    return image;
  case Normalization::image_per_channel:
    return image_per_channel;
  case Normalization::min_max:
    return min_max;
  case Normalization::min_max_per_channel:
    break;
  }
  return min_max_per_channel;
}

void run(const ConstView &image, Normalization mode, const View &out, bool per_item,
         OutputMode output, const Options &options) {
  const NormalizePerImageParams params{per_item};
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = edge::u8_or_f32(image);
  call.flags = edge::flags(out, {&image}, {});
  dispatch(variant_of(mode), call, output, options);
}

} // namespace

void unchecked::normalize_per_image(const ConstView &image, Normalization mode, const View &out,
                                    bool per_item, const Options &options) {
  run(image, mode, out, per_item, OutputMode::into, options);
}

void normalize_per_image(const ConstView &image, Normalization mode, const View &out, bool per_item,
                         const Options &options) {
  check(image, options);
  validate::output(kOp, "out", out, image.shape, {Dtype::f32});
  validate::overlap(kOp, "image", out, image, true);
  run(image, mode, out, per_item, OutputMode::into, options);
}

Image normalize_per_image(const ConstView &image, Normalization mode, bool per_item,
                          const Options &options) {
  check(image, options);
  Image out = edge::result_image(kOp, image.shape, Dtype::f32, image.rank);
  run(image, mode, out, per_item, OutputMode::fresh, options);
  return out;
}

} // namespace switchyard
