// Whole-array passes for `loop` candidates: one pass per arithmetic operation, as NumPy evaluates
// an expression, with an intermediate array of the working precision.
#pragma once

#include <cstdint>
#include <memory>

#include "candidates/common/runs.hpp"
#include "switchyard/core/values.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates {

// A contiguous array of the shape of an image, owned.
template <class T> class Temporary {
public:
  explicit Temporary(const Extents &shape)
      : storage_(
            std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(element_count(shape)))),
        view_(strided(storage_.get(), shape, contiguous_strides(shape, sizeof(T)))) {}
  [[nodiscard]] const View &view() const { return view_; }

private:
  std::unique_ptr<T[]> storage_;
  View view_;
};

// out = operation(in, parameter of the element's channel), the parameter narrowed to Real first.
template <class In, class Out, class Real, class Operation>
void pass(const ConstView &in, const View &out, const Values &values, Operation operation) {
  Runs<Out, In>({&in, &out})([&](const In *x, Out *y, std::int64_t n, RunChannels channels) {
    std::int64_t c = channels.first;
    for (std::int64_t k = 0; k < n; ++k) {
      y[k] = operation(x[k], static_cast<Real>(values[c]));
      if (channels.period > 1 && ++c == channels.period) {
        c = 0;
      }
    }
  });
}

// out = operation(in).
template <class In, class Out, class Operation>
void pass(const ConstView &in, const View &out, Operation operation) {
  Runs<Out, In>({&in, &out})([&](const In *x, Out *y, std::int64_t n, RunChannels) {
    for (std::int64_t k = 0; k < n; ++k) {
      y[k] = operation(x[k]);
    }
  });
}

// out = operation(a, b).
template <class A, class B, class Out, class Operation>
void pass(const ConstView &a, const ConstView &b, const View &out, Operation operation) {
  Runs<Out, A, B>({&a, &b, &out})([&](const A *x, const B *y, Out *z, std::int64_t n, RunChannels) {
    for (std::int64_t k = 0; k < n; ++k) {
      z[k] = operation(x[k], y[k]);
    }
  });
}

} // namespace switchyard::candidates
