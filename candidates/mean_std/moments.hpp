// Moments from exact sums (u8) and from blocks (f32): the formulas of mean_std's contract.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "candidates/mean_std/params.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::mean_std {

// f32 values are taken in blocks of so many; value k of a block goes to partial sum k mod kLanes.
inline constexpr std::int64_t kBlock = 2048;
inline constexpr std::int64_t kLanes = 16;

// How far apart std² and mean² may be before E[x²] − mean² has lost too many digits: with sums of
// at most 2^13 terms and this ratio, std keeps a relative error below 1e-6.
inline constexpr double kSafeRatio = 1e-6;
inline constexpr std::int64_t kSafeTerms = 1 << 13;

struct Result {
  double mean = 0;
  double std = 0; // without eps
};

// Exact sums of u8 values and of their squares; n is below 2^48.
struct ByteSums {
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;

  [[nodiscard]] Result result(std::int64_t n) const {
    __extension__ using Wide = unsigned __int128;
    const auto count = static_cast<double>(n);
    const Wide spread = static_cast<Wide>(n) * squares - static_cast<Wide>(sum) * sum;
    return {static_cast<double>(sum) / count, std::sqrt(static_cast<double>(spread)) / count};
  }
};

// Joins blocks in order: the sum with its rounding errors kept apart, squared deviations by the
// distance of the block's mean from the mean so far. All terms of the latter are ≥ 0, so that
// nothing cancels, and equal values give exactly 0 at any count.
class Moments {
public:
  // `sum` of n values, and `squares`: the sum of their squared distances from sum / n.
  void add(std::int64_t n, double sum, double squares) {
    const auto more = static_cast<double>(n);
    if (n_ > 0) {
      const double distance = sum / more - mean();
      squares_ += distance * distance * (n_ * more / (n_ + more));
    }
    squares_ += squares;
    const double total = high_ + sum;
    const double added = total - high_;
    low_ += (high_ - (total - added)) + (sum - added);
    high_ = total;
    n_ += more;
  }

  // The sum divided by n with one rounding more than the exact quotient needs.
  [[nodiscard]] double mean() const {
    const double quotient = high_ / n_;
    if (!std::isfinite(quotient)) {
      return quotient; // the kept errors of an infinite sum are NaN
    }
    const double rest = std::fma(-quotient, n_, high_) + low_;
    return quotient + rest / n_;
  }
  [[nodiscard]] Result result() const { return {mean(), std::sqrt(squares_ / n_)}; }

private:
  double n_ = 0;
  double high_ = 0;
  double low_ = 0;
  double squares_ = 0;
};

// Writes a channel's results; outputs may lie anywhere.
inline void store(const Call &call, std::int64_t channel, const Result &result) {
  const double std = result.std + call.params_as<MeanStdParams>().eps;
  std::memcpy(call.out[0]->at(0, 0, 0, channel), &result.mean, sizeof(double));
  std::memcpy(call.out[1]->at(0, 0, 0, channel), &std, sizeof(double));
}

} // namespace switchyard::candidates::mean_std
