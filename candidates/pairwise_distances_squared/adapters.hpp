// How each backend computes pairwise_distances_squared.
#pragma once

#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::pairwise_distances_squared {

Run run_fused, run_opencv, run_aten, run_numkong, run_loop;
Domain accepts_opencv, accepts_aten, accepts_numkong;

} // namespace switchyard::candidates::pairwise_distances_squared
