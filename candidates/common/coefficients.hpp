// Per-channel parameters as f32, laid out for kernels that walk interleaved channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace switchyard::candidates {

// Largest C for which coefficients are repeated on the stack.
inline constexpr std::int64_t kMaxPatternChannels = 4096;
// A kernel may read this many coefficients beyond the phase that it is at.
inline constexpr std::int64_t kPatternSlack = 64;

// pattern[i] is the f32 value of channel i mod `period` for i < period + kPatternSlack, so that a
// vector of coefficients can be loaded at every phase; a period of 1 has just the one value. The
// period is C, or 1 where every parameter of the op is a scalar; a scalar beside a vector is
// repeated for all C.
class Pattern {
public:
  // `values[channel]` converts to float.
  template <class PerChannel> Pattern(const PerChannel &values, std::int64_t period) {
    for (std::int64_t c = 0; c < period; ++c) {
      data_[c] = static_cast<float>(values[c]);
    }
    for (std::int64_t i = period; period > 1 && i < period + kPatternSlack; ++i) {
      data_[i] = data_[i - period];
    }
  }
  [[nodiscard]] const float *data() const { return data_; }

private:
  alignas(64) float data_[kMaxPatternChannels + kPatternSlack];
};

} // namespace switchyard::candidates
