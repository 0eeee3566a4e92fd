// Planes of pixels with rows and columns exchanged. Included once per SIMD target.
//
// A pixel is a number of bytes: the kernels know no element types and keep every bit, and addresses
// may have any alignment. Pixels of 1, 2, 4 and 8 bytes, and of 3, pass through registers in square
// blocks; others are copied one by one. Either way the plane is walked in an order in which the
// lines of both sides stay in the first-level cache, and their pages in the TLB.
// Nothing outside the planes is read or written; they must not overlap.
#if defined(SWITCHYARD_KERNELS_TRANSPOSE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_TRANSPOSE_INL_HPP_
#undef SWITCHYARD_KERNELS_TRANSPOSE_INL_HPP_
#else
#define SWITCHYARD_KERNELS_TRANSPOSE_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#define SWITCHYARD_TRANSPOSE_BLOCKS                                                                \
  (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !HWY_HAVE_SCALABLE)

// Two planes of `rows` × `columns` pixels: pixel (h, w) lies at in + h · bytes + w · in_stride, so
// that the input's columns are dense, and at out + h · out_stride + w · bytes.
struct TransposePlane {
  const uint8_t *in;
  ptrdiff_t in_stride;
  uint8_t *out;
  ptrdiff_t out_stride;
  size_t rows;
  size_t columns;
  size_t bytes;

  [[nodiscard]] HWY_INLINE TransposePlane From(size_t row, size_t column) const {
    TransposePlane rest = *this;
    rest.in += static_cast<ptrdiff_t>(row * bytes) + static_cast<ptrdiff_t>(column) * in_stride;
    rest.out += static_cast<ptrdiff_t>(row) * out_stride + static_cast<ptrdiff_t>(column * bytes);
    rest.rows -= row;
    rest.columns -= column;
    return rest;
  }
};

// A block copies kRows × kColumns pixels of a plane, from its first pixel on. Whole(n, side) says
// how many of n pixels along a side blocks may cover.

// One pixel of kBytes bytes, or of any number where that is 0.
template <size_t kBytes> struct PixelBlock {
  static constexpr size_t kRows = 1;
  static constexpr size_t kColumns = 1;
  static size_t Whole(size_t n, size_t /*side*/) { return n; }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t /*in_stride*/, uint8_t *out,
                              ptrdiff_t /*out_stride*/, size_t bytes) {
    std::memcpy(out, in, kBytes == 0 ? bytes : kBytes);
  }
};

#if SWITCHYARD_TRANSPOSE_BLOCKS

// kSteps perfect shuffles of 2^kSteps vectors of as many lanes: their transpose.
template <size_t kSteps, class D, class V, size_t kN>
HWY_INLINE void Shuffle(D d, const V (&from)[kN], V (&to)[kN]) {
  V mixed[kN];
  for (size_t i = 0; i < kN / 2; ++i) {
    mixed[2 * i] = hn::InterleaveLower(d, from[i], from[i + kN / 2]);
    mixed[2 * i + 1] = hn::InterleaveUpper(d, from[i], from[i + kN / 2]);
  }
  if constexpr (kSteps > 1) {
    Shuffle<kSteps - 1>(d, mixed, to);
  } else {
    for (size_t i = 0; i < kN; ++i) {
      to[i] = mixed[i];
    }
  }
}

// Pixels of one lane each: as many rows as 16 bytes hold, and as many columns as a vector holds.
template <class T, size_t kVectorBytes> struct LaneBlock {
  static constexpr size_t kRows = 16 / sizeof(T);
  static constexpr size_t kColumns = kVectorBytes / sizeof(T);
  static constexpr size_t kSteps = kRows == 16 ? 4 : kRows == 8 ? 3 : kRows == 4 ? 2 : 1;
  static size_t Whole(size_t n, size_t side) { return n / side * side; }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                              ptrdiff_t out_stride, size_t /*bytes*/) {
    const hn::FixedTag<T, kColumns> d;
    const hn::Repartition<uint8_t, decltype(d)> bytes;
    using V = hn::Vec<decltype(d)>;
    V columns[kRows];
    V rows[kRows];
    for (size_t i = 0; i < kRows; ++i) {
      columns[i] = hn::BitCast(d, Load(in + static_cast<ptrdiff_t>(i) * in_stride, in_stride));
    }
    Shuffle<kSteps>(d, columns, rows);
    for (size_t i = 0; i < kRows; ++i) {
      hn::StoreU(hn::BitCast(bytes, rows[i]), bytes, out + static_cast<ptrdiff_t>(i) * out_stride);
    }
  }

private:
  // 16 bytes of a column; in a second block, those of the column kRows further.
  static HWY_INLINE auto Load(const uint8_t *at, ptrdiff_t in_stride) {
    const hn::FixedTag<uint8_t, 16> d16;
    if constexpr (kVectorBytes == 16) {
      (void)in_stride;
      return hn::LoadU(d16, at);
    } else {
      const hn::FixedTag<uint8_t, kVectorBytes> d32;
      const auto second = hn::LoadU(d16, at + static_cast<ptrdiff_t>(kRows) * in_stride);
      return hn::Combine(d32, second, hn::LoadU(d16, at));
    }
  }
};

