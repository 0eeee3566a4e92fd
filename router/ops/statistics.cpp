// The statistics: one result or two, over the axes that a Reduction names.
#include <array>
#include <initializer_list>

#include "candidates/reduction/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

enum Form : std::uint8_t { global, per_channel, per_item, any_axes };

// The variants of an op, by form.
using Variants = std::array<VariantHandle, 4>;

// Which variant serves a set of axes. Axes of length 1 are as good as reduced, so most sets are
// one of the forms that have a name: Axes{kH, kW} of one image is per_channel.
Form form_of(const Extents &shape, AxisMask axes) {
  AxisMask longer = 0;
  for (const Axis axis : {kX, kH, kW, kC}) {
    longer |= shape[axis] != 1 ? mask_of(axis) : AxisMask{0};
  }
  const auto covers = [&](AxisMask form) { return (axes & longer) == (form & longer); };
  return covers(kAllAxes)     ? global
         : covers(kPixelAxes) ? per_channel
         : covers(kItemAxes)  ? per_item
                              : any_axes;
}

Form form_of(const Extents &shape, const Reduction &over) {
  return over.by_name() ? static_cast<Form>(over.over()) : form_of(shape, over.mask());
}

AxisMask axes_of(Form form, const Reduction &over) {
  constexpr AxisMask kAxes[] = {kAllAxes, kPixelAxes, kItemAxes};
  return form == any_axes ? over.mask() : kAxes[form];
}

// The result with every remaining extent at the axis that it had in the image, as candidates
// write it.
View at_axes_of(const ConstView &image, const View &out, const Reduction &over) {
  if (over.keeps_dims()) {
    return out;
  }
  View spread = out;
  int from = kC;
  for (int axis = kC; axis >= kX; --axis) {
    const bool kept = !over.reduces(axis);
    spread.shape[axis] = kept ? image.shape[axis] : 1;
    spread.strides[axis] = kept ? out.strides[from--] : 0;
  }
  return spread;
}

void run(const Variants &variants, const ConstView &image, std::initializer_list<const View *> outs,
         const Reduction &over, double eps, OutputMode mode, const Options &options) {
  const Form form = form_of(image.shape, over);
  const ReductionParams params{eps, axes_of(form, over)};
  Call call;
  call.in = {&image};
  call.params = &params;
  call.dtype_case = edge::u8_or_f32(image);
  std::array<View, 2> results;
  std::size_t i = 0;
  for (const View *out : outs) {
    results[i] = at_axes_of(image, *out, over);
    call.out[i] = &results[i];
    ++i;
  }
  dispatch(variants[form], call, mode, options);
}

void check(std::string_view op, const ConstView &image, bool takes_empty, const Options &options) {
  validate::image(op, "image", image, {Dtype::u8, Dtype::f32});
  if (!takes_empty && image.empty()) {
    throw Error(op, "image", "an empty image", "one element or more");
  }
  validate::options(op, options);
}

void check_out(std::string_view op, std::string_view name, const View &out, const ConstView &image,
               const Reduction &over, Dtype dtype) {
  validate::output(op, name, out, over.result_shape(image.shape), {dtype});
  validate::overlap(op, "image", out, image, false, name);
}

Image results_of(const ConstView &image, const Reduction &over, Dtype dtype) {
  const bool has_four_axes = over.keeps_dims() || over.mask() == 0;
  return {over.result_shape(image.shape), dtype, has_four_axes ? image.rank : std::uint8_t{3}};
}

// ---- variants, looked up once -------------------------------------------------------------------

const Variants &reduce_sum_variants() {
  static const Variants variants{
      VariantHandle("reduce_sum/global"), VariantHandle("reduce_sum/per_channel"),
      VariantHandle("reduce_sum/per_item"), VariantHandle("reduce_sum/axes")};
  return variants;
}
const Variants &mean_variants() {
  static const Variants variants{VariantHandle("mean/global"), VariantHandle("mean/per_channel"),
                                 VariantHandle("mean/per_item"), VariantHandle("mean/axes")};
  return variants;
}
const Variants &std_variants() {
  static const Variants variants{VariantHandle("std/global"), VariantHandle("std/per_channel"),
                                 VariantHandle("std/per_item"), VariantHandle("std/axes")};
  return variants;
}
const Variants &mean_std_variants() {
  static const Variants variants{
      VariantHandle("mean_std/global"), VariantHandle("mean_std/per_channel"),
      VariantHandle("mean_std/per_item"), VariantHandle("mean_std/axes")};
  return variants;
}
const Variants &min_max_variants() {
  static const Variants variants{VariantHandle("min_max/global"),
                                 VariantHandle("min_max/per_channel"),
                                 VariantHandle("min_max/per_item"), VariantHandle("min_max/axes")};
  return variants;
}

