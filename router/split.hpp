// Divides a call among threads.
#pragma once

#include "switchyard/core/candidate.hpp"

namespace switchyard {

// How many bands run_split() makes of the call: at most `threads`, never more than the process may
// run, and 1 where the candidate or the shape cannot be divided. Bands are whole items of X or
// whole rows of the output.
[[nodiscard]] int band_count(const Candidate &candidate, const Call &call, int threads);

// Runs the candidate on the bands of the call at once, the caller's thread included, each in the
// default floating-point environment. Returns the number of bands.
int run_split(const Candidate &candidate, const Call &call, int threads);

} // namespace switchyard
