// How each backend computes a turn; an op's table binds them to its own description.
#pragma once

#include "candidates/common/turn.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::turn {

void run_fused(const Call &call, const Turn &turn);
void run_opencv(const Call &call, const Turn &turn);
void run_aten(const Call &call, const Turn &turn);
void run_loop(const Call &call, const Turn &turn);

const char *accepts_opencv(const Call &call, const Turn &turn);
const char *accepts_aten(const Call &call, const Turn &turn);

} // namespace switchyard::candidates::turn
