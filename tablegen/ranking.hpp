// What is recorded of a region once its winner is decided.
#pragma once

#include <cstddef>
#include <vector>

#include "evidence/statistics.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {

// The segment as a region of sizes with its ranking, runner-up and margin.
[[nodiscard]] Region region_of(const ClassData &data, const Regrets &regrets,
                               const Segment &segment);

// Two alternatives that a cell has measured.
struct LanePair {
  const CellRows *cell = nullptr;
  std::size_t a = 0;
  std::size_t b = 0;
};

// The time of `a` / that of `b`: the geometric mean over the pairs, of which there is at least one,
// with an interval from the rounds of all of them together.
[[nodiscard]] evidence::Interval ratio_over(const std::vector<LanePair> &pairs);

// The alternative's time / that of the segment's − 1 over the segment's cells, as Region::margin
// has it of the runner-up. [−1, HUGE_VAL] where the two were measured, but nowhere side by side.
[[nodiscard]] evidence::Interval time_over_winner(const ClassData &data, const Segment &segment,
                                                  std::size_t alternative);

} // namespace switchyard::tablegen
