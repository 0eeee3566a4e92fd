// Lookups in 256-entry tables. Included once per SIMD target.
//
// Bytes are looked up in registers. With byte shuffles of 16 entries, a half of the table is a
// chain of eight: the index falls by 16 from row to row, and a row counts while it is not
// negative, so that the rows' differences add up to the entry. Indices of the other half are
// negative from the start, and signed saturation keeps them there. With the 128-entry permutation
// of AVX-512 VBMI, a table is two instructions and a blend; with the 64-entry lookup of 64-bit Arm,
// which keeps what it has for indices beyond them, it is four and three subtractions.
//
// A kernel sees dense, element-aligned runs and reads no more of a table than its 256 entries.
// Nothing outside [0, n) is read or written, and `out` may equal `in` where both are bytes.
#if defined(SWITCHYARD_KERNELS_LUT_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_LUT_INL_HPP_
#undef SWITCHYARD_KERNELS_LUT_INL_HPP_
#else
#define SWITCHYARD_KERNELS_LUT_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

#include "kernels/lut/tables.hpp"
#include "kernels/pointwise/few-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#define SWITCHYARD_LUT_PERMUTES (HWY_TARGET == HWY_AVX3_DL)
#define SWITCHYARD_LUT_QUARTERS (HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)
// The chain needs what x86's shuffle makes of indices beyond 15: those below 128 count modulo 16.
#define SWITCHYARD_LUT_SHUFFLES                                                                    \
  (HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !SWITCHYARD_LUT_PERMUTES)
#define SWITCHYARD_LUT_VECTORS                                                                     \
  (SWITCHYARD_LUT_PERMUTES || SWITCHYARD_LUT_QUARTERS || SWITCHYARD_LUT_SHUFFLES)

// Fills what this target reads besides `entries`.
HWY_INLINE void PrepareBytes(ByteTable &table) {
#if SWITCHYARD_LUT_SHUFFLES
  for (size_t half = 0; half < 256; half += 128) {
    std::memcpy(table.steps + half, table.entries + half, 16);
    for (size_t x = half + 16; x < half + 128; ++x) {
      table.steps[x] = static_cast<uint8_t>(table.entries[x] ^ table.entries[x - 16]);
    }
  }
#else
  (void)table;
#endif
}

HWY_INLINE void LookUpEach(const uint8_t *in, uint8_t *out, size_t n, const ByteTable *tables,
                           size_t phase, size_t period) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = tables[phase].entries[in[i]];
    phase = phase + 1 == period ? 0 : phase + 1;
  }
}

#if SWITCHYARD_LUT_VECTORS

using DB = hn::ScalableTag<uint8_t>;
using VB = hn::Vec<DB>;

#if SWITCHYARD_LUT_PERMUTES
class ByteLookup {
public:
  explicit HWY_INLINE ByteLookup(const ByteTable &table) : ByteLookup(table.entries) {}
  explicit HWY_INLINE ByteLookup(const uint8_t *entries)
      : a_(hn::LoadU(DB(), entries)), b_(hn::LoadU(DB(), entries + 64)),
        c_(hn::LoadU(DB(), entries + 128)), e_(hn::LoadU(DB(), entries + 192)) {}

  // Replaces U vectors of indices by their entries.
  template <size_t U> HWY_INLINE void operator()(VB (&x)[U]) const {
    for (size_t u = 0; u < U; ++u) {
      const VB low{_mm512_permutex2var_epi8(a_.raw, x[u].raw, b_.raw)};
      const VB high{_mm512_permutex2var_epi8(c_.raw, x[u].raw, e_.raw)};
      x[u] = hn::IfThenElse(hn::MaskFromVec(x[u]), high, low); // by the highest bit
    }
  }

private:
  VB a_, b_, c_, e_;
};
#elif SWITCHYARD_LUT_QUARTERS
class ByteLookup {
public:
  explicit HWY_INLINE ByteLookup(const ByteTable &table)
      : a_(vld1q_u8_x4(table.entries)), b_(vld1q_u8_x4(table.entries + 64)),
        c_(vld1q_u8_x4(table.entries + 128)), e_(vld1q_u8_x4(table.entries + 192)) {}

  template <size_t U> HWY_INLINE void operator()(VB (&x)[U]) const {
    const uint8x16_t quarter = vdupq_n_u8(64);
    for (size_t u = 0; u < U; ++u) {
      uint8x16_t index = x[u].raw; // less than 64 in one quarter alone: it wraps around
      uint8x16_t found = vqtbl4q_u8(a_, index);
      index = vsubq_u8(index, quarter);
      found = vqtbx4q_u8(found, b_, index);
      index = vsubq_u8(index, quarter);
      found = vqtbx4q_u8(found, c_, index);
      index = vsubq_u8(index, quarter);
      x[u] = VB(vqtbx4q_u8(found, e_, index));
    }
  }

private:
  uint8x16x4_t a_, b_, c_, e_;
};
#else
class ByteLookup {
public:
  explicit HWY_INLINE ByteLookup(const ByteTable &table) : steps_(table.steps) {}

