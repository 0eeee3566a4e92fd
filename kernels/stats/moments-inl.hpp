// Sums and sums of squares of dense runs. Included once per SIMD target.
//
// u8: exact integers, so that any order gives the same result. f32: f64 partial sums in a fixed
// assignment of elements to lanes, which no target's vector width changes.
#if defined(SWITCHYARD_KERNELS_STATS_MOMENTS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_STATS_MOMENTS_INL_HPP_
#undef SWITCHYARD_KERNELS_STATS_MOMENTS_INL_HPP_
#else
#define SWITCHYARD_KERNELS_STATS_MOMENTS_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Throughout, kSquares = false leaves out Σx² and does not touch `squares`.

// Adds Σx and Σx² of each channel, byte by byte; in[0] belongs to channel `first`.
template <bool kSquares>
HWY_INLINE void AddBytes(const uint8_t *in, size_t n, size_t first, size_t channels, uint64_t *sum,
                         uint64_t *squares) {
  size_t channel = first;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t value = in[i];
    sum[channel] += value;
    if constexpr (kSquares) {
      squares[channel] += value * value;
    }
    channel = channel + 1 == channels ? 0 : channel + 1;
  }
}

#if HWY_TARGET == HWY_SCALAR // has no lanes to regroup

template <bool kSquares>
HWY_INLINE void ByteMoments(const uint8_t *in, size_t n, uint64_t *sum, uint64_t *squares) {
  AddBytes<kSquares>(in, n, 0, 1, sum, squares);
}
template <bool kSquares>
HWY_INLINE void ByteChannelMoments(const uint8_t *in, size_t n, size_t channels, uint64_t *sum,
                                   uint64_t *squares) {
  AddBytes<kSquares>(in, n, 0, channels, sum, squares);
}
template <bool kSquares>
HWY_INLINE void ByteColumnMoments(const uint8_t *in, size_t rows, ptrdiff_t stride, size_t columns,
                                  uint64_t *sum, uint64_t *squares) {
  for (size_t r = 0; r < rows; ++r, in += stride) {
    AddBytes<kSquares>(in, columns, 0, columns, sum, squares);
  }
}
HWY_INLINE bool SumsSoonerAsChannels(size_t /*rows*/, size_t /*channels*/) {
  return true;
}

#else

using DU8 = hn::ScalableTag<uint8_t>;
using DU16 = hn::Repartition<uint16_t, DU8>;
using DU32 = hn::Repartition<uint32_t, DU8>;
using DI16 = hn::Repartition<int16_t, DU8>;
using DI32 = hn::Repartition<int32_t, DU8>;
using DU64 = hn::Repartition<uint64_t, DU8>;

inline constexpr size_t kBytes = hn::MaxLanes(DU8());

// ---- u8, all values together -------------------------------------------------------------------

// Sums over one batch of vectors; the i32 lanes of squares grow by 2 · 255² per vector.
template <bool kSquares> struct ByteBatch {
  static constexpr size_t kMaxVectors = 8192;

  hn::Vec<DU64> sum;
  hn::Vec<DI32> even; // squares of the bytes at even addresses
  hn::Vec<DI32> odd;

  HWY_INLINE ByteBatch() : sum(hn::Zero(DU64())), even(hn::Zero(DI32())), odd(hn::Zero(DI32())) {}

  HWY_INLINE void Add(hn::Vec<DU8> bytes) {
    sum = hn::Add(sum, hn::SumsOf8(bytes));
    if constexpr (kSquares) {
      AddSquares(bytes);
    }
  }

  HWY_INLINE void AddSquares(hn::Vec<DU8> bytes) {
    const DI16 d16;
    const DI32 d32;
    const auto pairs = hn::BitCast(DU16(), bytes);
    const auto low = hn::BitCast(d16, hn::And(pairs, hn::Set(DU16(), 0xFF)));
    const auto high = hn::BitCast(d16, hn::ShiftRight<8>(pairs));
    auto more_even = hn::Zero(d32); // where a target splits its sums; 0 on others
    auto more_odd = hn::Zero(d32);
    even = hn::ReorderWidenMulAccumulate(d32, low, low, even, more_even);
    odd = hn::ReorderWidenMulAccumulate(d32, high, high, odd, more_odd);
    even = hn::Add(even, more_even);
    odd = hn::Add(odd, more_odd);
  }

  HWY_INLINE void Flush(uint64_t *total, uint64_t *squares) const {
    HWY_ALIGN uint64_t sums[kBytes / 8];
    hn::Store(sum, DU64(), sums);
    for (const uint64_t lane : sums) {
      *total += lane;
    }
    if constexpr (kSquares) {
      HWY_ALIGN int32_t lanes[2 * kBytes / 4];
      hn::Store(even, DI32(), lanes);
      hn::Store(odd, DI32(), lanes + kBytes / 4);
      for (const int32_t lane : lanes) {
        *squares += static_cast<uint32_t>(lane);
      }
    }
  }
};

