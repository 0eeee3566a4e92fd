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

// kSide × kSide pixels of kBytes bytes, or of any number where that is 0, one by one.
template <size_t kBytes, size_t kSide = 1> struct PixelBlock {
  static constexpr size_t kRows = kSide;
  static constexpr size_t kColumns = kSide;
  static size_t Whole(size_t n, size_t side) { return n / side * side; }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                              ptrdiff_t out_stride, size_t bytes) {
    const size_t size = kBytes == 0 ? bytes : kBytes;
    for (size_t h = 0; h < kSide; ++h) {
      for (size_t w = 0; w < kSide; ++w) {
        std::memcpy(out + static_cast<ptrdiff_t>(h) * out_stride + w * size,
                    in + static_cast<ptrdiff_t>(w) * in_stride + h * size, size);
      }
    }
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

// 16 bytes of a column; in a wider vector, those of the column `further` bytes on as well.
template <size_t kVectorBytes> HWY_INLINE auto LoadColumns(const uint8_t *at, ptrdiff_t further) {
  const hn::FixedTag<uint8_t, 16> d16;
  if constexpr (kVectorBytes == 16) {
    (void)further;
    return hn::LoadU(d16, at);
  } else {
    const hn::FixedTag<uint8_t, kVectorBytes> d;
    return hn::Combine(d, hn::LoadU(d16, at + further), hn::LoadU(d16, at));
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
      columns[i] =
          hn::BitCast(d, LoadColumns<kVectorBytes>(in + static_cast<ptrdiff_t>(i) * in_stride,
                                                   static_cast<ptrdiff_t>(kRows) * in_stride));
    }
    Shuffle<kSteps>(d, columns, rows);
    for (size_t i = 0; i < kRows; ++i) {
      hn::StoreU(hn::BitCast(bytes, rows[i]), bytes, out + static_cast<ptrdiff_t>(i) * out_stride);
    }
  }
};

// 4 rows of pixels of 3 bytes, 4 for each 16 bytes of a vector, spread to lanes of 4 bytes and
// pressed together again. 16 bytes are loaded and stored for every 12: what is stored too much, the
// blocks and pixels that follow in the row cover.
template <size_t kVectorBytes> struct TripleBlock {
  static constexpr size_t kRows = 4;
  static constexpr size_t kColumns = kVectorBytes / 4;
  static size_t Whole(size_t n, size_t side) {
    const size_t reach = side + 2; // pixels that a block touches
    return n < reach ? 0 : (n - reach) / side * side + side;
  }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                              ptrdiff_t out_stride, size_t /*bytes*/) {
    alignas(16) static constexpr uint8_t kSpread[16] = {0, 1, 2, 0, 3, 4,  5,  0,
                                                        6, 7, 8, 0, 9, 10, 11, 0};
    alignas(16) static constexpr uint8_t kPress[16] = {0,  1,  2,  4,  5, 6, 8, 9,
                                                       10, 12, 13, 14, 0, 0, 0, 0};
    const hn::FixedTag<uint32_t, kColumns> d;
    const hn::Repartition<uint8_t, decltype(d)> bytes;
    const auto spread = hn::LoadDup128(bytes, kSpread);
    const auto press = hn::LoadDup128(bytes, kPress);
    hn::Vec<decltype(d)> columns[kRows];
    hn::Vec<decltype(d)> rows[kRows];
    for (size_t i = 0; i < kRows; ++i) {
      const auto v = LoadColumns<kVectorBytes>(in + static_cast<ptrdiff_t>(i) * in_stride,
                                               static_cast<ptrdiff_t>(kRows) * in_stride);
      columns[i] = hn::BitCast(d, hn::TableLookupBytes(v, spread));
    }
    Shuffle<2>(d, columns, rows);
    for (size_t i = 0; i < kRows; ++i) {
      const auto v = hn::TableLookupBytes(hn::BitCast(bytes, rows[i]), press);
      Store(v, out + static_cast<ptrdiff_t>(i) * out_stride);
    }
  }

