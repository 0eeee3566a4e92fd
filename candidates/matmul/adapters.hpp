// How each backend computes matmul.
#pragma once

#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::matmul {

Run run_fused, run_fused_fma, run_opencv, run_aten, run_numkong, run_loop;
Domain accepts_opencv, accepts_aten, accepts_numkong;

} // namespace switchyard::candidates::matmul
