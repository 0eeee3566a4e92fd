// Which axes a statistic runs over, and which shape its results have.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "switchyard/core/view.hpp"

namespace switchyard {

// Everything at once; each channel, over X, H and W; each image of a batch or slice of a volume,
// over H, W and C.
enum class Over : std::uint8_t { global, per_channel, per_item };

// A set of axes to reduce: Axes{kH, kW}. They are axes of the view, at every rank, so that
// Axes{kC} reduces the channels to one value per pixel; it isn't Over::per_channel.
class Axes {
public:
  constexpr Axes(std::initializer_list<Axis> axes) {
    for (const Axis axis : axes) {
      add(axis);
    }
  }
  constexpr void add(Axis axis) { mask_ = static_cast<std::uint8_t>(mask_ | 1U << axis); }
  // Bit a is axis a of X, H, W, C.
  [[nodiscard]] constexpr std::uint8_t mask() const { return mask_; }

private:
  std::uint8_t mask_ = 0;
};

// Over or Axes, as the argument of a statistic. Results have the extents that remain, in their
// order: views have four axes, so they move to the end, behind extents of 1 (Axes{kC} of an
// H × W × C image: 1 × 1 × H × W; Over::per_item: 1 × 1 × 1 × X). keepdims(…) leaves every
// extent at its axis instead, and 1 where an axis is reduced.
class Reduction {
public:
  constexpr Reduction(Over over) // NOLINT: Over::global says all there is to say
      : mask_(over == Over::global        ? std::uint8_t{15}
              : over == Over::per_channel ? std::uint8_t{7}
                                          : std::uint8_t{14}),
        over_(over), by_name_(true) {}
  constexpr Reduction(const Axes &axes) : mask_(axes.mask()) {} // NOLINT: so does a set of axes

  [[nodiscard]] constexpr std::uint8_t mask() const { return mask_; }
  [[nodiscard]] constexpr bool reduces(int axis) const { return (mask_ >> axis & 1) != 0; }
  [[nodiscard]] constexpr bool by_name() const { return by_name_; } // made of an Over
  [[nodiscard]] constexpr Over over() const { return over_; }
  [[nodiscard]] constexpr bool keeps_dims() const { return keeps_dims_; }

  // The shape of the results for an image of this shape.
  [[nodiscard]] constexpr Extents result_shape(const Extents &image) const {
    Extents shape{1, 1, 1, 1};
    int to = kC;
    for (int axis = kC; axis >= kX; --axis) {
      if (!reduces(axis)) {
        shape[keeps_dims_ ? axis : to--] = image[axis];
      }
    }
    return shape;
  }

  friend constexpr Reduction keepdims(Reduction reduction) {
    reduction.keeps_dims_ = true;
    return reduction;
  }

private:
  std::uint8_t mask_;
  Over over_ = Over::global;
  bool by_name_ = false;
  bool keeps_dims_ = false;
};

constexpr Reduction keepdims(Reduction reduction);

} // namespace switchyard
