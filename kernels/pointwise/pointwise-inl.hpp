// Single-pass pointwise kernels: load as f32, compute, store. Included once per SIMD target.
//
// A kernel sees dense, element-aligned runs. The last vector of a run overlaps the one before, so
// that no element is computed by other code than the rest; it is computed first of all, since `out`
// may equal an input of the same type. Runs shorter than a vector pass through a buffer. Nothing
// outside [0, n) is read or written.
#if defined(SWITCHYARD_KERNELS_POINTWISE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_POINTWISE_INL_HPP_
#undef SWITCHYARD_KERNELS_POINTWISE_INL_HPP_
#else
#define SWITCHYARD_KERNELS_POINTWISE_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/pointwise/few-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// Vectors that one step of a kernel handles.
inline constexpr size_t kUnroll = 4;

HWY_INLINE VF LoadF32(DF d, const float *p) {
  return hn::LoadU(d, p);
}
HWY_INLINE VF LoadF32(DF d, const uint8_t *p) {
  const hn::Rebind<uint8_t, DF> du8;
  const hn::Rebind<int32_t, DF> di32;
  return hn::ConvertTo(d, hn::PromoteTo(di32, hn::LoadU(du8, p)));
}
HWY_INLINE VF LoadF32(DF d, const uint16_t *p) {
  const hn::Rebind<uint16_t, DF> du16;
  const hn::Rebind<int32_t, DF> di32;
  return hn::ConvertTo(d, hn::PromoteTo(di32, hn::LoadU(du16, p)));
}

using VI = hn::Vec<hn::Rebind<int32_t, DF>>;

// NaN → 0, then clamped to [0, high]. The order of the operands of Max matters on x86, whose
// instruction returns the second one where either is NaN; elsewhere NaN converts to 0.
HWY_INLINE VF ClampForStore(DF d, VF v, float high) {
  return hn::Min(hn::Max(v, hn::Zero(d)), hn::Set(d, high));
}

// Roundings make integers of values clamped to [0, high]; Limited() ones of any value, which a
// saturating demotion brings to [0, high].
struct Truncate {
  HWY_INLINE VI operator()(VF v) const { return hn::ConvertTo(hn::Rebind<int32_t, DF>(), v); }
  static HWY_INLINE VI Limited(DF d, VF v, float high);
};
struct HalfEven {
  HWY_INLINE VI operator()(VF v) const { return hn::NearestInt(v); }
  static HWY_INLINE VI Limited(DF d, VF v, float high);
};

#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
// What int cannot hold, NaN too, is converted to the least int. So of values that are too large
// alone something has to be done beforehand. Min returns its second operand where one is NaN.
HWY_INLINE VF LimitAbove(DF d, VF v, float high) {
  return hn::Min(hn::Set(d, high), v);
}
HWY_INLINE VI Truncate::Limited(DF d, VF v, float high) {
#if HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(LimitAbove(d, v, high).raw)};
#else
  return VI{_mm512_cvttps_epi32(LimitAbove(d, v, high).raw)};
#endif
}
HWY_INLINE VI HalfEven::Limited(DF d, VF v, float high) {
#if HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvtps_epi32(LimitAbove(d, v, high).raw)};
#else
  return VI{_mm512_cvtps_epi32(LimitAbove(d, v, high).raw)};
#endif
}
#else
HWY_INLINE VI Truncate::Limited(DF d, VF v, float high) {
  return Truncate()(ClampForStore(d, v, high));
}
HWY_INLINE VI HalfEven::Limited(DF d, VF v, float high) {
  return HalfEven()(ClampForStore(d, v, high));
}
#endif

// Of values in [0, high], whose fraction is exact.
struct HalfUp {
  static HWY_INLINE VI Limited(DF d, VF v, float high) {
    return HalfUp()(ClampForStore(d, v, high));
  }
  HWY_INLINE VI operator()(VF v) const {
    const DF d;
    const hn::Rebind<int32_t, DF> di32;
    const VI down = hn::ConvertTo(di32, v);
    const VF rest = hn::Sub(v, hn::ConvertTo(d, down));
    const auto up = hn::VecFromMask(d, hn::Ge(rest, hn::Set(d, 0.5F))); // all ones: −1
    return hn::Sub(down, hn::BitCast(di32, up));
  }
};

