#include "evidence/statistics.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace switchyard::evidence {
namespace {

constexpr double kFamilyError = 0.05;

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

// `p` of a non-empty ascending list.
double quantile_of_sorted(const std::vector<double> &values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double weight = position - static_cast<double>(below);
  return values[below] + weight * (values[above] - values[below]);
}

} // namespace

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double quantile(std::span<const double> values, double p) {
  if (values.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return quantile_of_sorted(sorted(values), std::clamp(p, 0.0, 1.0));
}

double spread(std::span<const double> values) {
  if (values.size() < 2) {
    return 0;
  }
  const std::vector<double> ordered = sorted(values);
  return (quantile_of_sorted(ordered, 0.75) - quantile_of_sorted(ordered, 0.25)) /
         quantile_of_sorted(ordered, 0.5);
}

bool noisy(std::span<const double> times_of_best) {
  return spread(times_of_best) > kNoisySpread;
}

std::size_t interval_rank(std::size_t n, double alpha) {
  // P(X ≤ k) for X ~ Bin(n, 1/2), summed upwards. Terms are kept as logarithms because 2^-n
  // underflows for long series; a term that underflows on its own adds nothing anyway.
  const auto count = static_cast<double>(n);
  double log_term = -count * std::log(2.0);
  double tail = 0;
  std::size_t rank = 0;
  for (std::size_t k = 0; 2 * k < n; ++k) {
    tail += std::exp(log_term);
    if (2 * tail > alpha) {
      break;
    }
    rank = k + 1;
    const auto taken = static_cast<double>(k);
    log_term += std::log((count - taken) / (taken + 1));
  }
  return rank;
}

Interval paired_ratio(std::span<const double> a, std::span<const double> b, int comparisons) {
  const std::size_t rounds = std::min(a.size(), b.size());
  if (rounds == 0) {
    return {std::numeric_limits<double>::quiet_NaN(), 0, HUGE_VAL};
  }
  // The order of ratios is that of their logs, so the logs themselves are not needed; this keeps
  // the result equal to the bit on every machine (no libm functions but sqrt).
  std::vector<double> ratios(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    ratios[i] = a[i] / b[i];
  }
  std::sort(ratios.begin(), ratios.end());
  const double lower = ratios[(rounds - 1) / 2];
  const double upper = ratios[rounds / 2];
  const double estimate = rounds % 2 == 1 ? lower : std::sqrt(lower * upper);
  const std::size_t rank = interval_rank(rounds, kFamilyError / std::max(comparisons, 1));
  if (rank == 0) {
    return {estimate, 0, HUGE_VAL};
  }
  return {estimate, ratios[rank - 1], ratios[rounds - rank]};
}

double round_to_four_digits(double value) {
  if (!std::isfinite(value)) {
    return value;
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 3);
  double rounded = value;
  std::from_chars(text, end.ptr, rounded);
  return rounded;
}

} // namespace switchyard::evidence
