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
  static constinit const VariantHandle image("normalize_per_image/image");
  static constinit const VariantHandle image_per_channel("normalize_per_image/image_per_channel");
  static constinit const VariantHandle min_max("normalize_per_image/min_max");
  static constinit const VariantHandle min_max_per_channel(
      "normalize_per_image/min_max_per_channel");
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

Call call_of(const ConstView &image, const NormalizePerImageParams &params, const View &out) {
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = edge::u8_or_f32(image);
  call.flags = edge::flags(out, {&image}, {});
  return call;
}

Repeat<1> into_of(const ConstView &image, Normalization mode, const View &out, bool per_item,
                  const Options &options) {
  return {variant_of(mode), OutputMode::into, per_item ? 1U : 0U, {&image, &out}, options};
}

bool again(const Known *known, const ConstView &image, const NormalizePerImageParams &params,
           const View &out) {
  return known != nullptr && run_again(*known, edge::call_again(*known, {&image}, {&out}, &params));
}

} // namespace

void unchecked::normalize_per_image(const ConstView &image, Normalization mode, const View &out,
                                    bool per_item, const Options &options) {
  const NormalizePerImageParams params{per_item};
  const auto repeat = into_of(image, mode, out, per_item, options);
  if (!again(repeat.find_unchecked(), image, params, out)) [[unlikely]] {
    repeat.dispatch_first(variant_of(mode), call_of(image, params, out), false);
  }
}

void normalize_per_image(const ConstView &image, Normalization mode, const View &out, bool per_item,
                         const Options &options) {
  const NormalizePerImageParams params{per_item};
  const auto repeat = into_of(image, mode, out, per_item, options);
  if (again(repeat.find_checked(), image, params, out)) [[likely]] {
    return;
  }
  check(image, options);
  validate::output(kOp, "out", out, image.shape, {Dtype::f32});
  validate::overlap(kOp, "image", out, image, true);
  repeat.dispatch_first(variant_of(mode), call_of(image, params, out), true);
}

Image normalize_per_image(const ConstView &image, Normalization mode, bool per_item,
                          const Options &options) {
  const NormalizePerImageParams params{per_item};
  const VariantHandle &variant = variant_of(mode);
  const Repeat<1, 0> repeat(variant, OutputMode::fresh, per_item ? 1 : 0, {&image}, options);
  const Known *known = repeat.find_checked();
  if (known == nullptr) {
    check(image, options);
    validate::result(kOp, image.shape, Dtype::f32, image.rank);
  }
  Image out(image.shape, Dtype::f32, image.rank);
  if (!again(known, image, params, out)) {
    repeat.dispatch_first(variant, call_of(image, params, out), true);
  }
  return out;
}

} // namespace switchyard