  template <size_t U> HWY_INLINE void operator()(VB (&x)[U]) const {
    const DB d;
    VB found[U];
    for (size_t u = 0; u < U; ++u) {
      found[u] = hn::Zero(d);
    }
    AddHalf(steps_, x, found);
    for (size_t u = 0; u < U; ++u) {
      x[u] = hn::Xor(x[u], hn::Set(d, uint8_t{0x80}));
    }
    AddHalf(steps_ + 128, x, found);
    for (size_t u = 0; u < U; ++u) {
      x[u] = found[u];
    }
  }

private:
  template <size_t U>
  static HWY_INLINE void AddHalf(const uint8_t *steps, const VB (&x)[U], VB (&found)[U]) {
    const DB d;
    const hn::RebindToSigned<DB> di;
    hn::Vec<hn::RebindToSigned<DB>> index[U];
    for (size_t u = 0; u < U; ++u) {
      index[u] = hn::BitCast(di, x[u]);
    }
    for (size_t row = 0; row < 8; ++row) {
      const VB step = hn::LoadDup128(d, steps + 16 * row);
      for (size_t u = 0; u < U; ++u) {
        const VB part = hn::TableLookupBytesOr0(step, hn::BitCast(d, index[u]));
        found[u] = hn::Xor(found[u], part);
        index[u] = hn::SaturatedSub(index[u], hn::Set(di, int8_t{16}));
      }
    }
  }

  const uint8_t *steps_;
};
#endif

// U vectors at `in`, all in one table.
template <size_t U>
HWY_INLINE void LookUpBlock(const uint8_t *in, uint8_t *out, const ByteLookup &lookup) {
  const DB d;
  VB x[U];
  for (size_t u = 0; u < U; ++u) {
    x[u] = hn::LoadU(d, in + u * hn::Lanes(d));
  }
  lookup(x);
  for (size_t u = 0; u < U; ++u) {
    hn::StoreU(x[u], d, out + u * hn::Lanes(d));
  }
}

// A vector of pixels of C interleaved channels, each in its own table.
template <size_t C> struct PixelBlock;
template <> struct PixelBlock<2> {
  static HWY_INLINE void Run(const uint8_t *in, uint8_t *out, const ByteLookup (&lookup)[2]) {
    const DB d;
    VB x[2][1];
    hn::LoadInterleaved2(d, in, x[0][0], x[1][0]);
    lookup[0](x[0]);
    lookup[1](x[1]);
    hn::StoreInterleaved2(x[0][0], x[1][0], d, out);
  }
};
template <> struct PixelBlock<3> {
  static HWY_INLINE void Run(const uint8_t *in, uint8_t *out, const ByteLookup (&lookup)[3]) {
    const DB d;
    VB x[3][1];
    hn::LoadInterleaved3(d, in, x[0][0], x[1][0], x[2][0]);
    lookup[0](x[0]);
    lookup[1](x[1]);
    lookup[2](x[2]);
    hn::StoreInterleaved3(x[0][0], x[1][0], x[2][0], d, out);
  }
};
template <> struct PixelBlock<4> {
  static HWY_INLINE void Run(const uint8_t *in, uint8_t *out, const ByteLookup (&lookup)[4]) {
    const DB d;
    VB x[4][1];
    hn::LoadInterleaved4(d, in, x[0][0], x[1][0], x[2][0], x[3][0]);
    lookup[0](x[0]);
    lookup[1](x[1]);
    lookup[2](x[2]);
    lookup[3](x[3]);
    hn::StoreInterleaved4(x[0][0], x[1][0], x[2][0], x[3][0], d, out);
  }
};

// Runs `block` over whole blocks of `size` bytes and the rest, which passes through buffers so
// that an in-place call looks nothing up twice.
template <size_t kMaxSize, class Block>
HWY_INLINE void ForBlocks(const uint8_t *in, uint8_t *out, size_t n, size_t size, Block block) {
  size_t i = 0;
  for (; i + size <= n; i += size) {
    block(in + i, out + i);
  }
  if (i < n) {
    HWY_ALIGN uint8_t tail_in[kMaxSize] = {};
    HWY_ALIGN uint8_t tail_out[kMaxSize];
    CopyFew(tail_in, in + i, n - i);
    block(tail_in, tail_out);
    CopyFew(out + i, tail_out, n - i);
  }
}

