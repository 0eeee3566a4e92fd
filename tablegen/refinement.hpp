// Where to measure next: between two sizes with different winners, on both sides of the handover.
#pragma once

#include <string_view>
#include <vector>

#include "evidence/evidence.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

// Neighbouring sizes within this ratio place a handover well enough.
inline constexpr double kNearSizes = 1.5;
// New sizes per handover; measuring them and asking again narrows it further.
inline constexpr int kRefinementSizes = 2;

// Cells to measure for `variant`, between the last measured size of each region and the first of
// the next one, where their winners differ and the sizes are further apart than kNearSizes: at most
// kRefinementSizes each, in equal ratios. A new cell's shape lies geometrically between its
// neighbours', extent by extent, with their channels; where their ranks differ it is the smaller
// one's with larger H and W. Everything else is as in the smaller one's cell. Cells that the
// profile has rows of are left out. By class and size.
[[nodiscard]] std::vector<evidence::Cell>
refinement_cells(const Plan &plan, const evidence::Profile &profile, std::string_view variant);

} // namespace switchyard::tablegen
