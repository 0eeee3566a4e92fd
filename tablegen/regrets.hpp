// How much slower each alternative of a class is than the best, and whether that is proven.
#pragma once

#include <cstddef>
#include <vector>

#include "tablegen/classes.hpp"
#include "tablegen/regions.hpp"

namespace switchyard::tablegen {

// [point][alternative]: mean log-regret over the cells of the point where the alternative was
// measured; NaN where in none.
using Regrets = std::vector<std::vector<double>>;

[[nodiscard]] Regrets regrets_of(const ClassData &data);

// Mean over the points of a segment where `alternative` was measured; NaN when it never was.
[[nodiscard]] double mean_regret(const Regrets &regrets, const Segment &segment,
                                 std::size_t alternative);

// The cells of a segment where both alternatives were measured; they can be compared there.
[[nodiscard]] std::vector<const CellRows *>
shared_cells(const ClassData &data, const Segment &segment, std::size_t a, std::size_t b);

// How many comparisons against one alternative a cell holds: its accepted rows − 1, at least 1.
// What was dropped is decided already, and would only widen the intervals of the others.
[[nodiscard]] int comparisons_in(const CellRows &cell);

// Whether the segment's alternative is proven slower than `rival`: outside the tie band, with an
// interval above `limit`, in any cell or in all cells together. Ratios have no unit, so the rounds
// of all cells pool into one comparison: many cells can prove what a few rounds in each can't.
// Only cells where one race has both give rounds to the pool; the others prove by themselves. An
// alternative that was dropped while the rival was not counts as proven.
[[nodiscard]] bool proven_slower(const ClassData &data, const Segment &segment, std::size_t rival,
                                 double limit);

} // namespace switchyard::tablegen
