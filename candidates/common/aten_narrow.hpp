// What eager ATen can do of pointwise arithmetic, and how its f32 results become u8. Included by
// aten*.cpp alone.
#pragma once

#include <algorithm>

#include "candidates/common/aten_tensor.hpp"
#include "candidates/common/domain.hpp"
#include "switchyard/core/rounding.hpp"

namespace switchyard::candidates {

// Arrays that can be tensors of ATen's types, a rounding that it has, and parameters that fit f32.
inline const char *refuses_arithmetic(const Call &call, Rounding rounding) {
  const auto is_u16 = [](const ConstView *view) {
    return view != nullptr && view->dtype == Dtype::u16;
  };
  if (std::any_of(call.in.begin(), call.in.end(), is_u16) || is_u16(call.out[0])) {
    return "ATen has no u16";
  }
  if (const char *reason = refuses_tensors(call)) {
    return reason;
  }
  if (call.out[0]->dtype == Dtype::u8 && rounding == Rounding::half_up) {
    return "ATen has no exact half-up rounding";
  }
  return refuses_wide(call);
}

// ATen's cast of NaN, and of what lies beyond the type, is undefined. `work` is f32 and changes.
inline void narrow_to_u8(at::Tensor &work, at::Tensor &out, Rounding rounding, bool may_be_nan) {
  if (may_be_nan) {
    work.nan_to_num_(0);
  }
  work.clamp_(0, 255);
  out.copy_(rounding == Rounding::half_even ? work.round_() : work);
}

} // namespace switchyard::candidates
