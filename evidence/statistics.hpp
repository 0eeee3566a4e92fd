// The statistics of paired timings: pure functions that the measuring engine, the evidence files
// and the route policy share, so that a number means the same in all three.
//
// Nothing here assumes a distribution: timings have heavy right tails and drift, and rounds pair
// the alternatives so that drift cancels in the ratio.
#pragma once

#include <cstddef>
#include <span>

namespace switchyard::evidence {

// The middle value; the mean of the two middle values of an even number; NaN of none.
[[nodiscard]] double median(std::span<const double> values);

// Quantile `p` in [0, 1] with linear interpolation between order statistics (0.5: the median);
// NaN of none.
[[nodiscard]] double quantile(std::span<const double> values, double p);

// Interquartile range / median: how noisy the values are. 0 for fewer than two values.
[[nodiscard]] double spread(std::span<const double> values);

// The spread from which a cell is called noisy, judged by its best row: a tenth is over three times
// the tie band, so that a near-tie there says little. A still machine stays below a hundredth.
inline constexpr double kNoisySpread = 0.1;
[[nodiscard]] bool noisy(std::span<const double> times_of_best);

struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
};

// Largest rank k such that [k-th smallest, k-th largest] of n independent values holds their
// median with probability ≥ 1 − alpha (the inverted two-sided sign test); 0 when n is too small
// for any such interval.
[[nodiscard]] std::size_t interval_rank(std::size_t n, double alpha);

// How many times slower `a` is than `b`: the median of a[i] / b[i] over the rounds that both
// have, with an interval of family-wise confidence 95 % over `comparisons` simultaneous
// comparisons (Bonferroni). An even number of rounds takes the geometric mean of the two middle
// ratios (the median of the logs), so that paired_ratio(b, a) is the reciprocal. Times are finite
// and above 0.
//
// Too few rounds to exclude anything (below six for one comparison) give [0, HUGE_VAL]; no common
// round gives the estimate NaN as well.
[[nodiscard]] Interval paired_ratio(std::span<const double> a, std::span<const double> b,
                                    int comparisons = 1);

// `value` rounded to four significant digits: the precision of times in evidence. Does not depend
// on the locale.
[[nodiscard]] double round_to_four_digits(double value);

} // namespace switchyard::evidence
