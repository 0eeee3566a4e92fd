// What the ATen expressions share. Included by aten*.cpp alone.
#pragma once

#include <ATen/core/ivalue.h>
//
#include <ATen/ATen.h>

#include "bench/peers/peer.hpp"

namespace switchyard::peers::aten {

// The view as a user's tensor X × H × W × C; undefined where ATen has no such tensor (negative
// strides, u16, u64).
[[nodiscard]] at::Tensor tensor_of(const ConstView &view);

// A u64 result counts as i64, which ATen has.
[[nodiscard]] at::Tensor result_of(const View &view);

// The first input and the output.
struct Tensors {
  at::Tensor x, y;
  explicit Tensors(const Call &call) : x(tensor_of(*call.in[0])), y(result_of(*call.out[0])) {}
  [[nodiscard]] bool usable() const { return x.defined() && y.defined(); }
  [[nodiscard]] bool bytes() const { return y.scalar_type() == at::kByte; }
  // A reused f32 temporary of the image's shape.
  [[nodiscard]] at::Tensor work() const { return at::empty(x.sizes(), at::kFloat); }
};

// The expressions by kind of op.
[[nodiscard]] std::span<const Expression> pointwise();
[[nodiscard]] std::span<const Expression> statistics();

} // namespace switchyard::peers::aten
