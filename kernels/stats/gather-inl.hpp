// Copies evenly spaced elements to a dense run. Included once per SIMD target.
#if defined(SWITCHYARD_KERNELS_STATS_GATHER_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_STATS_GATHER_INL_HPP_
#undef SWITCHYARD_KERNELS_STATS_GATHER_INL_HPP_
#else
#define SWITCHYARD_KERNELS_STATS_GATHER_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The first of kStride interleaved channels, for as many vectors as lie between the first and the
// last element; returns how many elements those were. What lies between two elements is read, what
// lies beyond the last is not.
template <size_t kStride, class T> HWY_INLINE size_t GatherVectors(const T *in, size_t n, T *out) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t done = 0;
  for (; done + lanes < n; done += lanes, in += kStride * lanes) {
    hn::Vec<decltype(d)> first;
    hn::Vec<decltype(d)> second;
    if constexpr (kStride == 2) {
      hn::LoadInterleaved2(d, in, first, second);
    } else if constexpr (kStride == 3) {
      hn::Vec<decltype(d)> third;
      hn::LoadInterleaved3(d, in, first, second, third);
    } else {
      hn::Vec<decltype(d)> third;
      hn::Vec<decltype(d)> fourth;
      hn::LoadInterleaved4(d, in, first, second, third, fourth);
    }
    hn::StoreU(first, d, out + done);
  }
  return done;
}

// out[k] = the element `stride` bytes · k behind `from`, for k < n.
template <class T>
HWY_INLINE void GatherElements(const std::byte *from, ptrdiff_t stride, T *out, size_t n) {
  constexpr ptrdiff_t kSize = sizeof(T);
  size_t done = 0;
  if (reinterpret_cast<std::uintptr_t>(from) % alignof(T) == 0) {
    const T *in = reinterpret_cast<const T *>(from);
    done = stride == 2 * kSize   ? GatherVectors<2>(in, n, out)
           : stride == 3 * kSize ? GatherVectors<3>(in, n, out)
           : stride == 4 * kSize ? GatherVectors<4>(in, n, out)
                                 : 0;
  }
  from += static_cast<ptrdiff_t>(done) * stride;
  for (; done < n; ++done, from += stride) {
    std::memcpy(out + done, from, sizeof(T));
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_GATHER_INL_HPP_
