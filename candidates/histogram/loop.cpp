// histogram as NumPy evaluates it, and the contract's reference: one counter after the other.
#include "candidates/histogram/adapters.hpp"

namespace switchyard::candidates::histogram {

void run_loop(const Call &call, bool per_channel) {
  const ConstView &image = *call.in[0];
  const ConstView *mask = call.in[1];
  const View &result = *call.out[0];
  clear_counts(result);
  for (std::int64_t x = 0; x < image.shape[kX]; ++x) {
    for (std::int64_t h = 0; h < image.shape[kH]; ++h) {
      for (std::int64_t w = 0; w < image.shape[kW]; ++w) {
        if (mask != nullptr && *mask->at(x, h, w, 0) == std::byte{0}) {
          continue;
        }
        for (std::int64_t c = 0; c < image.channels(); ++c) {
          const auto level = std::to_integer<std::int64_t>(*image.at(x, h, w, c));
          add_count(result, level, result_channel(per_channel, c), 1);
        }
      }
    }
  }
}

} // namespace switchyard::candidates::histogram
