// Pointwise ops of an image and up to two operands that are arrays, described as data: one set of
// adapters (loop.cpp, fused.cpp, …) serves all ops of this kind.
//
// Operands are inputs 1 and 2 of the call. Each has the image's shape, or length 1 on axes along
// which it is repeated: (1, H, W, 1) serves every channel and every item of a batch, (1, 1, 1, C)
// is a vector and (1, 1, 1, 1) a scalar. Two operands may have two dtypes; the call's dtype case
// says which alternatives are tried, the views say what there is.
#pragma once

#include <cstdint>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/rounding.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::pointwise_array {

// What is computed of x and the elements a and b of the operands, every operation rounded to the
// working precision (f32; f64 where an operand is wide).
enum class Form : std::uint8_t {
  add,          // x + a
  multiply,     // x · a
  multiply_add, // x · a + b
  power,        // x^a as C's pow has it, correctly rounded
};

struct Expression {
  Form form = Form::add;
  bool truncates = false; // a is truncated toward zero, in its own precision, before it is narrowed
  Rounding rounding = Rounding::truncate; // never by_op

  [[nodiscard]] int operands() const { return form == Form::multiply_add ? 2 : 1; }
};

using Describe = Expression(const Call &);
using RunExpression = void(const Call &, const Expression &);
using ExpressionDomain = const char *(const Call &, const Expression &);

// A view of `shape` that repeats `view` along its axes of length 1, by strides of 0.
inline ConstView repeated(const ConstView &view, const Extents &shape) {
  ConstView whole = view;
  for (int axis = 0; axis < 4; ++axis) {
    if (view.shape[axis] == 1 && shape[axis] != 1) {
      whole.shape[axis] = shape[axis];
      whole.strides[axis] = 0;
    }
  }
  return whole;
}

} // namespace switchyard::candidates::pointwise_array
