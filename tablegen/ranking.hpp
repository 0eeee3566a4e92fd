// What is recorded of a region once its winner is decided.
#pragma once

#include "tablegen/classes.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {

// The segment as a region of sizes with its ranking, runner-up and margin.
[[nodiscard]] Region region_of(const ClassData &data, const Regrets &regrets,
                               const Segment &segment);

} // namespace switchyard::tablegen
