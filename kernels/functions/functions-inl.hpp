// exp, log, sqrt and pow of f32, vectorised. Included once per SIMD target.
//
// The exact kernels work in f64 and give the f32 nearest to the exact result. Each yields bounds
// that hold the exact result; where both round to the same f32, that is it. The rest, once in some
// hundred thousand values, is left to correct.hpp. So the bits are those of every other target,
// with or without fused multiply-add.
//
// The faithful kernels stay within 4 units in the last place, for a fraction of the time; their
// bits differ between targets.
//
// A kernel sees dense, element-aligned runs. The tail passes through a buffer of one block and the
// same vector code; nothing outside [0, n) is read or written, and `out` may equal `in`.
#if defined(SWITCHYARD_KERNELS_FUNCTIONS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_FUNCTIONS_INL_HPP_
#undef SWITCHYARD_KERNELS_FUNCTIONS_INL_HPP_
#else
#define SWITCHYARD_KERNELS_FUNCTIONS_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <hwy/highway.h>

#include "kernels/functions/correct.hpp"
#include "kernels/functions/polynomials.hpp"
#include "kernels/pointwise/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DD = hn::ScalableTag<double>;
using VD = hn::Vec<DD>;
using DU = hn::RebindToUnsigned<DD>;
using DN = hn::Rebind<float, DD>; // as many f32
using VN = hn::Vec<DN>;

HWY_INLINE VD Constant(double value) {
  return hn::Set(DD(), value);
}
HWY_INLINE VD LoadWide(const float *p) {
  return hn::PromoteTo(DD(), hn::LoadU(DN(), p));
}
HWY_INLINE VN ToNarrow(VD v) {
// Highway's own demotion makes infinities finite on its two targets without instructions.
#if HWY_TARGET == HWY_SCALAR
  return VN(static_cast<float>(v.raw));
#elif HWY_TARGET == HWY_EMU128
  VN narrow;
  for (size_t i = 0; i < hn::Lanes(DN()); ++i) {
    narrow.raw[i] = static_cast<float>(v.raw[i]);
  }
  return narrow;
#else
  return hn::DemoteTo(DN(), v);
#endif
}

// Every kStep-th coefficient from kAt on, by Horner's rule. Recursion: the compiler would not
// unroll a loop of this length.
template <size_t kAt, size_t kStep, class D, class V, class T, size_t N>
HWY_INLINE V Horner(D d, V x, const T (&coefficients)[N]) {
  const V value = hn::Set(d, coefficients[kAt]);
  if constexpr (kAt + kStep < N) {
    return hn::MulAdd(Horner<kAt + kStep, kStep>(d, x, coefficients), x, value);
  } else {
    return value;
  }
}
// Even and odd powers apart: two chains take half the time of one.
template <class D, class V, class T, size_t N>
HWY_INLINE V Polynomial(D d, V x, const T (&coefficients)[N]) {
  const V square = hn::Mul(x, x);
  return hn::MulAdd(Horner<1, 2>(d, square, coefficients), x,
                    Horner<0, 2>(d, square, coefficients));
}

// The base-2 logarithm of a positive normal number. Other values give something finite or NaN.
template <size_t N> HWY_INLINE VD Log2(VD x, const double (&coefficients)[N]) {
  const DU du;
  constexpr uint64_t kOne = 0x3FF0000000000000;
  constexpr uint64_t kRootOfHalf = 0x3FE6A09E667F3BCD;
  constexpr uint64_t kMantissa = 0x000FFFFFFFFFFFFF;
  // x = 2^k m with m from the root of 1/2 to that of 2. `biased` is k + 1023.
  const auto shifted = hn::Add(hn::BitCast(du, x), hn::Set(du, kOne - kRootOfHalf));
  const auto biased = hn::ShiftRight<52>(shifted);
  const auto mantissa = hn::Add(hn::And(shifted, hn::Set(du, kMantissa)), hn::Set(du, kRootOfHalf));
  const VD f = hn::Sub(hn::BitCast(DD(), mantissa), Constant(1));
  // An integer below 2^52 in the mantissa of 2^52.
  constexpr uint64_t kTwoTo52 = 0x4330000000000000;
  const VD k =
      hn::Sub(hn::BitCast(DD(), hn::Or(biased, hn::Set(du, kTwoTo52))), Constant(0x1p52 + 1023));
  return hn::MulAdd(Polynomial(DD(), f, coefficients), f, k);
}

