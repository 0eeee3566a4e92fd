// The adapters of pointwise ops with arrays: each computes any Expression that its domain accepts.
#pragma once

#include "candidates/pointwise_array/expression.hpp"

namespace switchyard::candidates::pointwise_array {

RunExpression run_fused, run_fused_faithful, run_numkong, run_opencv, run_aten, run_loop;
ExpressionDomain accepts_fused, accepts_numkong, accepts_opencv, accepts_aten;

} // namespace switchyard::candidates::pointwise_array