// Adds Σx and Σx² of in[0, n) to *sum and *squares.
template <bool kSquares>
HWY_INLINE void ByteMoments(const uint8_t *in, size_t n, uint64_t *sum, uint64_t *squares) {
  const DU8 d;
  const size_t vectors = n / kBytes;
  for (size_t from = 0; from < vectors; from += ByteBatch<kSquares>::kMaxVectors) {
    const size_t to = HWY_MIN(vectors, from + ByteBatch<kSquares>::kMaxVectors);
    ByteBatch<kSquares> batch;
    for (size_t v = from; v < to; ++v) {
      batch.Add(hn::LoadU(d, in + v * kBytes));
    }
    batch.Flush(sum, squares);
  }
  if (n % kBytes != 0) {
    HWY_ALIGN uint8_t tail[kBytes] = {};
    std::memcpy(tail, in + vectors * kBytes, n % kBytes);
    ByteBatch<kSquares> batch;
    batch.Add(hn::Load(d, tail));
    batch.Flush(sum, squares);
  }
}

// ---- u8, interleaved channels and columns ------------------------------------------------------

// Sums over one column of vectors: rows that begin `period` bytes apart, in which each byte belongs
// to the same result throughout. The u16 lanes of sums hold 257 bytes.
template <bool kSquares> struct ByteColumn {
  static constexpr size_t kMaxRows = 256;
  static constexpr auto kVector = static_cast<ptrdiff_t>(kBytes);

  hn::Vec<DU16> sums[2];    // of bytes 2k and 2k + 1
  hn::Vec<DU32> squares[4]; // of bytes 4k … 4k + 3

  HWY_INLINE ByteColumn() {
    sums[0] = sums[1] = hn::Zero(DU16());
    squares[0] = squares[1] = squares[2] = squares[3] = hn::Zero(DU32());
  }

  HWY_INLINE void Add(hn::Vec<DU8> bytes) {
    const DU16 d16;
    const DU32 d32;
    const auto pairs = hn::BitCast(d16, bytes);
    const auto even = hn::And(pairs, hn::Set(d16, 0xFF));
    const auto odd = hn::ShiftRight<8>(pairs);
    sums[0] = hn::Add(sums[0], even);
    sums[1] = hn::Add(sums[1], odd);
    if constexpr (kSquares) {
      const auto low_half = hn::Set(d32, 0xFFFF);
      const auto even_squares = hn::BitCast(d32, hn::Mul(even, even));
      const auto odd_squares = hn::BitCast(d32, hn::Mul(odd, odd));
      squares[0] = hn::Add(squares[0], hn::And(even_squares, low_half));
      squares[1] = hn::Add(squares[1], hn::And(odd_squares, low_half));
      squares[2] = hn::Add(squares[2], hn::ShiftRight<16>(even_squares));
      squares[3] = hn::Add(squares[3], hn::ShiftRight<16>(odd_squares));
    }
  }

  HWY_INLINE void AddRows(const uint8_t *in, size_t rows, ptrdiff_t period) {
    for (size_t r = 0; r < rows; ++r, in += period) {
      Add(hn::LoadU(DU8(), in));
    }
  }

  // As AddRows, of rows of which only the first `width` < kBytes bytes belong to the image. Vectors
  // reach into the next rows, but not beyond the last.
  HWY_INLINE void AddNarrowRows(const uint8_t *in, size_t rows, ptrdiff_t period, size_t width) {
    const auto end = static_cast<ptrdiff_t>(rows - 1) * period + static_cast<ptrdiff_t>(width);
    size_t whole = 0;
    for (; whole < rows && static_cast<ptrdiff_t>(whole) * period + kVector <= end; ++whole) {
      Add(hn::LoadU(DU8(), in + static_cast<ptrdiff_t>(whole) * period));
    }
    if (whole == rows) {
      return;
    }
    const ptrdiff_t done = static_cast<ptrdiff_t>(whole) * period;
    HWY_ALIGN uint8_t rest[2 * kBytes] = {};
    std::memcpy(rest, in + done, static_cast<size_t>(end - done));
    const uint8_t *row = rest;
    for (size_t r = whole; r < rows; ++r, row += period) {
      Add(hn::LoadU(DU8(), row));
    }
  }

  // Writes the sums of the vector's bytes in their order.
  HWY_INLINE void Store(uint16_t *sum, uint32_t *square) const {
    hn::StoreInterleaved2(sums[0], sums[1], DU16(), sum);
    if constexpr (kSquares) {
      hn::StoreInterleaved4(squares[0], squares[1], squares[2], squares[3], DU32(), square);
    }
  }
};

