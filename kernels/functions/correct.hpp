// exp, log and pow of f32, correctly rounded: the f32 that is nearest to the exact result, half to
// even. One value is right, so that every target, layout and compiler gives the same bits.
//
// Two steps lead there. A proposal in f64 counts if all that lies within its error rounds to one
// and the same f32. Otherwise (once in some hundred thousand values) the result is calculated in
// pairs of f64, of some hundred bits. Nothing but the speed depends on who proposes: the vector
// kernels bring their own polynomials, the functions below ask the C library.
//
// C's special cases apply. No contraction, no fused multiply-add: the same operations everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace switchyard::kernels::correct {

// The unevaluated sum of two f64, the first of which is the sum rounded.
struct Pair {
  double high = 0;
  double low = 0;
};

// The exact sum of two numbers, the first the larger one in magnitude, or 0.
inline Pair sum_of_ordered(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}
inline Pair exact_sum(double a, double b) {
  const double high = a + b;
  const double part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}
// The exact product, by halves of 26 bits; magnitudes below 2^990.
inline Pair exact_product(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double spread_a = kSplit * a;
  const double spread_b = kSplit * b;
  const double high_a = spread_a - (spread_a - a);
  const double high_b = spread_b - (spread_b - b);
  const double low_a = a - high_a;
  const double low_b = b - high_b;
  const double high = a * b;
  const double rest = ((high_a * high_b - high) + high_a * low_b + low_a * high_b) + low_a * low_b;
  return {high, rest};
}

// Relative errors of a few 2^-104.
inline Pair operator+(Pair a, Pair b) {
  const Pair high = exact_sum(a.high, b.high);
  const Pair low = exact_sum(a.low, b.low);
  const Pair sum = sum_of_ordered(high.high, high.low + low.high);
  return sum_of_ordered(sum.high, sum.low + low.low);
}
inline Pair operator*(Pair a, Pair b) {
  const Pair high = exact_product(a.high, b.high);
  return sum_of_ordered(high.high, high.low + (a.high * b.low + a.low * b.high));
}
inline Pair operator-(Pair a) {
  return {-a.high, -a.low};
}
inline Pair operator/(Pair a, Pair b) {
  const double first = a.high / b.high;
  const Pair rest = a + -(b * Pair{first, 0});
  const double second = rest.high / b.high;
  const Pair rest_of_rest = rest + -(b * Pair{second, 0});
  const Pair quotient = sum_of_ordered(first, second);
  return quotient + Pair{rest_of_rest.high / b.high, 0};
}

inline constexpr Pair kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// The natural logarithm of a positive normal number, with a relative error of some 2^-100.
inline Pair log_of(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0x1.6a09e667f3bcdp-1) { // the root of 1/2
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 artanh s for s = (m - 1) / (m + 1), |s| < 0.172.
  const Pair s = Pair{mantissa - 1, 0} / exact_sum(mantissa, 1);
  const Pair square = s * s;
  constexpr int kTerms = 21;
  Pair series{};
  for (int i = kTerms; i >= 0; --i) {
    series = series * square + Pair{1, 0} / Pair{2.0 * i + 1, 0};
  }
  const Pair twice{2 * s.high, 2 * s.low};
  const Pair scale{static_cast<double>(exponent), 0};
  return scale * kLn2 + twice * series;
}

// e^x as 2^exponent times a number near 1, with a relative error of |x| · 2^-103 or so; for
// |x| < 2^20.
inline Pair exp_of(Pair x, int &exponent) {
  const double whole = std::floor(x.high / kLn2.high + 0.5);
  exponent = static_cast<int>(whole);
  const Pair rest = x + -(Pair{whole, 0} * kLn2);
  constexpr int kTerms = 23;
  Pair series{1, 0};
  for (int i = kTerms; i >= 1; --i) {
    series = Pair{1, 0} + series * rest / Pair{static_cast<double>(i), 0};
  }
  return series;
}

// Rounded once: the f64 in between is rounded to odd, which no later rounding mistakes for a tie.
// What lies within 2^-85 of a number of f64 counts as that number: the exact cases of pow.
inline float rounded(Pair value, int exponent) {
  if (std::fabs(value.low) > std::fabs(value.high) * 0x1p-85) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value.high, sizeof bits);
    if ((bits & 1) == 0) {
      const bool outward = (value.low > 0) == (value.high > 0);
      bits += outward ? 1 : ~std::uint64_t{0};
    }
    std::memcpy(&value.high, &bits, sizeof bits);
  }
  return static_cast<float>(std::ldexp(value.high, exponent));
}

