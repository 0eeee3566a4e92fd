#include "bench/conformance/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fmt/format.h>

#if defined(__SANITIZE_ADDRESS__)
#define SWITCHYARD_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SWITCHYARD_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef SWITCHYARD_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace switchyard::conformance {
namespace {

constexpr std::int64_t kPage = 4096;

// Rows of a region of a larger image: odd numbers of pixels beside it, and rows above and below.
Extents crop_strides(const Extents &shape, std::int64_t size, const Placement &placement) {
  const auto beside =
      static_cast<std::int64_t>(placement.typical ? 3 : 1 + 2 * (placement.seed % 4));
  const std::int64_t pixel = size * shape[kC];
  // An odd row stride makes some rows of floats unaligned even where the first is aligned.
  const std::int64_t row = pixel * (shape[kW] + beside) + (placement.unaligned ? 1 : 0);
  return {row * (shape[kH] + 1), row, pixel, size};
}

Extents reversed_strides(const Extents &shape, std::int64_t size, const Placement &placement) {
  if (placement.typical) {
    Extents upside_down = contiguous_strides(shape, size);
    upside_down[kH] = placement.output ? upside_down[kH] : -upside_down[kH];
    return upside_down;
  }
  const bool cropped = placement.seed % 2 == 0;
  Extents strides =
      cropped ? crop_strides(shape, size, placement) : contiguous_strides(shape, size);
  const std::uint64_t form = placement.seed % 3; // 1: rows, 2: columns, 0: both
  if (form != 2) {
    strides[kH] = -strides[kH];
  }
  if (form != 1) {
    strides[kW] = -strides[kW];
  }
  return strides;
}

// The shape's channels out of wider pixels.
Extents plane_strides(const Extents &shape, std::int64_t size, const Placement &placement) {
  const auto further = static_cast<std::int64_t>(placement.typical ? 2 : 1 + placement.seed % 3);
  Extents wider = shape;
  wider[kC] += further;
  Extents strides = contiguous_strides(wider, size);
  strides[kC] = size;
  return strides;
}

Extents planar_strides(const Extents &shape, std::int64_t size) {
  const std::int64_t plane = shape[kH] * shape[kW] * size;
  return {plane * shape[kC], shape[kW] * size, size, plane};
}

Extents other_strides(const Extents &shape, std::int64_t size, const Placement &placement) {
  const std::uint64_t form = placement.seed % 3;
  if (form == 0 && placement.may_repeat) { // one row seen H times
    const std::int64_t row = shape[kW] * shape[kC] * size;
    return {row, 0, shape[kC] * size, size};
  }
  if (form == 1) { // columns outermost, with a gap after each
    const std::int64_t pixel = shape[kC] * size;
    const std::int64_t column = pixel * shape[kH] + size;
    return {column * shape[kW], pixel, column, size};
  }
  // Every second element, channels in reverse order.
  Extents strides = contiguous_strides(shape, 2 * size);
  strides[kC] = -strides[kC];
  strides[kH] += 3 * size * shape[kC];
  strides[kX] = strides[kH] * shape[kH];
  return strides;
}

} // namespace

std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

Extents strides_of(const Extents &shape, std::int64_t size, const Placement &placement) {
  Extents strides = contiguous_strides(shape, size);
  switch (placement.layout) {
  case LayoutClass::contiguous:
    break;
  case LayoutClass::rows:
    strides = crop_strides(shape, size, placement);
    break;
  case LayoutClass::reversed:
    strides = reversed_strides(shape, size, placement);
    break;
  case LayoutClass::plane:
    strides = plane_strides(shape, size, placement);
    break;
  case LayoutClass::planar:
    strides = planar_strides(shape, size);
    break;
  case LayoutClass::other:
    strides = other_strides(shape, size, placement);
    break;
  }
  if (placement.seed % 4 == 3) { // odd, so that code which does not ignore them is seen to fail
    constexpr Extents kIgnored = {-7919, 0, 104729, -1};
    for (int axis = 0; axis < 4; ++axis) {
      strides[axis] = shape[axis] == 1 ? kIgnored[axis] : strides[axis];
    }
  }
  return strides;
}

