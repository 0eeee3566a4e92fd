// Conversions from real values to u8: NaN → 0, saturating.
#pragma once

#include <cmath>
#include <cstdint>

namespace switchyard::candidates {

template <class Real> std::uint8_t truncate_to_u8(Real value) {
  if (!(value > 0)) { // also NaN
    return 0;
  }
  return value >= 255 ? std::uint8_t{255} : static_cast<std::uint8_t>(value);
}

// Round half to even. The router runs every candidate in the default rounding mode.
template <class Real> std::uint8_t half_even_to_u8(Real value) {
  if (!(value > 0)) {
    return 0;
  }
  return value >= 255 ? std::uint8_t{255} : static_cast<std::uint8_t>(std::lrint(value));
}

// Rounds a real result to the element type: u8 as given, floats by the default rounding.
template <class Out, class Real> Out store_truncated(Real value) {
  if constexpr (sizeof(Out) == 1) {
    return truncate_to_u8(value);
  } else {
    return static_cast<Out>(value);
  }
}
template <class Out, class Real> Out store_half_even(Real value) {
  if constexpr (sizeof(Out) == 1) {
    return half_even_to_u8(value);
  } else {
    return static_cast<Out>(value);
  }
}

} // namespace switchyard::candidates
