// What a reduction is asked for.
#pragma once

#include <cstdint>

namespace switchyard::candidates::reduction {

enum class Asked : std::uint8_t { sum, mean, std, mean_std, min_max };

constexpr bool asks_std(Asked asked) {
  return asked == Asked::std || asked == Asked::mean_std;
}

} // namespace switchyard::candidates::reduction
