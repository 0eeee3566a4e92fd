// Pointwise kernels from u8 to u8 in integer arithmetic: shifts with saturation, clamps, and affine
// maps in 16 bits. Included once per SIMD target.
//
// A kernel sees dense runs; nothing outside [0, n) is read or written, and `out` may equal `in`.
#if defined(SWITCHYARD_KERNELS_BYTES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_BYTES_INL_HPP_
#undef SWITCHYARD_KERNELS_BYTES_INL_HPP_
#else
#define SWITCHYARD_KERNELS_BYTES_INL_HPP_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include <hwy/highway.h>

#include "kernels/pointwise/byte_maps.hpp"
#include "kernels/pointwise/few-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DMap = hn::ScalableTag<uint8_t>;
using VMap = hn::Vec<DMap>;

// ---- Coefficients -------------------------------------------------------------------------------

// Vectors of a field, from the element at a byte offset of the pattern on: of one channel …
class OneChannel {
public:
  explicit HWY_INLINE OneChannel(const ByteFields &fields) : fields_(fields) {}
  HWY_INLINE VMap Field(size_t f, size_t /*offset*/) const {
    return hn::Set(DMap(), fields_.field[f]);
  }

private:
  const ByteFields &fields_;
};
// … or of interleaved ones.
class Interleaved {
public:
  explicit HWY_INLINE Interleaved(const BytePatterns &patterns) : patterns_(patterns) {}
  HWY_INLINE VMap Field(size_t f, size_t offset) const {
    return hn::LoadU(DMap(), patterns_.row[f] + offset);
  }

private:
  const BytePatterns &patterns_;
};

// ---- Maps ---------------------------------------------------------------------------------------

class ShiftMap {
public:
  template <class Source>
  HWY_INLINE ShiftMap(const Source &source, size_t offset, int /*bits*/)
      : plus_(source.Field(0, offset)), minus_(source.Field(1, offset)) {}
  HWY_INLINE VMap operator()(VMap x) const {
    return hn::SaturatedSub(hn::SaturatedAdd(x, plus_), minus_);
  }

private:
  VMap plus_, minus_;
};

class ClampMap {
public:
  template <class Source>
  HWY_INLINE ClampMap(const Source &source, size_t offset, int /*bits*/)
      : low_(source.Field(0, offset)), high_(source.Field(1, offset)) {}
  HWY_INLINE VMap operator()(VMap x) const { return hn::Min(hn::Max(x, low_), high_); }

private:
  VMap low_, high_;
};

#if HWY_TARGET != HWY_SCALAR // has no bytes to interleave

using DWide = hn::Repartition<uint16_t, DMap>;
using VWide = hn::Vec<DWide>;

