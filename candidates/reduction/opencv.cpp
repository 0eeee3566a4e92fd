// Reductions through cv::meanStdDev, cv::sum, cv::reduce and cv::minMaxIdx, piece by piece.
//
// meanStdDev computes E[x²] − mean² in f64: of u8, a piece's results give back its exact integer
// sums; of f32, pieces whose deviation is small beside their mean get a pass over their deviations.
// sum takes four channels at most and adds f32 in f32, so it serves u8 alone; reduce adds in f64.
// Neither minMaxIdx nor reduce says what it makes of NaN: pieces with values that are not finite
// are looked through.
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "candidates/common/opencv_mat.hpp"

#include "candidates/reduction/adapters.hpp"
#include "candidates/reduction/moments.hpp"
#include "candidates/reduction/pieces.hpp"
#include "candidates/reduction/plan.hpp"

namespace switchyard::candidates::reduction {
namespace {

constexpr std::int64_t kColumns = CV_CN_MAX;
// Sums of squares of so many u8 values survive the rounding of their mean and deviation.
constexpr std::int64_t kByteTerms = std::int64_t{1} << 22;

template <class T> constexpr int kDepth = CV_8U;
template <> constexpr int kDepth<float> = CV_32F;

// Columns as channels: one row of pixels where they are dense, else a pixel a row.
template <class T> cv::Mat as_channels(const Rows<T> &rows, std::int64_t columns) {
  const int type = CV_MAKETYPE(kDepth<T>, static_cast<int>(columns));
  auto *data = const_cast<T *>(rows.data);
  if (columns == 1 || rows.stride == columns) {
    return {1, static_cast<int>(rows.rows), type, data};
  }
  return {static_cast<int>(rows.rows), 1, type, data,
          static_cast<std::size_t>(rows.stride) * sizeof(T)};
}

// Columns as columns of one channel.
template <class T> cv::Mat as_columns(const Rows<T> &rows, std::int64_t columns) {
  const std::int64_t stride = rows.rows > 1 ? rows.stride : columns;
  return {static_cast<int>(rows.rows), static_cast<int>(columns), kDepth<T>,
          const_cast<T *>(rows.data), static_cast<std::size_t>(stride) * sizeof(T)};
}

// Calls begin(columns), add(rows, columns) for pieces of at most `longest` values of each column,
// and finish(tile, n).
template <class T, class Begin, class Add, class Finish>
void for_each_piece(const Call &call, std::int64_t longest, Begin begin, Add add, Finish finish) {
  const Plan plan(call, Order::any);
  std::array<T, std::size_t{8192}> staging;
  // Rows of a Mat may not overlap.
  const std::int64_t widest = std::min(kColumns, plan.kept.inner().extent);
  const bool rows_apart =
      plan.reduced.inner().stride >= widest * static_cast<std::int64_t>(sizeof(T));
  const Reader<T> reader(plan, rows_apart ? 2 : kColumns + 1, staging);
  for_each_tile(plan, kColumns, [&](const Tile &tile) {
    begin(tile.columns);
    reader.runs(tile, longest_piece<T>(tile.columns, longest),
                [&](const Rows<T> &rows) { add(rows, tile.columns); });
    finish(tile, plan.count);
  });
}

// Means and deviations, or sums, of a piece's columns.
struct PieceResult {
  std::array<double, kColumns> means; // or sums
  std::array<double, kColumns> deviations;

