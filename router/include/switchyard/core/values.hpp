// Numeric parameters of an op: one value for all channels, or one per channel.
#pragma once

#include <cstdint>

namespace switchyard {

// Borrowed doubles: `size` is 1 (every channel) or the number of channels.
struct Values {
  const double *data = nullptr;
  std::int64_t size = 0;

  [[nodiscard]] double operator[](std::int64_t channel) const {
    return data[size == 1 ? 0 : channel];
  }
  [[nodiscard]] bool scalar() const { return size == 1; }
};

} // namespace switchyard
