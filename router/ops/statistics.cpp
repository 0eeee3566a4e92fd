// The statistics: one result or two, over the axes that a Reduction names.
#include <array>
#include <bit>
#include <cstdint>

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

// A call of a statistic with one result or two.
template <std::size_t kResults> class Asked {
public:
  using Outs = std::array<const View *, kResults>;

  Asked(const Variants &variants, const ConstView &image, const Reduction &over, double eps,
        const Options &options)
      : variants_(variants), image_(image), over_(over), eps_(eps), options_(options) {}

  void run(const Outs &outs) const {
    const auto repeat = into_of(outs);
    if (!again(repeat.find_unchecked(), outs)) [[unlikely]] {
      run_first(repeat, outs, false);
    }
  }
  // `check` validates the call where it must be.
  template <class Check> void into(const Outs &outs, const Check &check) const {
    const auto repeat = into_of(outs);
    if (!again(repeat.find_checked(), outs)) [[unlikely]] {
      check();
      run_first(repeat, outs, true);
    }
  }
  // `make` makes the results in places of which `outs_of` gives the views.
  template <class Check, class Make, class OutsOf>
  auto fresh(const Check &check, const Make &make, const OutsOf &outs_of) const {
    const Repeat<1, 0> repeat(variants_[global], OutputMode::fresh, facts(), {&image_}, options_);
    const Known *known = repeat.find_checked();
    if (known == nullptr) {
      check();
    }
    auto results = make();
    const Outs outs = outs_of(results);
    if (!again(known, outs)) {
      run_first(repeat, outs, true);
    }
    return results;
  }

private:
  // What Known::note says: the axes, and whether the results are written as they are given.
  static constexpr std::uint8_t kAsGiven = 16;

  // They and the shape say which variant it is.
  [[nodiscard]] std::uint32_t facts() const {
    static_assert(sizeof(Reduction) == sizeof(std::uint32_t));
    return std::bit_cast<std::uint32_t>(over_);
  }
  [[nodiscard]] auto into_of(const Outs &outs) const {
    if constexpr (kResults == 1) {
      return Repeat<1>(variants_[global], OutputMode::into, facts(), {&image_, outs[0]}, options_);
    } else {
      return Repeat<1, 2>(variants_[global], OutputMode::into, facts(), {&image_, outs[0], outs[1]},
                          options_);
    }
  }

  [[nodiscard]] bool again(const Known *known, const Outs &outs) const {
    if (known == nullptr) {
      return false;
    }
    const ReductionParams params{eps_, static_cast<AxisMask>(known->note & kAllAxes)};
    if ((known->note & kAsGiven) != 0) [[likely]] {
      Call call = edge::call_again(*known, {&image_}, {outs[0]}, &params);
      call.out[kResults - 1] = outs[kResults - 1];
      return run_again(*known, call);
    }
    Spread spread(image_, over_, outs);
    return run_again(*known, edge::call_again(*known, {&image_}, spread.outs, &params));
  }

  template <int kOutputs>
  [[gnu::noinline]] void run_first(const Repeat<1, kOutputs> &repeat, const Outs &outs,
                                   bool checked) const {
    const Form form = form_of(image_.shape, over_);
    const ReductionParams params{eps_, axes_of(form, over_)};
    Spread spread(image_, over_, outs);
    Call call;
    call.in = {&image_};
    call.out = spread.outs;
    call.params = &params;
    call.dtype_case = edge::u8_or_f32(image_);
    const bool as_given = spread.views[0].shape == outs[0]->shape;
    repeat.dispatch_first(variants_[form], call, checked,
                          static_cast<std::uint8_t>(params.axes | (as_given ? kAsGiven : 0)));
  }

  // The results as candidates write them.
  struct Spread {
    Spread(const ConstView &image, const Reduction &over, const Outs &given) {
      for (std::size_t i = 0; i < kResults; ++i) {
        views[i] = at_axes_of(image, *given[i], over);
        outs[i] = &views[i];
      }
    }
    Spread(const Spread &) = delete;
    Spread &operator=(const Spread &) = delete;
    std::array<View, kResults> views;
    std::array<const View *, 2> outs{};
  };

  const Variants &variants_;
  const ConstView &image_;
  const Reduction &over_;
  double eps_;
  const Options &options_;
};

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

constinit const Variants kReduceSum{
    VariantHandle("reduce_sum/global"), VariantHandle("reduce_sum/per_channel"),
    VariantHandle("reduce_sum/per_item"), VariantHandle("reduce_sum/axes")};
constinit const Variants kMean{VariantHandle("mean/global"), VariantHandle("mean/per_channel"),
                               VariantHandle("mean/per_item"), VariantHandle("mean/axes")};
constinit const Variants kStd{VariantHandle("std/global"), VariantHandle("std/per_channel"),
                              VariantHandle("std/per_item"), VariantHandle("std/axes")};
constinit const Variants kMeanStd{
    VariantHandle("mean_std/global"), VariantHandle("mean_std/per_channel"),
    VariantHandle("mean_std/per_item"), VariantHandle("mean_std/axes")};
constinit const Variants kMinMax{VariantHandle("min_max/global"),
                                 VariantHandle("min_max/per_channel"),
                                 VariantHandle("min_max/per_item"), VariantHandle("min_max/axes")};

