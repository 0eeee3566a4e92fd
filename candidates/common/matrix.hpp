// Matrices as views: rows along H, columns along W, one channel, X of them; and as the kernels'
// operands.
#pragma once

#include <cstdint>

#include "kernels/matrix/operands.hpp"
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

// X, M, K and N of a problem: its work is their product, however it is divided among them.
inline Extents problem(const Call &call) {
  const View &out = *call.out[0];
  return {out.shape[kX], out.shape[kH], call.in[0]->shape[kW], out.shape[kW]};
}
inline constexpr Kinds kKinds{problem, false};

// a's element (m, k), b's (k, n) and the result's (m, n) as byte strides.
inline kernels::MatrixOperands operands_of(const ConstView &a, const ConstView &b,
                                           const View &out) {
  return {static_cast<const std::uint8_t *>(a.data),
          a.strides[kH],
          a.strides[kW],
          static_cast<const std::uint8_t *>(b.data),
          b.strides[kH],
          b.strides[kW],
          static_cast<std::uint8_t *>(out.mutable_data()),
          out.strides[kH],
          out.strides[kW],
          static_cast<std::size_t>(out.shape[kH]),
          static_cast<std::size_t>(out.shape[kW]),
          static_cast<std::size_t>(a.shape[kW])};
}

} // namespace switchyard::candidates::matrix
