// What is recorded of a region once its winner is decided.
#pragma once

#include "evidence/statistics.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {

// The segment as a region of sizes with its ranking, runner-up and margin.
[[nodiscard]] Region region_of(const ClassData &data, const Regrets &regrets,
                               const Segment &segment);

// The alternative's time / that of the segment's − 1 over the segment's cells, as Region::margin
// has it of the runner-up. [−1, HUGE_VAL] where the two were measured, but nowhere side by side.
[[nodiscard]] evidence::Interval time_over_winner(const ClassData &data, const Segment &segment,
                                                  std::size_t alternative);

} // namespace switchyard::tablegen
