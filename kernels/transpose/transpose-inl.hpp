// Planes of pixels with rows and columns exchanged. Included once per SIMD target.
//
// A pixel is a number of bytes: the kernels know no element types and keep every bit, and addresses
// may have any alignment. Pixels of 1, 2, 4 and 8 bytes, and of 3, pass through registers in square
// blocks; others are copied one by one, by words that may be wider than a pixel. Either way the
// plane is walked in an order in which the lines of both sides stay in the first-level cache, and
// their pages in the TLB.
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

// A block copies kRows × kColumns pixels of a plane, from its first pixel on. Whole(n, side, bytes)
// says how many of n pixels of so many bytes along a side blocks may cover.

// As many as fit.
HWY_INLINE size_t WholeBlocks(size_t n, size_t side) {
  return n / side * side;
}
// As many as leave `beyond` pixels untouched behind them.
HWY_INLINE size_t WholeBlocksBefore(size_t n, size_t side, size_t beyond) {
  return n < beyond ? 0 : WholeBlocks(n - beyond, side);
}

// kSide × kSide pixels of kBytes bytes, or of any number where that is 0, one by one.
template <size_t kBytes, size_t kSide = 1> struct PixelBlock {
  static constexpr size_t kRows = kSide;
  static constexpr size_t kColumns = kSide;
  static size_t Whole(size_t n, size_t side, size_t /*bytes*/) { return WholeBlocks(n, side); }
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

// A word of kBytes bytes from one place to another.
template <size_t kBytes> HWY_INLINE void CopyWord(const uint8_t *in, uint8_t *out) {
  if constexpr (kBytes <= 8) {
    std::memcpy(out, in, kBytes);
  } else {
    const hn::FixedTag<uint8_t, kBytes> d;
    hn::StoreU(hn::LoadU(d, in), d, out);
  }
}

// 4 × 4 pixels of kBytes bytes, or of any number up to kWord where that is 0, each by one word.
// What is stored too much, the pixels that follow in the row cover.
template <size_t kWord, size_t kBytes = 0> struct WordBlock {
  static constexpr size_t kRows = 4;
  static constexpr size_t kColumns = 4;
  static size_t Whole(size_t n, size_t side, size_t bytes) {
    return WholeBlocksBefore(n, side, (kWord - 1) / bytes);
  }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                              ptrdiff_t out_stride, size_t bytes) {
    const size_t size = kBytes == 0 ? bytes : kBytes; // offsets that the compiler knows take half
                                                      // the time
    for (size_t h = 0; h < kRows; ++h) {
      for (size_t w = 0; w < kColumns; ++w) {
        CopyWord<kWord>(in + static_cast<ptrdiff_t>(w) * in_stride + h * size,
                        out + static_cast<ptrdiff_t>(h) * out_stride + w * size);
      }
    }
  }
};

// 4 × 4 pixels of 12 bytes: those of a row are joined to three vectors.
struct DozenBlock {
  static constexpr size_t kRows = 4;
  static constexpr size_t kColumns = 4;
  static size_t Whole(size_t n, size_t side, size_t /*bytes*/) {
    return WholeBlocksBefore(n, side, 1); // a pixel is loaded with 4 bytes of the next one
  }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                              ptrdiff_t out_stride, size_t /*bytes*/) {
    const hn::FixedTag<uint8_t, 16> d;
    for (size_t h = 0; h < kRows; ++h) {
      const uint8_t *from = in + 12 * h;
      const auto a = hn::LoadU(d, from);
      const auto b = hn::LoadU(d, from + in_stride);
      const auto c = hn::LoadU(d, from + 2 * in_stride);
      const auto e = hn::LoadU(d, from + 3 * in_stride);
      hn::StoreU(hn::CombineShiftRightBytes<4>(d, b, hn::ShiftLeftBytes<4>(a)), d, out);
      hn::StoreU(hn::CombineShiftRightBytes<8>(d, c, hn::ShiftLeftBytes<4>(b)), d, out + 16);
      hn::StoreU(hn::CombineShiftRightBytes<12>(d, e, hn::ShiftLeftBytes<4>(c)), d, out + 32);
      out += out_stride;
    }
  }
};

