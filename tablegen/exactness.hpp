// Callers may demand bitwise results. The router then takes the first bitwise alternative of the
// same ranking that serves everyone else, so a ranking has to be right for both: where a faithful
// alternative wins, a handover between two bitwise ones behind it must be a boundary too.
#pragma once

#include <optional>
#include <vector>

#include "tablegen/classes.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {

// A class as if only its bitwise alternatives existed.
struct BitwisePart {
  ClassData data; // points where one was measured
  Regrets regrets;
};

// nullopt where all alternatives of the class are bitwise, or none is.
[[nodiscard]] std::optional<BitwisePart> bitwise_part(const ClassData &data,
                                                      const Regrets &regrets);

// `regions` of the class, with Region::bitwise set, and those that a faithful alternative wins
// divided where `bitwise` (the regions of its bitwise part) change hands: there, that part's winner
// comes before all other bitwise alternatives. Margin and runner-up stay those of the undivided
// region, whose winner they are about.
[[nodiscard]] std::vector<Region> with_bitwise(const ClassData &data, std::vector<Region> regions,
                                               const std::vector<Region> &bitwise);

} // namespace switchyard::tablegen
