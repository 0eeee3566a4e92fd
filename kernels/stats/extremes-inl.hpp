// The lowest and highest values of dense runs, together or per interleaved channel. Included once
// per SIMD target.
//
// f32: a NaN makes both results of its channel NaN, wherever it is. Of zeros of unequal sign either
// may be the result.
#if defined(SWITCHYARD_KERNELS_STATS_EXTREMES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_STATS_EXTREMES_INL_HPP_
#undef SWITCHYARD_KERNELS_STATS_EXTREMES_INL_HPP_
#else
#define SWITCHYARD_KERNELS_STATS_EXTREMES_INL_HPP_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Where a search for the lowest and the highest value begins.
template <class T> constexpr T LowestStart() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::max();
}
template <class T> constexpr T HighestStart() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::lowest();
}

template <class T> HWY_INLINE void MergeExtremes(T low, T high, T *lowest, T *highest) {
  bool is_nan = false;
  if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
    is_nan = std::isnan(low) || std::isnan(high);
  }
  // A NaN that is there already stays: no comparison with it holds.
  *lowest = is_nan || low < *lowest ? low : *lowest;
  *highest = is_nan || high > *highest ? high : *highest;
}

// Lane by lane over vectors that begin `period` elements apart. Elements equal to `skip` count as
// nothing if kSkip.
template <class T, bool kSkip>
HWY_INLINE void ColumnExtremes(const T *in, size_t rows, size_t period, T skip, T *lowest,
                               T *highest) {
  constexpr size_t kChains = 4; // hide the latency of Min and Max
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const V none_low = hn::Set(d, LowestStart<T>());
  const V none_high = hn::Set(d, HighestStart<T>());
  const V skipped = hn::Set(d, skip);
  V low[kChains];
  V high[kChains];
  for (size_t u = 0; u < kChains; ++u) {
    low[u] = none_low;
    high[u] = none_high;
  }
  V nan = hn::Zero(d); // all ones where there was one
  const auto take = [&](size_t row, size_t u) HWY_ATTR {
    const V x = hn::LoadU(d, in + row * period);
    V x_low = x;
    V x_high = x;
    if constexpr (kSkip) {
      const auto left_out = hn::Eq(x, skipped);
      x_low = hn::IfThenElse(left_out, none_low, x);
      x_high = hn::IfThenElse(left_out, none_high, x);
    }
    if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
      // Not Ne(x, x), which Highway 1.0.3 makes false for NaN on AVX2.
      nan = hn::Or(nan, hn::VecFromMask(d, hn::IsNaN(x)));
    }
    low[u] = hn::Min(x_low, low[u]);
    high[u] = hn::Max(x_high, high[u]);
  };
  size_t row = 0;
  for (; row + kChains <= rows; row += kChains) {
    for (size_t u = 0; u < kChains; ++u) {
      take(row + u, u);
    }
  }
  for (; row < rows; ++row) {
    take(row, 0);
  }
  low[0] = hn::Min(hn::Min(low[0], low[1]), hn::Min(low[2], low[3]));
  high[0] = hn::Max(hn::Max(high[0], high[1]), hn::Max(high[2], high[3]));
  if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
    low[0] = hn::Or(low[0], nan);
    high[0] = hn::Or(high[0], nan);
  }
  hn::StoreU(low[0], d, lowest);
  hn::StoreU(high[0], d, highest);
}

// Merges in[0, n) into lowest[c] and highest[c]; in[0] belongs to channel `first`. They begin as
// LowestStart and HighestStart.
template <class T, bool kSkip = false>
HWY_INLINE void AddExtremes(const T *in, size_t n, size_t first, size_t channels, T *lowest,
                            T *highest, T skip = T{}) {
  using D = hn::ScalableTag<T>;
  constexpr size_t kBlockBytes = 16384; // read once per column: stays in the first-level cache
  constexpr size_t kLanes = hn::MaxLanes(D());
  HWY_ALIGN T low[kLanes];
  HWY_ALIGN T high[kLanes];
  const size_t vectors = n / kLanes;
  const size_t columns = channels / std::gcd(channels, kLanes); // vectors until phases repeat
  const size_t rows_of_block = HWY_MAX(kBlockBytes / (sizeof(T) * kLanes * columns), size_t{1});
  for (size_t from = 0; from < vectors; from += columns * rows_of_block) {
    const size_t count = HWY_MIN(vectors - from, columns * rows_of_block);
    for (size_t v = 0; v < HWY_MIN(columns, count); ++v) {
      const size_t rows = (count - v + columns - 1) / columns;
      ColumnExtremes<T, kSkip>(in + (from + v) * kLanes, rows, columns * kLanes, skip, low, high);
      size_t channel = (first + (from + v) * kLanes) % channels;
      for (size_t i = 0; i < kLanes; ++i) {
        MergeExtremes(low[i], high[i], lowest + channel, highest + channel);
        channel = channel + 1 == channels ? 0 : channel + 1;
      }
    }
  }
  size_t channel = (first + vectors * kLanes) % channels;
  for (size_t i = vectors * kLanes; i < n; ++i) {
    if (!kSkip || in[i] != skip) {
      MergeExtremes(in[i], in[i], lowest + channel, highest + channel);
    }
    channel = channel + 1 == channels ? 0 : channel + 1;
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_EXTREMES_INL_HPP_