Dtype sum_dtype(const ConstView &image) {
  return image.dtype == Dtype::u8 ? Dtype::u64 : Dtype::f64;
}

} // namespace

// ---- reduce_sum ---------------------------------------------------------------------------------

void unchecked::reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                           const Options &options) {
  run(reduce_sum_variants(), image, {&out}, over, 0, OutputMode::into, options);
}

void reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                const Options &options) {
  check("reduce_sum", image, true, options);
  check_out("reduce_sum", "out", out, image, over, sum_dtype(image));
  unchecked::reduce_sum(image, out, over, options);
}

Image reduce_sum(const ConstView &image, const Reduction &over, const Options &options) {
  check("reduce_sum", image, true, options);
  Image out = results_of(image, over, sum_dtype(image));
  run(reduce_sum_variants(), image, {&out.view()}, over, 0, OutputMode::fresh, options);
  return out;
}

// ---- mean ---------------------------------------------------------------------------------------

void unchecked::mean(const ConstView &image, const View &out, const Reduction &over,
                     const Options &options) {
  run(mean_variants(), image, {&out}, over, 0, OutputMode::into, options);
}

void mean(const ConstView &image, const View &out, const Reduction &over, const Options &options) {
  check("mean", image, false, options);
  check_out("mean", "out", out, image, over, Dtype::f64);
  unchecked::mean(image, out, over, options);
}

Image mean(const ConstView &image, const Reduction &over, const Options &options) {
  check("mean", image, false, options);
  Image out = results_of(image, over, Dtype::f64);
  run(mean_variants(), image, {&out.view()}, over, 0, OutputMode::fresh, options);
  return out;
}

// ---- std ----------------------------------------------------------------------------------------

void unchecked::std(const ConstView &image, const View &out, const Reduction &over, double eps,
                    const Options &options) {
  run(std_variants(), image, {&out}, over, eps, OutputMode::into, options);
}

void std(const ConstView &image, const View &out, const Reduction &over, double eps,
         const Options &options) {
  check("std", image, false, options);
  check_out("std", "out", out, image, over, Dtype::f64);
  unchecked::std(image, out, over, eps, options);
}

Image std(const ConstView &image, const Reduction &over, double eps, const Options &options) {
  check("std", image, false, options);
  Image out = results_of(image, over, Dtype::f64);
  run(std_variants(), image, {&out.view()}, over, eps, OutputMode::fresh, options);
  return out;
}

// ---- mean_std -----------------------------------------------------------------------------------

void unchecked::mean_std(const ConstView &image, const View &mean, const View &std,
                         const Reduction &over, double eps, const Options &options) {
  run(mean_std_variants(), image, {&mean, &std}, over, eps, OutputMode::into, options);
}

void mean_std(const ConstView &image, const View &mean, const View &std, const Reduction &over,
              double eps, const Options &options) {
  check("mean_std", image, false, options);
  check_out("mean_std", "mean", mean, image, over, Dtype::f64);
  check_out("mean_std", "std", std, image, over, Dtype::f64);
  validate::overlap("mean_std", "mean", std, mean, false, "std");
  unchecked::mean_std(image, mean, std, over, eps, options);
}

MeanStd mean_std(const ConstView &image, const Reduction &over, double eps,
                 const Options &options) {
  check("mean_std", image, false, options);
  MeanStd result{results_of(image, over, Dtype::f64), results_of(image, over, Dtype::f64)};
  run(mean_std_variants(), image, {&result.mean.view(), &result.std.view()}, over, eps,
      OutputMode::fresh, options);
  return result;
}

// ---- min_max ------------------------------------------------------------------------------------

void unchecked::min_max(const ConstView &image, const View &min, const View &max,
                        const Reduction &over, const Options &options) {
  run(min_max_variants(), image, {&min, &max}, over, 0, OutputMode::into, options);
}

void min_max(const ConstView &image, const View &min, const View &max, const Reduction &over,
             const Options &options) {
  check("min_max", image, false, options);
  check_out("min_max", "min", min, image, over, image.dtype);
  check_out("min_max", "max", max, image, over, image.dtype);
  validate::overlap("min_max", "min", max, min, false, "max");
  unchecked::min_max(image, min, max, over, options);
}

MinMax min_max(const ConstView &image, const Reduction &over, const Options &options) {
  check("min_max", image, false, options);
  MinMax result{results_of(image, over, image.dtype), results_of(image, over, image.dtype)};
  run(min_max_variants(), image, {&result.min.view(), &result.max.view()}, over, 0,
      OutputMode::fresh, options);
  return result;
}

} // namespace switchyard
