// Copies the rest of a run, which is no whole vector. Included once per SIMD target.
#if defined(SWITCHYARD_KERNELS_FEW_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_FEW_INL_HPP_
#undef SWITCHYARD_KERNELS_FEW_INL_HPP_
#else
#define SWITCHYARD_KERNELS_FEW_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A few vectors of bytes at most. With AVX-512's masks it takes no call: the C library's copy takes
// as long as a row of a small image.
HWY_INLINE void CopyFew(void *to, const void *from, size_t bytes) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::ScalableTag<uint8_t> d;
  const auto *in = static_cast<const uint8_t *>(from);
  auto *out = static_cast<uint8_t *>(to);
  for (size_t i = 0; i < bytes; i += hn::Lanes(d)) {
    const auto mask = hn::FirstN(d, HWY_MIN(bytes - i, hn::Lanes(d)));
    hn::BlendedStore(hn::MaskedLoad(mask, d, in + i), mask, d, out + i);
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_FEW_INL_HPP_
