#include "evidence/unpaired.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace switchyard::evidence {
namespace {

constexpr double kErrorOfEach = 0.025;

Interval median_interval(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t rank = interval_rank(sorted.size(), kErrorOfEach);
  if (rank == 0) {
    return {median(sorted), 0, HUGE_VAL};
  }
  return {median(sorted), sorted[rank - 1], sorted[sorted.size() - rank]};
}

} // namespace

Interval unpaired_ratio(std::span<const double> a, std::span<const double> b) {
  const Interval own = median_interval(a);
  const Interval other = median_interval(b);
  const double high = other.low > 0 ? own.high / other.low : HUGE_VAL;
  return {own.estimate / other.estimate, own.low / other.high, high};
}

} // namespace switchyard::evidence
