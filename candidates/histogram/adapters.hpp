// The candidates of histogram, with and without a mask, and what they share.
#pragma once

#include <cstdint>
#include <cstring>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::histogram {

using RunCount = void(const Call &call, bool per_channel);
using CountDomain = const char *(const Call &call, bool per_channel);
RunCount run_fused, run_opencv, run_aten, run_loop;
CountDomain accepts_opencv, accepts_aten;

inline constexpr std::int64_t kLevels = 256;

// Which of the result's channels counts channel c of the image.
inline std::int64_t result_channel(bool per_channel, std::int64_t c) {
  return per_channel ? c : 0;
}

// The counter of a level in the result, which may lie anywhere.
inline void add_count(const View &result, std::int64_t level, std::int64_t channel,
                      std::uint64_t more) {
  std::byte *at = result.at(0, 0, level, channel);
  std::uint64_t count = 0;
  std::memcpy(&count, at, sizeof count);
  count += more;
  std::memcpy(at, &count, sizeof count);
}

inline void clear_counts(const View &result) {
  const std::uint64_t none = 0;
  for (std::int64_t level = 0; level < kLevels; ++level) {
    for (std::int64_t c = 0; c < result.channels(); ++c) {
      std::memcpy(result.at(0, 0, level, c), &none, sizeof none);
    }
  }
}

} // namespace switchyard::candidates::histogram
