// Views as at::Tensor headers over the same memory. Included by aten*.cpp alone.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "candidates/common/domain.hpp"
#include "switchyard/core/candidate.hpp"

// OpenMP's own declaration, without the compiler flag that its header asks for.
extern "C" void omp_set_num_threads(int threads);

namespace switchyard::candidates {

inline at::ScalarType aten_type(Dtype dtype) {
  switch (dtype) {
  case Dtype::u8:
    return at::kByte;
  case Dtype::i8:
    return at::kChar;
  case Dtype::i16:
    return at::kShort;
  case Dtype::i32:
    return at::kInt;
  case Dtype::i64:
    return at::kLong;
  case Dtype::f32:
    return at::kFloat;
  default:
    return at::kDouble;
  }
}

// A tensor's strides are whole elements and not negative; it is aligned to its element.
inline const char *refuses_tensor(const ConstView &view) {
  if (!is_aligned(view)) {
    return "not aligned to whole elements";
  }
  for (int axis = 0; axis < 4; ++axis) {
    if (view.shape[axis] > 1 && view.strides[axis] < 0) {
      return "negative stride";
    }
  }
  return nullptr;
}

// Whether every array of a call can be a tensor.
inline const char *refuses_tensors(const Call &call) {
  for (const ConstView *view : call.in) {
    const char *reason = view == nullptr ? nullptr : refuses_tensor(*view);
    if (reason != nullptr) {
      return reason;
    }
  }
  for (const View *view : call.out) {
    const char *reason = view == nullptr ? nullptr : refuses_tensor(*view);
    if (reason != nullptr) {
      return reason;
    }
  }
  return nullptr;
}

// An X × H × W × C tensor. ATen treats a stride of 0 on an output as an error, as the contract
// does.
inline at::Tensor tensor_of(const ConstView &view) {
  std::array<std::int64_t, 4> strides{};
  for (int axis = 0; axis < 4; ++axis) {
    strides[axis] = view.shape[axis] > 1 ? view.strides[axis] / size_of(view.dtype) : 1;
  }
  return at::from_blob(const_cast<void *>(view.data), view.shape, strides,
                       at::TensorOptions().dtype(aten_type(view.dtype)));
}

// Keeps ATen on the calling thread, without autograd. OpenMP's thread count is a setting of the
// calling thread alone, so that other callers of ATen keep theirs. Asking ATen for its count first
// makes it set up the thread now rather than in the middle of an op, where it would undo the 1.
class AtenScope {
public:
  AtenScope() : threads_(at::get_num_threads()) { omp_set_num_threads(1); }
  ~AtenScope() { omp_set_num_threads(threads_); }
  AtenScope(const AtenScope &) = delete;
  AtenScope &operator=(const AtenScope &) = delete;

private:
  int threads_;
  at::NoGradGuard no_grad_;
};

} // namespace switchyard::candidates
