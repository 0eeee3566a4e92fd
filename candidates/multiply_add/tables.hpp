// 256-entry tables of multiply_add for u8, by the reference's arithmetic.
#pragma once

#include <cstdint>

#include "candidates/common/narrow.hpp"
#include "candidates/multiply_add/params.hpp"

namespace switchyard::candidates::multiply_add {

// table[x] for one channel.
inline void fill_table(const MultiplyAddParams &params, std::int64_t channel, std::uint8_t *table) {
  const auto factor = static_cast<float>(params.factor[channel]);
  const auto value = static_cast<float>(params.value[channel]);
  for (int x = 0; x < 256; ++x) {
    const float product = static_cast<float>(x) * factor;
    table[x] = truncate_to_u8(product + value);
  }
}

// Channels whose tables differ: 1 where both parameters are scalar.
inline std::int64_t table_count(const MultiplyAddParams &params, std::int64_t channels) {
  return params.factor.scalar() && params.value.scalar() ? 1 : channels;
}

} // namespace switchyard::candidates::multiply_add