private:
  template <class V> static HWY_INLINE void Store(V v, uint8_t *out) {
    const hn::FixedTag<uint8_t, 16> d16;
    if constexpr (kVectorBytes == 16) {
      hn::StoreU(v, d16, out);
    } else {
      hn::StoreU(hn::LowerHalf(d16, v), d16, out);
      hn::StoreU(hn::UpperHalf(d16, v), d16, out + 12);
    }
  }
};

#endif // SWITCHYARD_TRANSPOSE_BLOCKS

// The plane in blocks of the first kind, what they leave at its edges in those of the next kinds.
// The last kind leaves nothing. Columns go in spans, so that the pages of the input's columns are
// found again in the next strip of rows, which is about a cache line of the input.
template <class Block, class... Rest> HWY_INLINE void TransposeBy(const TransposePlane &plane) {
  constexpr size_t kSpan = 2048;
  constexpr size_t kLine = 64;
  const size_t rows = Block::Whole(plane.rows, Block::kRows);
  const size_t columns = Block::Whole(plane.columns, Block::kColumns);
  const size_t blocks = kLine / (plane.bytes * Block::kRows);
  const size_t strip = Block::kRows * (blocks > 1 ? blocks : 1);
  for (size_t span = 0; span < columns; span += kSpan) {
    const size_t span_end = span + kSpan < columns ? span + kSpan : columns;
    for (size_t top = 0; top < rows; top += strip) {
      const size_t bottom = top + strip < rows ? top + strip : rows;
      TransposePlane at = plane.From(top, span);
      for (size_t w = span; w < span_end; w += Block::kColumns) {
        const uint8_t *in = at.in;
        uint8_t *out = at.out;
        for (size_t h = top; h < bottom; h += Block::kRows) {
          Block::Copy(in, plane.in_stride, out, plane.out_stride, plane.bytes);
          in += Block::kRows * plane.bytes;
          out += static_cast<ptrdiff_t>(Block::kRows) * plane.out_stride;
        }
        at.in += static_cast<ptrdiff_t>(Block::kColumns) * plane.in_stride;
        at.out += Block::kColumns * plane.bytes;
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

template <size_t kBytes> HWY_INLINE void TransposePixelwise(const TransposePlane &plane) {
  TransposeBy<PixelBlock<kBytes, 4>, PixelBlock<kBytes>>(plane);
}

#if !SWITCHYARD_TRANSPOSE_BLOCKS
template <class T> HWY_INLINE void TransposeLanes(const TransposePlane &plane) {
  TransposePixelwise<sizeof(T)>(plane);
}
HWY_INLINE void TransposeTriples(const TransposePlane &plane) {
  TransposePixelwise<3>(plane);
}
#elif HWY_MAX_BYTES >= 32
template <class T> HWY_INLINE void TransposeLanes(const TransposePlane &plane) {
  TransposeBy<LaneBlock<T, 32>, LaneBlock<T, 16>, PixelBlock<sizeof(T)>>(plane);
}
HWY_INLINE void TransposeTriples(const TransposePlane &plane) {
  TransposeBy<TripleBlock<32>, TripleBlock<16>, PixelBlock<3>>(plane);
}
#else
template <class T> HWY_INLINE void TransposeLanes(const TransposePlane &plane) {
  TransposeBy<LaneBlock<T, 16>, PixelBlock<sizeof(T)>>(plane);
}
HWY_INLINE void TransposeTriples(const TransposePlane &plane) {
  TransposeBy<TripleBlock<16>, PixelBlock<3>>(plane);
}
#endif

HWY_INLINE void Transpose(const TransposePlane &plane) {
  switch (plane.bytes) {
  case 1:
    return TransposeLanes<uint8_t>(plane);
  case 2:
    return TransposeLanes<uint16_t>(plane);
  case 3:
    return TransposeTriples(plane);
  case 4:
    return TransposeLanes<uint32_t>(plane);
  case 6:
    return TransposePixelwise<6>(plane);
  case 8:
    return TransposeLanes<uint64_t>(plane);
  case 12:
    return TransposePixelwise<12>(plane);
  case 16:
    return TransposePixelwise<16>(plane);
  default:
    return TransposePixelwise<0>(plane);
  }
}

#undef SWITCHYARD_TRANSPOSE_BLOCKS

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_TRANSPOSE_INL_HPP_