// Four vectors of i32 to 4 N bytes in order, saturating.
HWY_INLINE void StoreBytes(DF d, VI a, VI b, VI c, VI e, uint8_t *out) {
#if HWY_TARGET == HWY_AVX2
  const hn::ScalableTag<int16_t> di16;
  const hn::Half<hn::ScalableTag<uint8_t>> du8h;
  const hn::ScalableTag<uint8_t> du8;
  const hn::ScalableTag<int32_t> di32;
  // Packing works within 128-bit blocks: 4-byte groups come out as a0 b0 a1 b1, c0 e0 c1 e1.
  const auto low = hn::DemoteTo(du8h, hn::ReorderDemote2To(di16, a, b));
  const auto high = hn::DemoteTo(du8h, hn::ReorderDemote2To(di16, c, e));
  HWY_ALIGN static constexpr int32_t kOrder[8] = {0, 2, 1, 3, 4, 6, 5, 7};
  const auto mixed = hn::BitCast(di32, hn::Combine(du8, high, low));
  const auto ordered = hn::TableLookupLanes(mixed, hn::SetTableIndices(di32, kOrder));
  hn::StoreU(hn::BitCast(du8, ordered), du8, out);
  (void)d;
#elif HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::ScalableTag<int16_t> di16;
  const hn::ScalableTag<uint8_t> du8;
  const hn::ScalableTag<int32_t> di32;
  // As above: a0 b0 c0 e0, a1 b1 c1 e1, …
  const auto low = hn::ReorderDemote2To(di16, a, b);
  const auto high = hn::ReorderDemote2To(di16, c, e);
  HWY_ALIGN static constexpr int32_t kOrder[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                   2, 6, 10, 14, 3, 7, 11, 15};
  const hn::Vec<decltype(di32)> mixed{_mm512_packus_epi16(low.raw, high.raw)};
  const auto ordered = hn::TableLookupLanes(mixed, hn::SetTableIndices(di32, kOrder));
  hn::StoreU(hn::BitCast(du8, ordered), du8, out);
  (void)d;
#else
  const hn::Rebind<uint8_t, DF> du8;
  const size_t n = hn::Lanes(d);
  hn::StoreU(hn::DemoteTo(du8, a), du8, out);
  hn::StoreU(hn::DemoteTo(du8, b), du8, out + n);
  hn::StoreU(hn::DemoteTo(du8, c), du8, out + 2 * n);
  hn::StoreU(hn::DemoteTo(du8, e), du8, out + 3 * n);
#endif
}

// A store takes four vectors, or one.
template <class Round> struct ToU8 {
  using Element = uint8_t;
  HWY_INLINE void operator()(DF d, VF v, uint8_t *out) const {
    const hn::Rebind<uint8_t, DF> du8;
    hn::StoreU(hn::DemoteTo(du8, Round::Limited(d, v, 255.0F)), du8, out);
  }
  HWY_INLINE void operator()(DF d, VF a, VF b, VF c, VF e, uint8_t *out) const {
    StoreBytes(d, Round::Limited(d, a, 255.0F), Round::Limited(d, b, 255.0F),
               Round::Limited(d, c, 255.0F), Round::Limited(d, e, 255.0F), out);
  }
};
template <class Round> struct ToU16 {
  using Element = uint16_t;
  HWY_INLINE void operator()(DF d, VF v, uint16_t *out) const {
    const hn::Rebind<uint16_t, DF> du16;
    hn::StoreU(hn::DemoteTo(du16, Round::Limited(d, v, 65535.0F)), du16, out);
  }
  HWY_INLINE void operator()(DF d, VF a, VF b, VF c, VF e, uint16_t *out) const {
    const size_t n = hn::Lanes(d);
    (*this)(d, a, out);
    (*this)(d, b, out + n);
    (*this)(d, c, out + 2 * n);
    (*this)(d, e, out + 3 * n);
  }
};
struct ToF32 {
  using Element = float;
  HWY_INLINE void operator()(DF d, VF v, float *out) const { hn::StoreU(v, d, out); }
  HWY_INLINE void operator()(DF d, VF a, VF b, VF c, VF e, float *out) const {
    const size_t n = hn::Lanes(d);
    hn::StoreU(a, d, out);
    hn::StoreU(b, d, out + n);
    hn::StoreU(c, d, out + 2 * n);
    hn::StoreU(e, d, out + 3 * n);
  }
};

