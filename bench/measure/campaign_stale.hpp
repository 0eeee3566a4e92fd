// What of existing evidence no longer holds here, and the steps that measure it again.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/campaign_plan.hpp"
#include "evidence/evidence.hpp"

namespace switchyard::measure {

// A candidate whose rows in a cell are stale, or that has none although it accepts the problem.
struct StaleCandidate {
  std::size_t entry = 0;
  evidence::Cell cell;
  std::string candidate;
  std::string reason; // "version was 1, is 2", "never measured"
};

struct StalePlan {
  std::vector<StaleCandidate> stale; // by entry, cell and candidate
  // One for each cell with stale candidates: these with the cell's incumbent, its fastest accepted
  // row that is fresh; the whole cell where there is none.
  std::vector<Step> steps;
  std::vector<std::string> notes; // rows that cannot be measured again, and why, one line each
};

// `existing` is the evidence of each entry, `now` the present machine. Cells of other thread
// budgets than `thread_budgets` are left alone.
[[nodiscard]] StalePlan
find_stale(std::span<const Entry> entries,
           std::span<const std::optional<evidence::VariantEvidence>> existing,
           const evidence::Machine &now, std::span<const int> thread_budgets);

} // namespace switchyard::measure
