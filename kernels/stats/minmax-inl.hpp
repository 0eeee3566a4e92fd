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

// Keys are made by an object, whose Ends collect vectors of values, at least one, and are then
// asked for the smallest and the largest key of each lane.

// What the object loads competes for the smallest as Low() has it, for the largest as High() has
// it.
template <class Keys> struct KeyEnds {
  hn::Vec<typename Keys::D> low, high;

  HWY_INLINE KeyEnds()
      : low(hn::Set(typename Keys::D(), Keys::kMost)),
        high(hn::Set(typename Keys::D(), Keys::kLeast)) {}
  HWY_INLINE void Add(const Keys &keys, const typename Keys::Value *p) {
    const auto loaded = keys.Load(p);
    low = hn::Min(low, keys.Low(loaded));
    high = hn::Max(high, keys.High(loaded));
  }
  HWY_INLINE void Join(const KeyEnds &other) {
    low = hn::Min(low, other.low);
    high = hn::Max(high, other.high);
  }
  HWY_INLINE auto Low() const { return low; }
  HWY_INLINE auto High() const { return high; }
};

// An integer is its own key.
template <class T> struct IntegerKeys {
  using Ends = KeyEnds<IntegerKeys<T>>;
  using Value = T;
  using Key = T;
  using D = hn::ScalableTag<T>;
  static constexpr Key kLeast = std::numeric_limits<T>::min();
  static constexpr Key kMost = std::numeric_limits<T>::max();

  HWY_INLINE hn::Vec<D> Load(const Value *p) const { return hn::LoadU(D(), p); }
  HWY_INLINE hn::Vec<D> Low(hn::Vec<D> keys) const { return keys; }
  HWY_INLINE hn::Vec<D> High(hn::Vec<D> keys) const { return keys; }
};

// Integers of which one counts as nothing.
template <class T> class SkippingKeys : public IntegerKeys<T> {
public:
  using Ends = KeyEnds<SkippingKeys<T>>;
  using D = hn::ScalableTag<T>;

  explicit HWY_INLINE SkippingKeys(T skipped) : skipped_(skipped) {}
  HWY_INLINE hn::Vec<D> Low(hn::Vec<D> keys) const {
    return hn::IfThenElse(hn::Eq(keys, hn::Set(D(), skipped_)), hn::Set(D(), this->kMost), keys);
  }
  HWY_INLINE hn::Vec<D> High(hn::Vec<D> keys) const {
    return hn::IfThenElse(hn::Eq(keys, hn::Set(D(), skipped_)), hn::Set(D(), this->kLeast), keys);
  }

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

  static HWY_INLINE hn::Vec<D> Bits(const Value *p) {
    return hn::BitCast(D(), hn::LoadU(hn::Rebind<float, D>(), p));
  }
  static HWY_INLINE hn::Vec<D> Turn(hn::Vec<D> bits) {
    return hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(D(), INT32_MAX)));
  }

  // Of the bits as they are: the largest signed integer is the largest value unless all signs are
  // set, the largest unsigned one is the smallest value if a sign is set, and the smallest unsigned
  // one is what remains.
  struct Ends {
    using DU = hn::RebindToUnsigned<D>;
    hn::Vec<D> most_signed;
    hn::Vec<DU> most, least;

    HWY_INLINE Ends()
        : most_signed(hn::Set(D(), INT32_MIN)), most(hn::Zero(DU())),
          least(hn::Set(DU(), UINT32_MAX)) {}
    HWY_INLINE void Add(const FloatKeys & /*keys*/, const Value *p) {
      const auto bits = Bits(p);
      most_signed = hn::Max(most_signed, bits);
      most = hn::Max(most, hn::BitCast(DU(), bits));
      least = hn::Min(least, hn::BitCast(DU(), bits));
    }
    HWY_INLINE void Join(const Ends &other) {
      most_signed = hn::Max(most_signed, other.most_signed);
      most = hn::Max(most, other.most);
      least = hn::Min(least, other.least);
    }
    HWY_INLINE hn::Vec<D> Low() const {
      const auto bits = hn::BitCast(D(), most);
      const auto any_sign = hn::Lt(bits, hn::Zero(D()));
      return Turn(hn::IfThenElse(any_sign, bits, hn::BitCast(D(), least)));
    }
    HWY_INLINE hn::Vec<D> High() const {
      const auto all_signs = hn::Lt(most_signed, hn::Zero(D()));
      return Turn(hn::IfThenElse(all_signs, hn::BitCast(D(), least), most_signed));
    }
  };
};

