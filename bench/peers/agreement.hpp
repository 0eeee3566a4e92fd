// Whether two libraries computed the same: within one level of small integers, within 1e-5 of all
// else. Rounding modes differ between libraries, so that bits cannot be asked for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "switchyard/core/candidate.hpp"

namespace switchyard::peers {

// The outputs of a call as numbers, in the order X, H, W, C.
using Results = std::array<std::vector<double>, 2>;
[[nodiscard]] Results results_of(const Call &call);

// How two results differ, or an empty string: one level of u8 and u16, else 1e-5 times the larger
// of 1 and the expected value's magnitude. NaN agrees with NaN, an infinity with itself.
[[nodiscard]] std::string disagreement(const Call &call, const Results &expected,
                                       const Results &got);

} // namespace switchyard::peers
