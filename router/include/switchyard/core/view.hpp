// Strided, non-owning views of channel-last images, batches and volumes.
//
// Every view has the four axes X, H, W, C, where X is a batch or a depth. An H × W × C image has
// X = 1, a plane C = 1, and a 1-D array of n elements is 1 × n × 1. Strides are in BYTES, may be
// negative, and are ignored on axes of length 1. For reading they may also be 0. Data need not be
// aligned to the element. A view never owns its memory; the caller keeps it alive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "switchyard/core/dtype.hpp"

namespace switchyard {

using Extents = std::array<std::int64_t, 4>; // in the order X, H, W, C
enum Axis : std::uint8_t { kX = 0, kH = 1, kW = 2, kC = 3 };

// Product of the extents: the number of elements.
constexpr std::int64_t element_count(const Extents &shape) {
  return shape[kX] * shape[kH] * shape[kW] * shape[kC];
}

// Strides in bytes of a C-contiguous array of this shape and element size.
constexpr Extents contiguous_strides(const Extents &shape, std::int64_t element_size) {
  const std::int64_t c = element_size;
  const std::int64_t w = c * shape[kC];
  const std::int64_t h = w * shape[kW];
  return {h * shape[kH], h, w, c};
}

// A view for reading.
struct ConstView {
  const void *data = nullptr;
  Extents shape{};
  Extents strides{}; // bytes
  Dtype dtype = Dtype::u8;
  std::uint8_t rank = 3; // 3: H W C, 4: X H W C; matters where an op names axes, and in messages

  [[nodiscard]] constexpr std::int64_t elements() const { return element_count(shape); }
  [[nodiscard]] constexpr std::int64_t channels() const { return shape[kC]; }
  [[nodiscard]] constexpr bool empty() const { return elements() == 0; }

  // Address of an element; indices are not checked.
  [[nodiscard]] const std::byte *at(std::int64_t x, std::int64_t h, std::int64_t w,
                                    std::int64_t c) const {
    return static_cast<const std::byte *>(data) + x * strides[kX] + h * strides[kH] +
           w * strides[kW] + c * strides[kC];
  }
};

// A view for writing. It converts to ConstView without a copy.
struct View : ConstView {
  constexpr View() = default;
  constexpr View(void *pointer, const Extents &extents, const Extents &byte_strides, Dtype type,
                 std::uint8_t axes = 3)
      : ConstView{pointer, extents, byte_strides, type, axes} {}

  [[nodiscard]] void *mutable_data() const { return const_cast<void *>(data); }
  [[nodiscard]] std::byte *at(std::int64_t x, std::int64_t h, std::int64_t w,
                              std::int64_t c) const {
    return const_cast<std::byte *>(ConstView::at(x, h, w, c));
  }
};

namespace detail {
template <class T> struct ViewFor { using type = View; };
template <class T> struct ViewFor<const T> { using type = ConstView; };
template <class T>
constexpr typename ViewFor<T>::type make_view(T *data, const Extents &shape, const Extents &strides,
                                              std::uint8_t rank) {
  using Element = std::remove_const_t<T>;
  static_assert(kHasDtype<Element>, "switchyard: views hold u8, i8, u16, i16, i32, i64, u64, f32 "
                                    "or f64 elements");
  return {data, shape, strides, kDtypeOf<Element>, rank};
}
} // namespace detail

// A view of any strides, in bytes, over X, H, W, C. Const data gives a ConstView.
template <class T>
constexpr auto strided(T *data, const Extents &shape, const Extents &strides,
                       std::uint8_t rank = 4) {
  return detail::make_view(data, shape, strides, rank);
}

// A contiguous height × width × channels image.
template <class T>
constexpr auto hwc(T *data, std::int64_t height, std::int64_t width, std::int64_t channels) {
  const Extents shape{1, height, width, channels};
  return detail::make_view(data, shape, contiguous_strides(shape, sizeof(T)), 3);
}

// A contiguous batch (NHWC) or volume (DHWC).
template <class T>
constexpr auto xhwc(T *data, std::int64_t x, std::int64_t height, std::int64_t width,
                    std::int64_t channels) {
  const Extents shape{x, height, width, channels};
  return detail::make_view(data, shape, contiguous_strides(shape, sizeof(T)), 4);
}

// A contiguous array of n elements, seen as 1 × n × 1.
template <class T> constexpr auto array_1d(T *data, std::int64_t n) {
  return hwc(data, 1, n, 1);
}

// Sub-views share memory with `view`. Indices are the caller's to keep in range.

// Channel `c` as an H × W × 1 plane.
template <class V> constexpr V channel(V view, std::int64_t c) {
  view.data = static_cast<const std::byte *>(view.data) + c * view.strides[kC];
  view.shape[kC] = 1;
  return view;
}

// Indices [from, to) of one axis.
template <class V> constexpr V slice(V view, Axis axis, std::int64_t from, std::int64_t to) {
  view.data = static_cast<const std::byte *>(view.data) + from * view.strides[axis];
  view.shape[axis] = to - from;
  return view;
}

// The height × width region whose top left corner is (top, left).
template <class V>
constexpr V crop(V view, std::int64_t top, std::int64_t left, std::int64_t height,
                 std::int64_t width) {
  return slice(slice(view, kH, top, top + height), kW, left, left + width);
}

// The same elements with one axis in reverse order (a negative stride, no copy).
template <class V> constexpr V reversed(V view, Axis axis) {
  if (view.shape[axis] > 0) {
    view.data =
        static_cast<const std::byte *>(view.data) + (view.shape[axis] - 1) * view.strides[axis];
  }
  view.strides[axis] = -view.strides[axis];
  return view;
}

} // namespace switchyard
