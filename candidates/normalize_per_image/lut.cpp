// normalize_per_image of u8 through a table per channel of its 256 results.
#include <algorithm>
#include <array>

#include "candidates/lut/params.hpp"
#include "candidates/normalize_per_image/adapters.hpp"

namespace switchyard::candidates::lut {
Run run_lut;
}

namespace switchyard::candidates::normalize_per_image {
namespace {

constexpr std::int64_t kMaxTables = 64; // 64 KiB on the stack
constexpr std::int64_t kEntries = 256;

// entries[level · channels], for every level: what the reference makes of it.
void fill_table(const Scale &scale, Mode mode, std::int64_t channels, float *entries) {
  const float low = is_range(mode) ? 0.0F : -kLimit;
  const float high = is_range(mode) ? 1.0F : kLimit;
  for (std::int64_t level = 0; level < kEntries; ++level) {
    const float value = (static_cast<float>(level) - scale.offset) / scale.divisor;
    entries[level * channels] = std::clamp(value, low, high);
  }
}

} // namespace

const char *accepts_lut(const Call &call, Mode mode) {
  return scale_count(*call.in[0], mode) > kMaxTables ? "more than 64 tables"
                                                     : refuses_scales(call, mode);
}

void run_lut(const Call &call, Mode mode) {
  const std::int64_t channels = scale_count(*call.in[0], mode);
  std::array<Scale, kMaxTables> scales;
  std::array<float, kMaxTables * kEntries> table;
  const LutParams params{hwc(table.data(), 1, kEntries, channels)};
  for_each_item(call, [&](const ConstView &image, const View &result) {
    find_scales(image, mode, {scales.data(), static_cast<std::size_t>(channels)});
    for (std::int64_t c = 0; c < channels; ++c) {
      fill_table(scales[static_cast<std::size_t>(c)], mode, channels, table.data() + c);
    }
    Call lookup;
    lookup.in = {&image};
    lookup.out = {&result};
    lookup.params = &params;
    lut::run_lut(lookup);
  });
}

} // namespace switchyard::candidates::normalize_per_image
