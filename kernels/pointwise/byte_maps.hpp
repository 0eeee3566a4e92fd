// Maps from u8 to u8 in the form that the kernels of bytes-inl.hpp read. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::kernels {

// Coefficients of one channel, by the map that reads them:
//   shift:  min(x + [0], 255), less [1], at least 0
//   clamp:  min(max(x, [0]), [1])
//   linear: with y = x exclusive or [0], t = (256 y + [1]) · factor >> 16 in 16 bits, the result is
//           (t + plus − minus) >> bits, each step saturating; factor, plus and minus are the pairs
//           of bytes from [2], [4] and [6] on, the lower one first
struct ByteFields {
  static constexpr size_t kMost = 8;
  uint8_t field[kMost] = {};
};

// The same for interleaved channels: byte i of row f is field f of channel i mod C, for as many
// bytes as the vectors after which all phases have come back, and one more vector.
struct BytePatterns {
  static constexpr size_t kMostChannels = 16;
  static constexpr size_t kVector = 64; // bytes of the widest one
  static constexpr size_t kBytes = (kMostChannels + 1) * kVector;

  alignas(64) uint8_t row[ByteFields::kMost][kBytes];
};

} // namespace switchyard::kernels
