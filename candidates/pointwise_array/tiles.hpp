// Walks an image, operands that may be repeated along axes, and an output as dense runs, for
// kernels that need no strides.
//
// Axes are ordered and merged as for other pointwise ops (runs.hpp). The rest is done a tile at a
// time: the innermost axis, and the one around it where the innermost is short. Views whose tile
// is dense are given to the kernel as they lie in memory; the elements of others pass through
// buffers of a block each, where they are also converted or repeated, so that an image of
// interleaved channels is not copied for the sake of an operand of one channel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "candidates/common/runs.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::pointwise_array {

inline constexpr std::int64_t kBlockElements = 1024;
inline constexpr std::int64_t kShortRow = 32; // below this, two axes make a tile
inline constexpr std::int64_t kMostPicked = 16;

// How 16 bytes of elements become `times` times as many: see Repeat() of the kernels.
template <class E> class Picks {
public:
  explicit Picks(std::int64_t times) {
    if (times > kMostPicked) {
      return;
    }
    std::size_t byte = 0;
    for (std::size_t element = 0; element < 16 / sizeof(E); ++element) {
      for (std::int64_t k = 0; k < times; ++k) {
        for (std::size_t b = 0; b < sizeof(E); ++b) {
          bytes_[byte++] = static_cast<std::uint8_t>(element * sizeof(E) + b);
        }
      }
    }
  }
  [[nodiscard]] const std::uint8_t *data() const { return bytes_; }

private:
  alignas(16) std::uint8_t bytes_[16 * kMostPicked];
};

// Kernels that bring operands into the form that the arithmetic wants.
using Convert = void (*)(const void *from, float *to, std::size_t n);
template <class E>
using RepeatElements = void (*)(const E *from, E *to, std::size_t n, std::size_t times,
                                const std::uint8_t *picks);

// Extents of a tile: `outer` is 1 where rows are long.
struct TileShape {
  std::int64_t inner = 1;
  std::int64_t outer = 1;
  [[nodiscard]] std::int64_t elements() const { return inner * outer; }
};
struct TileStrides { // bytes
  std::int64_t inner = 0;
  std::int64_t outer = 0;
};

// Elements of one view, tile by tile, as dense runs of E. A view of another dtype is converted,
// which only E = float allows.
template <class E> class Reader {
public:
  Reader(const ConstView &view, const TileShape &tile, const TileStrides &strides, bool aligned,
         Convert convert, RepeatElements<E> repeat)
      : tile_(tile), strides_(strides), size_(size_of(view.dtype)), aligned_(aligned),
        convert_(convert), repeat_(repeat), picks_(repeats() ? tile.inner : kMostPicked + 1) {}

  // Whether read() points into the view, whatever the number of elements.
  [[nodiscard]] bool direct() const {
    return convert_ == nullptr && aligned_ && (tile_.inner == 1 || strides_.inner == size_) &&
           (tile_.outer == 1 || strides_.outer == size_ * tile_.inner);
  }

  // Elements [from, from + n) of the tile at `base`, n being a block at most unless direct(). In
  // tiles of two axes, `from` begins a row. Valid until the next read.
  const E *read(const std::byte *base, std::int64_t from, std::int64_t n) {
    if (direct()) {
      return reinterpret_cast<const E *>(base) + from;
    }
    if (same_in_every_block() && base == last_base_ && n <= last_n_) {
      return block_;
    }
    last_base_ = base;
    last_n_ = n;
    if (strides_.inner == 0) {
      return repeats() ? read_repeated(base, from, n) : read_constant(base, n);
    }
    return read_pieces(base, from, n);
  }

private:
  [[nodiscard]] bool repeats() const {
    return tile_.outer > 1 && tile_.inner > 1 && strides_.inner == 0;
  }
  [[nodiscard]] bool same_in_every_block() const {
    return (tile_.outer > 1 ? strides_.outer : strides_.inner) == 0;
  }

  const E *read_constant(const std::byte *at, std::int64_t n) {
    load(at, size_, 1, block_);
    std::fill(block_ + 1, block_ + n, block_[0]);
    return block_;
  }

  const E *read_repeated(const std::byte *base, std::int64_t from, std::int64_t n) {
    const std::int64_t count = n / tile_.inner;
    load(base + from / tile_.inner * strides_.outer, strides_.outer, count, few_);
    if (tile_.inner <= kMostPicked) {
      repeat_(few_, block_, static_cast<std::size_t>(count), static_cast<std::size_t>(tile_.inner),
              picks_.data());
      return block_;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      std::fill_n(block_ + k * tile_.inner, tile_.inner, few_[k]);
    }
    return block_;
  }

  const E *read_pieces(const std::byte *base, std::int64_t from, std::int64_t n) {
    for (std::int64_t k = 0; k < n;) {
      const std::int64_t outer = (from + k) / tile_.inner;
      const std::int64_t at = (from + k) % tile_.inner;
      const std::int64_t count = std::min(tile_.inner - at, n - k);
      gather(base + outer * strides_.outer + at * strides_.inner, strides_.inner, count,
             native_ + k * size_);
      k += count;
    }
    finish(native_, n, block_);
    return block_;
  }

  // n elements `stride` bytes apart to `to`.
  void load(const std::byte *from, std::int64_t stride, std::int64_t n, E *to) {
    if (stride == size_ && aligned_) {
      return finish(from, n, to);
    }
    gather(from, stride, n, native_);
    finish(native_, n, to);
  }
  void finish(const std::byte *native, std::int64_t n, E *to) const {
    if constexpr (std::is_same_v<E, float>) {
      if (convert_ != nullptr) {
        return convert_(native, to, static_cast<std::size_t>(n));
      }
    }
    std::memcpy(to, native, static_cast<std::size_t>(n) * sizeof(E));
  }
  void gather(const std::byte *from, std::int64_t stride, std::int64_t n, std::byte *to) const {
    if (stride == size_) {
      std::memcpy(to, from, static_cast<std::size_t>(n * size_));
      return;
    }
    switch (size_) {
    case 1:
      return gather_as<std::uint8_t>(from, stride, n, to);
    case 2:
      return gather_as<std::uint16_t>(from, stride, n, to);
    case 4:
      return gather_as<std::uint32_t>(from, stride, n, to);
    default:
      return gather_as<std::uint64_t>(from, stride, n, to);
    }
  }
  template <class Word>
  static void gather_as(const std::byte *from, std::int64_t stride, std::int64_t n, std::byte *to) {
    for (std::int64_t k = 0; k < n; ++k) {
      std::memcpy(to + k * static_cast<std::int64_t>(sizeof(Word)), from + k * stride,
                  sizeof(Word));
    }
  }

  TileShape tile_;
  TileStrides strides_;
  std::int64_t size_;
  bool aligned_;
  Convert convert_;
  RepeatElements<E> repeat_;
  const std::byte *last_base_ = nullptr;
  std::int64_t last_n_ = 0;
  Picks<E> picks_;
  alignas(64) E few_[kBlockElements];
  alignas(64) E block_[kBlockElements];
  alignas(64) std::byte native_[kBlockElements * sizeof(double)];
};