// 2^t; t is held between -160 and 140, beyond both ends of f32.
template <size_t N> HWY_INLINE VD Exp2(VD t, const double (&coefficients)[N]) {
  const VD held = hn::Min(hn::Max(t, Constant(-160)), Constant(140));
  // The sum's last bits are t rounded to an integer.
  const VD sum = hn::Add(held, Constant(0x1.8p52));
  const VD r = hn::Sub(held, hn::Sub(sum, Constant(0x1.8p52)));
  const VD power = hn::MulAdd(Polynomial(DD(), r, coefficients), r, Constant(1));
  const auto scale = hn::ShiftLeft<52>(hn::BitCast(DU(), sum));
  return hn::BitCast(DD(), hn::Add(hn::BitCast(DU(), power), scale));
}

// Holds the exact result; both ends are equal where it is a special value.
struct Bounds {
  VD low, high;
};
HWY_INLINE Bounds Around(VD value, VD spread) {
  return {hn::Sub(value, spread), hn::Add(value, spread)};
}
template <class M> HWY_INLINE Bounds Choose(M mask, VD value, Bounds otherwise) {
  return {hn::IfThenElse(mask, value, otherwise.low), hn::IfThenElse(mask, value, otherwise.high)};
}

HWY_INLINE VD Infinity() {
  return Constant(std::numeric_limits<double>::infinity());
}
HWY_INLINE VD Nan() {
  return Constant(std::numeric_limits<double>::quiet_NaN());
}

struct ExactExp {
  HWY_INLINE Bounds operator()(VD x, VD) const {
    // Errors: polynomial 2^-44.6, product with 1 / ln 2 2^-45.3.
    const VD value = Exp2(hn::Mul(x, Constant(kLog2E)), kExp2Exact);
    const Bounds bounds = Around(value, hn::Mul(value, Constant(0x1p-42)));
    return Choose(hn::IsNaN(x), x, bounds);
  }
  static float Settle(float x, float a) { return correct::exact_exp(x, a); }
};

// True where every lane is positive and finite.
HWY_INLINE bool AllOrdinary(VD x) {
  return hn::AllTrue(DD(), hn::And(hn::Gt(x, hn::Zero(DD())), hn::Lt(x, Infinity())));
}

struct ExactLog {
  HWY_INLINE Bounds operator()(VD x, VD) const {
    // Error: polynomial 2^-46.1.
    const VD value = hn::Mul(Log2(x, kLog2Good), Constant(kLn2));
    const Bounds bounds = Around(value, hn::Mul(value, Constant(0x1p-44)));
    return HWY_LIKELY(AllOrdinary(x)) ? bounds : Special(x, bounds);
  }
  static HWY_INLINE Bounds Special(VD x, Bounds bounds) {
    const VD zero = hn::Zero(DD());
    bounds = Choose(hn::Not(hn::Lt(x, Infinity())), x, bounds); // also NaN
    bounds = Choose(hn::Lt(x, zero), Nan(), bounds);
    return Choose(hn::Eq(x, zero), hn::Neg(Infinity()), bounds);
  }
  static float Settle(float x, float a) { return correct::exact_log(x, a); }
};

// pow where x is zero, negative, infinite or NaN and y finite: `bounds` is right where x is
// positive, and for the magnitude where it is negative.
HWY_INLINE Bounds SpecialPower(VD x, VD y, Bounds bounds) {
  const VD zero = hn::Zero(DD());
  const VD one = Constant(1);
  const VD half = hn::Mul(y, Constant(0.5));
  const auto whole = hn::Eq(hn::Floor(y), y);
  const auto odd = hn::And(whole, hn::Ne(hn::Floor(half), half));
  const VD magnitude = hn::Abs(x);
  const auto grows = hn::Gt(y, zero);
  bounds = Choose(hn::Eq(magnitude, zero), hn::IfThenElse(grows, zero, Infinity()), bounds);
  bounds = Choose(hn::Eq(magnitude, Infinity()), hn::IfThenElse(grows, Infinity(), zero), bounds);
  const auto below = hn::And(hn::Lt(x, zero), hn::Gt(x, hn::Neg(Infinity())));
  bounds = Choose(hn::Or(hn::IsNaN(x), hn::And(below, hn::Not(whole))), Nan(), bounds);
  bounds = Choose(hn::Eq(y, zero), one, bounds);
  const VD sign = hn::IfThenElseZero(odd, hn::And(x, Constant(-0.0)));
  return {hn::Xor(bounds.low, sign), hn::Xor(bounds.high, sign)};
}

struct ExactPower {
  HWY_INLINE Bounds operator()(VD x, VD y) const {
    // Errors: polynomials 2^-44.6, and 2^-51.3 of the logarithm, whose arithmetic adds as much.
    const VD t = hn::Mul(y, Log2(hn::Abs(x), kLog2Best));
    const VD value = Exp2(t, kExp2Exact);
    const VD error = hn::MulAdd(hn::Abs(t), Constant(0x1p-49), Constant(0x1p-43));
    const Bounds bounds = Around(value, hn::Mul(value, error));
    return HWY_LIKELY(AllOrdinary(x)) ? bounds : SpecialPower(x, y, bounds);
  }
  static float Settle(float x, float y) { return correct::exact_power(x, y); }
};

