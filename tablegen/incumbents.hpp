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

// Whether record_incumbents could read what the folder holds by now: to be called before a
// campaign, so that a file that it does not measure cannot fail it at its end. Throws
// EvidenceError.
void check_recordable(const std::filesystem::path &profile_folder);

// Plans the profile's routes from its evidence and present incumbents and writes them down as the
// incumbents of the next tuning; planning with them gives the same routes again. To be called at
// the end of a campaign, with the evidence on disk. Throws EvidenceError.
void record_incumbents(const std::filesystem::path &profile_folder, const CandidateSet &set);

} // namespace switchyard::tablegen
