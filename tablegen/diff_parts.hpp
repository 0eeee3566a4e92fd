// The parts of a comparison of two tunings that need no routes. Internal to diff.cpp.
#pragma once

#include <vector>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/diff.hpp"

namespace switchyard::tablegen {

// Groups `limits` and `state` are left out: they are measured anew by every campaign.
[[nodiscard]] std::vector<FactChange> fact_changes(const evidence::Machine &before,
                                                   const evidence::Machine &after);

// Fills in rows and cells_*.
void compare_rows(const evidence::Profile &before, const evidence::Profile &after,
                  ProfileDiff &diff);

[[nodiscard]] Drift drift_of(const evidence::Profile &before, const evidence::Profile &after);

[[nodiscard]] std::vector<Refusal> newly_refused(const evidence::Profile &before,
                                                 const evidence::Profile &after);

// Sets give each candidate's version, and the backend whose library its rows depend on.
[[nodiscard]] std::vector<StaleRows> newly_stale(const evidence::Profile &before,
                                                 const CandidateSet &set_before,
                                                 const evidence::Profile &after,
                                                 const CandidateSet &set_after);

} // namespace switchyard::tablegen
