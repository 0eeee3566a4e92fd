// What the contracts of functions (exp, log, sqrt, power) share: results that are correctly
// rounded, or within a number of units in the last place.
//
// The exact value comes from the C library's long double, whose error is far below what f32 shows.
#pragma once

#include <cfloat>
#include <cmath>
#include <limits>

#include "candidates/contracts/oracle.hpp"

namespace switchyard::oracle {

static_assert(LDBL_MANT_DIG >= 64, "the functions' oracles need more digits than f64 has");

// The distance between neighbouring f32 at a real value.
inline long double f32_spacing(long double exact) {
  constexpr int kMantissa = 24;
  constexpr int kSmallest = -149;
  int exponent = 0;
  static_cast<void>(std::frexp(exact, &exponent));
  return std::ldexp(1.0L, exact == 0 ? kSmallest : std::max(exponent - kMantissa, kSmallest));
}

// The f32 nearest to the exact value; a faithful result is within `units` in the last place of it.
// Special values have no neighbours.
inline Expected expect_function(long double exact, int units) {
  const auto value = static_cast<double>(static_cast<float>(exact));
  if (!std::isfinite(exact) || exact == 0) {
    return {value, value, value};
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const long double reach = units * f32_spacing(exact);
  const auto low = static_cast<double>(exact - reach);
  const auto high = static_cast<double>(exact + reach);
  return {value, low < -FLT_MAX ? -kInf : low, high > FLT_MAX ? kInf : high};
}

// Where the contract states no other number.
inline constexpr int kFunctionUnits = 4;

// The contract of a function of f32 alone.
inline VariantContract function(std::string_view variant, std::span<const ParamSet> sets,
                                decltype(VariantContract::fill) fill,
                                decltype(VariantContract::oracle) expect) {
  return [&] {
    VariantContract contract = pointwise(
        variant, sets,
        [](int, std::int64_t, int, Random &) { return std::shared_ptr<const void>(); }, nullptr,
        expect);
    contract.fill = fill;
    return contract;
  }();
}

// Writes draw(x) for every element.
template <class Draw> void fill_f32(const View &view, Draw &&draw) {
  for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    const float value = draw();
    std::memcpy(view.at(x, h, w, c), &value, sizeof value);
  });
}

// One of the values that break functions: zeros, infinities, NaN, subnormal numbers, both ends of
// f32, 1 and its neighbours, arguments at which exp leaves f32, or any bits at all.
inline float special_argument(Random &random) {
  using Limits = std::numeric_limits<float>;
  constexpr float kValues[] = {
      0.0F,           Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(),
      1e-40F,         Limits::min(),      Limits::max(),       1.0F,
      0x1.fffffep-1F, 0x1.000002p+0F,     88.72283F,           88.72284F,
      103.27892F,     103.97208F,         87.33654F,           0x1p-25F};
  const std::uint64_t bits = random();
  if ((bits >> 32) % 4 == 0) {
    const auto low = static_cast<std::uint32_t>(bits);
    float any = 0;
    std::memcpy(&any, &low, sizeof any);
    return any;
  }
  const float value = kValues[bits % std::size(kValues)];
  return (bits >> 40) % 2 == 0 ? value : -value;
}

// In [low, high), in steps that every standard library takes alike; every third value is special
// where that is asked for.
inline float ordinary_argument(double low, double high, bool special, Random &random) {
  const std::uint64_t bits = random();
  if (special && bits % 3 == 0) {
    return special_argument(random);
  }
  const double unit = std::ldexp(static_cast<double>(bits >> 11), -53);
  return static_cast<float>(low + (high - low) * unit);
}

} // namespace switchyard::oracle