// Whether all values within `spread` of a proposal, relatively, round to the same f32, `result`.
inline bool settles(double proposal, double spread, float &result) {
  result = static_cast<float>(proposal - proposal * spread);
  return result == static_cast<float>(proposal + proposal * spread);
}

// Many times the error that a C library may have.
inline constexpr double kProposalError = 0x1p-46;

// The second argument is there for the kernels, which call all functions alike.
inline float exact_exp(float x, float /*unused*/) {
  int exponent = 0;
  const Pair value = exp_of({static_cast<double>(x), 0}, exponent);
  return rounded(value, exponent);
}
inline float exact_log(float x, float /*unused*/) {
  return rounded(log_of(static_cast<double>(x)), 0);
}

inline float exp(float x) {
  if (std::isnan(x)) {
    return x;
  }
  if (x > 89 || x < -104) { // beyond FLT_MAX, or below half of the smallest number
    return x > 0 ? std::numeric_limits<float>::infinity() : 0.0F;
  }
  float result = 0;
  return settles(std::exp(static_cast<double>(x)), kProposalError, result) ? result
                                                                           : exact_exp(x, 0);
}

inline float log(float x) {
  using Limits = std::numeric_limits<float>;
  if (x == 0) {
    return -Limits::infinity();
  }
  if (!(x > 0)) {
    return std::isnan(x) ? x : Limits::quiet_NaN();
  }
  if (x == Limits::infinity() || x == 1) {
    return x == 1 ? 0 : x;
  }
  float result = 0;
  return settles(std::log(static_cast<double>(x)), kProposalError, result) ? result
                                                                           : exact_log(x, 0);
}

// base^exponent of a positive finite base and a finite exponent, by pairs: as f32, or as f64 with
// an error of less than a unit in the last place.
template <class Real> Real exact_power_of(double base, double exponent) {
  const Pair logarithm = log_of(base);
  constexpr double kMost = 1100; // e^1100 is beyond f64
  const double estimate = logarithm.high * exponent;
  if (!(std::fabs(estimate) < kMost)) {
    return estimate > 0 ? std::numeric_limits<Real>::infinity() : Real(0);
  }
  int scale = 0;
  const Pair value = exp_of(logarithm * Pair{exponent, 0}, scale);
  if constexpr (std::is_same_v<Real, float>) {
    return rounded(value, scale);
  } else {
    return std::ldexp(value.high, scale);
  }
}

template <class Real> Real power_of_positive(Real base, Real exponent) {
  const auto wide_base = static_cast<double>(base);
  const auto wide_exponent = static_cast<double>(exponent);
  if constexpr (std::is_same_v<Real, float>) {
    float result = 0;
    if (settles(std::pow(wide_base, wide_exponent), kProposalError, result)) {
      return result;
    }
  }
  return exact_power_of<Real>(wide_base, wide_exponent);
}

// C's pow; Real is float, correctly rounded, or double, for exponents that f32 does not hold.
template <class Real> Real power(Real x, Real exponent) {
  using Limits = std::numeric_limits<Real>;
  if (exponent == 0 || x == 1) {
    return 1;
  }
  if (std::isnan(x) || std::isnan(exponent)) {
    return Limits::quiet_NaN();
  }
  const Real base = std::fabs(x);
  if (std::isinf(exponent)) {
    return base == 1 ? Real(1) : (base > 1) == (exponent > 0) ? Limits::infinity() : Real(0);
  }
  const bool whole = std::floor(exponent) == exponent;
  const bool odd = whole && std::floor(exponent / 2) != exponent / 2;
  const Real sign = std::signbit(x) && odd ? Real(-1) : Real(1);
  if (base == 0 || std::isinf(base)) {
    return (base == 0) == (exponent > 0) ? sign * 0 : sign * Limits::infinity();
  }
  if (x < 0 && !whole) {
    return Limits::quiet_NaN();
  }
  return base == 1 ? sign : sign * power_of_positive(base, exponent); // the largest f64 included
}

// Of any base and a finite exponent, without a proposal.
inline float exact_power(float base, float exponent) {
  const bool odd = std::floor(exponent / 2) != exponent / 2 && std::floor(exponent) == exponent;
  const auto magnitude =
      exact_power_of<float>(std::fabs(static_cast<double>(base)), static_cast<double>(exponent));
  return std::signbit(base) && odd ? -magnitude : magnitude;
}

} // namespace switchyard::kernels::correct
