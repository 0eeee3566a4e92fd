#include "candidates/multiply_add/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "multiply_add";

void check(const ConstView &image, const Parameter &factor, const Parameter &value,
           const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8, Dtype::f32});
  validate::parameter(kOp, "factor", factor.values(), image.channels());
  validate::parameter(kOp, "value", value.values(), image.channels());
  validate::options(kOp, options);
}

void run(const ConstView &image, const Parameter &factor, const Parameter &value, const View &out,
         OutputMode mode, const Options &options) {
  static const VariantHandle scalar("multiply_add/scalar");
  static const VariantHandle vector("multiply_add/vector");
  const MultiplyAddParams params{factor.values(), value.values()};
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = edge::u8_or_f32(image);
  call.flags = edge::flags(out, {&image}, {params.factor, params.value});
  dispatch(params.factor.scalar() && params.value.scalar() ? scalar : vector, call, mode, options);
}

} // namespace

void unchecked::multiply_add(const ConstView &image, const Parameter &factor,
                             const Parameter &value, const View &out, const Options &options) {
  run(image, factor, value, out, OutputMode::into, options);
}

void multiply_add(const ConstView &image, const Parameter &factor, const Parameter &value,
                  const View &out, const Options &options) {
  check(image, factor, value, options);
  validate::output(kOp, "out", out, image.shape, {image.dtype});
  validate::overlap(kOp, "image", out, image, true);
  run(image, factor, value, out, OutputMode::into, options);
}

Image multiply_add(const ConstView &image, const Parameter &factor, const Parameter &value,
                   const Options &options) {
  check(image, factor, value, options);
  Image out(image.shape, image.dtype, image.rank);
  run(image, factor, value, out, OutputMode::fresh, options);
  return out;
}

} // namespace switchyard
