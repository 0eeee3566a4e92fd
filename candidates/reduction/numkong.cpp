// Reductions through NumKong's strided kernels, column by column within pieces that stay in the
// cache.
//
// Its sums of u8 are exact. Its f64 sums of f32 values and squares give E[x²] − mean², which loses
// digits where the deviation is small beside the mean: such pieces get a pass over their
// deviations. Its ranges leave NaN out: pieces whose sum is not finite are looked through.
#include "candidates/common/numkong_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "candidates/reduction/adapters.hpp"
#include "candidates/reduction/moments.hpp"
#include "candidates/reduction/pieces.hpp"
#include "candidates/reduction/plan.hpp"

namespace switchyard::candidates::reduction {
namespace {

constexpr std::int64_t kColumns = 128;

template <class T> struct RawMoments {
  T sum = 0;
  T squares = 0;
};

// 7.6.0's AVX2 kernel adds squares of u8 in 32 bits: pieces of at most kSafeTerms cannot overflow.
RawMoments<nk_u64_t> moments_of(const std::uint8_t *data, std::int64_t n, std::int64_t stride) {
  auto *kernel = nk_reduce_moments_u8_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    kernel = nk_reduce_moments_u8_haswell;
  }
#endif
  RawMoments<nk_u64_t> raw;
  kernel(data, static_cast<nk_size_t>(n), static_cast<nk_size_t>(stride), &raw.sum, &raw.squares);
  return raw;
}

RawMoments<double> moments_of(const float *data, std::int64_t n, std::int64_t stride) {
  auto *kernel = nk_reduce_moments_f32_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    kernel = nk_reduce_moments_f32_haswell;
  }
#endif
  RawMoments<double> raw;
  kernel(data, static_cast<nk_size_t>(n), static_cast<nk_size_t>(stride) * sizeof(float), &raw.sum,
         &raw.squares);
  return raw;
}

// Calls begin(columns), add(rows, column) for pieces of at most kSafeTerms values of one column,
// and finish(tile, n).
template <class T, class Begin, class Add, class Finish>
void for_each_column(const Call &call, Begin begin, Add add, Finish finish) {
  const Plan plan(call, Order::any);
  std::array<T, std::size_t{8192}> staging;
  // The kernels divide by the stride, and 32-bit indices must reach the end of a piece.
  const std::int64_t stride = plan.reduced.inner().stride;
  const bool strides_fit = stride > 0 && stride <= INT32_MAX / 8;
  const Reader<T> reader(plan, strides_fit ? 2 : kColumns + 1, staging);
  for_each_tile(plan, kColumns, [&](const Tile &tile) {
    begin(tile.columns);
    reader.runs(tile, longest_piece<T>(tile.columns, kSafeTerms), [&](const Rows<T> &rows) {
      for (std::int64_t c = 0; c < tile.columns; ++c) {
        add(Rows<T>{rows.data + c, rows.rows, tile.columns == 1 ? 1 : rows.stride},
            static_cast<std::size_t>(c));
      }
    });
    finish(tile, plan.count);
  });
}

template <Asked kAsked> void run_bytes(const Call &call) {
  std::array<ByteSums, kColumns> sums;
  const auto add = [&](const Rows<std::uint8_t> &rows, std::size_t c) {
    const auto raw = moments_of(rows.data, rows.rows, rows.stride);
    sums[c].sum += raw.sum;
    sums[c].squares += raw.squares;
  };
  for_each_column<std::uint8_t>(
      call, [&](std::int64_t n) { std::fill_n(sums.begin(), n, ByteSums{}); }, add,
      [&](const Tile &tile, std::int64_t n) { store_all<kAsked>(call, tile, sums.data(), n); });
}

template <Asked kAsked> void run_floats(const Call &call) {
  std::array<Moments, kColumns> moments;
  const auto add = [&](const Rows<float> &rows, std::size_t c) {
    const auto raw = moments_of(rows.data, rows.rows, rows.stride);
    if constexpr (asks_std(kAsked)) {
      const auto n = static_cast<double>(rows.rows);
      const double mean = raw.sum / n;
      add_guarded(moments[c], rows, mean, raw.squares / n - mean * mean);
    } else {
      moments[c].add_sum(rows.rows, raw.sum);
    }
  };
  for_each_column<float>(
      call, [&](std::int64_t n) { std::fill_n(moments.begin(), n, Moments()); }, add,
      [&](const Tile &tile, std::int64_t n) { store_all<kAsked>(call, tile, moments.data(), n); });
}

void range_of(const Rows<std::uint8_t> &rows, Range<std::uint8_t> &range) {
  auto *kernel = nk_reduce_minmax_u8_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    kernel = nk_reduce_minmax_u8_haswell;
  }
#endif
  nk_u8_t low = 0;
  nk_u8_t high = 0;
  nk_size_t where_low = 0;
  nk_size_t where_high = 0;
  kernel(rows.data, static_cast<nk_size_t>(rows.rows), static_cast<nk_size_t>(rows.stride), &low,
         &where_low, &high, &where_high);
  range.widen(low, high);
}

void range_of(const Rows<float> &rows, Range<float> &range) {
  if (!std::isfinite(moments_of(rows.data, rows.rows, rows.stride).sum)) {
    range.widen_by_each(rows);
    return;
  }
  auto *kernel = nk_reduce_minmax_f32_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    kernel = nk_reduce_minmax_f32_haswell;
  }
#endif
  float low = 0;
  float high = 0;
  nk_size_t where_low = 0;
  nk_size_t where_high = 0;
  kernel(rows.data, static_cast<nk_size_t>(rows.rows),
         static_cast<nk_size_t>(rows.stride) * sizeof(float), &low, &where_low, &high, &where_high);
  range.widen(low, high);
}

template <class T> void run_min_max(const Call &call) {
  std::array<Range<T>, kColumns> ranges;
  for_each_column<T>(
      call, [&](std::int64_t n) { std::fill_n(ranges.begin(), n, Range<T>()); },
      [&](const Rows<T> &rows, std::size_t c) { range_of(rows, ranges[c]); },
      [&](const Tile &tile, std::int64_t) { store_ranges(tile, ranges.data()); });
}

} // namespace

template <Asked kAsked> void run_numkong(const Call &call) {
  if constexpr (kAsked == Asked::min_max) {
    run_by_dtype<kAsked>(call, run_min_max<std::uint8_t>, run_min_max<float>);
  } else {
    run_by_dtype<kAsked>(call, run_bytes<kAsked>, run_floats<kAsked>);
  }
}

SWITCHYARD_INSTANTIATE_REDUCTIONS(run_numkong);

} // namespace switchyard::candidates::reduction
