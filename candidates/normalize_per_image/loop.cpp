// normalize_per_image as NumPy evaluates it, and the contract's reference: statistics, then a pass
// per operation.
#include <algorithm>
#include <limits>
#include <vector>

#include "candidates/common/passes.hpp"
#include "candidates/common/read_runs.hpp"
#include "candidates/normalize_per_image/adapters.hpp"

namespace switchyard::candidates::normalize_per_image {
namespace {

template <class In>
void add_extremes(const ConstView &image, std::span<float> lows, std::span<float> highs) {
  ReadRuns<In>{image}([&](const In *x, std::int64_t n, RunChannels channels) {
    const bool together = lows.size() == 1;
    std::int64_t c = together ? 0 : channels.first;
    for (std::int64_t k = 0; k < n; ++k) {
      const auto value = static_cast<float>(x[k]);
      float &low = lows[static_cast<std::size_t>(c)];
      float &high = highs[static_cast<std::size_t>(c)];
      // Written so that NaN is taken over, and kept: no comparison with it holds.
      low = std::isnan(value) || value < low ? value : low;
      high = std::isnan(value) || value > high ? value : high;
      if (!together && channels.period > 1 && ++c == channels.period) {
        c = 0;
      }
    }
  });
}

template <class In>
void normalize_elements(const ConstView &image, const View &result, std::span<const Scale> scales,
                        Mode mode) {
  const auto values_of = [&](float Scale::*member) {
    std::vector<double> values(scales.size());
    std::transform(scales.begin(), scales.end(), values.begin(),
                   [&](const Scale &scale) { return static_cast<double>(scale.*member); });
    return values;
  };
  const std::vector<double> offsets = values_of(&Scale::offset);
  const std::vector<double> divisors = values_of(&Scale::divisor);
  const auto count = static_cast<std::int64_t>(scales.size());
  const Values offset{offsets.data(), count};
  const Values divisor{divisors.data(), count};
  const auto subtract = [](auto x, float value) { return static_cast<float>(x) - value; };
  if (any_halved(scales)) {
    const std::vector<double> factors = values_of(&Scale::factor);
    pass<In, float, float>(image, result, Values{factors.data(), count},
                           [](In x, float factor) { return static_cast<float>(x) * factor; });
    pass<float, float, float>(result, result, offset, subtract);
  } else {
    pass<In, float, float>(image, result, offset, subtract);
  }
  pass<float, float, float>(result, result, divisor,
                            [](float x, float value) { return x / value; });
  const float low = is_range(mode) ? 0.0F : -kLimit;
  const float high = is_range(mode) ? 1.0F : kLimit;
  pass<float, float>(result, result, [=](float x) { return x < low ? low : x > high ? high : x; });
}

} // namespace

void extremes_plainly(const ConstView &image, std::span<float> lows, std::span<float> highs) {
  std::fill(lows.begin(), lows.end(), std::numeric_limits<float>::infinity());
  std::fill(highs.begin(), highs.end(), -std::numeric_limits<float>::infinity());
  image.dtype == Dtype::u8 ? add_extremes<std::uint8_t>(image, lows, highs)
                           : add_extremes<float>(image, lows, highs);
}

void normalize_plainly(const ConstView &image, const View &result, std::span<const Scale> scales,
                       Mode mode) {
  image.dtype == Dtype::u8 ? normalize_elements<std::uint8_t>(image, result, scales, mode)
                           : normalize_elements<float>(image, result, scales, mode);
}

void run_loop(const Call &call, Mode mode) {
  const auto count = static_cast<std::size_t>(scale_count(*call.in[0], mode));
  const Moments moments("loop", is_per_channel(mode));
  std::vector<Scale> scales(count);
  for_each_item(call, [&](const ConstView &image, const View &result) {
    if (is_range(mode)) {
      std::vector<float> lows(count);
      std::vector<float> highs(count);
      extremes_plainly(image, lows, highs);
      std::transform(lows.begin(), lows.end(), highs.begin(), scales.begin(), Scale::range);
    } else {
      std::vector<double> values(2 * count);
      moments(image, values, scales);
    }
    normalize_plainly(image, result, scales, mode);
  });
}

} // namespace switchyard::candidates::normalize_per_image
