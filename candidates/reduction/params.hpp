// Parameters of reductions, and what they compute.
#pragma once

#include <cstdint>

#include "switchyard/core/view.hpp"

namespace switchyard {

// Bit a is axis a of X, H, W, C.
using AxisMask = std::uint8_t;

constexpr AxisMask mask_of(Axis axis) {
  return static_cast<AxisMask>(1U << axis);
}
inline constexpr AxisMask kAllAxes = 15;
inline constexpr AxisMask kPixelAxes = mask_of(kX) | mask_of(kH) | mask_of(kW);
inline constexpr AxisMask kItemAxes = mask_of(kH) | mask_of(kW) | mask_of(kC);

constexpr bool has_axis(AxisMask mask, int axis) {
  return (mask >> axis & 1) != 0;
}

// Results have the image's four axes, those that are reduced with extent 1.
struct ReductionParams {
  double eps = 1e-4;        // std and mean_std: added to every deviation after the root
  AxisMask axes = kAllAxes; // that are reduced
};

namespace candidates::reduction {

// What a reduction is asked for.
enum class Asked : std::uint8_t { sum, mean, std, mean_std, min_max };

constexpr bool asks_std(Asked asked) {
  return asked == Asked::std || asked == Asked::mean_std;
}

} // namespace candidates::reduction

} // namespace switchyard
