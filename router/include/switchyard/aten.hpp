// Views of at::Tensor. The layout is declared, never guessed from sizes.
#pragma once

#include <ATen/core/Tensor.h>

#include "switchyard/core/error.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard {

enum class TensorLayout : std::uint8_t { hw, hwc, chw, nhwc, nchw, dhwc, cdhw };

// The element type of a tensor; throws Error for half, bool and complex types.
inline Dtype dtype_of(const at::Tensor &tensor) {
  switch (tensor.scalar_type()) {
  case at::kByte:
    return Dtype::u8;
  case at::kChar:
    return Dtype::i8;
  case at::kShort:
    return Dtype::i16;
  case at::kInt:
    return Dtype::i32;
  case at::kLong:
    return Dtype::i64;
  case at::kFloat:
    return Dtype::f32;
  case at::kDouble:
    return Dtype::f64;
  default:
    throw Error("view_of", "at::Tensor", c10::toString(tensor.scalar_type()),
                "uint8, int8, int16, int32, int64, float32, float64");
  }
}

// The same memory as a channel-last view; a CHW tensor gives planar strides, not a copy. Throws
// Error where the number of dimensions is not the layout's, and for tensors that are not dense CPU
// memory. The tensor must outlive the view.
inline View view_of(const at::Tensor &tensor, TensorLayout layout) {
  // Which dimension of the tensor is X, H, W, C; −1: an axis of length 1.
  constexpr int kAxes[][4] = {{-1, 0, 1, -1}, {-1, 0, 1, 2}, {-1, 1, 2, 0}, {0, 1, 2, 3},
                              {0, 2, 3, 1},   {0, 1, 2, 3},  {1, 2, 3, 0}};
  constexpr int kRanks[] = {2, 3, 3, 4, 4, 4, 4};
  const auto index = static_cast<int>(layout);
  if (!tensor.defined() || tensor.layout() != at::kStrided || !tensor.device().is_cpu()) {
    throw Error("view_of", "at::Tensor", "no dense CPU tensor", "dense tensors on the CPU");
  }
  if (tensor.is_neg() || tensor.is_conj()) {
    throw Error("view_of", "at::Tensor", "a tensor whose sign is not yet applied to its memory",
                "a tensor after resolve_neg() and resolve_conj()");
  }
  if (tensor.dim() != kRanks[index]) {
    throw Error("view_of", "at::Tensor", std::to_string(tensor.dim()) + " dimensions",
                std::to_string(kRanks[index]) + " for the declared layout");
  }
  const Dtype dtype = dtype_of(tensor);
  Extents shape{1, 1, 1, 1};
  Extents strides{};
  for (int axis = 0; axis < 4; ++axis) {
    if (const int dimension = kAxes[index][axis]; dimension >= 0) {
      shape[axis] = tensor.size(dimension);
      strides[axis] = tensor.stride(dimension) * size_of(dtype);
    }
  }
  return {tensor.data_ptr(), shape, strides, dtype,
          static_cast<std::uint8_t>(kRanks[index] == 4 ? 4 : 3)};
}

} // namespace switchyard
