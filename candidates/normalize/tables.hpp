// 256-entry tables of normalize for u8, by the reference's arithmetic.
#pragma once

#include <cstdint>

#include "candidates/normalize/params.hpp"

namespace switchyard::candidates::normalize {

// table[x · step] for one channel.
inline void fill_table(const NormalizeParams &params, std::int64_t channel, std::int64_t step,
                       float *table) {
  const auto mean = static_cast<float>(params.mean[channel]);
  const auto scale = static_cast<float>(params.scale[channel]);
  for (int x = 0; x < 256; ++x) {
    const float centred = static_cast<float>(x) - mean;
    table[x * step] = centred * scale;
  }
}

// Channels whose tables differ: 1 where both parameters are scalar.
inline std::int64_t table_count(const NormalizeParams &params, std::int64_t channels) {
  return params.scalar() ? 1 : channels;
}

} // namespace switchyard::candidates::normalize
