// The statistics: one result or two, over the axes that a Reduction names.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

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

Image results_of(const ConstView &image, const Reduction &over, Dtype dtype) {
  const bool has_four_axes = over.keeps_dims() || over.mask() == 0;
  return {over.result_shape(image.shape), dtype, has_four_axes ? image.rank : std::uint8_t{3}};
}

// The forms of a statistic with one result or two. `Op` has kName, kResults (their names),
// kTakesEmpty, kVariants, and dtype(image), that of its results.
template <class Op> struct Statistic {
  static constexpr std::size_t kCount = Op::kResults.size();
  using Outs = std::array<const View *, kCount>;

  static void run(const ConstView &image, Outs outs, const Reduction &over, double eps,
                  const Options &options) {
    const Known *known = into_of(image, outs, over, options).find_unchecked();
    if (!run_as_given(known, image, outs, eps)) [[unlikely]] {
      run_otherwise(known, image, outs, over, eps, options);
    }
  }
  static void into(const ConstView &image, Outs outs, const Reduction &over, double eps,
                   const Options &options) {
    const Known *known = into_of(image, outs, over, options).find_checked();
    if (!run_as_given(known, image, outs, eps)) [[unlikely]] {
      into_otherwise(known, image, outs, over, eps, options);
    }
  }
  [[nodiscard]] static std::array<Image, kCount>
  fresh(const ConstView &image, const Reduction &over, double eps, const Options &options) {
    const Repeat<1, 0> repeat(Op::kVariants[global], OutputMode::fresh, facts(over), {&image},
                              options);
    const Known *known = repeat.find_checked();
    if (known == nullptr) {
      check(image, options);
    }
    std::array<Image, kCount> results;
    Outs outs;
    for (std::size_t i = 0; i < kCount; ++i) {
      results[i] = results_of(image, over, Op::dtype(image));
      outs[i] = &results[i].view();
    }
    if (!run_as_given(known, image, outs, eps) && !again(known, image, outs, over, eps)) {
      run_first(repeat, image, outs, over, eps, true);
    }
    return results;
  }

private:
  // What Known::note says: the axes, and whether candidates write the results as they are given.
  static constexpr std::uint8_t kAsGiven = 16;

  // They and the shape say which variant it is.
  static std::uint32_t facts(const Reduction &over) {
    static_assert(sizeof(Reduction) == sizeof(std::uint32_t));
    return std::bit_cast<std::uint32_t>(over);
  }
  static auto into_of(const ConstView &image, Outs outs, const Reduction &over,
                      const Options &options) {
    if constexpr (kCount == 1) {
      return Repeat<1, 1>(Op::kVariants[global], OutputMode::into, facts(over), {&image, outs[0]},
                          options);
    } else {
      return Repeat<1, 2>(Op::kVariants[global], OutputMode::into, facts(over),
                          {&image, outs[0], outs[1]}, options);
    }
  }

  static Call call_of(const ConstView &image, Outs outs, const ReductionParams &params) {
    Call call;
    call.in = {&image};
    std::copy(outs.begin(), outs.end(), call.out.begin());
    call.params = &params;
    call.dtype_case = edge::u8_or_f32(image);
    return call;
  }
  static ReductionParams params_of(const Known &known, double eps) {
    return {eps, static_cast<AxisMask>(known.note & kAllAxes)};
  }
  static bool run_as_given(const Known *known, const ConstView &image, Outs outs, double eps) {
    if (known == nullptr || (known->note & kAsGiven) == 0) {
      return false;
    }
    const ReductionParams params = params_of(*known, eps);
    return run_settled(*known, call_of(image, outs, params));
  }
  static bool again(const Known *known, const ConstView &image, Outs outs, const Reduction &over,
                    double eps) {
    if (known == nullptr) {
      return false;
    }
    const ReductionParams params = params_of(*known, eps);
    const Spread spread(image, outs, over);
    return run_again(*known, call_of(image, spread.outs, params));
  }

  [[gnu::noinline]] static void run_otherwise(const Known *known, const ConstView &image, Outs outs,
                                              const Reduction &over, double eps,
                                              const Options &options) {
    if (!again(known, image, outs, over, eps)) {
      run_first(into_of(image, outs, over, options), image, outs, over, eps, false);
    }
  }
  [[gnu::noinline]] static void into_otherwise(const Known *known, const ConstView &image,
                                               Outs outs, const Reduction &over, double eps,
                                               const Options &options) {
    if (again(known, image, outs, over, eps)) {
      return;
    }
    check(image, options);
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::string_view name = Op::kResults[i];
      validate::output(Op::kName, name, *outs[i], over.result_shape(image.shape),
                       {Op::dtype(image)});
      validate::overlap(Op::kName, "image", *outs[i], image, false, name);
    }
    if constexpr (kCount == 2) {
      validate::overlap(Op::kName, Op::kResults[0], *outs[1], *outs[0], false, Op::kResults[1]);
    }
    run_first(into_of(image, outs, over, options), image, outs, over, eps, true);
  }
  static void run_first(const auto &repeat, const ConstView &image, Outs outs,
                        const Reduction &over, double eps, bool checked) {
    const Form form = form_of(image.shape, over);
    const ReductionParams params{eps, axes_of(form, over)};
    const Spread spread(image, outs, over);
    const bool as_given = spread.views[0].shape == outs[0]->shape;
    repeat.dispatch_first(Op::kVariants[form], call_of(image, spread.outs, params), checked,
                          static_cast<std::uint8_t>(params.axes | (as_given ? kAsGiven : 0)));
  }

  // The results as candidates write them.
  struct Spread {
    Spread(const ConstView &image, Outs given, const Reduction &over) {
      for (std::size_t i = 0; i < kCount; ++i) {
        views[i] = at_axes_of(image, *given[i], over);
        outs[i] = &views[i];
      }
    }
    Spread(const Spread &) = delete;
    Spread &operator=(const Spread &) = delete;
    std::array<View, kCount> views;
    Outs outs;
  };

  static void check(const ConstView &image, const Options &options) {
    validate::image(Op::kName, "image", image, {Dtype::u8, Dtype::f32});
    if (!Op::kTakesEmpty && image.empty()) {
      throw Error(Op::kName, "image", "an empty image", "one element or more");
    }
    validate::options(Op::kName, options);
  }
};

