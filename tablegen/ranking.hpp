// What is recorded of a region once its winner is decided.
#pragma once

#include "tablegen/classes.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {

// The segment as a region of sizes with its ranking, runner-up and margin.
[[nodiscard]] Region region_of(const ClassData &data, const Regrets &regrets,
                               const Segment &segment);

// How far the segment's alternative is ahead of `rival`: the rival's time / its own − 1, as
// Region::margin is of the runner-up. [−1, HUGE_VAL] around 0 where no cell has measured both.
[[nodiscard]] evidence::Interval lead_over(const ClassData &data, const Segment &segment,
                                           std::size_t rival);

} // namespace switchyard::tablegen
