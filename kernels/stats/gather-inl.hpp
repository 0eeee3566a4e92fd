// Copies evenly spaced elements, and rows of them, to dense ones. Included once per SIMD target.
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

// One vector of channel kChannel of kStride interleaved ones.
template <size_t kStride, size_t kChannel, class D>
HWY_INLINE hn::Vec<D> LoadChannel(D d, const hn::TFromD<D> *in) {
  hn::Vec<D> channels[4];
  if constexpr (kStride == 2) {
    hn::LoadInterleaved2(d, in, channels[0], channels[1]);
  } else if constexpr (kStride == 3) {
    hn::LoadInterleaved3(d, in, channels[0], channels[1], channels[2]);
  } else {
    hn::LoadInterleaved4(d, in, channels[0], channels[1], channels[2], channels[3]);
  }
  return channels[kChannel];
}

// Every kStride-th element, of more than a vector. What lies between two elements is read, what
// lies before the first or beyond the last is not: the last vector is that of the last channel.
template <size_t kStride, class T> HWY_INLINE void GatherVectors(const T *in, size_t n, T *out) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t done = 0; done + lanes < n; done += lanes) {
    hn::StoreU(LoadChannel<kStride, 0>(d, in + kStride * done), d, out + done);
  }
  const size_t at = n - lanes;
  hn::StoreU(LoadChannel<kStride, kStride - 1>(d, in + kStride * at - (kStride - 1)), d, out + at);
}

template <class T> HWY_INLINE bool IsAligned(const std::byte *from, ptrdiff_t stride) {
  return (reinterpret_cast<std::uintptr_t>(from) | static_cast<std::uintptr_t>(stride)) %
             alignof(T) ==
         0;
}

// out[k · step] = the element `stride` bytes · k behind `from`, for k < n.
template <class T>
HWY_INLINE void SpreadElements(const std::byte *from, ptrdiff_t stride, T *out, size_t step,
                               size_t n) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4, from += 4 * stride, out += 4 * step) {
    std::memcpy(out, from, sizeof(T));
    std::memcpy(out + step, from + stride, sizeof(T));
    std::memcpy(out + 2 * step, from + 2 * stride, sizeof(T));
    std::memcpy(out + 3 * step, from + 3 * stride, sizeof(T));
  }
  for (; k < n; ++k, from += stride, out += step) {
    std::memcpy(out, from, sizeof(T));
  }
}

// out[k] = the element `stride` bytes · k behind `from`, for k < n.
template <class T>
HWY_INLINE void GatherElements(const std::byte *from, ptrdiff_t stride, T *out, size_t n) {
  constexpr ptrdiff_t kSize = sizeof(T);
  const T *in = reinterpret_cast<const T *>(from);
  const bool vectors = n > hn::Lanes(hn::ScalableTag<T>()) && IsAligned<T>(from, 0);
  if (stride == kSize) {
    std::memcpy(out, from, n * sizeof(T));
  } else if (vectors && stride == 2 * kSize) {
    GatherVectors<2>(in, n, out);
  } else if (vectors && stride == 3 * kSize) {
    GatherVectors<3>(in, n, out);
  } else if (vectors && stride == 4 * kSize) {
    GatherVectors<4>(in, n, out);
  } else {
    SpreadElements(from, stride, out, 1, n);
  }
}

// Pixels of kPlanes planes `stride` bytes apart, of at least a vector: the last one overlaps.
template <size_t kPlanes, class T>
HWY_INLINE void InterleavePlanes(const std::byte *from, ptrdiff_t stride, T *out, size_t pixels) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto plane = [&](size_t index, size_t at) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const T *>(from + static_cast<ptrdiff_t>(index) * stride) +
                            at);
  };
  for (size_t done = 0; done < pixels; done += lanes) {
    const size_t at = HWY_MIN(done, pixels - lanes);
    T *to = out + kPlanes * at;
    if constexpr (kPlanes == 2) {
      hn::StoreInterleaved2(plane(0, at), plane(1, at), d, to);
    } else if constexpr (kPlanes == 3) {
      hn::StoreInterleaved3(plane(0, at), plane(1, at), plane(2, at), d, to);
    } else {
      hn::StoreInterleaved4(plane(0, at), plane(1, at), plane(2, at), plane(3, at), d, to);
    }
  }
}

// Copies rows of elements to dense ones: out[r · columns + c] = the element row_stride · r +
// stride · c bytes behind `from`.
template <class T>
HWY_INLINE void GatherRows(const std::byte *from, ptrdiff_t row_stride, ptrdiff_t stride, T *out,
                           size_t rows, size_t columns) {
  constexpr size_t kFewColumns = 8;
  if (columns == 1) {
    return GatherElements(from, row_stride, out, rows);
  }
  const auto size = static_cast<ptrdiff_t>(sizeof(T));
  if (stride == size && row_stride == static_cast<ptrdiff_t>(columns) * size) {
    std::memcpy(out, from, rows * columns * sizeof(T));
    return;
  }
  if (columns >= rows || columns > kFewColumns) {
    for (size_t r = 0; r < rows; ++r) {
      GatherElements(from + static_cast<ptrdiff_t>(r) * row_stride, stride, out + r * columns,
                     columns);
    }
    return;
  }
  const bool planes =
      row_stride == size && rows >= hn::Lanes(hn::ScalableTag<T>()) && IsAligned<T>(from, stride);
  if (planes && columns == 2) {
    InterleavePlanes<2>(from, stride, out, rows);
  } else if (planes && columns == 3) {
    InterleavePlanes<3>(from, stride, out, rows);
  } else if (planes && columns == 4) {
    InterleavePlanes<4>(from, stride, out, rows);
  } else {
    for (size_t c = 0; c < columns; ++c) {
      SpreadElements(from + static_cast<ptrdiff_t>(c) * stride, row_stride, out + c, columns, rows);
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_STATS_GATHER_INL_HPP_