// ---- the ops ------------------------------------------------------------------------------------

struct ReduceSumOp {
  static constexpr std::string_view kName = "reduce_sum";
  static constexpr std::array<std::string_view, 1> kResults{"out"};
  static constexpr bool kTakesEmpty = true;
  static constinit const Variants kVariants;
  static Dtype dtype(const ConstView &image) {
    return image.dtype == Dtype::u8 ? Dtype::u64 : Dtype::f64;
  }
};
struct MeanOp {
  static constexpr std::string_view kName = "mean";
  static constexpr std::array<std::string_view, 1> kResults{"out"};
  static constexpr bool kTakesEmpty = false;
  static constinit const Variants kVariants;
  static Dtype dtype(const ConstView & /*image*/) { return Dtype::f64; }
};
struct StdOp {
  static constexpr std::string_view kName = "std";
  static constexpr std::array<std::string_view, 1> kResults{"out"};
  static constexpr bool kTakesEmpty = false;
  static constinit const Variants kVariants;
  static Dtype dtype(const ConstView & /*image*/) { return Dtype::f64; }
};
struct MeanStdOp {
  static constexpr std::string_view kName = "mean_std";
  static constexpr std::array<std::string_view, 2> kResults{"mean", "std"};
  static constexpr bool kTakesEmpty = false;
  static constinit const Variants kVariants;
  static Dtype dtype(const ConstView & /*image*/) { return Dtype::f64; }
};
struct MinMaxOp {
  static constexpr std::string_view kName = "min_max";
  static constexpr std::array<std::string_view, 2> kResults{"min", "max"};
  static constexpr bool kTakesEmpty = false;
  static constinit const Variants kVariants;
  static Dtype dtype(const ConstView &image) { return image.dtype; }
};

