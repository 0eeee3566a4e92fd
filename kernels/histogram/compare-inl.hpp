// Counting labels by comparing vectors of them with every bin: for few bins. Included once per SIMD
// target.
#if defined(SWITCHYARD_KERNELS_HISTOGRAM_COMPARE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_HISTOGRAM_COMPARE_INL_HPP_
#undef SWITCHYARD_KERNELS_HISTOGRAM_COMPARE_INL_HPP_
#else
#define SWITCHYARD_KERNELS_HISTOGRAM_COMPARE_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A lane of bytes holds so many vectors' counts.
inline constexpr size_t kVectorsPerCount = 128;

// Adds to counts[b] how many elements of `vectors` ≤ kVectorsPerCount vectors are first + b.
template <size_t kBins, class T>
HWY_INLINE void CountBins(const T *in, size_t vectors, size_t first, uint64_t *counts) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  V bins[kBins];
  V found[kBins]; // less 1 for each
  for (size_t b = 0; b < kBins; ++b) {
    bins[b] = hn::Set(d, static_cast<T>(first + b));
    found[b] = hn::Zero(d);
  }
  for (size_t v = 0; v < vectors; ++v) {
    const V labels = hn::LoadU(d, in + v * kLanes);
    for (size_t b = 0; b < kBins; ++b) {
      found[b] = hn::Add(found[b], hn::VecFromMask(d, hn::Eq(labels, bins[b])));
    }
  }
  HWY_ALIGN T lanes[kLanes];
  for (size_t b = 0; b < kBins; ++b) {
    hn::Store(hn::Sub(hn::Zero(d), found[b]), d, lanes);
    for (const T lane : lanes) {
      counts[b] += static_cast<uint64_t>(lane);
    }
  }
}

// Adds to counts[b], b < bins ≤ 127, how many of in[0, n) are b. Other values count nowhere.
template <class T>
HWY_INLINE void CountByComparing(const T *in, size_t n, size_t bins, uint64_t *counts) {
  constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  const size_t vectors = n / kLanes;
  for (size_t from = 0; from < vectors; from += kVectorsPerCount) {
    const T *block = in + from * kLanes;
    const size_t count = HWY_MIN(kVectorsPerCount, vectors - from);
    size_t b = 0;
    for (; b + 8 <= bins; b += 8) {
      CountBins<8>(block, count, b, counts + b);
    }
    for (; b + 2 <= bins; b += 2) {
      CountBins<2>(block, count, b, counts + b);
    }
    if (b < bins) {
      CountBins<1>(block, count, b, counts + b);
    }
  }
  for (size_t i = vectors * kLanes; i < n; ++i) {
    const auto label = static_cast<uint64_t>(in[i]);
    if (label < bins) {
      ++counts[label];
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_HISTOGRAM_COMPARE_INL_HPP_