struct FaithfulPower {
  HWY_INLINE VN operator()(VD x, VD y) const {
    const VD value = Exp2(hn::Mul(y, Log2(hn::Abs(x), kLog2Faithful)), kExp2Faithful);
    const Bounds bounds = {value, value};
    return ToNarrow(HWY_LIKELY(AllOrdinary(x)) ? value : SpecialPower(x, y, bounds).low);
  }
};

// Exponents of a run, as f64: one for all elements, or a repeating pattern.
class OneExponent {
public:
  HWY_INLINE OneExponent(const float *values, size_t phase, size_t)
      : values_(values + phase), value_(Constant(static_cast<double>(values[phase]))) {}
  HWY_INLINE VD At(size_t) const { return value_; }
  HWY_INLINE float Of(size_t) const { return values_[0]; }
  HWY_INLINE void Advance(size_t) {}

private:
  const float *values_;
  VD value_;
};
class RepeatingExponents {
public:
  HWY_INLINE RepeatingExponents(const float *values, size_t phase, size_t period)
      : values_(values), phase_(phase), period_(period) {}
  HWY_INLINE VD At(size_t offset) const { return LoadWide(values_ + phase_ + offset); }
  HWY_INLINE float Of(size_t offset) const { return values_[phase_ + offset]; }
  HWY_INLINE void Advance(size_t n) {
    phase_ += n;
    while (phase_ >= period_) {
      phase_ -= period_;
    }
  }

private:
  const float *values_;
  size_t phase_;
  size_t period_;
};

// Decides one by one where the bounds do not.
template <class Op, class Exponents>
HWY_NOINLINE void SettleBlock(const float *in, const VN *low, const VN *high, float *out,
                              const Exponents &exponents) {
  constexpr size_t kMost = kUnroll * hn::MaxLanes(DN());
  const DN d;
  const hn::RebindToUnsigned<DN> du;
  const size_t n = hn::Lanes(d);
  HWY_ALIGN float lows[kMost];
  HWY_ALIGN uint32_t low_bits[kMost];
  HWY_ALIGN uint32_t high_bits[kMost];
  for (size_t u = 0; u < kUnroll; ++u) {
    hn::StoreU(low[u], d, lows + u * n);
    hn::StoreU(hn::BitCast(du, low[u]), du, low_bits + u * n);
    hn::StoreU(hn::BitCast(du, high[u]), du, high_bits + u * n);
  }
  for (size_t i = 0; i < kUnroll * n; ++i) {
    out[i] = low_bits[i] == high_bits[i] ? lows[i] : Op::Settle(in[i], exponents.Of(i));
  }
}

template <class Op, class Exponents>
HWY_INLINE void ExactBlock(const float *in, float *out, const Exponents &exponents) {
  const DN d;
  const hn::RebindToUnsigned<DN> du;
  const Op op;
  const size_t n = hn::Lanes(d);
  VN low[kUnroll];
  VN high[kUnroll];
  auto differences = hn::Zero(du);
  for (size_t u = 0; u < kUnroll; ++u) {
    const Bounds bounds = op(LoadWide(in + u * n), exponents.At(u * n));
    low[u] = ToNarrow(bounds.low);
    high[u] = ToNarrow(bounds.high);
    const auto difference = hn::Xor(hn::BitCast(du, low[u]), hn::BitCast(du, high[u]));
    differences = hn::Or(differences, difference);
  }
  if (HWY_UNLIKELY(!hn::AllTrue(du, hn::Eq(differences, hn::Zero(du))))) {
    return SettleBlock<Op>(in, low, high, out, exponents);
  }
  for (size_t u = 0; u < kUnroll; ++u) {
    hn::StoreU(low[u], d, out + u * n);
  }
}

template <class Op, class Exponents>
HWY_INLINE void FaithfulBlock(const float *in, float *out, const Exponents &exponents) {
  const DN d;
  const Op op;
  const size_t n = hn::Lanes(d);
  VN result[kUnroll];
  for (size_t u = 0; u < kUnroll; ++u) {
    result[u] = op(LoadWide(in + u * n), exponents.At(u * n));
  }
  for (size_t u = 0; u < kUnroll; ++u) {
    hn::StoreU(result[u], d, out + u * n);
  }
}

