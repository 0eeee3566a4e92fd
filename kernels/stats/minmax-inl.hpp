// Smallest and largest values in one pass. Included once per SIMD target.
//
// Values are compared as integer keys in which −0 < +0 and a NaN lies beyond the infinity of its
// sign. So results depend on neither order nor target, and a NaN anywhere shows in the keys.
#if defined(SWITCHYARD_KERNELS_STATS_MINMAX_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_STATS_MINMAX_INL_HPP_
#undef SWITCHYARD_KERNELS_STATS_MINMAX_INL_HPP_
#else
#define SWITCHYARD_KERNELS_STATS_MINMAX_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A byte is its own key.
struct ByteKeys {
  using Value = uint8_t;
  using Key = uint8_t;
  using D = hn::ScalableTag<uint8_t>;
  static constexpr Key kLeast = 0;
  static constexpr Key kMost = 255;

  static HWY_INLINE hn::Vec<D> Load(const Value *p) { return hn::LoadU(D(), p); }
  static HWY_INLINE Key Of(const Value *p) { return *p; }
};

// An f32 as a two's complement integer: the bits below the sign are turned where it is set.
struct FloatKeys {
  using Value = float;
  using Key = int32_t;
  using D = hn::ScalableTag<int32_t>;
  static constexpr Key kLeast = INT32_MIN;
  static constexpr Key kMost = INT32_MAX;

  static HWY_INLINE hn::Vec<D> Load(const Value *p) {
    const D d;
    const auto bits = hn::BitCast(d, hn::LoadU(hn::Rebind<float, D>(), p));
    return hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(d, INT32_MAX)));
  }
  static HWY_INLINE Key Of(const Value *p) {
    Key bits;
    std::memcpy(&bits, p, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
  }
};

// Brings one value into the range [*low, *high].
template <class Keys>
HWY_INLINE void WidenByOne(const typename Keys::Value *p, typename Keys::Key *low,
                           typename Keys::Key *high) {
  const typename Keys::Key key = Keys::Of(p);
  *low = HWY_MIN(*low, key);
  *high = HWY_MAX(*high, key);
}

// kVectors vectors of columns side by side.
template <class Keys, size_t kVectors>
HWY_INLINE void WidenStrip(const typename Keys::Value *in, size_t rows, ptrdiff_t stride,
                           typename Keys::Key *low, typename Keys::Key *high) {
  const typename Keys::D d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<typename Keys::D> lows[kVectors];
  hn::Vec<typename Keys::D> highs[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    lows[v] = hn::LoadU(d, low + v * lanes);
    highs[v] = hn::LoadU(d, high + v * lanes);
  }
  for (size_t r = 0; r < rows; ++r, in += stride) {
    for (size_t v = 0; v < kVectors; ++v) {
      const auto keys = Keys::Load(in + v * lanes);
      lows[v] = hn::Min(lows[v], keys);
      highs[v] = hn::Max(highs[v], keys);
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(lows[v], d, low + v * lanes);
    hn::StoreU(highs[v], d, high + v * lanes);
  }
}

// Widens low[c] … high[c] by each column of rows that begin `stride` elements apart.
template <class Keys>
HWY_INLINE void MinMaxColumns(const typename Keys::Value *in, size_t rows, ptrdiff_t stride,
                              size_t columns, typename Keys::Key *low, typename Keys::Key *high) {
  const size_t lanes = hn::Lanes(typename Keys::D());
  size_t c = 0;
  for (; c + 4 * lanes <= columns; c += 4 * lanes) {
    WidenStrip<Keys, 4>(in + c, rows, stride, low + c, high + c);
  }
  if (c + 3 * lanes <= columns) {
    WidenStrip<Keys, 3>(in + c, rows, stride, low + c, high + c);
    c += 3 * lanes;
  }
  for (; c + lanes <= columns; c += lanes) {
    WidenStrip<Keys, 1>(in + c, rows, stride, low + c, high + c);
  }
  if (c == columns) {
    return;
  }
  if (columns >= lanes) { // overlaps the vector before: nothing changes by being seen twice
    c = columns - lanes;
    WidenStrip<Keys, 1>(in + c, rows, stride, low + c, high + c);
    return;
  }
  for (size_t r = 0; r < rows; ++r, in += stride) {
    for (size_t i = 0; i < columns; ++i) {
      WidenByOne<Keys>(in + i, low + i, high + i);
    }
  }
}

// Widens low[c] … high[c] by interleaved channels; in[0] belongs to channel 0. Vectors a period of
// whole vectors and whole pixels apart are columns. `scratch` holds kMinMaxScratch keys.
inline constexpr size_t kMinMaxChannels = 64; // the most
inline constexpr size_t kMinMaxScratch = 2 * 64 * kMinMaxChannels;
template <class Keys>
HWY_INLINE void MinMaxInterleaved(const typename Keys::Value *in, size_t pixels, size_t channels,
                                  typename Keys::Key *scratch, typename Keys::Key *low,
                                  typename Keys::Key *high) {
  const size_t lanes = hn::Lanes(typename Keys::D());
  // One channel: enough vectors for the latency of a comparison.
  const size_t whole = channels == 1 ? 4 * lanes : std::lcm(lanes, channels);
  const size_t periods = pixels * channels / whole;
  if (periods > 0) {
    typename Keys::Key *lows = scratch;
    typename Keys::Key *highs = scratch + kMinMaxScratch / 2;
    for (size_t i = 0; i < whole; ++i) {
      lows[i] = Keys::kMost;
      highs[i] = Keys::kLeast;
    }
    MinMaxColumns<Keys>(in, periods, static_cast<ptrdiff_t>(whole), whole, lows, highs);
    for (size_t i = 0; i < whole; i += channels) {
      for (size_t c = 0; c < channels; ++c) {
        low[c] = HWY_MIN(low[c], lows[i + c]);
        high[c] = HWY_MAX(high[c], highs[i + c]);
      }
    }
  }
  const size_t done = periods * whole / channels;
  in += done * channels;
  for (size_t p = done; p < pixels; ++p, in += channels) {
    for (size_t c = 0; c < channels; ++c) {
      WidenByOne<Keys>(in + c, low + c, high + c);
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_MINMAX_INL_HPP_
