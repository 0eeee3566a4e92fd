// Comparing the rows of a cell that were not all timed in the same rounds.
//
// Rows measured again later make up a further race. Only rows of one race are paired by rounds, so
// two alternatives are compared by the newest race that has both. Where none does, an alternative
// that was timed in a race of each leads from one to the other, as a bridge: a / b is then
// (a / bridge in the one race) × (bridge / b in the other).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"
#include "tablegen/classes.hpp"

namespace switchyard::tablegen {

enum class Rounds : std::uint8_t { all, odd, even }; // the first round is odd

// The rows of the newest race that has both; nullopt where none does.
[[nodiscard]] std::optional<std::pair<const evidence::Row *, const evidence::Row *>>
shared_race(const Lane &a, const Lane &b);

// How many times slower alternative `a` is than `b`, with an interval of family-wise confidence
// over `comparisons`. Over bridges the logs of the ratios add; every link's interval is widened for
// the number of links, and their ends add too, so that the whole is at least as wide as the
// confidence asks. Of several shortest ways the logs are averaged and the interval spans all.
// nullopt where one was not measured or no way leads from one to the other.
[[nodiscard]] std::optional<evidence::Interval> compare(const CellRows &cell, std::size_t a,
                                                        std::size_t b, int comparisons = 1,
                                                        Rounds rounds = Rounds::all);

// For every lane, alternatives first and bridges behind them, whether a way leads to alternative
// `from`.
[[nodiscard]] std::vector<bool> linked_to(const CellRows &cell, std::size_t from);

} // namespace switchyard::tablegen