// Vectors until bytes of one channel are at the same places again.
HWY_INLINE size_t BytePhases(size_t channels) {
  return channels / std::gcd(channels, kBytes);
}
// The most that ByteChannelMoments takes.
inline constexpr size_t kMaxPhases = 64;

// Brings sums of interleaved channels together by halves, while whole pixels remain: `whole` is a
// power of two times `channels`. Then adds them to the totals.
HWY_INLINE void FoldSums(uint32_t *sums, size_t whole, size_t channels, uint64_t *totals) {
  for (size_t half = whole / 2; half >= channels; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      sums[i] += sums[half + i];
    }
  }
  for (size_t c = 0; c < channels; ++c) {
    totals[c] += sums[c];
  }
}

// Adds Σx and Σx² of each channel to sum[c] and squares[c]; in[0] belongs to channel 0. Vectors as
// many apart as there are phases, at most kMaxPhases, are rows of a column.
template <bool kSquares>
HWY_INLINE void ByteChannelMoments(const uint8_t *in, size_t n, size_t channels, uint64_t *sum,
                                   uint64_t *squares) {
  using Column = ByteColumn<kSquares>;
  static_assert(Column::kMaxRows * kBytes * 255 * 255 <= UINT32_MAX, "folded squares are u32");
  const size_t phases = BytePhases(channels);
  const size_t whole = phases * kBytes;
  HWY_ALIGN uint16_t sums[kBytes];
  HWY_ALIGN uint32_t wide_sums[kMaxPhases * kBytes];
  HWY_ALIGN uint32_t wide_squares[kMaxPhases * kBytes];
  HWY_ALIGN uint8_t tail[kBytes] = {};
  std::memcpy(tail, in + n / kBytes * kBytes, n % kBytes);
  const size_t vectors = n / kBytes + 1; // the last is the tail, filled up with zeros
  for (size_t from = 0; from < vectors; from += phases * Column::kMaxRows) {
    const size_t count = HWY_MIN(vectors - from, phases * Column::kMaxRows);
    const bool has_tail = from + count == vectors;
    for (size_t v = 0; v < phases; ++v) {
      Column column;
      size_t rows = v < count ? (count - v + phases - 1) / phases : 0;
      if (has_tail && v == (count - 1) % phases) {
        column.Add(hn::Load(DU8(), tail));
        --rows;
      }
      column.AddRows(in + (from + v) * kBytes, rows, static_cast<ptrdiff_t>(whole));
      column.Store(sums, wide_squares + v * kBytes);
      for (size_t b = 0; b < kBytes; ++b) {
        wide_sums[v * kBytes + b] = sums[b];
      }
    }
    FoldSums(wide_sums, whole, channels, sum);
    if constexpr (kSquares) {
      FoldSums(wide_squares, whole, channels, squares);
    }
  }
}