// 4 × 4 pixels of 3 bytes, spread to lanes of 4 and pressed together again. 16 bytes are loaded and
// stored for every 12: what is stored too much, the blocks and pixels that follow in the row cover.
struct TripleBlock {
  static constexpr size_t kRows = 4;
  static constexpr size_t kColumns = 4;
  static constexpr size_t kReach = 6; // pixels that 16 bytes touch
  static size_t Whole(size_t n, size_t /*side*/) {
    return n < kReach ? 0 : (n - kReach) / 4 * 4 + 4;
  }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                              ptrdiff_t out_stride, size_t /*bytes*/) {
    alignas(16) static constexpr uint8_t kSpread[16] = {0, 1, 2, 0, 3, 4,  5,  0,
                                                        6, 7, 8, 0, 9, 10, 11, 0};
    alignas(16) static constexpr uint8_t kPress[16] = {0,  1,  2,  4,  5, 6, 8, 9,
                                                       10, 12, 13, 14, 0, 0, 0, 0};
    const hn::FixedTag<uint8_t, 16> bytes;
    const hn::FixedTag<uint32_t, 4> d;
    const auto spread = hn::Load(bytes, kSpread);
    const auto press = hn::Load(bytes, kPress);
    hn::Vec<decltype(d)> columns[4];
    hn::Vec<decltype(d)> rows[4];
    for (size_t i = 0; i < 4; ++i) {
      const auto v = hn::LoadU(bytes, in + static_cast<ptrdiff_t>(i) * in_stride);
      columns[i] = hn::BitCast(d, hn::TableLookupBytes(v, spread));
    }
    Shuffle<2>(d, columns, rows);
    for (size_t i = 0; i < 4; ++i) {
      const auto v = hn::TableLookupBytes(hn::BitCast(bytes, rows[i]), press);
      hn::StoreU(v, bytes, out + static_cast<ptrdiff_t>(i) * out_stride);
    }
  }
};

#endif // SWITCHYARD_TRANSPOSE_BLOCKS

// The plane in blocks of the first kind, what they leave at its edges in those of the next kinds.
// The last kind leaves nothing. Columns go in spans, so that the pages of the input's columns are
// found again in the next strip of rows, which is about a cache line of the input.
template <class Block, class... Rest> HWY_INLINE void TransposeBy(const TransposePlane &plane) {
  constexpr size_t kSpan = 256;
  constexpr size_t kLine = 64;
  const size_t rows = Block::Whole(plane.rows, Block::kRows);
  const size_t columns = Block::Whole(plane.columns, Block::kColumns);
  const size_t blocks = kLine / (plane.bytes * Block::kRows);
  const size_t strip = Block::kRows * (blocks > 1 ? blocks : 1);
  for (size_t span = 0; span < columns; span += kSpan) {
    const size_t span_end = span + kSpan < columns ? span + kSpan : columns;
    for (size_t top = 0; top < rows; top += strip) {
      const size_t bottom = top + strip < rows ? top + strip : rows;
      for (size_t w = span; w < span_end; w += Block::kColumns) {
        for (size_t h = top; h < bottom; h += Block::kRows) {
          const TransposePlane at = plane.From(h, w);
          Block::Copy(at.in, at.in_stride, at.out, at.out_stride, at.bytes);
        }
      }
    }
  }
  if constexpr (sizeof...(Rest) > 0) {
    if (columns < plane.columns) {
      TransposePlane right = plane.From(0, columns);
      right.rows = rows;
      TransposeBy<Rest...>(right);
    }
    if (rows < plane.rows) {
      TransposeBy<Rest...>(plane.From(rows, 0));
    }
  }
}

#if !SWITCHYARD_TRANSPOSE_BLOCKS
template <class T> HWY_INLINE void TransposeLanes(const TransposePlane &plane) {
  TransposeBy<PixelBlock<sizeof(T)>>(plane);
}
#elif HWY_MAX_BYTES >= 32
template <class T> HWY_INLINE void TransposeLanes(const TransposePlane &plane) {
  TransposeBy<LaneBlock<T, 32>, LaneBlock<T, 16>, PixelBlock<sizeof(T)>>(plane);
}
#else
template <class T> HWY_INLINE void TransposeLanes(const TransposePlane &plane) {
  TransposeBy<LaneBlock<T, 16>, PixelBlock<sizeof(T)>>(plane);
}
#endif

HWY_INLINE void Transpose(const TransposePlane &plane) {
  switch (plane.bytes) {
  case 1:
    return TransposeLanes<uint8_t>(plane);
  case 2:
    return TransposeLanes<uint16_t>(plane);
  case 3:
#if SWITCHYARD_TRANSPOSE_BLOCKS
    return TransposeBy<TripleBlock, PixelBlock<3>>(plane);
#else
    return TransposeBy<PixelBlock<3>>(plane);
#endif
  case 4:
    return TransposeLanes<uint32_t>(plane);
  case 6:
    return TransposeBy<PixelBlock<6>>(plane);
  case 8:
    return TransposeLanes<uint64_t>(plane);
  case 12:
    return TransposeBy<PixelBlock<12>>(plane);
  case 16:
    return TransposeBy<PixelBlock<16>>(plane);
  default:
    return TransposeBy<PixelBlock<0>>(plane);
  }
}

#undef SWITCHYARD_TRANSPOSE_BLOCKS

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_TRANSPOSE_INL_HPP_
