// Pieces that oracles share: element access, roundings and tolerances, all in f64.
//
// Written apart from the candidates' helpers on purpose: a shared mistake would prove nothing.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "switchyard/core/contract.hpp"
#include "switchyard/core/rounding.hpp"
#include "switchyard/core/values.hpp"

namespace switchyard::oracle {

// The element as a double; u64 beyond 2^53 would lose digits and is not read through this.
inline double read(const ConstView &view, std::int64_t x, std::int64_t h, std::int64_t w,
                   std::int64_t c) {
  const std::byte *at = view.at(x, h, w, c);
  const auto load = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  switch (view.dtype) {
  case Dtype::u8:
    return load(std::uint8_t{});
  case Dtype::i8:
    return load(std::int8_t{});
  case Dtype::u16:
    return load(std::uint16_t{});
  case Dtype::i16:
    return load(std::int16_t{});
  case Dtype::i32:
    return load(std::int32_t{});
  case Dtype::i64:
    return load(std::int64_t{});
  case Dtype::u64:
    return load(std::uint64_t{});
  case Dtype::f32:
    return load(float{});
  case Dtype::f64:
    break;
  }
  return load(double{});
}

// Calls each(x, h, w, c) in X, H, W, C order.
template <class Each> void for_each_index(const Extents &shape, Each &&each) {
  for (std::int64_t x = 0; x < shape[kX]; ++x) {
    for (std::int64_t h = 0; h < shape[kH]; ++h) {
      for (std::int64_t w = 0; w < shape[kW]; ++w) {
        for (std::int64_t c = 0; c < shape[kC]; ++c) {
          each(x, h, w, c);
        }
      }
    }
  }
}

// A real number rounded to f32, as a double.
inline double to_f32(double value) {
  return static_cast<double>(static_cast<float>(value));
}

inline bool finite_beyond_f32(const Values &values) {
  for (std::int64_t i = 0; i < values.size; ++i) {
    if (std::isfinite(values.data[i]) && std::fabs(values.data[i]) > FLT_MAX) {
      return true;
    }
  }
  return false;
}

// The integer in [0, most] that a real value becomes: NaN → 0, saturating.
inline double to_integer(double value, Rounding rounding, double most) {
  if (std::isnan(value) || value <= 0) {
    return 0;
  }
  if (value >= most) {
    return most;
  }
  const double down = std::floor(value);
  const double rest = value - down;
  const bool tie_up = rounding == Rounding::half_up || std::fmod(down, 2) != 0;
  if (rounding == Rounding::truncate || rest < 0.5 || (rest == 0.5 && !tie_up)) {
    return down;
  }
  return down + 1;
}

// What an integer result in [0, most] must be. `reference` is the value after the reference's
// roundings to f32, `exact` the real one, `terms` the sum of its terms' magnitudes: a result may
// differ by one level where the exact value lies within 4 · 2^-24 · terms of a rounding boundary.
inline Expected expect_integer(double reference, double exact, double terms, Rounding rounding,
                               double most) {
  Expected expected;
  expected.value = to_integer(reference, rounding, most);
  expected.low = expected.high = expected.value;
  if (!std::isfinite(exact) || !std::isfinite(terms)) {
    return expected;
  }
  const double reach = 4 * std::ldexp(1.0, -24) * terms;
  expected.low = std::min(expected.value, to_integer(exact - reach, rounding, most));
  expected.high = std::max(expected.value, to_integer(exact + reach, rounding, most));
  return expected;
}

inline Expected expect_u8(double reference, double exact, double terms, Rounding rounding) {
  return expect_integer(reference, exact, terms, rounding, 255);
}

// What an f32 result must be: within 2^-23 · terms of the exact value, plus 2^-149 for two
// roundings below the normal range. Where that reaches beyond FLT_MAX, an overflow is as good: the
// reference's rounded product may overflow where a fused one does not.
inline Expected expect_f32(double reference, double exact, double terms) {
  Expected expected{reference, reference, reference};
  if (!std::isfinite(exact) || !std::isfinite(terms) || std::isnan(reference)) {
    return expected;
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double reach = std::ldexp(1.0, -23) * terms + std::ldexp(1.0, -149);
  const double low = exact - reach < -FLT_MAX ? -kInf : exact - reach;
  const double high = exact + reach > FLT_MAX ? kInf : exact + reach;
  expected.low = std::min(reference, low);
  expected.high = std::max(reference, high);
  return expected;
}

// Owns the doubles behind an op's `Values` parameters.
template <class Params> struct OwnedParams {
  Params params;
  std::vector<std::vector<double>> storage;

  // Borrowed by `params`; stays valid as storage grows, since inner buffers do not move.
  Values add(std::vector<double> values) {
    storage.push_back(std::move(values));
    return {storage.back().data(), static_cast<std::int64_t>(storage.back().size())};
  }
};

// A pointer to the params that keeps their owner alive.
template <class Params>
std::shared_ptr<const void> share(std::shared_ptr<OwnedParams<Params>> owner) {
  const Params *params = &owner->params;
  return {std::move(owner), params};
}

// Whether any of an op's parameters is finite but beyond f32: CallFlag bits.
inline std::uint32_t wide_flag(std::initializer_list<Values> parameters) {
  return std::any_of(parameters.begin(), parameters.end(), finite_beyond_f32) ? std::uint32_t{kWide}
                                                                              : 0U;
}

// The parts that contracts of pointwise ops share.
inline VariantContract pointwise(std::string_view variant, std::span<const ParamSet> sets,
                                 decltype(VariantContract::make_params) make,
                                 decltype(VariantContract::flags) flags,
                                 decltype(VariantContract::oracle) expect) {
  VariantContract contract;
  contract.variant = variant;
  contract.in_place = true;
  contract.row_local = true;
  contract.param_sets = sets;
  contract.make_params = make;
  contract.flags = flags;
  contract.oracle = expect;
  return contract;
}

} // namespace switchyard::oracle