// Adds Σx and Σx² of each column of rows that begin `stride` bytes apart, `columns` bytes each.
template <bool kSquares>
HWY_INLINE void ByteColumnMoments(const uint8_t *in, size_t rows, ptrdiff_t stride, size_t columns,
                                  uint64_t *sum, uint64_t *squares) {
  using Column = ByteColumn<kSquares>;
  HWY_ALIGN uint16_t sums[kBytes];
  HWY_ALIGN uint32_t wide_squares[kBytes];
  for (size_t done = 0; done < rows; done += Column::kMaxRows) {
    const size_t n = HWY_MIN(rows - done, Column::kMaxRows);
    const uint8_t *first = in + static_cast<ptrdiff_t>(done) * stride;
    for (size_t c = 0; c < columns; c += kBytes) {
      // The last vector overlaps the one before, whose columns are not counted twice.
      const size_t at = columns < kBytes ? 0 : HWY_MIN(c, columns - kBytes);
      const size_t width = HWY_MIN(columns - c, kBytes);
      Column column;
      if (columns < kBytes) {
        column.AddNarrowRows(first, n, stride, columns);
      } else {
        column.AddRows(first + at, n, stride);
      }
      column.Store(sums, wide_squares);
      for (size_t i = 0; i < width; ++i) {
        sum[c + i] += sums[c - at + i];
      }
      if constexpr (kSquares) {
        for (size_t i = 0; i < width; ++i) {
          squares[c + i] += wide_squares[c - at + i];
        }
      }
    }
  }
}

// Whether dense rows are summed up sooner as interleaved channels, a vector of which is full but
// belongs to one of several phases, than as columns. In the time of one vector, roughly.
HWY_INLINE bool SumsSoonerAsChannels(size_t rows, size_t channels) {
  constexpr size_t kPhase = 4; // to store and join a phase's sums
  const size_t phases = BytePhases(channels);
  const size_t strips = (channels + kBytes - 1) / kBytes;
  return phases <= kMaxPhases &&
         rows * channels / kBytes + phases * kPhase <= strips * (rows + kPhase);
}

#endif // HWY_TARGET

// ---- results of u8 -----------------------------------------------------------------------------

// What a sum and a sum of squares of n u8 values give, in f64: bit for bit as one after the other,
// as long as all integers in between are below 2^52.
inline constexpr size_t kMaxFinished = size_t{1} << 18;

// Means and, with kDeviations, population deviations plus eps of `columns` results.
template <bool kDeviations>
HWY_INLINE void FinishBytes(const uint64_t *sums, const uint64_t *squares, size_t n, double eps,
                            size_t columns, double *means, double *deviations) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const size_t lanes = hn::Lanes(d);
  // An integer below 2^52 is the mantissa of 2^52 plus itself.
  const auto bias = hn::Set(d, 4503599627370496.0);
  const auto to_f64 = [&](const uint64_t *p) HWY_ATTR {
    return hn::Sub(hn::BitCast(d, hn::Or(hn::LoadU(du, p), hn::BitCast(du, bias))), bias);
  };
  const auto count = hn::Set(d, static_cast<double>(n));
  for (size_t c = 0; c < columns; c += lanes) { // the arrays are filled up to whole vectors
    const auto sum = to_f64(sums + c);
    hn::StoreU(hn::Div(sum, count), d, means + c);
    if constexpr (kDeviations) {
      const auto spread = hn::Sub(hn::Mul(count, to_f64(squares + c)), hn::Mul(sum, sum));
      const auto deviation = hn::Div(hn::Sqrt(spread), count);
      hn::StoreU(hn::Add(deviation, hn::Set(d, eps)), d, deviations + c);
    }
  }
}

// ---- f32 ---------------------------------------------------------------------------------------

// Lanes per channel; a whole number of vectors on every target.
inline constexpr size_t kF32Lanes = 16;
using DF64 = hn::CappedTag<double, 8>;
using VF64 = hn::Vec<DF64>;

HWY_INLINE VF64 LoadF64(DF64 d, const float *p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, DF64>(), p));
}

// What is added up of values: they themselves, with their squares beside them, or their squared
// distances from a center.
enum class Terms : uint8_t { values, squares, deviations };

// Lanes of sums; `squares` and `centers` for the terms that have them.
struct LaneSums {
  double *sums = nullptr;
  double *squares = nullptr;
  const double *centers = nullptr;
};