void GuardedMemory::Free::operator()(std::byte *memory) const {
  std::free(memory);
}

GuardedMemory::GuardedMemory(const ConstView &view, bool unaligned)
    : view_(nullptr, view.shape, view.strides, view.dtype, view.rank),
      front_(kGuard + (unaligned ? 1 : 0)) {
  if (!view.empty()) {
    span_ = size_of(view.dtype);
    for (int axis = 0; axis < 4; ++axis) {
      const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
      first_ += std::max<std::int64_t>(-reach, 0);
      span_ += std::abs(reach);
    }
  }
  const std::int64_t bytes = 2 * kPage + front_ + span_ + kGuard;
  const auto rounded = static_cast<std::size_t>((bytes + kPage - 1) / kPage * kPage);
  storage_.reset(static_cast<std::byte *>(std::aligned_alloc(kPage, rounded)));
  if (storage_ == nullptr) {
    throw std::bad_alloc();
  }
  place(0);
}

void GuardedMemory::place(std::int64_t page_offset) {
  forbid_end(false);
  page_offset_ = page_offset;
  view_.data = region().data() + front_ + first_;
}

std::span<std::byte> GuardedMemory::region() const {
  // The lowest element of an aligned view starts at `page_offset_` within its page.
  return {storage_.get() + kPage - kGuard + page_offset_,
          static_cast<std::size_t>(front_ + span_ + kGuard)};
}

std::string GuardedMemory::describe(std::int64_t offset) const {
  if (offset < front_) {
    return fmt::format("byte {} before the first element", front_ - offset);
  }
  if (offset >= front_ + span_) {
    return fmt::format("byte {} after the last element", offset - front_ - span_ + 1);
  }
  const std::string index = element_at(offset);
  return index.empty() ? fmt::format("a gap, {} bytes from the lowest element", offset - front_)
                       : "element " + index;
}

std::string GuardedMemory::element_at(std::int64_t offset) const {
  const std::byte *wanted = region().data() + offset;
  const auto &[xs, hs, ws, cs] = view_.shape;
  for (std::int64_t x = 0; x < xs; ++x) {
    for (std::int64_t h = 0; h < hs; ++h) {
      for (std::int64_t w = 0; w < ws; ++w) {
        for (std::int64_t c = 0; c < cs; ++c) {
          const std::byte *at = view_.at(x, h, w, c);
          if (at <= wanted && wanted < at + size_of(view_.dtype)) {
            return fmt::format("({}, {}, {}, {})", x, h, w, c);
          }
        }
      }
    }
  }
  return {};
}

void GuardedMemory::forbid_end([[maybe_unused]] bool forbid) const {
#ifdef SWITCHYARD_ADDRESS_SANITIZER
  const std::byte *end = region().data() + front_ + span_;
  if (forbid) {
    ASAN_POISON_MEMORY_REGION(end, kGuard);
  } else {
    ASAN_UNPOISON_MEMORY_REGION(end, kGuard);
  }
#endif
}

void fill_pattern(std::span<std::byte> bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = mix(seed + i);
    std::memcpy(bytes.data() + i, &word, std::min(sizeof word, bytes.size() - i));
  }
}

void copy_elements(const ConstView &from, const View &to) {
  if (from.empty()) {
    return;
  }
  const std::int64_t size = size_of(from.dtype);
  const auto is_dense = [&](const ConstView &view) {
    return view.strides[kC] == size && view.strides[kW] == size * view.shape[kC];
  };
  const bool dense = is_dense(from) && is_dense(to);
  const std::int64_t ws = dense ? 1 : from.shape[kW];
  const std::int64_t cs = dense ? 1 : from.shape[kC];
  const auto bytes =
      static_cast<std::size_t>(dense ? size * from.shape[kW] * from.shape[kC] : size);
  for (std::int64_t x = 0; x < from.shape[kX]; ++x) {
    for (std::int64_t h = 0; h < from.shape[kH]; ++h) {
      for (std::int64_t w = 0; w < ws; ++w) {
        for (std::int64_t c = 0; c < cs; ++c) {
          std::memcpy(to.at(x, h, w, c), from.at(x, h, w, c), bytes);
        }
      }
    }
  }
}

} // namespace switchyard::conformance
