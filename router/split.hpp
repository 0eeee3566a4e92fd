// Divides a call among threads.
#pragma once

#include "switchyard/core/candidate.hpp"

namespace switchyard {

// How many threads run_split() uses for the call: at most `threads`, never more than the process
// may run, and 1 where the candidate or the shape cannot be divided.
[[nodiscard]] int thread_count(const Candidate &candidate, const Call &call, int threads);

// Runs the candidate on bands of the call at once, the caller's thread included, each in the
// default floating-point environment. Bands are whole items of X or whole rows of the output; there
// are more of them than threads, so that a thread that comes late does less. Returns the number of
// threads that it was divided for.
int run_split(const Candidate &candidate, const Call &call, int threads);

} // namespace switchyard
