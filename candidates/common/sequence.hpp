// The elements of a view as one sequence in the order X, H, W, C, whatever their strides: for
// computations whose bits depend on the order of their operands.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "switchyard/core/view.hpp"

namespace switchyard::candidates {

class Sequence {
public:
  explicit Sequence(const ConstView &view)
      : data_(static_cast<const std::byte *>(view.data)), size_(view.elements()) {
    for (int axis = kC; axis >= kX; --axis) {
      if (view.shape[axis] == 1) {
        continue;
      }
      Step &within = axes_[rank_ > 0 ? rank_ - 1 : 0];
      if (rank_ > 0 && view.strides[axis] == within.stride * within.extent) {
        within.extent *= view.shape[axis];
      } else {
        axes_[rank_++] = {view.shape[axis], view.strides[axis]};
      }
    }
  }

  [[nodiscard]] std::int64_t size() const { return size_; }

  // The first element where all of them are dense and aligned, else nullptr. `offset` in bytes
  // moves the sequence, to another channel say.
  template <class T> [[nodiscard]] const T *dense(std::int64_t offset = 0) const {
    const std::byte *first = data_ + offset;
    const bool one_run = rank_ == 0 || (rank_ == 1 && axes_[0].stride == sizeof(T));
    const bool aligned = reinterpret_cast<std::uintptr_t>(first) % alignof(T) == 0;
    return one_run && aligned ? reinterpret_cast<const T *>(first) : nullptr;
  }

  // Copies elements [from, from + n) to `to`.
  template <class T>
  void read(std::int64_t from, std::int64_t n, T *to, std::int64_t offset = 0) const {
    const Step &inner = axes_[0];
    std::int64_t at = from % inner.extent;
    std::int64_t row = from / inner.extent;
    while (n > 0) {
      const std::int64_t count = std::min(inner.extent - at, n);
      copy(data_ + offset + row_offset(row) + at * inner.stride, inner.stride, to, count);
      to += count;
      n -= count;
      at = 0;
      ++row;
    }
  }

private:
  struct Step {
    std::int64_t extent = 1;
    std::int64_t stride = 0; // bytes
  };

  // Where row `row` of the axes around the innermost one begins.
  [[nodiscard]] std::int64_t row_offset(std::int64_t row) const {
    std::int64_t offset = 0;
    for (int i = 1; i < rank_; ++i) {
      offset += row % axes_[i].extent * axes_[i].stride;
      row /= axes_[i].extent;
    }
    return offset;
  }

  template <class T>
  static void copy(const std::byte *from, std::int64_t stride, T *to, std::int64_t n) {
    if (stride == sizeof(T)) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
      return;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      std::memcpy(to + k, from + k * stride, sizeof(T));
    }
  }

  const std::byte *data_;
  std::int64_t size_;
  std::array<Step, 4> axes_{}; // innermost first
  int rank_ = 0;
};

} // namespace switchyard::candidates
