// An owned, contiguous image: what the allocating forms of ops return.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "switchyard/core/view.hpp"

namespace switchyard {

// Movable, not copyable; memory is aligned to 64 bytes and uninitialised. Converts to views. The
// memory comes from the pool of switchyard/pool.hpp and goes back to it, on whichever thread.
class Image {
public:
  Image() = default;
  // The one moved from becomes empty.
  Image(Image &&other) noexcept
      : memory_(std::move(other.memory_)), view_(std::exchange(other.view_, View())) {}
  Image &operator=(Image &&other) noexcept {
    memory_ = std::move(other.memory_);
    view_ = std::exchange(other.view_, View());
    return *this;
  }
  // Throws Error for a negative extent, std::bad_alloc where memory ends.
  Image(const Extents &shape, Dtype dtype, std::uint8_t rank = 3);

  [[nodiscard]] const View &view() const { return view_; }
  operator const View &() const { return view_; }      // NOLINT: an image is its view
  operator const ConstView &() const { return view_; } // NOLINT
  template <class T> [[nodiscard]] T *data() const {
    return static_cast<T *>(view_.mutable_data());
  }

private:
  struct Release {
    std::size_t bytes;
    void operator()(std::byte *memory) const noexcept;
  };
  std::unique_ptr<std::byte, Release> memory_;
  View view_;
};

} // namespace switchyard
