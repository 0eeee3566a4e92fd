// What a campaign measures: cells in an order, perhaps a part of them, perhaps some of their
// alternatives alone. Pure functions; campaign.hpp measures what they plan.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/budget.hpp"
#include "bench/measure/measure.hpp"

namespace switchyard::measure {

// A variant with its contract.
struct Entry {
  const Variant *variant = nullptr;
  const VariantContract *contract = nullptr;
};

// One cell that is to be measured.
struct Step {
  std::size_t entry = 0; // index into the campaign's entries
  evidence::Cell cell;
  PlannedCell plan;
  // Where not empty: these alternatives alone, in a race that joins the cell's others through
  // `bridge`, one of them that has fresh rows there.
  Only only;
  std::optional<std::pair<std::string, int>> bridge;
};

// The benchmark matrix of every entry, entry by entry.
[[nodiscard]] std::vector<Step> matrix_steps(std::span<const Entry> entries, Mode mode,
                                             std::span<const int> thread_budgets);

// A part of a campaign that several equal machines share: 1 ≤ index ≤ count.
struct Shard {
  int index = 1;
  int count = 1;
};

// The shard's steps, in their order. Every step is in exactly one of the `count` shards, whose
// weights differ by no more than the heaviest step; which one depends on the steps alone.
[[nodiscard]] std::vector<Step> shard_of(std::vector<Step> steps, Shard shard);

// For a time budget that may not hold all: the most important priorities first, each entry by
// entry, with their places set.
void put_important_first(std::vector<Step> &steps);

// Names a step's cell among those of all variants: "<variant>#<cell key>".
[[nodiscard]] std::string name_of(std::span<const Entry> entries, const Step &step);

} // namespace switchyard::measure
