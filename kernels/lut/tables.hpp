// Tables in the form that the lookup kernels read. Plain data: its functions are compiled once per
// SIMD target, in lut-inl.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::kernels {

// A table of bytes, and what a lookup by 16-entry shuffles adds up: within each half of 128
// entries, row r of 16 entries combined with row r - 1 by exclusive or; the first row as it is.
struct alignas(64) ByteTable {
  std::uint8_t entries[256];
  std::uint8_t steps[256];
};

// A table of f32, and its four bytes as tables of their own, the lowest first.
struct alignas(64) FloatTable {
  float entries[256];
  ByteTable planes[4];
};

} // namespace switchyard::kernels
