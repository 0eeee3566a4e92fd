// The parts that a comparison of two tunings is made of. Internal to diff*.cpp.
#pragma once

#include <string>
#include <vector>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/diff.hpp"

namespace switchyard::tablegen {

// A side with all that follows from it. ClassData points into the tuning's profile.
struct Planned {
  // Adds to `notes` what set_of_profile has to say.
  Planned(const Tuning &tuning, const CandidateSet &build, std::vector<std::string> &notes);

  // nullptr where the side has no rows of the class.
  [[nodiscard]] const ClassData *find(const ClassKey &key) const;

  const evidence::Profile &profile;
  CandidateSet set;
  Plan plan;
  std::vector<ClassData> data;
};

// Compares what serves each cell on both sides: fills in compared, slower, faster and memory. The
// drift has to be known.
void compare_cells(const Planned &before, const Planned &after, ProfileDiff &diff);

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