// Coefficients of a run. One value for all elements …
class OneValue {
public:
  HWY_INLINE OneValue(DF d, const float *value) : value_(hn::Set(d, value[0])) {}
  HWY_INLINE VF At(DF, size_t /*offset*/) const { return value_; }
  HWY_INLINE VF Beyond(DF, size_t /*offset*/) const { return value_; }
  HWY_INLINE void Advance() {}

private:
  VF value_;
};
// … or a repeating pattern of `period` values, followed by as many repeated values as a block has
// elements.
class Repeating {
public:
  HWY_INLINE Repeating(const float *pattern, size_t phase, size_t period)
      : pattern_(pattern), phase_(phase), period_(period),
        step_(kUnroll * hn::Lanes(DF()) % period) {}
  // Within the block.
  HWY_INLINE VF At(DF d, size_t offset) const { return hn::LoadU(d, pattern_ + phase_ + offset); }
  // At any distance.
  HWY_INLINE VF Beyond(DF d, size_t offset) const {
    return hn::LoadU(d, pattern_ + (phase_ + offset) % period_);
  }
  // By one block. The remainder is taken once: a division a block would cost as much as its
  // arithmetic.
  HWY_INLINE void Advance() {
    phase_ += step_;
    phase_ -= phase_ >= period_ ? period_ : 0;
  }

private:
  const float *pattern_;
  size_t phase_;
  size_t period_;
  size_t step_;
};

// out[i] = store(op(x[i], a(i), b(i))).
template <class Op, class Store, class In, class Coefficients>
HWY_INLINE void TransformBlock(const In *in, typename Store::Element *out, const Coefficients &a,
                               const Coefficients &b) {
  const DF d;
  const Op op;
  const size_t n = hn::Lanes(d);
  Store()(d, op(LoadF32(d, in), a.At(d, 0), b.At(d, 0)),
          op(LoadF32(d, in + n), a.At(d, n), b.At(d, n)),
          op(LoadF32(d, in + 2 * n), a.At(d, 2 * n), b.At(d, 2 * n)),
          op(LoadF32(d, in + 3 * n), a.At(d, 3 * n), b.At(d, 3 * n)), out);
}

// Fewer elements than a vector has.
template <class Op, class Store, class In, class Coefficients>
HWY_INLINE void TransformFew(const In *in, typename Store::Element *out, size_t n,
                             const Coefficients &a, const Coefficients &b) {
  const DF d;
  HWY_ALIGN In few_in[hn::MaxLanes(DF())] = {};
  HWY_ALIGN typename Store::Element few_out[hn::MaxLanes(DF())];
  CopyFew(few_in, in, n * sizeof(In));
  Store()(d, Op()(LoadF32(d, few_in), a.At(d, 0), b.At(d, 0)), few_out);
  CopyFew(out, few_out, n * sizeof(*out));
}

template <class Op, class Store, class In, class Coefficients>
HWY_INLINE void Transform(const In *in, typename Store::Element *out, size_t n, Coefficients a,
                          Coefficients b) {
  const DF d;
  const Op op;
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    return TransformFew<Op, Store>(in, out, n, a, b);
  }
  const size_t end = n - lanes;
  const VF last = op(LoadF32(d, in + end), a.Beyond(d, end), b.Beyond(d, end));
  const size_t block = kUnroll * lanes;
  size_t i = 0;
  for (; i + block <= n; i += block) {
    TransformBlock<Op, Store>(in + i, out + i, a, b);
    a.Advance();
    b.Advance();
  }
  for (size_t k = 0; i < end; i += lanes, k += lanes) {
    Store()(d, op(LoadF32(d, in + i), a.At(d, k), b.At(d, k)), out + i);
  }
  if (i < n) {
    Store()(d, last, out + end);
  }
}

