#include "tablegen/regions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace switchyard::tablegen {
namespace {

// Sums that differ by less are equal: their terms come in different orders.
constexpr double kEqual = 1e-9;

std::size_t cheapest(const Costs &costs, std::size_t first, std::size_t last) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < costs[first].size(); ++a) {
    const double cost = segment_cost(costs, first, last, a);
    if (cost < least - kEqual) {
      least = cost;
      best = a;
    }
  }
  return best;
}

} // namespace

double segment_cost(const Costs &costs, std::size_t first, std::size_t last,
                    std::size_t alternative) {
  double sum = 0;
  for (std::size_t point = first; point < last; ++point) {
    sum += costs[point][alternative];
  }
  return sum;
}

std::vector<Segment> place_regions(const Costs &costs, double penalty) {
  // least[n]: the best solution's cost for the first n points; final[n]: its last segment.
  std::vector<double> least(costs.size() + 1, std::numeric_limits<double>::infinity());
  std::vector<Segment> final(costs.size() + 1);
  least[0] = 0;
  for (std::size_t last = 1; last <= costs.size(); ++last) {
    for (std::size_t first = 0; first < last; ++first) {
      const std::size_t best = cheapest(costs, first, last);
      const double cost =
          least[first] + segment_cost(costs, first, last, best) + (first > 0 ? penalty : 0);
      if (cost < least[last] - kEqual) {
        least[last] = cost;
        final[last] = {first, last, best};
      }
    }
  }
  std::vector<Segment> segments;
  for (std::size_t end = costs.size(); end > 0; end = final[end].first) {
    segments.push_back(final[end]);
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

std::int64_t boundary(std::int64_t smaller, std::int64_t larger) {
  const double mean =
      std::sqrt(static_cast<double>(smaller)) * std::sqrt(static_cast<double>(larger));
  return std::clamp<std::int64_t>(std::llround(mean), smaller + 1, larger);
}

} // namespace switchyard::tablegen
