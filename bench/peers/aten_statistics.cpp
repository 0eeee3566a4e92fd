// Eager ATen's statistics as a user writes them.
#include <utility>
#include <vector>

#include "bench/peers/aten.hpp"
#include "candidates/bincount/params.hpp"
#include "candidates/reduction/params.hpp"

namespace switchyard::peers::aten {
namespace {

std::vector<std::int64_t> axes_of(const Call &call) {
  std::vector<std::int64_t> axes;
  for (int axis = 0; axis < 4; ++axis) {
    if (has_axis(call.params_as<ReductionParams>().axes, axis)) {
      axes.push_back(axis);
    }
  }
  return axes;
}

// What a statistic reads and writes. Reduced axes are kept, as the outputs have them.
struct Asked {
  at::Tensor x, first, second;
  std::vector<std::int64_t> axes;
  double eps = 0;
  explicit Asked(const Call &call)
      : x(tensor_of(*call.in[0])), first(result_of(*call.out[0])), axes(axes_of(call)),
        eps(call.params_as<ReductionParams>().eps) {
    if (call.out[1] != nullptr) {
      second = result_of(*call.out[1]);
    }
  }
  [[nodiscard]] bool usable() const { return x.defined() && first.defined(); }
};

Bound sum(const Call &call) {
  const Asked a(call);
  if (!a.usable()) {
    return {};
  }
  return [a, y = a.first]() mutable { at::sum_out(y, a.x, a.axes, true, y.scalar_type()); };
}

Bound mean(const Call &call) {
  const Asked a(call);
  if (!a.usable()) {
    return {};
  }
  return [a, y = a.first]() mutable { at::mean_out(y, a.x, a.axes, true, at::kDouble); };
}

// std_mean() takes no integers.
at::Tensor floating(const at::Tensor &x) {
  return x.scalar_type() == at::kByte ? x.to(at::kFloat) : x;
}

Bound std(const Call &call) {
  const Asked a(call);
  return a.usable() ? Bound([a] {
    a.first.copy_(at::std(floating(a.x), a.axes, false, true).add_(a.eps));
  })
                    : Bound();
}

Bound mean_std(const Call &call) {
  const Asked a(call);
  return a.usable() ? Bound([a] {
    const auto [deviation, mean] = at::std_mean(floating(a.x), a.axes, false, true);
    a.first.copy_(mean);
    a.second.copy_(deviation.add(a.eps));
  })
                    : Bound();
}

Bound min_max_global(const Call &call) {
  const Asked a(call);
  return a.usable() ? Bound([a] {
    const auto [low, high] = at::aminmax(a.x);
    a.first.copy_(low);
    a.second.copy_(high);
  })
                    : Bound();
}

// aminmax() reduces one axis or all.
Bound min_max_axes(const Call &call) {
  const Asked a(call);
  return a.usable() ? Bound([a, low = a.first, high = a.second]() mutable {
    at::amin_out(low, a.x, a.axes, true);
    at::amax_out(high, a.x, a.axes, true);
  })
                    : Bound();
}

Bound min_max_pixels(const Call &call) {
  const Asked a(call);
  if (!a.usable() || !a.x.is_contiguous()) {
    return {};
  }
  const std::int64_t channels = a.x.size(3);
  return [a, pixels = a.x.view({-1, channels})] {
    const auto [low, high] = at::aminmax(pixels, 0);
    a.first.view(-1).copy_(low);
    a.second.view(-1).copy_(high);
  };
}

// ---- normalisation by the image itself ---------------------------------------------------------

constexpr double kDeviationEps = 1e-4;

template <bool kPerChannel> Bound normalize_image(const Call &call) {
  const Tensors t(call);
  const std::vector<std::int64_t> axes =
      kPerChannel ? std::vector<std::int64_t>{0, 1, 2} : std::vector<std::int64_t>{0, 1, 2, 3};
  return t.usable() ? Bound([t, axes, y = t.y]() mutable {
    at::Tensor from = t.x;
    if (t.x.scalar_type() != at::kFloat) {
      from = y.copy_(t.x);
    }
    const auto [deviation, mean] = at::std_mean(from, axes, false, true);
    at::sub_out(y, from, mean);
    y.div_(deviation.add(kDeviationEps));
  })
                    : Bound();
}

template <bool kPerChannel> Bound normalize_range(const Call &call) {
  const Tensors t(call);
  return t.usable() ? Bound([t, y = t.y]() mutable {
    at::Tensor low;
    at::Tensor high;
    if (kPerChannel) {
      low = t.x.amin({0, 1, 2}, true);
      high = t.x.amax({0, 1, 2}, true);
    } else {
      std::tie(low, high) = at::aminmax(t.x);
    }
    at::Tensor from = t.x;
    if (t.x.scalar_type() != at::kFloat) {
      from = y.copy_(t.x);
    }
    at::sub_out(y, from, low);
    y.div_(high.to(at::kFloat) - low.to(at::kFloat));
  })
                    : Bound();
}

// ---- counting ----------------------------------------------------------------------------------

constexpr std::int64_t kLevels = 256;

at::Tensor chosen(const at::Tensor &x, const at::Tensor &mask) {
  return mask.defined() ? x.masked_select(mask.to(at::kBool)) : x.flatten();
}

Bound histogram_together(const Call &call) {
  const Tensors t(call);
  const at::Tensor mask = call.in[1] != nullptr ? tensor_of(*call.in[1]) : at::Tensor();
  return t.usable() ? Bound([t, mask, y = t.y.view(-1)] {
    y.copy_(at::bincount(chosen(t.x, mask), {}, kLevels));
  })
                    : Bound();
}

Bound histogram_channels(const Call &call) {
  const Tensors t(call);
  const at::Tensor mask = call.in[1] != nullptr ? tensor_of(*call.in[1]) : at::Tensor();
  return t.usable() ? Bound([t, mask] {
    for (std::int64_t c = 0; c < t.x.size(3); ++c) {
      t.y.select(3, c).view(-1).copy_(at::bincount(chosen(t.x.narrow(3, c, 1), mask), {}, kLevels));
    }
  })
                    : Bound();
}

Bound count_labels(const Call &call) {
  const Tensors t(call);
  const auto &p = call.params_as<BincountParams>();
  const at::Tensor weights = call.in[1] != nullptr ? tensor_of(*call.in[1]) : at::Tensor();
  if (!t.usable() || p.ignores) {
    return {};
  }
  const std::int64_t bins = p.bins;
  return [t, weights, bins, y = t.y.view(-1)] {
    c10::optional<at::Tensor> w;
    if (weights.defined()) { // f32 weights would be added up in f32
      w = weights.flatten().to(at::kDouble);
    }
    y.copy_(at::bincount(t.x.flatten(), w, bins));
  };
}

constexpr std::string_view kRange = "amin_out(low, x, axes); amax_out(high, x, axes)";
constexpr std::string_view kPixels = "aminmax(x.view({-1, C}), 0)";
constexpr Expression kStatistics[] = {
    {"reduce_sum/global", "sum_out(y, x, axes)", sum},
    {"reduce_sum/per_channel", "sum_out(y, x, axes)", sum},
    {"reduce_sum/per_item", "sum_out(y, x, axes)", sum},
    {"reduce_sum/axes", "sum_out(y, x, axes)", sum},
    {"mean/global", "mean_out(y, x, axes, float64)", mean},
    {"mean/per_channel", "mean_out(y, x, axes, float64)", mean},
    {"mean/per_item", "mean_out(y, x, axes, float64)", mean},
    {"mean/axes", "mean_out(y, x, axes, float64)", mean},
    {"std/global", "std(x, axes); u8: of x.to(float32)", std},
    {"std/per_channel", "std(x, axes); u8: of x.to(float32)", std},
    {"std/per_item", "std(x, axes); u8: of x.to(float32)", std},
    {"std/axes", "std(x, axes); u8: of x.to(float32)", std},
    {"mean_std/global", "std_mean(x, axes); u8: of x.to(float32)", mean_std},
    {"mean_std/per_channel", "std_mean(x, axes); u8: of x.to(float32)", mean_std},
    {"mean_std/per_item", "std_mean(x, axes); u8: of x.to(float32)", mean_std},
    {"mean_std/axes", "std_mean(x, axes); u8: of x.to(float32)", mean_std},
    {"min_max/global", "aminmax(x)", min_max_global},
    {"min_max/per_channel", kRange, min_max_axes},
    {"min_max/per_channel", kPixels, min_max_pixels},
    {"min_max/per_item", kRange, min_max_axes},
    {"min_max/axes", kRange, min_max_axes},
    {"normalize_per_image/image", "std_mean; sub_out; y.div_(s)", normalize_image<false>},
    {"normalize_per_image/image_per_channel", "std_mean; sub_out; y.div_(s)",
     normalize_image<true>},
    {"normalize_per_image/min_max", "aminmax; sub_out; y.div_(high - low)", normalize_range<false>},
    {"normalize_per_image/min_max_per_channel", "amin; amax; sub_out; y.div_(high - low)",
     normalize_range<true>},
    {"histogram/together", "bincount(x.flatten(), {}, 256)", histogram_together},
    {"histogram/together_masked", "bincount(x.masked_select(mask), {}, 256)", histogram_together},
    {"histogram/per_channel", "bincount of each channel", histogram_channels},
    {"histogram/per_channel_masked", "bincount of each channel's masked_select",
     histogram_channels},
    {"bincount/counts", "bincount(x.flatten(), {}, bins)", count_labels},
    {"bincount/weights", "bincount(x.flatten(), weights.to(float64), bins)", count_labels},
};

} // namespace

std::span<const Expression> statistics() {
  return kStatistics;
}

} // namespace switchyard::peers::aten