constinit const Variants ReduceSumOp::kVariants{
    VariantHandle("reduce_sum/global"), VariantHandle("reduce_sum/per_channel"),
    VariantHandle("reduce_sum/per_item"), VariantHandle("reduce_sum/axes")};
constinit const Variants MeanOp::kVariants{
    VariantHandle("mean/global"), VariantHandle("mean/per_channel"), VariantHandle("mean/per_item"),
    VariantHandle("mean/axes")};
constinit const Variants StdOp::kVariants{VariantHandle("std/global"),
                                          VariantHandle("std/per_channel"),
                                          VariantHandle("std/per_item"), VariantHandle("std/axes")};
constinit const Variants MeanStdOp::kVariants{
    VariantHandle("mean_std/global"), VariantHandle("mean_std/per_channel"),
    VariantHandle("mean_std/per_item"), VariantHandle("mean_std/axes")};
constinit const Variants MinMaxOp::kVariants{
    VariantHandle("min_max/global"), VariantHandle("min_max/per_channel"),
    VariantHandle("min_max/per_item"), VariantHandle("min_max/axes")};

} // namespace

void unchecked::reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                           const Options &options) {
  Statistic<ReduceSumOp>::run(image, {&out}, over, 0, options);
}
void reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                const Options &options) {
  Statistic<ReduceSumOp>::into(image, {&out}, over, 0, options);
}
Image reduce_sum(const ConstView &image, const Reduction &over, const Options &options) {
  return std::move(Statistic<ReduceSumOp>::fresh(image, over, 0, options)[0]);
}

void unchecked::mean(const ConstView &image, const View &out, const Reduction &over,
                     const Options &options) {
  Statistic<MeanOp>::run(image, {&out}, over, 0, options);
}
void mean(const ConstView &image, const View &out, const Reduction &over, const Options &options) {
  Statistic<MeanOp>::into(image, {&out}, over, 0, options);
}
Image mean(const ConstView &image, const Reduction &over, const Options &options) {
  return std::move(Statistic<MeanOp>::fresh(image, over, 0, options)[0]);
}

void unchecked::std(const ConstView &image, const View &out, const Reduction &over, double eps,
                    const Options &options) {
  Statistic<StdOp>::run(image, {&out}, over, eps, options);
}
void std(const ConstView &image, const View &out, const Reduction &over, double eps,
         const Options &options) {
  Statistic<StdOp>::into(image, {&out}, over, eps, options);
}
Image std(const ConstView &image, const Reduction &over, double eps, const Options &options) {
  return ::std::move(Statistic<StdOp>::fresh(image, over, eps, options)[0]);
}

void unchecked::mean_std(const ConstView &image, const View &mean, const View &std,
                         const Reduction &over, double eps, const Options &options) {
  Statistic<MeanStdOp>::run(image, {&mean, &std}, over, eps, options);
}
void mean_std(const ConstView &image, const View &mean, const View &std, const Reduction &over,
              double eps, const Options &options) {
  Statistic<MeanStdOp>::into(image, {&mean, &std}, over, eps, options);
}
MeanStd mean_std(const ConstView &image, const Reduction &over, double eps,
                 const Options &options) {
  auto results = Statistic<MeanStdOp>::fresh(image, over, eps, options);
  return {std::move(results[0]), std::move(results[1])};
}

void unchecked::min_max(const ConstView &image, const View &min, const View &max,
                        const Reduction &over, const Options &options) {
  Statistic<MinMaxOp>::run(image, {&min, &max}, over, 0, options);
}
void min_max(const ConstView &image, const View &min, const View &max, const Reduction &over,
             const Options &options) {
  Statistic<MinMaxOp>::into(image, {&min, &max}, over, 0, options);
}
MinMax min_max(const ConstView &image, const Reduction &over, const Options &options) {
  auto results = Statistic<MinMaxOp>::fresh(image, over, 0, options);
  return {std::move(results[0]), std::move(results[1])};
}

} // namespace switchyard
