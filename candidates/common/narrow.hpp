// Conversions from real values to unsigned integers: NaN → 0, saturating.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "switchyard/core/rounding.hpp"

namespace switchyard::candidates {

template <class Out, class Real> Out truncate_to(Real value) {
  constexpr auto kMost = static_cast<Real>(std::numeric_limits<Out>::max());
  if (!(value > 0)) { // also NaN
    return 0;
  }
  return value >= kMost ? std::numeric_limits<Out>::max() : static_cast<Out>(value);
}

// Round half to even. The router runs every candidate in the default rounding mode.
template <class Out, class Real> Out half_even_to(Real value) {
  constexpr auto kMost = static_cast<Real>(std::numeric_limits<Out>::max());
  if (!(value > 0)) {
    return 0;
  }
  return value >= kMost ? std::numeric_limits<Out>::max() : static_cast<Out>(std::lrint(value));
}

// floor(value + ½) of the exact sum: adding ½ could itself round up.
template <class Out, class Real> Out half_up_to(Real value) {
  const Out down = truncate_to<Out>(value);
  const Real rest = value - static_cast<Real>(down);
  return rest >= Real(0.5) && down < std::numeric_limits<Out>::max() ? static_cast<Out>(down + 1)
                                                                     : down;
}

template <class Real> std::uint8_t truncate_to_u8(Real value) {
  return truncate_to<std::uint8_t>(value);
}
template <class Real> std::uint8_t half_even_to_u8(Real value) {
  return half_even_to<std::uint8_t>(value);
}

// A real result as an element: integers by the rounding given, floats by the default rounding.
template <class Out, class Real> Out store(Real value, Rounding rounding) {
  if constexpr (std::is_floating_point_v<Out>) {
    return static_cast<Out>(value);
  } else {
    switch (rounding) {
    case Rounding::half_even:
      return half_even_to<Out>(value);
    case Rounding::half_up:
      return half_up_to<Out>(value);
    default:
      return truncate_to<Out>(value);
    }
  }
}

} // namespace switchyard::candidates
