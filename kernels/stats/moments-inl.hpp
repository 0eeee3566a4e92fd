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

// ---- u8, interleaved channels ------------------------------------------------------------------

// Sums over one column: vectors that begin `period` bytes apart, in which each byte belongs to the
// same channel throughout. The u16 lanes of sums hold 257 bytes.
template <bool kSquares> struct ByteColumn {
  static constexpr size_t kMaxRows = 256;

  // Sums per byte of the vector.
  HWY_ALIGN uint16_t sums[2][kBytes / 2];
  HWY_ALIGN uint32_t squares[4][kBytes / 4];

  HWY_INLINE void Compute(const uint8_t *in, size_t rows, ptrdiff_t period) {
    const DU16 d16;
    const DU32 d32;
    const auto low_byte = hn::Set(d16, 0xFF);
    const auto low_half = hn::Set(d32, 0xFFFF);
    auto sum_even = hn::Zero(d16);
    auto sum_odd = hn::Zero(d16);
    auto square_0 = hn::Zero(d32);
    auto square_1 = hn::Zero(d32);
    auto square_2 = hn::Zero(d32);
    auto square_3 = hn::Zero(d32);
    for (size_t r = 0; r < rows; ++r, in += period) {
      const auto pairs = hn::BitCast(d16, hn::LoadU(DU8(), in));
      const auto even = hn::And(pairs, low_byte);
      const auto odd = hn::ShiftRight<8>(pairs);
      sum_even = hn::Add(sum_even, even);
      sum_odd = hn::Add(sum_odd, odd);
      if constexpr (kSquares) {
        const auto even_squares = hn::BitCast(d32, hn::Mul(even, even));
        const auto odd_squares = hn::BitCast(d32, hn::Mul(odd, odd));
        square_0 = hn::Add(square_0, hn::And(even_squares, low_half));
        square_1 = hn::Add(square_1, hn::And(odd_squares, low_half));
        square_2 = hn::Add(square_2, hn::ShiftRight<16>(even_squares));
        square_3 = hn::Add(square_3, hn::ShiftRight<16>(odd_squares));
      }
    }
    hn::Store(sum_even, d16, sums[0]);
    hn::Store(sum_odd, d16, sums[1]);
    if constexpr (kSquares) {
      hn::Store(square_0, d32, squares[0]);
      hn::Store(square_1, d32, squares[1]);
      hn::Store(square_2, d32, squares[2]);
      hn::Store(square_3, d32, squares[3]);
    }
  }

  // Adds bytes [from, kBytes) of the vector to channels that follow each other from `channel` on.
  HWY_INLINE void Flush(size_t from, size_t channel, size_t channels, uint64_t *total,
                        uint64_t *total_squares) const {
    for (size_t b = from; b < kBytes; ++b) {
      total[channel] += sums[b % 2][b / 2];
      if constexpr (kSquares) {
        total_squares[channel] += squares[b % 4][b / 4];
      }
      channel = channel + 1 == channels ? 0 : channel + 1;
    }
  }
};

// Adds Σx and Σx² of each channel to sum[c] and squares[c]; in[0] belongs to channel 0.
template <bool kSquares>
HWY_INLINE void ByteChannelMoments(const uint8_t *in, size_t n, size_t channels, uint64_t *sum,
                                   uint64_t *squares) {
  using Column = ByteColumn<kSquares>;
  const size_t vectors = n / kBytes;
  const size_t columns = channels / std::gcd(channels, kBytes); // vectors until phases repeat
  const size_t batch = columns * Column::kMaxRows;
  for (size_t from = 0; from < vectors; from += batch) {
    const size_t count = HWY_MIN(vectors - from, batch);
    for (size_t v = 0; v < HWY_MIN(columns, count); ++v) {
      const size_t rows = (count - v + columns - 1) / columns;
      Column column;
      column.Compute(in + (from + v) * kBytes, rows, static_cast<ptrdiff_t>(columns * kBytes));
      column.Flush(0, (from + v) * kBytes % channels, channels, sum, squares);
    }
  }
  const size_t done = vectors * kBytes;
  AddBytes<kSquares>(in + done, n - done, done % channels, channels, sum, squares);
}

// Adds Σx and Σx² of each column of rows that begin `stride` bytes apart, `columns` bytes each.
template <bool kSquares>
HWY_INLINE void ByteColumnMoments(const uint8_t *in, size_t rows, ptrdiff_t stride, size_t columns,
                                  uint64_t *sum, uint64_t *squares) {
  using Column = ByteColumn<kSquares>;
  for (size_t done = 0; done < rows; done += Column::kMaxRows) {
    const size_t n = HWY_MIN(rows - done, Column::kMaxRows);
    const uint8_t *first = in + static_cast<ptrdiff_t>(done) * stride;
    for (size_t c = 0; c < columns; c += kBytes) {
      if (columns < kBytes) {
        for (size_t r = 0; r < n; ++r) {
          AddBytes<kSquares>(first + static_cast<ptrdiff_t>(r) * stride, columns, 0, columns, sum,
                             squares);
        }
        break;
      }
      // The last vector overlaps the one before, whose columns are not counted twice.
      const size_t at = HWY_MIN(c, columns - kBytes);
      Column column;
      column.Compute(first + at, n, stride);
      column.Flush(c - at, c, columns, sum, squares);
    }
  }
}

#endif // HWY_TARGET

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

// From so many columns on, rows are added one after the other.
inline constexpr size_t kPanelColumns = 16;

// How large Σx² − s²/n has to be beside s²/n for its digits to do.
inline constexpr double kSafeSpread = 1e-4;

// Of a block of pixels × channels elements, pixels `stride` elements apart: sums[c], and with
// kDeviations squares[c] = Σ (x − sums[c] / pixels)², which is Σx² − sums[c]² / pixels where enough
// of that is left, and else summed up in a second pass. `scratch` holds 2 · 16 · channels elements.
template <bool kDeviations>
HWY_INLINE void BlockMoments(const float *in, size_t pixels, ptrdiff_t stride, size_t channels,
                             double *scratch, double *sums, double *squares) {
  constexpr Terms kFirst = kDeviations ? Terms::squares : Terms::values;
  double *second = scratch + kF32Lanes * channels;
  const bool panel = stride != static_cast<ptrdiff_t>(channels) || channels >= kPanelColumns;
  if (panel) {
    PanelSums<kFirst>(in, pixels, stride, channels, {scratch, second, nullptr});
  } else {
    BlockSums<kFirst>(in, pixels, channels, {scratch, second, nullptr});
  }
  std::memcpy(sums, scratch, channels * sizeof(double));
  if constexpr (kDeviations) {
    const auto n = static_cast<double>(pixels);
    const auto is_safe = [&](size_t c) {
      return squares[c] >= kSafeSpread * (sums[c] * sums[c] / n);
    };
    bool all_safe = true;
    for (size_t c = 0; c < channels; ++c) {
      squares[c] = second[c] - sums[c] * sums[c] / n;
      all_safe = all_safe && is_safe(c);
    }
    if (all_safe) {
      return;
    }
    for (size_t i = 0; i < (panel ? channels : kF32Lanes * channels); ++i) {
      second[i] = sums[i % channels] / n;
    }
    if (panel) {
      PanelSums<Terms::deviations>(in, pixels, stride, channels, {scratch, nullptr, second});
    } else {
      BlockSums<Terms::deviations>(in, pixels, channels, {scratch, nullptr, second});
    }
    for (size_t c = 0; c < channels; ++c) {
      squares[c] = is_safe(c) ? squares[c] : scratch[c];
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_MOMENTS_INL_HPP_
