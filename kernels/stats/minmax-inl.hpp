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
#include <limits>
#include <numeric>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Keys are made by an object. What it loads competes for the smallest as Low() has it, and for the
// largest as High() has it.

// An integer is its own key.
template <class T> struct IntegerKeys {
  using Value = T;
  using Key = T;
  using D = hn::ScalableTag<T>;
  static constexpr Key kLeast = std::numeric_limits<T>::min();
  static constexpr Key kMost = std::numeric_limits<T>::max();

  HWY_INLINE hn::Vec<D> Load(const Value *p) const { return hn::LoadU(D(), p); }
  HWY_INLINE hn::Vec<D> Low(hn::Vec<D> keys) const { return keys; }
  HWY_INLINE hn::Vec<D> High(hn::Vec<D> keys) const { return keys; }
  HWY_INLINE Key LowOf(const Value *p) const { return *p; }
  HWY_INLINE Key HighOf(const Value *p) const { return *p; }
};

// Integers of which one counts as nothing.
template <class T> class SkippingKeys : public IntegerKeys<T> {
public:
  using D = hn::ScalableTag<T>;

  explicit HWY_INLINE SkippingKeys(T skipped) : skipped_(skipped) {}
  HWY_INLINE hn::Vec<D> Low(hn::Vec<D> keys) const {
    return hn::IfThenElse(hn::Eq(keys, hn::Set(D(), skipped_)), hn::Set(D(), this->kMost), keys);
  }
  HWY_INLINE hn::Vec<D> High(hn::Vec<D> keys) const {
    return hn::IfThenElse(hn::Eq(keys, hn::Set(D(), skipped_)), hn::Set(D(), this->kLeast), keys);
  }
  HWY_INLINE T LowOf(const T *p) const { return *p == skipped_ ? this->kMost : *p; }
  HWY_INLINE T HighOf(const T *p) const { return *p == skipped_ ? this->kLeast : *p; }

private:
  T skipped_;
};

// An f32 as a two's complement integer: the bits below the sign are turned where it is set.
struct FloatKeys {
  using Value = float;
  using Key = int32_t;
  using D = hn::ScalableTag<int32_t>;
  static constexpr Key kLeast = INT32_MIN;
  static constexpr Key kMost = INT32_MAX;

  HWY_INLINE hn::Vec<D> Load(const Value *p) const {
    const D d;
    const auto bits = hn::BitCast(d, hn::LoadU(hn::Rebind<float, D>(), p));
    return hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(d, INT32_MAX)));
  }
  HWY_INLINE hn::Vec<D> Low(hn::Vec<D> keys) const { return keys; }
  HWY_INLINE hn::Vec<D> High(hn::Vec<D> keys) const { return keys; }
  HWY_INLINE Key LowOf(const Value *p) const { return Of(p); }
  HWY_INLINE Key HighOf(const Value *p) const { return Of(p); }

private:
  static HWY_INLINE Key Of(const Value *p) {
    Key bits;
    std::memcpy(&bits, p, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
  }
};

// Brings one value into the range [*low, *high].
template <class Keys>
HWY_INLINE void WidenByOne(const Keys &keys, const typename Keys::Value *p, typename Keys::Key *low,
                           typename Keys::Key *high) {
  *low = HWY_MIN(*low, keys.LowOf(p));
  *high = HWY_MAX(*high, keys.HighOf(p));
}

// kVectors vectors of columns side by side.
template <size_t kVectors, class Keys>
HWY_INLINE void WidenStrip(const Keys &keys, const typename Keys::Value *in, size_t rows,
                           ptrdiff_t stride, typename Keys::Key *low, typename Keys::Key *high) {
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
      const auto loaded = keys.Load(in + v * lanes);
      lows[v] = hn::Min(lows[v], keys.Low(loaded));
      highs[v] = hn::Max(highs[v], keys.High(loaded));
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(lows[v], d, low + v * lanes);
    hn::StoreU(highs[v], d, high + v * lanes);
  }
}