// Adds the terms of `rows` rows that begin `period` elements apart: lane i takes in element
// r · period + i of every row r, for i < kStrips · kF32Lanes. The square of an f32 is exact in f64,
// so that one rounding or two make no difference.
template <Terms kTerms, size_t kStrips>
HWY_INLINE void StripSums(const float *in, size_t rows, size_t period, const LaneSums &lanes) {
  const DF64 d;
  constexpr size_t kWidth = hn::MaxLanes(DF64());
  constexpr size_t kVectors = kStrips * kF32Lanes / kWidth;
  VF64 sums[kVectors];
  VF64 squares[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    sums[v] = hn::Zero(d);
    squares[v] = hn::Zero(d);
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t v = 0; v < kVectors; ++v) {
      VF64 value = LoadF64(d, in + r * period + v * kWidth);
      if constexpr (kTerms == Terms::deviations) {
        value = hn::Sub(value, hn::LoadU(d, lanes.centers + v * kWidth));
        value = hn::Mul(value, value);
      }
      if constexpr (kTerms == Terms::squares) {
        squares[v] = hn::MulAdd(value, value, squares[v]);
      }
      sums[v] = hn::Add(sums[v], value);
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(sums[v], d, lanes.sums + v * kWidth);
    if constexpr (kTerms == Terms::squares) {
      hn::StoreU(squares[v], d, lanes.squares + v * kWidth);
    }
  }
}

// Element by element.
template <Terms kTerms> HWY_INLINE void AddEach(const float *in, size_t n, const LaneSums &lanes) {
  for (size_t i = 0; i < n; ++i) {
    double value = in[i];
    if constexpr (kTerms == Terms::deviations) {
      value -= lanes.centers[i];
      value *= value;
    }
    if constexpr (kTerms == Terms::squares) {
      lanes.squares[i] += value * value;
    }
    lanes.sums[i] += value;
  }
}

HWY_INLINE LaneSums Offset(const LaneSums &lanes, size_t i) {
  return {lanes.sums + i, lanes.squares == nullptr ? nullptr : lanes.squares + i,
          lanes.centers == nullptr ? nullptr : lanes.centers + i};
}

// Joins kF32Lanes rows of `channels` lanes in a tree, of which only the first `used` were reached:
// others would add +0 to values that are never −0.
HWY_INLINE void JoinLanes(double *lanes, size_t used, size_t channels) {
  for (size_t half = kF32Lanes / 2; half >= 1; half /= 2) {
    if (used > half) {
      const size_t n = (HWY_MIN(used, 2 * half) - half) * channels;
      for (size_t i = 0; i < n; ++i) {
        lanes[i] += lanes[half * channels + i];
      }
    }
  }
}

template <Terms kTerms>
HWY_INLINE void JoinAll(const LaneSums &lanes, size_t used, size_t channels) {
  JoinLanes(lanes.sums, used, channels);
  if constexpr (kTerms == Terms::squares) {
    JoinLanes(lanes.squares, used, channels);
  }
}

// Lanes 0 … channels − 1 become the sums of a block of `pixels` × `channels` elements: element p
// goes to lane p mod (16 · channels), lanes of a channel are added in a tree. Few channels are read
// in one sweep.
template <Terms kTerms>
HWY_INLINE void BlockSums(const float *in, size_t pixels, size_t channels, const LaneSums &lanes) {
  // Strips whose sums fit the registers.
  constexpr size_t kSweep = kTerms != Terms::squares || hn::MaxLanes(DF64()) == 8 ? 3 : 1;
  const size_t period = kF32Lanes * channels;
  const size_t rows = pixels / kF32Lanes;
  for (size_t strip = 0; strip < channels;) {
    const size_t at = strip * kF32Lanes;
    const size_t left = channels - strip;
    if (kSweep > 1 && left >= kSweep && left != kSweep + 1) {
      StripSums<kTerms, kSweep>(in + at, rows, period, Offset(lanes, at));
      strip += kSweep;
    } else if (kSweep > 1 && left >= 2) {
      StripSums<kTerms, 2>(in + at, rows, period, Offset(lanes, at));
      strip += 2;
    } else {
      StripSums<kTerms, 1>(in + at, rows, period, Offset(lanes, at));
      strip += 1;
    }
  }
  AddEach<kTerms>(in + rows * period, (pixels % kF32Lanes) * channels, lanes);
  JoinAll<kTerms>(lanes, kF32Lanes, channels);
}

