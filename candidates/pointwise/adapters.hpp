// The adapters of pointwise ops: each computes any Expression that its domain accepts.
#pragma once

#include "candidates/pointwise/expression.hpp"

namespace switchyard::candidates::pointwise {

using RunExpression = void(const Call &, const Expression &);
using ExpressionDomain = const char *(const Call &, const Expression &);

RunExpression run_fused, run_lut, run_numkong, run_opencv, run_opencv_lut, run_opencv_convert,
    run_aten, run_loop;
// Of exp, log, square_root and power.
RunExpression run_fused_function, run_fused_faithful, run_opencv_function, run_aten_function;
ExpressionDomain accepts_fused, accepts_lut, accepts_numkong, accepts_opencv, accepts_opencv_lut,
    accepts_opencv_convert, accepts_aten;
ExpressionDomain accepts_fused_function, accepts_opencv_function, accepts_aten_function;

} // namespace switchyard::candidates::pointwise