// Widens low[c] … high[c] by each column of rows that begin `stride` elements apart.
template <class Keys>
HWY_INLINE void MinMaxColumns(const Keys &keys, const typename Keys::Value *in, size_t rows,
                              ptrdiff_t stride, size_t columns, typename Keys::Key *low,
                              typename Keys::Key *high) {
  const size_t lanes = hn::Lanes(typename Keys::D());
  size_t c = 0;
  for (; c + 4 * lanes <= columns; c += 4 * lanes) {
    WidenStrip<4>(keys, in + c, rows, stride, low + c, high + c);
  }
  if (c + 3 * lanes <= columns) {
    WidenStrip<3>(keys, in + c, rows, stride, low + c, high + c);
    c += 3 * lanes;
  }
  for (; c + lanes <= columns; c += lanes) {
    WidenStrip<1>(keys, in + c, rows, stride, low + c, high + c);
  }
  if (c == columns) {
    return;
  }
  if (columns >= lanes) { // overlaps the vector before: nothing changes by being seen twice
    c = columns - lanes;
    WidenStrip<1>(keys, in + c, rows, stride, low + c, high + c);
    return;
  }
  for (size_t r = 0; r < rows; ++r, in += stride) {
    for (size_t i = 0; i < columns; ++i) {
      WidenByOne(keys, in + i, low + i, high + i);
    }
  }
}

// Brings keys of interleaved channels together by halves, while whole pixels remain: `whole` is a
// power of two times `channels`.
template <class Key>
HWY_INLINE void FoldKeys(Key *lows, Key *highs, size_t whole, size_t channels) {
  for (size_t half = whole / 2; half >= channels; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      lows[i] = HWY_MIN(lows[i], lows[half + i]);
      highs[i] = HWY_MAX(highs[i], highs[half + i]);
    }
  }
}

// Widens low[c] … high[c] by interleaved channels; in[0] belongs to channel 0. Vectors a period of
// whole vectors and whole pixels apart are columns. `scratch` holds kMinMaxScratch keys.
inline constexpr size_t kMinMaxChannels = 64; // the most
inline constexpr size_t kMinMaxScratch = 2 * 64 * kMinMaxChannels;
template <class Keys>
HWY_INLINE void MinMaxInterleaved(const Keys &keys, const typename Keys::Value *in, size_t pixels,
                                  size_t channels, typename Keys::Key *scratch,
                                  typename Keys::Key *low, typename Keys::Key *high) {
  const size_t lanes = hn::Lanes(typename Keys::D());
  // One channel: enough vectors for the latency of a comparison.
  const size_t whole = channels == 1 ? 4 * lanes : std::lcm(lanes, channels);
  const size_t periods = pixels * channels / whole;
  if (periods > 0 || (channels == 1 && pixels >= lanes)) {
    typename Keys::Key *lows = scratch;
    typename Keys::Key *highs = scratch + kMinMaxScratch / 2;
    for (size_t i = 0; i < whole; ++i) {
      lows[i] = Keys::kMost;
      highs[i] = Keys::kLeast;
    }
    MinMaxColumns(keys, in, periods, static_cast<ptrdiff_t>(whole), whole, lows, highs);
    size_t done = periods * whole;
    if (channels == 1) { // what is left, a vector at a time
      for (; done + lanes <= pixels; done += lanes) {
        WidenStrip<1>(keys, in + done, 1, 0, lows, highs);
      }
      if (done < pixels) {
        WidenStrip<1>(keys, in + pixels - lanes, 1, 0, lows, highs);
        done = pixels;
      }
    }
    FoldKeys(lows, highs, whole, channels);
    for (size_t c = 0; c < channels; ++c) {
      low[c] = HWY_MIN(low[c], lows[c]);
      high[c] = HWY_MAX(high[c], highs[c]);
    }
    in += done;
    pixels -= done / channels;
  }
  for (size_t p = 0; p < pixels; ++p, in += channels) {
    for (size_t c = 0; c < channels; ++c) {
      WidenByOne(keys, in + c, low + c, high + c);
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_MINMAX_INL_HPP_
