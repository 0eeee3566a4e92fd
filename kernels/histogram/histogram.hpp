// Counting bytes. Scalar code, the same for every SIMD target: a vector of increments would have to
// look for equal bytes first.
//
// Equal bytes in a row would wait for each other, the next increment for the last one's store, so
// neighbours count in tables of their own. Tables hold 32-bit counters: the caller empties them
// before kMaxPerFlush pixels have been counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace switchyard::kernels {

inline constexpr std::size_t kLevels = 256;
using LevelCounts = std::uint32_t[kLevels];

// Tables side by side: as many as stay in the first-level cache.
inline constexpr std::size_t kCountTables = 16;
inline constexpr std::int64_t kMaxPerFlush = std::int64_t{1} << 28;

// Dense bytes, no matter of which channel, in tables[0 … 7].
inline void count_bytes(const std::uint8_t *in, std::int64_t n, LevelCounts *tables) {
  constexpr std::int64_t kStep = 8;
  std::int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, in + i, sizeof bytes);
    ++tables[0][bytes & 0xFF];
    ++tables[1][bytes >> 8 & 0xFF];
    ++tables[2][bytes >> 16 & 0xFF];
    ++tables[3][bytes >> 24 & 0xFF];
    ++tables[4][bytes >> 32 & 0xFF];
    ++tables[5][bytes >> 40 & 0xFF];
    ++tables[6][bytes >> 48 & 0xFF];
    ++tables[7][bytes >> 56];
  }
  for (; i < n; ++i) {
    ++tables[0][in[i]];
  }
}

// Pixels of one row, `stride` bytes apart, of channels `channel_stride` bytes apart; with a mask,
// one byte a pixel, where that is not 0.
struct PixelRow {
  const std::uint8_t *data;
  std::ptrdiff_t stride;
  std::ptrdiff_t channel_stride;
  std::int64_t pixels;
  const std::uint8_t *mask; // nullptr: every pixel counts
  std::ptrdiff_t mask_stride;
};

namespace detail {

// Pixel p counts its channel c in table (p mod kSets) · kChannels + c. No branch asks the mask: it
// would be mispredicted along every edge.
template <std::size_t kChannels, std::size_t kSets, bool kMasked>
void count_pixels(const PixelRow &row, LevelCounts *tables) {
  const auto pixel = [&](std::int64_t p, std::size_t set) {
    const std::uint8_t *at = row.data + p * row.stride;
    const std::uint32_t one = kMasked ? (row.mask[p * row.mask_stride] != 0 ? 1 : 0) : 1;
    for (std::size_t c = 0; c < kChannels; ++c) {
      tables[set * kChannels + c][at[static_cast<std::ptrdiff_t>(c) * row.channel_stride]] += one;
    }
  };
  std::int64_t p = 0;
  for (; p + static_cast<std::int64_t>(kSets) <= row.pixels; p += kSets) {
    for (std::size_t set = 0; set < kSets; ++set) {
      pixel(p + static_cast<std::int64_t>(set), set);
    }
  }
  for (; p < row.pixels; ++p) {
    pixel(p, 0);
  }
}

// More channels than four, each count with a loop of its own: one of any length takes longer.
template <std::size_t kChannels, bool kMasked>
void count_many(const PixelRow &row, std::size_t channels, LevelCounts *tables) {
  if constexpr (kChannels < kCountTables) {
    if (channels != kChannels) {
      return count_many<kChannels + 1, kMasked>(row, channels, tables);
    }
  }
  count_pixels<kChannels, 1, kMasked>(row, tables);
}

template <bool kMasked>
void count_channels(const PixelRow &row, std::size_t channels, LevelCounts *tables) {
  switch (channels) {
  case 1:
    return count_pixels<1, 8, kMasked>(row, tables);
  case 2:
    return count_pixels<2, 4, kMasked>(row, tables);
  case 3:
    return count_pixels<3, 4, kMasked>(row, tables);
  case 4:
    return count_pixels<4, 4, kMasked>(row, tables);
  default:
    return count_many<5, kMasked>(row, channels, tables);
  }
}

} // namespace detail

// How many tables count_row() uses, from the first on.
constexpr std::size_t tables_of(std::size_t channels) {
  return channels == 1 ? 8 : channels <= 4 ? channels * 4 : channels;
}

// Counts up to kCountTables channels: the tables of channel c are c, c + channels, … below
// tables_of(channels).
inline void count_row(const PixelRow &row, std::size_t channels, LevelCounts *tables) {
  if (row.mask != nullptr) {
    detail::count_channels<true>(row, channels, tables);
  } else if (channels == 1 && row.stride == 1) {
    count_bytes(row.data, row.pixels, tables);
  } else {
    detail::count_channels<false>(row, channels, tables);
  }
}

} // namespace switchyard::kernels
