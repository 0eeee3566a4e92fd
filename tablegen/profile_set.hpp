// The candidates as those of a profile's rows, for evidence that another build measured.
#pragma once

#include <string>
#include <vector>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"

namespace switchyard::tablegen {

// `build` with what the profile's build must have had: every candidate that has rows counts as
// built, in the newest version that a row names, so that the routes of an older revision's evidence
// are those that it had. What `build` does not know is added with the backend that its id begins
// with, as faithful, in the order of ids; a `loop` among it comes last. One line for each of these
// is added to `notes`, and one for each variant with candidates whose newest rows are older than
// the build's version: this build would not use them.
[[nodiscard]] CandidateSet set_of_profile(const CandidateSet &build,
                                          const evidence::Profile &profile,
                                          std::vector<std::string> &notes);

} // namespace switchyard::tablegen