// Halves as InterleaveLower and InterleaveUpper made them, below 2^15, to bytes: saturating.
HWY_INLINE VMap PackHalves(VWide lower, VWide upper) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return VMap{_mm512_packus_epi16(lower.raw, upper.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VMap{_mm256_packus_epi16(lower.raw, upper.raw)};
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  return VMap{_mm_packus_epi16(lower.raw, upper.raw)};
#else
  const hn::RebindToSigned<DWide> di;
  const hn::Half<DMap> dh;
  return hn::Combine(DMap(), hn::DemoteTo(dh, hn::BitCast(di, upper)),
                     hn::DemoteTo(dh, hn::BitCast(di, lower)));
#endif
}

class LinearMap {
public:
  template <class Source>
  HWY_INLINE LinearMap(const Source &source, size_t offset, int bits)
      : flip_(source.Field(0, offset)), below_(source.Field(1, offset)),
        factor_(source.Field(2, offset), source.Field(3, offset)),
        plus_(source.Field(4, offset), source.Field(5, offset)),
        minus_(source.Field(6, offset), source.Field(7, offset)), bits_(bits) {}

  HWY_INLINE VMap operator()(VMap x) const {
    const Halves y(below_, hn::Xor(x, flip_));
    return PackHalves(Of(y.lower, factor_.lower, plus_.lower, minus_.lower),
                      Of(y.upper, factor_.upper, plus_.upper, minus_.upper));
  }

private:
  // Pairs of bytes of two vectors.
  struct Halves {
    VWide lower, upper;
    HWY_INLINE Halves(VMap low, VMap high)
        : lower(hn::BitCast(DWide(), hn::InterleaveLower(DMap(), low, high))),
          upper(hn::BitCast(DWide(), hn::InterleaveUpper(DMap(), low, high))) {}
  };
  HWY_INLINE VWide Of(VWide y, VWide factor, VWide plus, VWide minus) const {
    const VWide product = hn::MulHigh(y, factor);
    return hn::ShiftRightSame(hn::SaturatedSub(hn::SaturatedAdd(product, plus), minus), bits_);
  }

  VMap flip_, below_;
  Halves factor_, plus_, minus_;
  int bits_;
};

#endif // HWY_TARGET

// ---- Runs ---------------------------------------------------------------------------------------

// Fewer elements than a vector.
template <class Map>
HWY_INLINE void MapRest(const uint8_t *in, uint8_t *out, size_t n, const Map &map) {
  if (n == 0) {
    return;
  }
  HWY_ALIGN uint8_t buffer[hn::MaxLanes(DMap())] = {};
  const size_t few = HWY_MIN(n, sizeof(buffer)); // a compiler that can't see it warns
  CopyFew(buffer, in, few);
  hn::Store(map(hn::Load(DMap(), buffer)), DMap(), buffer);
  CopyFew(out, buffer, few);
}

// Coefficients of `period` channels that come back after kCycle vectors, `kUnroll` times as many at
// once. The last vector of a run overlaps the one before. It is computed before anything is stored,
// since `out` may be `in`.
template <class Map, size_t kCycle, size_t kUnroll, class Source>
HWY_INLINE void MapCycle(const uint8_t *in, uint8_t *out, size_t n, const Source &source, int bits,
                         size_t period) {
  const DMap d;
  const size_t lanes = hn::Lanes(d);
  const auto map_at = [&](size_t v) HWY_ATTR { return Map(source, v * lanes, bits); };
  const Map first = map_at(0);
  if (n < lanes) {
    return MapRest(in, out, n, first);
  }
  const size_t end = n - lanes;
  const VMap x = hn::LoadU(d, in + end);
  const VMap last = kCycle == 1 && period == 1 ? first(x) : Map(source, end % period, bits)(x);
  const Map second = kCycle == 1 ? first : map_at(1);
  const Map third = kCycle == 1 ? first : map_at(2);
  static_assert(kCycle == 1 || kCycle == 3);
  const auto step = [&](size_t i, const Map &map)
                        HWY_ATTR { hn::StoreU(map(hn::LoadU(d, in + i)), d, out + i); };
  const size_t block = kCycle * kUnroll * lanes;
  size_t i = 0;
  for (; i + block <= n; i += block) {
    for (size_t v = 0; v < kCycle * kUnroll; v += kCycle) {
      step(i + v * lanes, first);
      if constexpr (kCycle == 3) {
        step(i + (v + 1) * lanes, second);
        step(i + (v + 2) * lanes, third);
      }
    }
  }
  size_t v = 0; // of the cycle
  for (; i < end; i += lanes) {
    step(i, v == 0 ? first : v == 1 ? second : third);
    v = v + 1 == kCycle ? 0 : v + 1;
  }
  if (i < n) {
    hn::StoreU(last, d, out + end);
  }
}

// Coefficients that come back after `cycle` vectors.
template <class Map>
HWY_INLINE void MapLongCycle(const uint8_t *in, uint8_t *out, size_t n, const Interleaved &source,
                             int bits, size_t period, size_t cycle) {
  const DMap d;
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    return MapRest(in, out, n, Map(source, 0, bits));
  }
  const size_t end = n - lanes;
  const VMap last = Map(source, end % period, bits)(hn::LoadU(d, in + end));
  const size_t wrap = cycle * lanes;
  size_t offset = 0;
  for (size_t i = 0; i < end; i += lanes) {
    hn::StoreU(Map(source, offset, bits)(hn::LoadU(d, in + i)), d, out + i);
    offset = offset + lanes == wrap ? 0 : offset + lanes;
  }
  hn::StoreU(last, d, out + end);
}

// Vectors after which the phases of `period` interleaved channels come back.
HWY_INLINE size_t CycleOf(size_t period) {
  return period / std::gcd(period, hn::Lanes(DMap()));
}