// kSide × kSide pixels of at least kWord bytes, by words of which the last overlaps the one before.
template <size_t kWord, size_t kSide = 1> struct LongPixelBlock {
  static constexpr size_t kRows = kSide;
  static constexpr size_t kColumns = kSide;
  static size_t Whole(size_t n, size_t side, size_t /*bytes*/) { return WholeBlocks(n, side); }
  static HWY_INLINE void Copy(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                              ptrdiff_t out_stride, size_t bytes) {
    for (size_t h = 0; h < kRows; ++h) {
      for (size_t w = 0; w < kColumns; ++w) {
        const uint8_t *from = in + static_cast<ptrdiff_t>(w) * in_stride + h * bytes;
        uint8_t *to = out + static_cast<ptrdiff_t>(h) * out_stride + w * bytes;
        for (size_t k = 0; k + kWord < bytes; k += kWord) {
          CopyWord<kWord>(from + k, to + k);
        }
        CopyWord<kWord>(from + bytes - kWord, to + bytes - kWord);
      }
    }
  }
};

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
  static size_t Whole(size_t n, size_t side, size_t /*bytes*/) { return WholeBlocks(n, side); }
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
  static size_t Whole(size_t n, size_t side, size_t /*bytes*/) {
    return WholeBlocksBefore(n, side, 2);
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
// found again in the next strip of rows, which is about a cache line of the input, or three where
// blocks don't fill one.
template <class Block, class... Rest> HWY_INLINE void TransposeBy(const TransposePlane &plane) {
  constexpr size_t kSpan = 2048;
  constexpr size_t kLine = 64;
  const size_t rows = Block::Whole(plane.rows, Block::kRows, plane.bytes);
  const size_t columns = Block::Whole(plane.columns, Block::kColumns, plane.bytes);
  const size_t block = plane.bytes * Block::kRows;
  const size_t blocks = (kLine % block == 0 ? kLine : 3 * kLine) / block;
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
HWY_INLINE void TransposeWords(const TransposePlane &plane) {
  TransposePixelwise<0>(plane);
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

#if SWITCHYARD_TRANSPOSE_BLOCKS
// Pixels of any number of bytes from 5 on.
HWY_INLINE void TransposeWords(const TransposePlane &plane) {
  if (plane.bytes == 12) {
    return TransposeBy<DozenBlock, LongPixelBlock<8>>(plane);
  }
  if (plane.bytes == 5) {
    return TransposeBy<WordBlock<8, 5>, LongPixelBlock<4>>(plane);
  }
  if (plane.bytes == 6) {
    return TransposeBy<WordBlock<8, 6>, LongPixelBlock<4>>(plane);
  }
  if (plane.bytes == 10) {
    return TransposeBy<WordBlock<16, 10>, LongPixelBlock<8>>(plane);
  }
  if (plane.bytes == 16) {
    return TransposeBy<WordBlock<16, 16>, LongPixelBlock<8>>(plane);
  }
  if (plane.bytes <= 8) {
    return TransposeBy<WordBlock<8>, LongPixelBlock<4>>(plane);
  }
  if (plane.bytes <= 16) {
    return TransposeBy<WordBlock<16>, LongPixelBlock<8>>(plane);
  }
#if HWY_MAX_BYTES >= 32
  if (plane.bytes == 20) {
    return TransposeBy<WordBlock<32, 20>, LongPixelBlock<16>>(plane);
  }
  if (plane.bytes <= 32) {
    return TransposeBy<WordBlock<32>, LongPixelBlock<16>>(plane);
  }
  TransposeBy<LongPixelBlock<32, 2>, LongPixelBlock<32>>(plane);
#else
  TransposeBy<LongPixelBlock<16, 2>, LongPixelBlock<16>>(plane);
#endif
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
  case 8:
    return TransposeLanes<uint64_t>(plane);
  default:
    return TransposeWords(plane);
  }
}

#undef SWITCHYARD_TRANSPOSE_BLOCKS

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_TRANSPOSE_INL_HPP_