// Adds the terms of kRows rows of `columns` elements, the rows `step` elements apart, to lanes.
template <Terms kTerms, size_t kRows>
HWY_INLINE void AddRows(const float *in, ptrdiff_t step, size_t columns, const LaneSums &lanes) {
  const DF64 d;
  constexpr size_t kWidth = hn::MaxLanes(DF64());
  size_t i = 0;
  for (; i + kWidth <= columns; i += kWidth) {
    VF64 sum = hn::LoadU(d, lanes.sums + i);
    VF64 square = hn::Zero(d);
    if constexpr (kTerms == Terms::squares) {
      square = hn::LoadU(d, lanes.squares + i);
    }
    for (size_t r = 0; r < kRows; ++r) {
      VF64 value = LoadF64(d, in + static_cast<ptrdiff_t>(r) * step + i);
      if constexpr (kTerms == Terms::deviations) {
        value = hn::Sub(value, hn::LoadU(d, lanes.centers + i));
        value = hn::Mul(value, value);
      }
      if constexpr (kTerms == Terms::squares) {
        square = hn::MulAdd(value, value, square);
      }
      sum = hn::Add(sum, value);
    }
    hn::StoreU(sum, d, lanes.sums + i);
    if constexpr (kTerms == Terms::squares) {
      hn::StoreU(square, d, lanes.squares + i);
    }
  }
  for (size_t r = 0; r < kRows && i < columns; ++r) {
    AddEach<kTerms>(in + static_cast<ptrdiff_t>(r) * step + i, columns - i, Offset(lanes, i));
  }
}

// As BlockSums, of rows that begin `stride` elements apart: the same sums in the order of memory.
template <Terms kTerms>
HWY_INLINE void PanelSums(const float *in, size_t rows, ptrdiff_t stride, size_t columns,
                          const LaneSums &lanes) {
  const size_t used = HWY_MIN(rows, kF32Lanes);
  std::memset(lanes.sums, 0, used * columns * sizeof(double));
  if constexpr (kTerms == Terms::squares) {
    std::memset(lanes.squares, 0, used * columns * sizeof(double));
  }
  // Rows of one lane, kF32Lanes apart, go to it together, so that it is written less often.
  constexpr size_t kTogether = 4;
  constexpr ptrdiff_t kStep = kF32Lanes;
  size_t r = 0;
  const auto lane_at = [&](size_t lane) HWY_ATTR {
    LaneSums at = Offset(lanes, lane * columns);
    at.centers = lanes.centers;
    return at;
  };
  for (; r + kTogether * kF32Lanes <= rows; r += kTogether * kF32Lanes) {
    for (size_t lane = 0; lane < kF32Lanes; ++lane, in += stride) {
      AddRows<kTerms, kTogether>(in, kStep * stride, columns, lane_at(lane));
    }
    in += static_cast<ptrdiff_t>((kTogether - 1) * kF32Lanes) * stride;
  }
  for (; r < rows; ++r, in += stride) {
    AddRows<kTerms, 1>(in, stride, columns, lane_at(r % kF32Lanes));
  }
  JoinAll<kTerms>(lanes, used, columns);
}

