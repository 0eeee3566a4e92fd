// The candidates of normalize_per_image: statistics of an item, then a pass over its elements.
//
// Mean and deviation come from mean_std's candidate of the same backend.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "candidates/normalize_per_image/params.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::normalize_per_image {

enum class Mode : std::uint8_t { image, image_per_channel, min_max, min_max_per_channel };

constexpr bool is_per_channel(Mode mode) {
  return mode == Mode::image_per_channel || mode == Mode::min_max_per_channel;
}
constexpr bool is_range(Mode mode) {
  return mode == Mode::min_max || mode == Mode::min_max_per_channel;
}
// How many statistics an image has.
inline std::int64_t scale_count(const ConstView &image, Mode mode) {
  return is_per_channel(mode) ? image.channels() : 1;
}

using RunMode = void(const Call &call, Mode mode);
using ModeDomain = const char *(const Call &call, Mode mode);
RunMode run_fused, run_lut, run_opencv, run_aten, run_loop;
ModeDomain accepts_fused, accepts_lut, accepts_opencv, accepts_aten;

inline constexpr double kEps = 1e-4;   // added to the deviation
inline constexpr float kLimit = 20.0F; // of the results of the image modes

// What becomes of a channel's elements: (x · factor − offset) / divisor.
struct Scale {
  float offset;
  float divisor;
  float factor; // ½ where the range of finite values is beyond FLT_MAX, else 1

  static Scale standard(double mean, double deviation) {
    return {static_cast<float>(mean), static_cast<float>(deviation), 1};
  }
  static Scale range(float low, float high) {
    const bool halves = std::isfinite(low) && std::isfinite(high) && !std::isfinite(high - low);
    const float factor = halves ? 0.5F : 1.0F;
    const float range = high * factor - low * factor;
    // An offset of −0 leaves no result of −0: whichever zero is found to be the lowest.
    return {low == 0 ? -0.0F : low * factor, range == 0 ? 1.0F : range, factor};
  }
};

inline bool any_halved(std::span<const Scale> scales) {
  for (const Scale &scale : scales) {
    if (scale.factor != 1) {
      return true;
    }
  }
  return false;
}

inline bool all_finite(std::span<const Scale> scales) {
  for (const Scale &scale : scales) {
    if (!std::isfinite(scale.offset) || !std::isfinite(scale.divisor)) {
      return false;
    }
  }
  return true;
}

// The first part of the call's image that has statistics of its own.
inline ConstView first_item(const Call &call) {
  const ConstView &image = *call.in[0];
  const bool divided = call.params_as<NormalizePerImageParams>().per_item && image.shape[kX] > 1;
  return divided ? slice(image, kX, 0, 1) : image;
}

// Calls body(image, result) for each part that has statistics of its own.
template <class Body> void for_each_item(const Call &call, Body &&body) {
  const ConstView &image = *call.in[0];
  const View &result = *call.out[0];
  if (image.empty()) {
    return;
  }
  if (!call.params_as<NormalizePerImageParams>().per_item || image.shape[kX] == 1) {
    return body(image, result);
  }
  for (std::int64_t x = 0; x < image.shape[kX]; ++x) {
    body(slice(image, kX, x, x + 1), slice(result, kX, x, x + 1));
  }
}

// One of mean_std's candidates: it computes means and deviations.
class Moments {
public:
  // `id` exists in every build, or the caller's own backend has it.
  Moments(std::string_view id, bool per_channel);

  // Why it can't take this image, or nullptr.
  [[nodiscard]] const char *refuses(const ConstView &image) const;
  // The scales of the image modes, one per channel or one. `values` holds two numbers per scale.
  void operator()(const ConstView &image, std::span<double> values, std::span<Scale> scales) const;

private:
  bool per_channel_;
  const Variant *variant_;
  const Candidate *candidate_;
};

// The lowest and highest values, by min_max's candidate of our own kernels: one of each, or one per
// channel where the results have several.
void find_extremes(const ConstView &image, const View &lowest, const View &highest);

// The scales as the kernels find them, bit for bit those of the contract, of up to
// kMaxPatternChannels channels.
void find_scales(const ConstView &image, Mode mode, std::span<Scale> scales);
// Why find_scales() can't take the items of this call, or nullptr.
const char *refuses_scales(const Call &call, Mode mode);

// The lowest and highest value per scale, without vectors; NaN where there is one.
void extremes_plainly(const ConstView &image, std::span<float> lows, std::span<float> highs);

// The contract's operations one after the other, for any scales.
void normalize_plainly(const ConstView &image, const View &result, std::span<const Scale> scales,
                       Mode mode);

} // namespace switchyard::candidates::normalize_per_image