// The output's side: a run to write to, and the way from there to the view's elements.
template <class T> class Writer {
public:
  Writer(const ConstView &view, const TileShape &tile, const TileStrides &strides, bool aligned)
      : tile_(tile), strides_(strides),
        direct_(aligned && (tile.inner == 1 || strides.inner == size_of(view.dtype)) &&
                (tile.outer == 1 || strides.outer == size_of(view.dtype) * tile.inner)) {}

  [[nodiscard]] bool direct() const { return direct_; }
  [[nodiscard]] T *begin(std::byte *base, std::int64_t from) {
    return direct_ ? reinterpret_cast<T *>(base) + from : block_;
  }
  void end(std::byte *base, std::int64_t from, std::int64_t n) const {
    for (std::int64_t k = 0; k < n && !direct_;) {
      const std::int64_t outer = (from + k) / tile_.inner;
      const std::int64_t at = (from + k) % tile_.inner;
      const std::int64_t count = std::min(tile_.inner - at, n - k);
      switchyard::candidates::detail::scatter(
          block_ + k, base + outer * strides_.outer + at * strides_.inner, strides_.inner, count);
      k += count;
    }
  }

private:
  TileShape tile_;
  TileStrides strides_;
  bool direct_;
  alignas(64) T block_[kBlockElements];
};

// The views of a call as tiles: the image, the operands, the output last.
template <std::size_t V> class Tiles {
public:
  explicit Tiles(const std::array<const ConstView *, V> &views) : plan_(plan_runs(views)) {
    const auto &inner = plan_.inner();
    two_axes_ = plan_.rank > 1 && inner.extent < kShortRow;
    shape_ = {inner.extent, two_axes_ ? plan_.axes[2].extent : 1};
    for (std::size_t v = 0; v < V; ++v) {
      base_[v] = static_cast<const std::byte *>(views[v]->data);
      aligned_[v] = is_aligned(v, size_of(views[v]->dtype));
    }
  }

  [[nodiscard]] const TileShape &shape() const { return shape_; }
  [[nodiscard]] TileStrides strides(std::size_t v) const {
    return {plan_.inner().strides[v], plan_.axes[2].strides[v]};
  }
  [[nodiscard]] bool aligned(std::size_t v) const { return aligned_[v]; }
  // Elements that pass through buffers at once: whole rows of tiles of two axes.
  [[nodiscard]] std::int64_t block() const {
    return two_axes_ ? kBlockElements / shape_.inner * shape_.inner : kBlockElements;
  }

  // Calls tile(address of its first element in each view).
  template <class Tile> void for_each(Tile &&tile) const {
    const auto &[first, second, third, inner] = plan_.axes;
    const std::int64_t thirds = two_axes_ ? 1 : third.extent;
    for (std::int64_t i = 0; i < first.extent; ++i) {
      for (std::int64_t j = 0; j < second.extent; ++j) {
        for (std::int64_t k = 0; k < thirds; ++k) {
          std::array<const std::byte *, V> at = base_;
          for (std::size_t v = 0; v < V; ++v) {
            at[v] += i * first.strides[v] + j * second.strides[v] + k * third.strides[v];
          }
          tile(at);
        }
      }
    }
  }

private:
  [[nodiscard]] bool is_aligned(std::size_t v, std::int64_t size) const {
    auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base_[v]));
    for (const auto &axis : plan_.axes) {
      misaligned |= axis.strides[v];
    }
    return misaligned % size == 0; // sizes are powers of two
  }

  RunPlan<V> plan_;
  TileShape shape_;
  bool two_axes_ = false;
  std::array<const std::byte *, V> base_{};
  std::array<bool, V> aligned_{};
};

} // namespace switchyard::candidates::pointwise_array