// The sums of kVectors vectors of columns, lanes joined: lane by lane in an order in which the tree
// joins what is at hand, so that nothing but the results goes to memory.
template <Terms kTerms, size_t kVectors>
HWY_INLINE void ColumnStrip(const float *in, size_t rows, ptrdiff_t stride, const LaneSums &lanes) {
  const DF64 d;
  constexpr size_t kWidth = hn::MaxLanes(DF64());
  constexpr size_t kLevels = 4; // 2^4 = kF32Lanes
  VF64 sums[kLevels + 1][kVectors];
  VF64 squares[kLevels + 1][kVectors];
  for (size_t v = 0; v < kVectors; ++v) { // spares the compiler a doubt
    for (size_t level = 0; level <= kLevels; ++level) {
      sums[level][v] = hn::Zero(d);
      squares[level][v] = hn::Zero(d);
    }
  }
  for (size_t turn = 0; turn < kF32Lanes; ++turn) {
    VF64 sum[kVectors];
    VF64 square[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      sum[v] = hn::Zero(d);
      square[v] = hn::Zero(d);
    }
    // The turn's bits in reverse.
    const size_t lane = (turn & 1) << 3 | (turn & 2) << 1 | (turn & 4) >> 1 | (turn & 8) >> 3;
    for (size_t r = lane; r < rows; r += kF32Lanes) {
      const float *row = in + static_cast<ptrdiff_t>(r) * stride;
      for (size_t v = 0; v < kVectors; ++v) {
        VF64 value = LoadF64(d, row + v * kWidth);
        if constexpr (kTerms == Terms::deviations) {
          value = hn::Sub(value, hn::LoadU(d, lanes.centers + v * kWidth));
          value = hn::Mul(value, value);
        }
        if constexpr (kTerms == Terms::squares) {
          square[v] = hn::MulAdd(value, value, square[v]);
        }
        sum[v] = hn::Add(sum[v], value);
      }
    }
    size_t level = 0;
    for (; (turn >> level & 1) != 0; ++level) {
      for (size_t v = 0; v < kVectors; ++v) {
        sum[v] = hn::Add(sums[level][v], sum[v]);
        if constexpr (kTerms == Terms::squares) {
          square[v] = hn::Add(squares[level][v], square[v]);
        }
      }
    }
    for (size_t v = 0; v < kVectors; ++v) {
      sums[level][v] = sum[v];
      squares[level][v] = square[v];
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(sums[kLevels][v], d, lanes.sums + v * kWidth);
    if constexpr (kTerms == Terms::squares) {
      hn::StoreU(squares[kLevels][v], d, lanes.squares + v * kWidth);
    }
  }
}

// As PanelSums, strip by strip, of a vector of columns or more: the last strip overlaps.
template <Terms kTerms>
HWY_INLINE void ColumnSums(const float *in, size_t rows, ptrdiff_t stride, size_t columns,
                           const LaneSums &lanes) {
  constexpr size_t kWidth = hn::MaxLanes(DF64());
  constexpr size_t kStrip = 2;
  size_t c = 0;
  for (; c + kStrip * kWidth <= columns; c += kStrip * kWidth) {
    ColumnStrip<kTerms, kStrip>(in + c, rows, stride, Offset(lanes, c));
  }
  for (; c < columns; c += kWidth) {
    const size_t at = HWY_MIN(c, columns - kWidth);
    ColumnStrip<kTerms, 1>(in + at, rows, stride, Offset(lanes, at));
  }
}

// From so many columns on, rows are added one after the other.
inline constexpr size_t kPanelColumns = 16;
// From kFewRows to kStripRows rows, strips of columns are walked one after the other.
inline constexpr size_t kFewRows = 8;
inline constexpr size_t kStripRows = 512;

// Sums of the columns of rows that begin `stride` elements apart, in the way that suits memory.
template <Terms kTerms>
HWY_INLINE void SumsByColumn(const float *in, size_t rows, ptrdiff_t stride, size_t columns,
                             const LaneSums &lanes) {
  if (rows >= kFewRows && rows <= kStripRows && columns >= hn::MaxLanes(DF64())) {
    ColumnSums<kTerms>(in, rows, stride, columns, lanes);
  } else {
    PanelSums<kTerms>(in, rows, stride, columns, lanes);
  }
}

// How large Σx² − s²/n has to be beside s²/n for its digits to do.
inline constexpr double kSafeSpread = 1e-4;

// Σx² − sums[c]² / n, and where that keeps enough of its digits.
struct Spread {
  using D = hn::ScalableTag<double>;
  hn::Vec<D> left;
  hn::Mask<D> safe;

  HWY_INLINE Spread(hn::Vec<D> sum, hn::Vec<D> square, double n) {
    const D d;
    const auto taken = hn::Div(hn::Mul(sum, sum), hn::Set(d, n));
    left = hn::Sub(square, taken);
    safe = hn::Ge(left, hn::Mul(hn::Set(d, kSafeSpread), taken));
  }
};

// squares[c] = the spread of each channel; whether all are safe. Arrays have room for whole
// vectors.
HWY_INLINE bool TakeSpreads(const double *sums, const double *second, double n, size_t channels,
                            double *squares) {
  const Spread::D d;
  bool all_safe = true;
  for (size_t c = 0; c < channels; c += hn::Lanes(d)) {
    const Spread spread(hn::LoadU(d, sums + c), hn::LoadU(d, second + c), n);
    hn::StoreU(spread.left, d, squares + c);
    const auto unused = hn::Not(hn::FirstN(d, channels - c));
    all_safe = all_safe && hn::AllTrue(d, hn::Or(spread.safe, unused));
  }
  return all_safe;
}

// Replaces those that are not safe by `deviations`, which were summed up as such.
HWY_INLINE void MendSpreads(const double *sums, const double *second, double n, size_t channels,
                            const double *deviations, double *squares) {
  const Spread::D d;
  for (size_t c = 0; c < channels; c += hn::Lanes(d)) {
    const Spread spread(hn::LoadU(d, sums + c), hn::LoadU(d, second + c), n);
    hn::StoreU(hn::IfThenElse(spread.safe, spread.left, hn::LoadU(d, deviations + c)), d,
               squares + c);
  }
}

// Of a block of pixels × channels elements, pixels `stride` elements apart: sums[c], and with
// kDeviations squares[c] = Σ (x − sums[c] / pixels)², which is Σx² − sums[c]² / pixels where enough
// of that is left, and else summed up in a second pass. `scratch` holds 3 · 16 · channels elements,
// `sums` and `squares` have room for whole vectors.
template <bool kDeviations>
HWY_INLINE void BlockMoments(const float *in, size_t pixels, ptrdiff_t stride, size_t channels,
                             double *scratch, double *sums, double *squares) {
  constexpr Terms kFirst = kDeviations ? Terms::squares : Terms::values;
  double *second = scratch + kF32Lanes * channels;
  const bool panel = stride != static_cast<ptrdiff_t>(channels) || channels >= kPanelColumns;
  if (panel) {
    SumsByColumn<kFirst>(in, pixels, stride, channels, {scratch, second, nullptr});
  } else {
    BlockSums<kFirst>(in, pixels, channels, {scratch, second, nullptr});
  }
  std::memcpy(sums, scratch, channels * sizeof(double));
  if constexpr (kDeviations) {
    const auto n = static_cast<double>(pixels);
    if (TakeSpreads(sums, second, n, channels, squares)) {
      return;
    }
    double *centers = second + kF32Lanes * channels;
    for (size_t c = 0; c < channels; ++c) {
      centers[c] = sums[c] / n;
    }
    if (panel) {
      SumsByColumn<Terms::deviations>(in, pixels, stride, channels, {scratch, nullptr, centers});
    } else {
      for (size_t i = channels; i < kF32Lanes * channels; ++i) {
        centers[i] = centers[i - channels];
      }
      BlockSums<Terms::deviations>(in, pixels, channels, {scratch, nullptr, centers});
    }
    MendSpreads(sums, second, n, channels, scratch, squares);
  }
}

// Means and, with kDeviations, population deviations plus eps of `columns` results of one block of
// n values each, from its sums and sums of squared deviations. Bit for bit as Moments computes
// them, whose mean takes a fused multiply-add: only for targets that have it.
template <bool kDeviations>
HWY_INLINE void FinishFloats(const double *sums, const double *squares, size_t n, double eps,
                             size_t columns, double *means, double *deviations) {
  const hn::ScalableTag<double> d;
  const auto count = hn::Set(d, static_cast<double>(n));
  for (size_t c = 0; c < columns; c += hn::Lanes(d)) { // arrays are filled up to whole vectors
    const auto sum = hn::LoadU(d, sums + c);
    const auto quotient = hn::Div(sum, count);
    const auto rest = hn::Add(hn::NegMulAdd(quotient, count, sum), hn::Zero(d));
    const auto mean = hn::Add(quotient, hn::Div(rest, count));
    hn::StoreU(hn::IfThenElse(hn::IsFinite(quotient), mean, quotient), d, means + c);
    if constexpr (kDeviations) {
      const auto deviation = hn::Sqrt(hn::Div(hn::LoadU(d, squares + c), count));
      hn::StoreU(hn::Add(deviation, hn::Set(d, eps)), d, deviations + c);
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_MOMENTS_INL_HPP_
