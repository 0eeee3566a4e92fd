#pragma once

#include <cstdint>

namespace switchyard::candidates {

// Most columns of a u8 matrix: 33 025 products of 255 · 255 still fit i32.
inline constexpr std::int64_t kMostByteProducts = 33025;

struct MatmulParams {
  std::int64_t columns = 0; // of the result
  bool shared = true;       // one right-hand matrix serves the whole batch
};

} // namespace switchyard::candidates
