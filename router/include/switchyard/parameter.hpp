// A numeric argument of an op: one value for all channels, or exactly one per channel.
#pragma once

#include <initializer_list>
#include <span>

#include "switchyard/core/values.hpp"

namespace switchyard {

// Borrows a vector for the time of the call; holds a scalar itself. A one-element vector is a
// scalar. The op throws Error for a vector whose length is neither 1 nor C.
class Parameter {
public:
  constexpr Parameter(double scalar) : scalar_(scalar) {} // NOLINT: 1.08 is a parameter
  constexpr Parameter(std::span<const double> values)     // NOLINT: so is a vector
      : data_(values.data()), size_(static_cast<std::int64_t>(values.size())), vector_(true) {}
  constexpr Parameter(std::initializer_list<double> values) // NOLINT: and {1, 2, 3}
      : Parameter(std::span<const double>(values.begin(), values.size())) {}
  template <class Range>
  requires requires(const Range &range) { std::span<const double>(range); }
  constexpr Parameter(const Range &range) // NOLINT: std::vector, std::array
      : Parameter(std::span<const double>(range)) {}

  // Valid as long as this Parameter and what it borrows.
  [[nodiscard]] constexpr Values values() const {
    return vector_ ? Values{data_, size_} : Values{&scalar_, 1};
  }

private:
  double scalar_ = 0;
  const double *data_ = nullptr;
  std::int64_t size_ = 0;
  bool vector_ = false;
};

} // namespace switchyard
