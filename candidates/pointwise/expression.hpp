// Pointwise ops of one image with up to two coefficients per channel, described as data: one set of
// adapters (loop.cpp, fused.cpp, …) serves all ops of this kind.
//
// An op's table names a `Describe` function that turns its parameters into an Expression; rows.hpp
// makes the op's candidates of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "candidates/common/narrow.hpp"
#include "kernels/functions/correct.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/core/rounding.hpp"
#include "switchyard/core/values.hpp"

namespace switchyard::candidates::pointwise {

// What is computed of x and the coefficients a and b of its channel, every operation rounded to
// the working precision (f32; f64 where a parameter is wide).
enum class Form : std::uint8_t {
  copy,              // x, bit for bit
  add,               // x + a
  multiply,          // x · a
  multiply_add,      // x · a + b
  subtract_multiply, // (x − a) · b
  divide,            // x / a
  clip,              // min(max(x, a), b), NaN stays; −0 and +0 are equal and x wins
  exp,               // e^x, correctly rounded
  log,               // ln x, correctly rounded
  square_root,       // √x
  power,             // x^a as C's pow has it, correctly rounded
};

// What happens to a parameter before it is narrowed to the working precision.
enum class Prepare : std::uint8_t {
  as_given,
  truncate, // toward zero in f64: 0.99999999 becomes 0
  to_u8,    // half to even, saturated: a bound of a u8 image
  to_f32,   // also where the op runs in f64, so that no channel's bound depends on another's
};

class Coefficients {
public:
  Coefficients() = default;
  explicit Coefficients(const Values &values, Prepare prepare = Prepare::as_given)
      : values_(values), prepare_(prepare) {}

  // Of a channel; 0 where the form has no such coefficient.
  [[nodiscard]] double operator[](std::int64_t channel) const {
    if (values_.data == nullptr) {
      return 0;
    }
    const double value = values_[channel];
    switch (prepare_) {
    case Prepare::truncate:
      return std::trunc(value);
    case Prepare::to_u8:
      return static_cast<double>(half_even_to_u8(value));
    case Prepare::to_f32:
      return static_cast<double>(static_cast<float>(value));
    case Prepare::as_given:
      break;
    }
    return value;
  }
  [[nodiscard]] bool scalar() const { return values_.data == nullptr || values_.scalar(); }
  [[nodiscard]] std::int64_t size() const { return values_.data == nullptr ? 1 : values_.size; }

  template <class Predicate> [[nodiscard]] bool all(Predicate predicate) const {
    for (std::int64_t c = 0; c < size(); ++c) {
      if (!predicate((*this)[c])) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool all_finite() const {
    return all([](double value) { return std::isfinite(value); });
  }
  // Integers of at most this magnitude.
  [[nodiscard]] bool whole_within(double most) const {
    return all(
        [most](double value) { return std::fabs(value) <= most && std::trunc(value) == value; });
  }

private:
  Values values_;
  Prepare prepare_ = Prepare::as_given;
};

struct Expression {
  Form form = Form::copy;
  Coefficients a;
  Coefficients b;
  Rounding rounding = Rounding::truncate; // never by_op

  [[nodiscard]] bool scalar() const { return a.scalar() && b.scalar(); }
  // Channels whose coefficients differ.
  [[nodiscard]] std::int64_t distinct(std::int64_t channels) const {
    return scalar() ? 1 : channels;
  }
};

using Describe = Expression(const Call &);

// The caller's choice of rounding, or the op's own.
inline Rounding chosen(Rounding asked, Rounding own) {
  return asked == Rounding::by_op ? own : asked;
}

// The form's arithmetic in precision Real, operation by operation.
template <class Real> Real evaluate(Form form, Real x, Real a, Real b) {
  switch (form) {
  case Form::add:
    return x + a;
  case Form::multiply:
    return x * a;
  case Form::multiply_add: {
    const Real product = x * a;
    return product + b;
  }
  case Form::subtract_multiply: {
    const Real difference = x - a;
    return difference * b;
  }
  case Form::divide:
    return x / a;
  case Form::clip: {
    const Real raised = x < a ? a : x;
    return raised > b ? b : raised;
  }
  case Form::exp: // of f32 alone
    return static_cast<Real>(kernels::correct::exp(static_cast<float>(x)));
  case Form::log:
    return static_cast<Real>(kernels::correct::log(static_cast<float>(x)));
  case Form::square_root:
    return std::sqrt(x);
  case Form::power:
    return kernels::correct::power(x, a);
  case Form::copy:
    break;
  }
  return x;
}

// table[x · step] of a u8 image for one channel, by the reference's arithmetic.
template <class Out>
void fill_table(const Expression &expression, std::int64_t channel, std::int64_t step, Out *table) {
  const auto a = static_cast<float>(expression.a[channel]);
  const auto b = static_cast<float>(expression.b[channel]);
  for (int x = 0; x < 256; ++x) {
    table[x * step] =
        store<Out>(evaluate(expression.form, static_cast<float>(x), a, b), expression.rounding);
  }
}

} // namespace switchyard::candidates::pointwise
