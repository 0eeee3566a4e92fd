// What adapters of libraries share: the guard for raw moments that have lost too many digits, and
// ranges that keep a NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "candidates/reduction/moments.hpp"
#include "candidates/reduction/plan.hpp"

namespace switchyard::candidates::reduction {

// How far apart std² and mean² may be before E[x²] − mean² has lost too many digits: with sums of
// at most kSafeTerms terms and this ratio, std keeps a relative error below 1e-6.
inline constexpr double kSafeRatio = 1e-6;
inline constexpr std::int64_t kSafeTerms = 1 << 13;

// At most how many rows a piece has: `most`, and where it has several columns, as many as a cache
// keeps while they are read one after the other, or all of them several times.
template <class T> constexpr std::int64_t longest_piece(std::int64_t columns, std::int64_t most) {
  // Rows of many columns may lie a power of two apart, where a cache keeps few of them.
  const std::int64_t bytes = columns < 32 ? std::int64_t{1} << 16 : std::int64_t{1} << 13;
  const std::int64_t rows = bytes / (columns * static_cast<std::int64_t>(sizeof(T)));
  return columns == 1 ? most : std::min(most, std::max<std::int64_t>(16, rows));
}

// Σ term(x) over the first column.
template <class Term> double sum_of(const Rows<float> &rows, Term term) {
  double total = 0;
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    total += term(static_cast<double>(rows.data[r * rows.stride]));
  }
  return total;
}

// Adds at most kSafeTerms values of the first column, whose mean and variance a library computed
// from raw moments; computes both again, in two passes, where that has lost too many digits.
inline void add_guarded(Moments &moments, const Rows<float> &rows, double mean, double variance) {
  const auto count = static_cast<double>(rows.rows);
  if (variance >= kSafeRatio * (mean * mean)) {
    moments.add(rows.rows, mean * count, variance * count);
    return;
  }
  const double sum = sum_of(rows, [](double x) { return x; });
  const double center = sum / count;
  moments.add(rows.rows, sum, sum_of(rows, [&](double x) { return (x - center) * (x - center); }));
}

// Smallest and largest value; NaN once there was one.
template <class T> struct Range {
  T low = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                               : std::numeric_limits<T>::max();
  T high = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  bool nan = false;

  // By the range of values without NaN.
  void widen(T least, T most) {
    low = std::min(low, least);
    high = std::max(high, most);
  }
  // By every value of the first column.
  void widen_by_each(const Rows<T> &rows) {
    for (std::int64_t r = 0; r < rows.rows; ++r) {
      const T value = rows.data[r * rows.stride];
      if constexpr (std::is_floating_point_v<T>) {
        nan = nan || std::isnan(value);
      }
      widen(value, value);
    }
  }
};

template <class T> void store_ranges(const Tile &tile, const Range<T> *ranges) {
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN(); // 0 of integers, which have none
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    tile.store(0, c, ranges[c].nan ? kNan : ranges[c].low);
    tile.store(1, c, ranges[c].nan ? kNan : ranges[c].high);
  }
}

} // namespace switchyard::candidates::reduction
