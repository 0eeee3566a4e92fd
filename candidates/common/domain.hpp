// Predicates that domains are composed of.
#pragma once

#include <cstdint>

#include "candidates/common/coefficients.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates {

// Parameters that fit f32: wide ones are computed in f64 by `loop` alone.
inline const char *refuses_wide(const Call &call) {
  return (call.flags & kWide) != 0 ? "a parameter exceeds the range of f32" : nullptr;
}

// True where elements of W × C lie in one run: rows of a plain image or of a crop of one.
inline bool has_dense_rows(const ConstView &view) {
  const std::int64_t size = size_of(view.dtype);
  return (view.shape[kC] == 1 || view.strides[kC] == size) &&
         (view.shape[kW] == 1 || view.strides[kW] == size * view.shape[kC]);
}

inline bool is_aligned(const ConstView &view) {
  const std::int64_t size = size_of(view.dtype);
  if (reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(size) != 0) {
    return false;
  }
  for (int axis = 0; axis < 4; ++axis) {
    if (view.shape[axis] > 1 && view.strides[axis] % size != 0) {
      return false;
    }
  }
  return true;
}

} // namespace switchyard::candidates