// kVectors vectors of columns side by side; at least one row.
template <size_t kVectors, class Keys>
HWY_INLINE void WidenStrip(const Keys &keys, const typename Keys::Value *in, size_t rows,
                           ptrdiff_t stride, typename Keys::Key *low, typename Keys::Key *high) {
  const typename Keys::D d;
  const size_t lanes = hn::Lanes(d);
  typename Keys::Ends ends[kVectors];
  for (size_t r = 0; r < rows; ++r, in += stride) {
    for (size_t v = 0; v < kVectors; ++v) {
      ends[v].Add(keys, in + v * lanes);
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    typename Keys::Key *const lows = low + v * lanes;
    typename Keys::Key *const highs = high + v * lanes;
    hn::StoreU(hn::Min(hn::LoadU(d, lows), ends[v].Low()), d, lows);
    hn::StoreU(hn::Max(hn::LoadU(d, highs), ends[v].High()), d, highs);
  }
}

// As MinMaxColumns, of `columns` that fill less than a vector. Vectors reach into the next rows,
// but not beyond the last.
template <class Keys>
HWY_INLINE void WidenNarrow(const Keys &keys, const typename Keys::Value *in, size_t rows,
                            ptrdiff_t stride, size_t columns, typename Keys::Key *low,
                            typename Keys::Key *high) {
  const typename Keys::D d;
  const auto lanes = static_cast<ptrdiff_t>(hn::Lanes(d));
  constexpr size_t kMost = hn::MaxLanes(typename Keys::D());
  HWY_ALIGN typename Keys::Value rest[2 * kMost] = {};
  HWY_ALIGN typename Keys::Key lows[kMost];
  HWY_ALIGN typename Keys::Key highs[kMost];
  typename Keys::Ends ends;
  const ptrdiff_t last = static_cast<ptrdiff_t>(rows - 1) * stride;
  const ptrdiff_t end = last + static_cast<ptrdiff_t>(columns);
  size_t r = 0;
  for (; r < rows && static_cast<ptrdiff_t>(r) * stride + lanes <= end; ++r) {
    ends.Add(keys, in + static_cast<ptrdiff_t>(r) * stride);
  }
  const ptrdiff_t done = static_cast<ptrdiff_t>(r) * stride;
  if (r < rows) {
    std::memcpy(rest, in + done, static_cast<size_t>(end - done) * sizeof(*rest));
  }
  for (; r < rows; ++r) {
    ends.Add(keys, rest + static_cast<ptrdiff_t>(r) * stride - done);
  }
  hn::Store(ends.Low(), d, lows);
  hn::Store(ends.High(), d, highs);
  for (size_t i = 0; i < columns; ++i) {
    low[i] = HWY_MIN(low[i], lows[i]);
    high[i] = HWY_MAX(high[i], highs[i]);
  }
}

// Widens low[c] … high[c] by each column of rows that begin `stride` elements apart.
template <class Keys>
HWY_INLINE void MinMaxColumns(const Keys &keys, const typename Keys::Value *in, size_t rows,
                              ptrdiff_t stride, size_t columns, typename Keys::Key *low,
                              typename Keys::Key *high) {
  if (rows == 0) {
    return;
  }
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
  WidenNarrow(keys, in, rows, stride, columns, low, high);
}

// The smallest and largest lanes. Bytes are compared in pairs first: Highway has no such operation
// for them.
template <class T, class D> HWY_INLINE T LowestLane(D d, hn::Vec<D> v) {
  if constexpr (sizeof(T) == 1 && hn::MaxLanes(D()) > 1) {
    const hn::Repartition<uint16_t, D> d16;
    const auto pairs = hn::BitCast(d16, v);
    const auto low = hn::Min(hn::And(pairs, hn::Set(d16, 0xFF)), hn::ShiftRight<8>(pairs));
    return static_cast<T>(hn::GetLane(hn::MinOfLanes(d16, low)));
  } else {
    return hn::GetLane(hn::MinOfLanes(d, v));
  }
}
template <class T, class D> HWY_INLINE T HighestLane(D d, hn::Vec<D> v) {
  if constexpr (sizeof(T) == 1 && hn::MaxLanes(D()) > 1) {
    const hn::Repartition<uint16_t, D> d16;
    const auto pairs = hn::BitCast(d16, v);
    const auto high = hn::Max(hn::And(pairs, hn::Set(d16, 0xFF)), hn::ShiftRight<8>(pairs));
    return static_cast<T>(hn::GetLane(hn::MaxOfLanes(d16, high)));
  } else {
    return hn::GetLane(hn::MaxOfLanes(d, v));
  }
}

// Widens *low … *high by a dense run; the last vector overlaps.
template <class Keys>
HWY_INLINE void MinMaxDense(const Keys &keys, const typename Keys::Value *in, size_t n,
                            typename Keys::Key *low, typename Keys::Key *high) {
  using Key = typename Keys::Key;
  const typename Keys::D d;
  const size_t lanes = hn::Lanes(d);
  constexpr size_t kVectors = 4; // for the latency of a comparison
  typename Keys::Ends ends[kVectors];
  HWY_ALIGN typename Keys::Value few[hn::MaxLanes(typename Keys::D())];
  if (n < lanes) { // filled up with the first
    for (size_t i = 0; i < lanes; ++i) {
      few[i] = in[i < n ? i : 0];
    }
    in = few;
    n = lanes;
  }
  size_t at = 0;
  for (; at + kVectors * lanes <= n; at += kVectors * lanes) {
    for (size_t v = 0; v < kVectors; ++v) {
      ends[v].Add(keys, in + at + v * lanes);
    }
  }
  for (; at < n; at += lanes) {
    ends[0].Add(keys, in + HWY_MIN(at, n - lanes));
  }
  for (size_t v = 1; v < kVectors; ++v) {
    ends[0].Join(ends[v]);
  }
  *low = HWY_MIN(*low, (LowestLane<Key>(d, ends[0].Low())));
  *high = HWY_MAX(*high, (HighestLane<Key>(d, ends[0].High())));
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
  if (pixels == 0) {
    return;
  }
  if (channels == 1) {
    return MinMaxDense(keys, in, pixels, low, high);
  }
  const size_t whole = std::lcm(lanes, channels);
  const size_t phases = whole / lanes;
  const size_t strips = (channels + lanes - 1) / lanes;
  const size_t periods = pixels * channels / whole;
  // Joining takes as long as some vectors.
  if (periods == 0 || pixels * strips <= (periods + 3) * phases + 16) {
    return MinMaxColumns(keys, in, pixels, static_cast<ptrdiff_t>(channels), channels, low, high);
  }
  typename Keys::Key *lows = scratch;
  typename Keys::Key *highs = scratch + kMinMaxScratch / 2;
  for (size_t i = 0; i < whole; ++i) {
    lows[i] = Keys::kMost;
    highs[i] = Keys::kLeast;
  }
  MinMaxColumns(keys, in, periods, static_cast<ptrdiff_t>(whole), whole, lows, highs);
  if (periods * whole < pixels * channels) { // the last period overlaps
    MinMaxColumns(keys, in + pixels * channels - whole, 1, 0, whole, lows, highs);
  }
  FoldKeys(lows, highs, whole, channels);
  for (size_t c = 0; c < channels; ++c) {
    low[c] = HWY_MIN(low[c], lows[c]);
    high[c] = HWY_MAX(high[c], highs[c]);
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_MINMAX_INL_HPP_
