// Images in pieces for libraries that return raw moments, and the guard for ill-conditioned ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "candidates/common/runs.hpp"
#include "candidates/mean_std/moments.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::mean_std {

// Calls body(address, n, byte stride) over pieces of at most `limit` elements in one line, in the
// order of memory.
template <class Body> void for_each_piece(const ConstView &view, std::int64_t limit, Body &&body) {
  const RunPlan<1> plan = plan_runs<1>({&view});
  const auto &[outer, middle, next, inner] = plan.axes;
  // One element has no stride of its own.
  const std::int64_t stride = inner.extent > 1 ? inner.strides[0] : size_of(view.dtype);
  const auto *first = static_cast<const std::byte *>(view.data);
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    for (std::int64_t j = 0; j < middle.extent; ++j) {
      for (std::int64_t k = 0; k < next.extent; ++k) {
        const std::byte *row =
            first + i * outer.strides[0] + j * middle.strides[0] + k * next.strides[0];
        for (std::int64_t done = 0; done < inner.extent; done += limit) {
          body(row + done * stride, std::min(limit, inner.extent - done), stride);
        }
      }
    }
  }
}

// Aligned f32 values: rows × columns, strides in bytes.
struct StridedFloats {
  const std::byte *data;
  std::int64_t rows;
  std::int64_t row_stride;
  std::int64_t columns;
  std::int64_t stride;

  [[nodiscard]] std::int64_t size() const { return rows * columns; }
  // Σ term(x).
  template <class Term> [[nodiscard]] double sum(Term term) const {
    double total = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t k = 0; k < columns; ++k) {
        float value = 0;
        std::memcpy(&value, data + r * row_stride + k * stride, sizeof value);
        total += term(static_cast<double>(value));
      }
    }
    return total;
  }
};

// Adds at most kSafeTerms values whose mean and variance a library computed from raw moments;
// computes both again, in two passes, where that has lost too many digits.
inline void add_guarded(Moments &moments, const StridedFloats &values, double mean,
                        double variance) {
  const auto count = static_cast<double>(values.size());
  if (variance >= kSafeRatio * (mean * mean)) {
    moments.add(values.size(), mean * count, variance * count);
    return;
  }
  const double sum = values.sum([](double x) { return x; });
  const double center = sum / count;
  moments.add(values.size(), sum,
              values.sum([&](double x) { return (x - center) * (x - center); }));
}

} // namespace switchyard::candidates::mean_std
