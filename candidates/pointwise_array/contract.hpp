// What the contracts of pointwise ops with arrays share: shapes of operands, how they are drawn,
// and the walk over pixels.
#pragma once

#include "candidates/contracts/oracle.hpp"
#include "candidates/pointwise_array/params.hpp"

namespace switchyard::oracle {

// The variant of an op of one operand or two, for an oracle made with expect_arrays().
[[nodiscard]] VariantContract one_array(std::string_view variant,
                                        decltype(VariantContract::oracle) expect);
[[nodiscard]] VariantContract two_arrays(std::string_view variant,
                                         decltype(VariantContract::oracle) expect);

// Their `fill`: image and operands by their dtypes.
void fill_arrays(const View &input, int which, bool special, Random &random);

// What a call asks of the arithmetic of an element.
struct Working {
  bool wide = false; // in f64, else in f32
  bool u8 = false;   // the result's dtype
  Rounding rounding = Rounding::by_op;

  [[nodiscard]] static Working of(const Call &call, Rounding rounding) {
    return {(call.flags & kWide) != 0, call.in[0]->dtype == Dtype::u8, rounding};
  }
  // A number rounded to the working precision.
  [[nodiscard]] double operator()(double value) const { return wide ? value : to_f32(value); }
};

// An element of an operand that is repeated along its axes of length 1.
inline double read_repeated(const ConstView &operand, Extents at) {
  for (int axis = 0; axis < 4; ++axis) {
    at[axis] = operand.shape[axis] == 1 ? 0 : at[axis];
  }
  return read(operand, at[kX], at[kH], at[kW], at[kC]);
}

// expected = rule(working precision, pixel, first operand, second operand or 0) for each element.
template <class Rule>
void expect_arrays(const Call &call, std::span<Expected> expected, const Rule &rule) {
  const Working working = Working::of(call, call.params_as<ArrayParams>().rounding);
  std::size_t i = 0;
  for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double pixel = read(*call.in[0], x, h, w, c);
    const double a = read_repeated(*call.in[1], {x, h, w, c});
    const double b = call.in[2] == nullptr ? 0 : read_repeated(*call.in[2], {x, h, w, c});
    expected[i++] = rule(working, pixel, a, b);
  });
}

} // namespace switchyard::oracle
