// Moments from exact sums (u8) and from blocks (f32): the formulas of the contract.
#pragma once

#include <cmath>
#include <cstdint>

#include "candidates/reduction/params.hpp"
#include "candidates/reduction/plan.hpp"

namespace switchyard::candidates::reduction {

// f32 values are taken in blocks of so many; value k of a block goes to partial sum k mod kLanes.
inline constexpr std::int64_t kBlock = 2048;
inline constexpr std::int64_t kLanes = 16;
// How large Σx² − s²/n of a block has to be beside s²/n for its digits to do.
inline constexpr double kSafeSpread = 1e-4;

struct MeanStd {
  double mean = 0;
  double std = 0; // without eps
};

// Exact sums of u8 values and of their squares; n is below 2^48.
struct ByteSums {
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;

  [[nodiscard]] std::uint64_t total() const { return sum; }
  [[nodiscard]] double mean(std::int64_t n) const {
    return static_cast<double>(sum) / static_cast<double>(n);
  }
  [[nodiscard]] MeanStd mean_std(std::int64_t n) const {
    if (n < (std::int64_t{1} << 24)) { // no product overflows
      const auto count = static_cast<std::uint64_t>(n);
      const double spread = static_cast<double>(count * squares - sum * sum);
      return {mean(n), std::sqrt(spread) / static_cast<double>(n)};
    }
    __extension__ using Wide = unsigned __int128;
    const Wide spread = static_cast<Wide>(n) * squares - static_cast<Wide>(sum) * sum;
    return {mean(n), std::sqrt(static_cast<double>(spread)) / static_cast<double>(n)};
  }
};

// Joins blocks in order: the sum with its rounding errors kept apart, squared deviations by the
// distance of the block's mean from the mean so far. All terms of the latter are ≥ 0, so that
// nothing cancels, and equal values give exactly 0 at any count.
class Moments {
public:
  // `sum` of n values.
  void add_sum(std::int64_t n, double sum) {
    const double total = high_ + sum;
    const double added = total - high_;
    low_ += (high_ - (total - added)) + (sum - added);
    high_ = total;
    n_ += static_cast<double>(n);
  }

  // Besides, `squares`: the sum of their squared distances from sum / n.
  void add(std::int64_t n, double sum, double squares) {
    if (n_ > 0) {
      const auto more = static_cast<double>(n);
      const double distance = sum / more - mean();
      squares_ += distance * distance * (n_ * more / (n_ + more));
    }
    squares_ += squares;
    add_sum(n, sum);
  }

  // The kept errors of an infinite sum are NaN.
  [[nodiscard]] double total() const { return std::isfinite(high_) ? high_ + low_ : high_; }

  // The sum divided by n with one rounding more than the exact quotient needs.
  [[nodiscard]] double mean() const {
    const double quotient = high_ / n_;
    if (!std::isfinite(quotient)) {
      return quotient;
    }
    const double rest = std::fma(-quotient, n_, high_) + low_;
    return quotient + rest / n_;
  }
  [[nodiscard]] double mean(std::int64_t /*n*/) const { return mean(); }
  [[nodiscard]] MeanStd mean_std(std::int64_t /*n*/) const {
    return {mean(), std::sqrt(squares_ / n_)};
  }

private:
  double n_ = 0;
  double high_ = 0;
  double low_ = 0;
  double squares_ = 0;
};

// Writes what is asked for of ByteSums or Moments.
template <Asked kAsked, class Sums>
void store(const Tile &tile, std::int64_t column, const Sums &sums, std::int64_t n, double eps) {
  if constexpr (kAsked == Asked::sum) {
    tile.store(0, column, sums.total());
  } else if constexpr (kAsked == Asked::mean) {
    tile.store(0, column, sums.mean(n));
  } else {
    const MeanStd result = sums.mean_std(n);
    if constexpr (kAsked == Asked::mean_std) {
      tile.store(0, column, result.mean);
    }
    tile.store(kAsked == Asked::mean_std ? 1 : 0, column, result.std + eps);
  }
}

// Writes what is asked for of a tile's ByteSums or Moments.
template <Asked kAsked, class Sums>
void store_all(const Call &call, const Tile &tile, const Sums *sums, std::int64_t n) {
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    store<kAsked>(tile, c, sums[c], n, call.params_as<ReductionParams>().eps);
  }
}

// Runs what is there for the image's dtype; sums of nothing need neither.
template <Asked kAsked, class Bytes, class Floats>
void run_by_dtype(const Call &call, Bytes bytes, Floats floats) {
  if (kAsked == Asked::sum && stored_zeros(call)) {
    return;
  }
  call.in[0]->dtype == Dtype::u8 ? bytes(call) : floats(call);
}

} // namespace switchyard::candidates::reduction
