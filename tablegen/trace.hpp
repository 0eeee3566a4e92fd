// How one class came to its routes: the same computation as plan_routes(), with what it rests on
// kept for tools that explain it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/exactness.hpp"
#include "tablegen/planner.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {

struct ClassTrace {
  ClassData data;
  ClassPlan plan;
  // Empty where the class has no alternatives, so that its floor serves all sizes.
  Regrets regrets;
  std::vector<Choice> choices;
  // Where callers who demand bitwise results choose among fewer; its alternatives and points have
  // numbers of their own.
  std::optional<BitwisePart> bitwise_part;
  std::vector<Choice> bitwise;
};

[[nodiscard]] ClassTrace trace_class(ClassData data, const Incumbents &incumbents);

// A part of a class as the policy saw it for one demand.
struct TracedPart {
  const ClassData *data = nullptr;
  const Choice *choice = nullptr;
  // Measured sizes of the part, in elements.
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The part that serves `size` under this demand; nullopt where the class has no alternatives, or
// none that is bitwise. Refers to `trace`.
[[nodiscard]] std::optional<TracedPart> part_at(const ClassTrace &trace, Exactness demand,
                                                std::int64_t size);

// Index of an alternative, or kNone.
[[nodiscard]] std::size_t index_of(const ClassData &data, const Alternative &alternative);

// The cell of the part nearest to `size`, by ratio, in which the alternative was measured; of
// several the first by key. nullptr where it was in none.
[[nodiscard]] const CellRows *nearest_cell(const TracedPart &part, std::size_t alternative,
                                           std::int64_t size);

// The alternative's time / that of a physical limit from the same rounds.
struct OverLimit {
  std::string limit;
  evidence::Interval ratio; // of one comparison
};

// Of the cell's limits that used as many threads as the alternative, the fastest by median; nullopt
// where none raced beside it.
[[nodiscard]] std::optional<OverLimit> over_limit(const CellRows &cell, std::size_t alternative);

} // namespace switchyard::tablegen
