// Matrices as views: rows along H, columns along W, one channel, X of them.
#pragma once

#include <cstdint>

#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::matrix {

// Matrix x of a batch, or the one that serves all.
template <class V> V item(const V &batch, std::int64_t x) {
  const std::int64_t index = batch.shape[kX] == 1 ? 0 : x;
  return slice(batch, kX, index, index + 1);
}

// A band of the result's rows takes the same rows of the first matrix and all of the second; a band
// of a batch takes the same matrices.
inline ConstView part(const Call &call, int which, Axis axis, std::int64_t from, std::int64_t to) {
  const ConstView &in = *call.in[static_cast<std::size_t>(which)];
  const bool whole = which == 1 && (axis == kH || in.shape[kX] == 1);
  return whole ? in : slice(in, axis, from, to);
}

} // namespace switchyard::candidates::matrix