Dtype sum_dtype(const ConstView &image) {
  return image.dtype == Dtype::u8 ? Dtype::u64 : Dtype::f64;
}

// The forms of a statistic of one result.
struct One {
  std::string_view op;
  const Variants &variants;
  bool takes_empty = false;

  void into(const ConstView &image, const View &out, const Reduction &over, double eps,
            Dtype result, const Options &options) const {
    Asked<1>(variants, image, over, eps, options).into({&out}, [&] {
      check(op, image, takes_empty, options);
      check_out(op, "out", out, image, over, result);
    });
  }
  [[nodiscard]] Image fresh(const ConstView &image, const Reduction &over, double eps, Dtype result,
                            const Options &options) const {
    return Asked<1>(variants, image, over, eps, options)
        .fresh([&] { check(op, image, takes_empty, options); },
               [&] { return results_of(image, over, result); },
               [](const Image &out) { return std::array{&out.view()}; });
  }
};
constexpr One kReduceSumForms{"reduce_sum", kReduceSum, true};
constexpr One kMeanForms{"mean", kMean};
constexpr One kStdForms{"std", kStd};

// Of one of two results, which are named.
struct Two {
  std::string_view op;
  const Variants &variants;
  std::string_view first;
  std::string_view second;

  void into(const ConstView &image, const View &a, const View &b, const Reduction &over, double eps,
            Dtype result, const Options &options) const {
    Asked<2>(variants, image, over, eps, options).into({&a, &b}, [&] {
      check(op, image, false, options);
      check_out(op, first, a, image, over, result);
      check_out(op, second, b, image, over, result);
      validate::overlap(op, first, b, a, false, second);
    });
  }
  // `Results` has the two in their order, and nothing else.
  template <class Results>
  [[nodiscard]] Results fresh(const ConstView &image, const Reduction &over, double eps,
                              Dtype result, const Options &options) const {
    return Asked<2>(variants, image, over, eps, options)
        .fresh([&] { check(op, image, false, options); },
               [&] {
                 return Results{results_of(image, over, result), results_of(image, over, result)};
               },
               [](const Results &results) {
                 const auto &[a, b] = results;
                 return std::array{&a.view(), &b.view()};
               });
  }
};
constexpr Two kMeanStdForms{"mean_std", kMeanStd, "mean", "std"};
constexpr Two kMinMaxForms{"min_max", kMinMax, "min", "max"};

} // namespace

// ---- reduce_sum ---------------------------------------------------------------------------------

void unchecked::reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                           const Options &options) {
  Asked<1>(kReduceSum, image, over, 0, options).run({&out});
}
void reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                const Options &options) {
  kReduceSumForms.into(image, out, over, 0, sum_dtype(image), options);
}
Image reduce_sum(const ConstView &image, const Reduction &over, const Options &options) {
  return kReduceSumForms.fresh(image, over, 0, sum_dtype(image), options);
}

// ---- mean ---------------------------------------------------------------------------------------

void unchecked::mean(const ConstView &image, const View &out, const Reduction &over,
                     const Options &options) {
  Asked<1>(kMean, image, over, 0, options).run({&out});
}
void mean(const ConstView &image, const View &out, const Reduction &over, const Options &options) {
  kMeanForms.into(image, out, over, 0, Dtype::f64, options);
}
Image mean(const ConstView &image, const Reduction &over, const Options &options) {
  return kMeanForms.fresh(image, over, 0, Dtype::f64, options);
}

// ---- std ----------------------------------------------------------------------------------------

void unchecked::std(const ConstView &image, const View &out, const Reduction &over, double eps,
                    const Options &options) {
  Asked<1>(kStd, image, over, eps, options).run({&out});
}
void std(const ConstView &image, const View &out, const Reduction &over, double eps,
         const Options &options) {
  kStdForms.into(image, out, over, eps, Dtype::f64, options);
}
Image std(const ConstView &image, const Reduction &over, double eps, const Options &options) {
  return kStdForms.fresh(image, over, eps, Dtype::f64, options);
}

// ---- mean_std -----------------------------------------------------------------------------------

void unchecked::mean_std(const ConstView &image, const View &mean, const View &std,
                         const Reduction &over, double eps, const Options &options) {
  Asked<2>(kMeanStd, image, over, eps, options).run({&mean, &std});
}
void mean_std(const ConstView &image, const View &mean, const View &std, const Reduction &over,
              double eps, const Options &options) {
  kMeanStdForms.into(image, mean, std, over, eps, Dtype::f64, options);
}
MeanStd mean_std(const ConstView &image, const Reduction &over, double eps,
                 const Options &options) {
  return kMeanStdForms.fresh<MeanStd>(image, over, eps, Dtype::f64, options);
}

// ---- min_max ------------------------------------------------------------------------------------

void unchecked::min_max(const ConstView &image, const View &min, const View &max,
                        const Reduction &over, const Options &options) {
  Asked<2>(kMinMax, image, over, 0, options).run({&min, &max});
}
void min_max(const ConstView &image, const View &min, const View &max, const Reduction &over,
             const Options &options) {
  kMinMaxForms.into(image, min, max, over, 0, image.dtype, options);
}
MinMax min_max(const ConstView &image, const Reduction &over, const Options &options) {
  return kMinMaxForms.fresh<MinMax>(image, over, 0, image.dtype, options);
}

} // namespace switchyard