// block(in, out, exponents) over [0, n).
template <class Exponents, class Block>
HWY_INLINE void MapBlocks(const float *in, float *out, size_t n, Exponents exponents, Block block) {
  const size_t step = kUnroll * hn::Lanes(DN());
  size_t i = 0;
  for (; i + step <= n; i += step) {
    block(in + i, out + i, exponents);
    exponents.Advance(step);
  }
  if (i < n) {
    constexpr size_t kMost = kUnroll * hn::MaxLanes(DN());
    HWY_ALIGN float tail_in[kMost];
    HWY_ALIGN float tail_out[kMost];
    for (size_t k = 0; k < step; ++k) {
      tail_in[k] = 1; // ordinary, and exact in every function
    }
    std::memcpy(tail_in, in + i, (n - i) * sizeof(float));
    block(tail_in, tail_out, exponents);
    std::memcpy(out + i, tail_out, (n - i) * sizeof(float));
  }
}

template <class Op, class Exponents>
HWY_INLINE void MapExact(const float *in, float *out, size_t n, Exponents exponents) {
  MapBlocks(in, out, n, exponents,
            [](const float *x, float *y, const Exponents &e) HWY_ATTR { ExactBlock<Op>(x, y, e); });
}
template <class Op, class Exponents>
HWY_INLINE void MapFaithful(const float *in, float *out, size_t n, Exponents exponents) {
  MapBlocks(in, out, n, exponents, [](const float *x, float *y, const Exponents &e) HWY_ATTR {
    FaithfulBlock<Op>(x, y, e);
  });
}

// In f32 alone, for Transform.
struct SquareRoot {
  HWY_INLINE VF operator()(VF x, VF, VF) const { return hn::Sqrt(x); }
};

struct FaithfulExp {
  HWY_INLINE VF operator()(VF x, VF, VF) const {
    const DF d;
    const VF held = hn::Min(hn::Max(x, hn::Set(d, -105.0F)), hn::Set(d, 89.0F));
    const VI k = hn::NearestInt(hn::Mul(held, hn::Set(d, kLog2EF32)));
    const VF whole = hn::ConvertTo(d, k);
    const VF rest = hn::NegMulAdd(whole, hn::Set(d, kLn2HighF32), held);
    const VF r = hn::NegMulAdd(whole, hn::Set(d, kLn2LowF32), rest);
    const VF curve = hn::MulAdd(Polynomial(d, r, kExpF32), hn::Mul(r, r), r);
    const VF value = hn::Add(curve, hn::Set(d, 1.0F));
    // In two steps: 2^k itself may be beyond f32, or below its normal numbers.
    const VI half = hn::ShiftRight<1>(k);
    const VF scaled = hn::Mul(value, PowerOf2(half));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Mul(scaled, PowerOf2(hn::Sub(k, half))));
  }
  static HWY_INLINE VF PowerOf2(VI k) {
    const hn::RebindToSigned<DF> di;
    return hn::BitCast(DF(), hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  }
};

struct FaithfulLog {
  HWY_INLINE VF operator()(VF x, VF, VF) const {
    const DF d;
    const hn::RebindToSigned<DF> di;
    // Subnormal numbers become normal ones first.
    const auto small = hn::Lt(x, hn::Set(d, 0x1p-126F));
    const VF scaled = hn::IfThenElse(small, hn::Mul(x, hn::Set(d, 0x1p25F)), x);
    constexpr int32_t kRootOfHalf = 0x3F3504F3;
    const VI shifted = hn::Add(hn::BitCast(di, scaled), hn::Set(di, 0x3F800000 - kRootOfHalf));
    const VI mantissa =
        hn::Add(hn::And(shifted, hn::Set(di, 0x007FFFFF)), hn::Set(di, kRootOfHalf));
    const VF exponent = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(shifted), hn::Set(di, 127)));
    const VF k = hn::Sub(exponent, hn::IfThenElseZero(small, hn::Set(d, 25.0F)));
    const VF f = hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, 1.0F));
    const VF curve = hn::Mul(Polynomial(d, f, kLogF32), hn::Mul(f, f));
    const VF rest = hn::Add(f, hn::MulAdd(k, hn::Set(d, kLn2LowF32), curve));
    const VF value = hn::MulAdd(k, hn::Set(d, kLn2HighF32), rest);
    const VF infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const auto ordinary = hn::And(hn::Gt(x, hn::Zero(d)), hn::Lt(x, infinity));
    return HWY_LIKELY(hn::AllTrue(d, ordinary)) ? value : Special(x, infinity, value);
  }
  static HWY_INLINE VF Special(VF x, VF infinity, VF value) {
    const DF d;
    const VF nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    value = hn::IfThenElse(hn::Lt(x, infinity), value, x); // also NaN
    value = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), nan, value);
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), value);
  }
};

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_FUNCTIONS_INL_HPP_