// Fewer elements are looked up one by one.
inline constexpr size_t kShortest = 16;

// The last vector overlaps the one before. It is looked up first, since `out` may be `in`.
HWY_INLINE void LookUpVectors(const uint8_t *in, uint8_t *out, size_t n, const ByteLookup &lookup) {
  constexpr size_t kVectors = 4;
  const DB d;
  const size_t lanes = hn::Lanes(d);
  const size_t block = kVectors * lanes;
  const size_t end = n - lanes;
  VB last[1] = {hn::LoadU(d, in + end)};
  lookup(last);
  size_t i = 0;
  for (; i + block <= n; i += block) {
    LookUpBlock<kVectors>(in + i, out + i, lookup);
  }
  for (; i < end; i += lanes) {
    LookUpBlock<1>(in + i, out + i, lookup);
  }
  if (i < n) {
    hn::StoreU(last[0], d, out + end);
  }
}

HWY_INLINE void LookUpShared(const uint8_t *in, uint8_t *out, size_t n, const ByteTable &table) {
  if (n < kShortest) {
    return LookUpEach(in, out, n, &table, 0, 1);
  }
  const ByteLookup lookup(table);
  if (n >= hn::Lanes(DB())) {
    return LookUpVectors(in, out, n, lookup);
  }
  ForBlocks<hn::MaxLanes(DB())>(in, out, n, hn::Lanes(DB()),
                                [&](const uint8_t *from, uint8_t *to)
                                    HWY_ATTR { LookUpBlock<1>(from, to, lookup); });
}

template <size_t C>
HWY_INLINE void LookUpPixels(const uint8_t *in, uint8_t *out, size_t n,
                             const ByteLookup (&lookup)[C]) {
  ForBlocks<C * hn::MaxLanes(DB())>(in, out, n, C * hn::Lanes(DB()),
                                    [&](const uint8_t *from, uint8_t *to)
                                        HWY_ATTR { PixelBlock<C>::Run(from, to, lookup); });
}

// Elements up to the first whole pixel one by one, the rest as pixels.
HWY_INLINE void LookUpPeriodic(const uint8_t *in, uint8_t *out, size_t n, const ByteTable *tables,
                               size_t phase, size_t period) {
  const size_t to_pixel = phase == 0 ? 0 : period - phase;
  const size_t head = to_pixel < n ? to_pixel : n;
  LookUpEach(in, out, head, tables, phase, period);
  in += head;
  out += head;
  n -= head;
  if (n < kShortest) {
    LookUpEach(in, out, n, tables, 0, period);
  } else if (period == 2) {
    LookUpPixels<2>(in, out, n, {ByteLookup(tables[0]), ByteLookup(tables[1])});
  } else if (period == 3) {
    LookUpPixels<3>(in, out, n,
                    {ByteLookup(tables[0]), ByteLookup(tables[1]), ByteLookup(tables[2])});
  } else {
    LookUpPixels<4>(in, out, n,
                    {ByteLookup(tables[0]), ByteLookup(tables[1]), ByteLookup(tables[2]),
                     ByteLookup(tables[3])});
  }
}

#endif // SWITCHYARD_LUT_VECTORS

// Whether tables are read as they lie, by LookUpEntries(), with nothing to prepare.
HWY_INLINE bool ReadsEntries() {
  return SWITCHYARD_LUT_PERMUTES != 0;
}

// out[i] = entries[in[i]], of 256 entries at any address.
HWY_INLINE void LookUpEntries(const uint8_t *in, uint8_t *out, size_t n, const uint8_t *entries) {
#if SWITCHYARD_LUT_PERMUTES
  if (n >= hn::Lanes(DB())) {
    return LookUpVectors(in, out, n, ByteLookup(entries));
  }
#endif
  for (size_t i = 0; i < n; ++i) {
    out[i] = entries[in[i]];
  }
}

// out[i] = tables[c].entries[in[i]], where c is `phase` for a period of 1, else
// (phase + i) mod period; the period is at most 4.
HWY_INLINE void LookUpBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteTable *tables,
                            size_t phase, size_t period) {
#if SWITCHYARD_LUT_VECTORS
  if (period == 1) {
    LookUpShared(in, out, n, tables[phase]);
  } else {
    LookUpPeriodic(in, out, n, tables, phase, period);
  }
#else
  if (period == 1) {
    LookUpEach(in, out, n, tables + phase, 0, 1);
  } else {
    LookUpEach(in, out, n, tables, phase, period);
  }
#endif
}

using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<int32_t>;

// Vectors that one step of a gather handles.
inline constexpr size_t kGatherUnroll = 4;

