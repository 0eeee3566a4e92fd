// Arguments of an op beside its image: numbers, or an array with an element per pixel.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>

#include "switchyard/core/values.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard {

// One value for all channels, or exactly one per channel.
//
// Borrows a vector for the time of the call; holds a scalar itself. A one-element vector is a
// scalar. The op throws Error for a vector whose length is neither 1 nor C.
class Parameter {
public:
  constexpr Parameter(double scalar)
      : scalar_(scalar), values_{&scalar_, 1} {}      // NOLINT: 1.08 is one
  constexpr Parameter(std::span<const double> values) // NOLINT: so is a vector
      : values_{values.data(), static_cast<std::int64_t>(values.size())} {}
  constexpr Parameter(std::initializer_list<double> values) // NOLINT: and {1, 2, 3}
      : Parameter(std::span<const double>(values.begin(), values.size())) {}
  template <class Range>
  requires requires(const Range &range) { std::span<const double>(range); }
  constexpr Parameter(const Range &range) // NOLINT: std::vector, std::array
      : Parameter(std::span<const double>(range)) {}
  // A copy has a scalar of its own.
  constexpr Parameter(const Parameter &other) : scalar_(other.scalar_), values_{other.values_} {
    if (other.values_.data == &other.scalar_) {
      values_.data = &scalar_;
    }
  }
  Parameter &operator=(const Parameter &) = delete;

  // Valid as long as this Parameter and what it borrows.
  [[nodiscard]] constexpr const Values &values() const { return values_; }

private:
  double scalar_ = 0;
  Values values_;
};

// An array: any view or Image, of u8, i8, u16, i16, f32 or f64 elements. Its height and width are
// the image's, its channels C or 1, its X that of the image or 1; it is repeated along an axis of
// length 1. A class of its own, so that a list of numbers is never taken for the members of a view.
class ArrayOperand {
public:
  template <class V>
  requires std::convertible_to<const V &, const ConstView &>
  constexpr ArrayOperand(const V &view) // NOLINT: a view is an operand
      : view_(static_cast<const ConstView &>(view)) {}

  // Borrows the elements for the time of the call.
  [[nodiscard]] constexpr const ConstView &view() const { return view_; }

private:
  ConstView view_;
};

} // namespace switchyard