  template <class T> void mean_std(const Rows<T> &rows, std::int64_t columns) {
    const auto n = static_cast<int>(columns);
    const cv::Mat mean(n, 1, CV_64F, means.data());
    const cv::Mat deviation(n, 1, CV_64F, deviations.data());
    cv::meanStdDev(as_channels(rows, columns), mean, deviation);
  }
  template <class T> void sum(const Rows<T> &rows, std::int64_t columns) {
    const auto n = static_cast<int>(columns);
    if (kDepth<T> == CV_8U && columns <= 4) {
      const cv::Scalar sums = cv::sum(as_channels(rows, columns));
      std::copy_n(sums.val, columns, means.begin());
    } else if (columns <= 4 && (columns == 1 || rows.stride == columns)) {
      const cv::Mat sums(1, 1, CV_64FC(n), means.data());
      cv::reduce(as_channels(rows, columns), sums, 1, cv::REDUCE_SUM, CV_64F);
    } else {
      const cv::Mat sums(1, n, CV_64F, means.data());
      cv::reduce(as_columns(rows, columns), sums, 0, cv::REDUCE_SUM, CV_64F);
    }
  }
};

template <Asked kAsked> void run_bytes(const Call &call) {
  std::array<ByteSums, kColumns> sums;
  PieceResult result;
  const auto add = [&](const Rows<std::uint8_t> &rows, std::int64_t columns) {
    const auto n = static_cast<double>(rows.rows);
    asks_std(kAsked) ? result.mean_std(rows, columns) : result.sum(rows, columns);
    for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
      const double mean = result.means[c];
      if constexpr (asks_std(kAsked)) {
        const double variance = result.deviations[c] * result.deviations[c];
        sums[c].sum += static_cast<std::uint64_t>(std::llround(mean * n));
        sums[c].squares += static_cast<std::uint64_t>(std::llround((variance + mean * mean) * n));
      } else {
        sums[c].sum += static_cast<std::uint64_t>(mean);
      }
    }
  };
  for_each_piece<std::uint8_t>(
      call, kByteTerms, [&](std::int64_t n) { std::fill_n(sums.begin(), n, ByteSums{}); }, add,
      [&](const Tile &tile, std::int64_t n) { store_all<kAsked>(call, tile, sums.data(), n); });
}

template <Asked kAsked> void run_floats(const Call &call) {
  std::array<Moments, kColumns> moments;
  PieceResult result;
  const auto add = [&](const Rows<float> &rows, std::int64_t columns) {
    asks_std(kAsked) ? result.mean_std(rows, columns) : result.sum(rows, columns);
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto i = static_cast<std::size_t>(c);
      if constexpr (asks_std(kAsked)) {
        const std::int64_t stride = columns == 1 ? 1 : rows.stride;
        add_guarded(moments[i], Rows<float>{rows.data + c, rows.rows, stride}, result.means[i],
                    result.deviations[i] * result.deviations[i]);
      } else {
        moments[i].add_sum(rows.rows, result.means[i]);
      }
    }
  };
  for_each_piece<float>(
      call, kSafeTerms, [&](std::int64_t n) { std::fill_n(moments.begin(), n, Moments()); }, add,
      [&](const Tile &tile, std::int64_t n) { store_all<kAsked>(call, tile, moments.data(), n); });
}

// Brings a piece of finite values into the ranges.
template <class T>
void widen(const Rows<T> &rows, std::int64_t columns, std::array<Range<T>, kColumns> &ranges) {
  if (columns == 1) {
    double low = 0;
    double high = 0;
    cv::minMaxIdx(as_channels(rows, columns), &low, &high);
    ranges[0].widen(static_cast<T>(low), static_cast<T>(high));
    return;
  }
  std::array<T, kColumns> low;
  std::array<T, kColumns> high;
  const auto n = static_cast<int>(columns);
  const cv::Mat mat = as_columns(rows, columns);
  cv::reduce(mat, cv::Mat(1, n, kDepth<T>, low.data()), 0, cv::REDUCE_MIN);
  cv::reduce(mat, cv::Mat(1, n, kDepth<T>, high.data()), 0, cv::REDUCE_MAX);
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
    ranges[c].widen(low[c], high[c]);
  }
}

template <class T> void run_min_max(const Call &call) {
  std::array<Range<T>, kColumns> ranges;
  const auto add = [&](const Rows<T> &rows, std::int64_t columns) {
    if (kDepth<T> == CV_32F &&
        !cv::checkRange(as_columns(rows, columns), true, nullptr, -DBL_MAX, DBL_MAX)) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t stride = columns == 1 ? 1 : rows.stride;
        ranges[static_cast<std::size_t>(c)].widen_by_each({rows.data + c, rows.rows, stride});
      }
      return;
    }
    widen(rows, columns, ranges);
  };
  for_each_piece<T>(
      call, kSafeTerms, [&](std::int64_t n) { std::fill_n(ranges.begin(), n, Range<T>()); }, add,
      [&](const Tile &tile, std::int64_t) { store_ranges(tile, ranges.data()); });
}

} // namespace

template <Asked kAsked> void run_opencv(const Call &call) {
  if constexpr (kAsked == Asked::min_max) {
    run_by_dtype<kAsked>(call, run_min_max<std::uint8_t>, run_min_max<float>);
  } else {
    run_by_dtype<kAsked>(call, run_bytes<kAsked>, run_floats<kAsked>);
  }
}

SWITCHYARD_INSTANTIATE_REDUCTIONS(run_opencv);

} // namespace switchyard::candidates::reduction
