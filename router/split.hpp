// Divides a call among threads.
#pragma once

#include "switchyard/core/candidate.hpp"

namespace switchyard {

// Runs the candidate on up to `threads` bands of the call at once, the caller's thread included
// and never more than the process may run, each in the default floating-point environment. Returns
// the number of bands: 1 where the candidate or the shape cannot be divided. Bands are whole items
// of X or whole rows.
int run_split(const Candidate &candidate, const Call &call, int threads);

} // namespace switchyard
