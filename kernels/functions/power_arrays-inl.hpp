// pow of two arrays. Included once per SIMD target.
#if defined(SWITCHYARD_KERNELS_FUNCTIONS_POWER_ARRAYS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_FUNCTIONS_POWER_ARRAYS_INL_HPP_
#undef SWITCHYARD_KERNELS_FUNCTIONS_POWER_ARRAYS_INL_HPP_
#else
#define SWITCHYARD_KERNELS_FUNCTIONS_POWER_ARRAYS_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/functions/correct.hpp"
#include "kernels/functions/functions-inl.hpp"
#include "kernels/pointwise/arrays-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

// An exponent for every element of a block.
class ArrayExponents {
public:
  HWY_INLINE explicit ArrayExponents(const float *values) : values_(values) {}
  HWY_INLINE VD At(size_t offset) const { return LoadWide(values_ + offset); }
  HWY_INLINE float Of(size_t offset) const { return values_[offset]; }

private:
  const float *values_;
};

HWY_INLINE bool AllFinite(const float *values, size_t n) {
  const DF d;
  auto finite = hn::IsFinite(hn::LoadU(d, values));
  for (size_t i = hn::Lanes(d); i < n; i += hn::Lanes(d)) {
    finite = hn::And(finite, hn::IsFinite(hn::LoadU(d, values + i)));
  }
  return hn::AllTrue(d, finite);
}

// One block of out[i] = x[i]^a[i], for kUnroll vectors of f32.
template <bool kFaithful> HWY_INLINE void PowerBlock(const float *x, const float *a, float *out) {
  const size_t n = kUnroll * hn::Lanes(DF());
  if (HWY_UNLIKELY(!AllFinite(a, n))) { // the vector code is for finite exponents
    for (size_t i = 0; i < n; ++i) {
      out[i] = correct::power(x[i], a[i]);
    }
    return;
  }
  const size_t step = kUnroll * hn::Lanes(DN());
  for (size_t i = 0; i < n; i += step) {
    if constexpr (kFaithful) {
      FaithfulBlock<FaithfulPower>(x + i, out + i, ArrayExponents(a + i));
    } else {
      ExactBlock<ExactPower>(x + i, out + i, ArrayExponents(a + i));
    }
  }
}

template <bool kFaithful> struct PowerStep {
  static constexpr bool kTwo = false;
  HWY_INLINE void operator()(const float *x, const float *a, const float *, float *out) const {
    PowerBlock<kFaithful>(x, a, out);
  }
};

// Of bytes: the f32 power, stored as a byte.
template <class Store> struct PowerBytesStep {
  static constexpr bool kTwo = false;
  HWY_INLINE void operator()(const uint8_t *x, const float *a, const float *, uint8_t *out) const {
    const DF d;
    const size_t n = hn::Lanes(d);
    HWY_ALIGN float levels[kUnroll * hn::MaxLanes(DF())];
    for (size_t u = 0; u < kUnroll; ++u) {
      hn::Store(LoadF32(d, x + u * n), d, levels + u * n);
    }
    PowerBlock<false>(levels, a, levels);
    Store()(d, hn::Load(d, levels), hn::Load(d, levels + n), hn::Load(d, levels + 2 * n),
            hn::Load(d, levels + 3 * n), out);
  }
};

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_FUNCTIONS_POWER_ARRAYS_INL_HPP_
