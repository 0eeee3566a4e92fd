// How a real-valued result becomes an integer one.
#pragma once

#include <cstdint>
#include <string_view>

namespace switchyard {

// Applied to an op's real-valued result before it saturates to the integer type; NaN → 0. f32
// results are never rounded.
enum class Rounding : std::uint8_t {
  by_op,     // the op's own rule, stated in docs/contracts.md
  truncate,  // toward zero
  half_even, // to nearest, ties to the even neighbour
  half_up,   // floor(x + ½), without an intermediate rounding
};

constexpr std::string_view name_of(Rounding rounding) {
  constexpr std::string_view kNames[] = {"by_op", "truncate", "half_even", "half_up"};
  return kNames[static_cast<int>(rounding)];
}

} // namespace switchyard
