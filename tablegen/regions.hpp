// Where one alternative hands over to another along size: a small optimisation on plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::tablegen {

// Points [first, last) of a class, served by one alternative.
struct Segment {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t alternative = 0;
  friend bool operator==(const Segment &, const Segment &) = default;
};

// costs[point][alternative]: expected log-regret; infinite where it must not be chosen.
using Costs = std::vector<std::vector<double>>;

// The cost of serving points [first, last) with one alternative.
[[nodiscard]] double segment_cost(const Costs &costs, std::size_t first, std::size_t last,
                                  std::size_t alternative);

// Divides the points into segments so that the sum of all points' costs and of `penalty` for
// every segment but the first is least. Of equal solutions it takes fewer segments, then the
// alternative of the lower index. Every point has at least one finite cost; penalty > 0.
[[nodiscard]] std::vector<Segment> place_regions(const Costs &costs, double penalty);

// The size where a region ends and the next begins, half-open: the rounded geometric mean of the
// neighbouring measured sizes, above `smaller` and at most `larger`. 0 < smaller < larger.
[[nodiscard]] std::int64_t boundary(std::int64_t smaller, std::int64_t larger);

} // namespace switchyard::tablegen