// One gathered vector: entry in[i] · scale + offsets[i] of `table`; without a scale, entry in[i].
template <bool kScaled>
HWY_INLINE hn::Vec<DF> GatherOne(const uint8_t *in, const float *table, hn::Vec<DI> scale,
                                 const int32_t *offsets) {
  const hn::Rebind<uint8_t, DI> du8;
  auto index = hn::PromoteTo(DI(), hn::LoadU(du8, in));
  if (kScaled) {
    index = hn::Add(hn::Mul(index, scale), hn::LoadU(DI(), offsets));
  }
  return hn::GatherIndex(DF(), table, index);
}

// Entries by gathers, with the bits they have. `offsets` repeats with `period` and goes on for
// kGatherUnroll vectors beyond it. The last vector overlaps the one before: `out` is no input.
template <bool kScaled>
HWY_INLINE void GatherFloats(const uint8_t *in, float *out, size_t n, const float *table,
                             int32_t scale, const int32_t *offsets, size_t phase, size_t period) {
  const size_t lanes = hn::Lanes(DF());
  const size_t block = kGatherUnroll * lanes;
  const auto scales = hn::Set(DI(), scale);
  const auto one = [&](size_t i, size_t at_phase) HWY_ATTR {
    hn::StoreU(GatherOne<kScaled>(in + i, table, scales, offsets + at_phase), DF(), out + i);
  };
  if (n < lanes) {
    for (size_t i = 0; i < n; ++i) {
      const int32_t index = kScaled ? in[i] * scale + offsets[phase + i] : in[i];
      std::memcpy(out + i, table + index, sizeof(float));
    }
    return;
  }
  size_t i = 0;
  size_t at_phase = phase;
  for (; i + block <= n; i += block) {
    for (size_t u = 0; u < block; u += lanes) {
      one(i + u, at_phase + u);
    }
    at_phase = (at_phase + block) % period;
  }
  for (; i < n; i += lanes) {
    const size_t at = HWY_MIN(i, n - lanes);
    one(at, (phase + at) % period);
  }
}

#if SWITCHYARD_LUT_PERMUTES

// The four bytes of each entry are looked up on their own and interleaved.
HWY_INLINE void LookUpPlanes(const uint8_t *in, float *out, size_t n, const FloatTable &table) {
  const DB d;
  const ByteLookup planes[4] = {ByteLookup(table.planes[0]), ByteLookup(table.planes[1]),
                                ByteLookup(table.planes[2]), ByteLookup(table.planes[3])};
  const auto block = [&](const uint8_t *from, uint8_t *to) HWY_ATTR {
    const VB x = hn::LoadU(d, from);
    VB byte[4][1] = {{x}, {x}, {x}, {x}};
    for (size_t plane = 0; plane < 4; ++plane) {
      planes[plane](byte[plane]);
    }
    hn::StoreInterleaved4(byte[0][0], byte[1][0], byte[2][0], byte[3][0], d, to);
  };
  auto *bytes = reinterpret_cast<uint8_t *>(out);
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(out + i, table.entries + in[i], sizeof(float));
    }
    return;
  }
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    block(in + i, bytes + 4 * i);
  }
  if (i < n) { // overlaps the block before: `out` is no input
    block(in + n - lanes, bytes + 4 * (n - lanes));
  }
}

#endif // SWITCHYARD_LUT_PERMUTES

// Fills what this target reads besides `entries`.
HWY_INLINE void PrepareFloats(FloatTable &table) {
#if SWITCHYARD_LUT_PERMUTES
  const DB d;
  const auto *bytes = reinterpret_cast<const uint8_t *>(table.entries);
  for (size_t x = 0; x < 256; x += hn::Lanes(d)) {
    VB a, b, c, e;
    hn::LoadInterleaved4(d, bytes + 4 * x, a, b, c, e);
    hn::Store(a, d, table.planes[0].entries + x);
    hn::Store(b, d, table.planes[1].entries + x);
    hn::Store(c, d, table.planes[2].entries + x);
    hn::Store(e, d, table.planes[3].entries + x);
  }
#else
  (void)table;
#endif
}

// out[i] = table.entries[in[i]].
HWY_INLINE void LookUpFloats(const uint8_t *in, float *out, size_t n, const FloatTable &table) {
#if SWITCHYARD_LUT_PERMUTES
  LookUpPlanes(in, out, n, table);
#else
  GatherFloats<false>(in, out, n, table.entries, 1, nullptr, 0, 1);
#endif
}

#undef SWITCHYARD_LUT_PERMUTES
#undef SWITCHYARD_LUT_QUARTERS
#undef SWITCHYARD_LUT_SHUFFLES
#undef SWITCHYARD_LUT_VECTORS

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_LUT_INL_HPP_
