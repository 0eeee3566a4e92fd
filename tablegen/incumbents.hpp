// Incumbents between the policy and the file that keeps them with a profile.
#pragma once

#include <filesystem>
#include <vector>

#include "evidence/incumbents.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

[[nodiscard]] std::vector<evidence::IncumbentRoute> to_routes(const Incumbents &incumbents);
// Entries must be as evidence::read_incumbents gives them.
[[nodiscard]] Incumbents incumbents_from(const std::vector<evidence::IncumbentRoute> &routes);

// Those of the profile's incumbents.json; none without the file. Throws EvidenceError.
[[nodiscard]] Incumbents read_incumbents(const std::filesystem::path &profile_folder);

// `now`, except in classes where `before` names a candidate that the set knows but this build
// lacks: a build without a library must not unseat that library's candidates.
[[nodiscard]] Incumbents kept_for_others(const Incumbents &now, const Incumbents &before,
                                         const CandidateSet &set);

// The incumbents that the profile's own evidence confirms, starting from `before`: planning with
// them puts them in force again. An incumbent can move a boundary, and the moved boundary decide
// another near-tie, so that one step need not be the last; after a few steps, whatever stands is
// taken.
[[nodiscard]] Incumbents settled(const evidence::Profile &profile, const CandidateSet &set,
                                 const Incumbents &before);

// Writes down the profile's routes as the incumbents of the next tuning: those that settle from its
// evidence and present incumbents. To be called at the end of a campaign, with the evidence on
// disk. Throws EvidenceError.
void record_incumbents(const std::filesystem::path &profile_folder, const CandidateSet &set);

} // namespace switchyard::tablegen