// out[i] = map of channel c of in[i], where c is `phase` for a period of 1, else (phase + i) mod
// period; `patterns` are read in the latter case alone.
template <class Map>
HWY_INLINE void MapBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteFields *channels,
                         const BytePatterns *patterns, int bits, size_t phase, size_t period) {
  if (period == 1) {
    return MapCycle<Map, 1, 4>(in, out, n, OneChannel(channels[phase]), bits, 1);
  }
  const Interleaved source(*patterns);
  const size_t lanes = hn::Lanes(DMap());
  while (phase != 0 && n > 0) { // to the first whole pixel
    const size_t head = HWY_MIN(HWY_MIN(period - phase, n), lanes);
    MapRest(in, out, head, Map(source, phase, bits));
    in += head;
    out += head;
    n -= head;
    phase = (phase + head) % period;
  }
  switch (const size_t cycle = CycleOf(period)) {
  case 1:
    return MapCycle<Map, 1, 4>(in, out, n, source, bits, period);
  case 3:
    return MapCycle<Map, 3, 1>(in, out, n, source, bits, period);
  default:
    return MapLongCycle<Map>(in, out, n, source, bits, period, cycle);
  }
}

// ---- Affine maps in 16 bits ---------------------------------------------------------------------

// What is added to x · factor, in units of 2^-(8 + bits), so that results are those of a table.
struct OffsetRange {
  int32_t least = INT32_MIN; // included
  int32_t most = INT32_MAX;  // not included
};

HWY_INLINE OffsetRange OffsetsFor(const uint8_t *table, int32_t factor, int bits) {
  OffsetRange range;
  for (int32_t x = 0; x < 256; ++x) {
    const int32_t product = x * factor;
    const int32_t level = static_cast<int32_t>(table[x]) << (8 + bits);
    const int32_t next = level + (1 << (8 + bits));
    const int32_t least = table[x] == 0 ? INT32_MIN : level - product;
    const int32_t most = table[x] == 255 ? INT32_MAX : next - product;
    range.least = HWY_MAX(range.least, least);
    range.most = HWY_MIN(range.most, most);
  }
  return range;
}

// An offset within the range, or half a level beyond where it has one end alone.
HWY_INLINE int32_t OffsetWithin(const OffsetRange &range, int bits) {
  const int32_t half_level = 1 << (7 + bits);
  return range.least == INT32_MIN  ? range.most - 1 - half_level
         : range.most == INT32_MAX ? range.least + half_level
                                   : range.least + (range.most - range.least) / 2;
}

HWY_INLINE void StorePair(int32_t value, uint8_t *to) {
  const auto pair = static_cast<uint16_t>(HWY_MIN(HWY_MAX(value, 0), 65535));
  to[0] = static_cast<uint8_t>(pair & 0xFF);
  to[1] = static_cast<uint8_t>(pair >> 8);
}

// Fields of a linear map whose results are table[x], `slope` being about its steepness; false where
// 16 bits don't do. All 256 inputs are tried.
HWY_INLINE bool FitLinear(const uint8_t *table, float slope, int bits, ByteFields &fields) {
#if HWY_TARGET == HWY_SCALAR
  (void)table, (void)slope, (void)bits, (void)fields;
  return false;
#else
  HWY_ALIGN uint8_t inputs[256];
  HWY_ALIGN uint8_t wanted[256]; // of the inputs as they are multiplied
  HWY_ALIGN uint8_t found[256];
  const bool falls = slope < 0;
  for (int x = 0; x < 256; ++x) {
    inputs[x] = static_cast<uint8_t>(x);
    wanted[x] = table[falls ? 255 - x : x];
  }
  const float scaled = (falls ? -slope : slope) * static_cast<float>(1 << (8 + bits));
  const auto nearest = static_cast<int32_t>(std::lround(scaled));
  for (const int32_t factor : {nearest, nearest + 1, nearest - 1}) {
    if (factor < 0 || factor > 65535) {
      continue;
    }
    const OffsetRange range = OffsetsFor(wanted, factor, bits);
    if (range.least >= range.most) {
      continue;
    }
    const int32_t offset = OffsetWithin(range, bits);
    const int32_t whole = offset >> 8;
    const int32_t rest = offset - whole * 256;
    const int32_t below = factor == 0 ? 0 : (rest * 256 + factor / 2) / factor;
    fields.field[0] = falls ? 255 : 0;
    fields.field[1] = static_cast<uint8_t>(HWY_MIN(below, 255));
    StorePair(factor, fields.field + 2);
    StorePair(whole, fields.field + 4);
    StorePair(-whole, fields.field + 6);
    MapBytes<LinearMap>(inputs, found, 256, &fields, nullptr, bits, 0, 1);
    if (std::memcmp(found, table, 256) == 0) {
      return true;
    }
  }
  return false;
#endif
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_BYTES_INL_HPP_