// out[i] = store(op(x[i], y[i], a, b)): two inputs of one type, one pair of coefficients.
template <class Op, class Store, class In>
HWY_INLINE void Combine2Block(const In *x, const In *y, typename Store::Element *out, VF a, VF b) {
  const DF d;
  const Op op;
  const size_t n = hn::Lanes(d);
  Store()(d, op(LoadF32(d, x), LoadF32(d, y), a, b), op(LoadF32(d, x + n), LoadF32(d, y + n), a, b),
          op(LoadF32(d, x + 2 * n), LoadF32(d, y + 2 * n), a, b),
          op(LoadF32(d, x + 3 * n), LoadF32(d, y + 3 * n), a, b), out);
}

template <class Op, class Store, class In>
HWY_INLINE void Combine2Few(const In *x, const In *y, typename Store::Element *out, size_t n, VF a,
                            VF b) {
  const DF d;
  HWY_ALIGN In few_x[hn::MaxLanes(DF())] = {};
  HWY_ALIGN In few_y[hn::MaxLanes(DF())] = {};
  HWY_ALIGN typename Store::Element few_out[hn::MaxLanes(DF())];
  CopyFew(few_x, x, n * sizeof(In));
  CopyFew(few_y, y, n * sizeof(In));
  Store()(d, Op()(LoadF32(d, few_x), LoadF32(d, few_y), a, b), few_out);
  CopyFew(out, few_out, n * sizeof(*out));
}

template <class Op, class Store, class In>
HWY_INLINE void Combine2(const In *x, const In *y, typename Store::Element *out, size_t n, float a,
                         float b) {
  const DF d;
  const Op op;
  const VF va = hn::Set(d, a);
  const VF vb = hn::Set(d, b);
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    return Combine2Few<Op, Store>(x, y, out, n, va, vb);
  }
  const size_t end = n - lanes;
  const VF last = op(LoadF32(d, x + end), LoadF32(d, y + end), va, vb);
  const size_t block = kUnroll * lanes;
  size_t i = 0;
  for (; i + block <= n; i += block) {
    Combine2Block<Op, Store>(x + i, y + i, out + i, va, vb);
  }
  for (; i < end; i += lanes) {
    Store()(d, op(LoadF32(d, x + i), LoadF32(d, y + i), va, vb), out + i);
  }
  if (i < n) {
    Store()(d, last, out + end);
  }
}

// The arithmetic of the ops: every operation rounds to f32, without contraction.
struct AddFirst {
  HWY_INLINE VF operator()(VF x, VF a, VF) const { return hn::Add(x, a); }
};
struct MulFirst {
  HWY_INLINE VF operator()(VF x, VF a, VF) const { return hn::Mul(x, a); }
};
struct DivFirst {
  HWY_INLINE VF operator()(VF x, VF a, VF) const { return hn::Div(x, a); }
};
// x / divisor by a reciprocal and what that leaves over. Only for integers x in [0, divisor] with a
// divisor of 255 or 65535: for each of them the result is that of the division.
struct DivByReciprocal {
  HWY_INLINE VF operator()(VF x, VF divisor, VF reciprocal) const {
#if HWY_NATIVE_FMA
    const VF quotient = hn::Mul(x, reciprocal);
    return hn::MulAdd(hn::NegMulAdd(quotient, divisor, x), reciprocal, quotient);
#else
    (void)reciprocal;
    return hn::Div(x, divisor);
#endif
  }
};
// By masks: what Min and Max make of NaN and of zeros of unequal sign differs between targets.
struct Clip {
  HWY_INLINE VF operator()(VF x, VF low, VF high) const {
    const VF raised = hn::IfThenElse(hn::Lt(x, low), low, x);
    return hn::IfThenElse(hn::Gt(raised, high), high, raised);
  }
};
struct MulAdd {
  HWY_INLINE VF operator()(VF x, VF factor, VF value) const {
    return hn::Add(hn::Mul(x, factor), value);
  }
};
struct SubMul {
  HWY_INLINE VF operator()(VF x, VF mean, VF scale) const {
    return hn::Mul(hn::Sub(x, mean), scale);
  }
};
struct WeightedSum {
  HWY_INLINE VF operator()(VF x, VF y, VF weight_x, VF weight_y) const {
    return hn::Add(hn::Mul(x, weight_x), hn::Mul(y, weight_y));
  }
};

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_POINTWISE_INL_HPP_
