// Pointwise kernels of an image and one or two operand arrays. Included once per SIMD target.
//
// As in pointwise-inl.hpp, a kernel sees dense, element-aligned runs, its tail has the bits of its
// body, and `out` may equal any input of the same type. Steps are what a kernel does to a block;
// those that have a vector type compute single vectors as well, of which the last overlaps the one
// before.
#if defined(SWITCHYARD_KERNELS_POINTWISE_ARRAYS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_POINTWISE_ARRAYS_INL_HPP_
#undef SWITCHYARD_KERNELS_POINTWISE_ARRAYS_INL_HPP_
#else
#define SWITCHYARD_KERNELS_POINTWISE_ARRAYS_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/pointwise/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

HWY_INLINE VF LoadF32(DF d, const int8_t *p) {
  const hn::Rebind<int8_t, DF> di8;
  const hn::Rebind<int32_t, DF> di32;
  return hn::ConvertTo(d, hn::PromoteTo(di32, hn::LoadU(di8, p)));
}
HWY_INLINE VF LoadF32(DF d, const int16_t *p) {
  const hn::Rebind<int16_t, DF> di16;
  const hn::Rebind<int32_t, DF> di32;
  return hn::ConvertTo(d, hn::PromoteTo(di32, hn::LoadU(di16, p)));
}

// x + trunc(a): a u8 x whose summand is truncated. Of what int cannot hold, the conversion makes
// the nearest int, which saturates as well; NaN must come out as 0 and is sent far below it.
struct AddTruncated {
  HWY_INLINE VF operator()(VF x, VF a, VF) const {
    const DF d;
    const hn::Rebind<int32_t, DF> di32;
    const VF number = hn::IfThenElse(hn::Eq(a, a), a, hn::Set(d, -1024.0F));
    return hn::Add(x, hn::ConvertTo(d, hn::ConvertTo(di32, number)));
  }
};

// One block of out[i] = store(op(x[i], a[i], b[i])) in f32; ops of one operand ignore b.
template <class Op, class Store, bool kTwoOperands> struct RealStep {
  static constexpr bool kTwo = kTwoOperands;
  using Vector = VF;
  static HWY_INLINE size_t Lanes() { return hn::Lanes(DF()); }
  static HWY_INLINE size_t Block() { return kUnroll * Lanes(); }

  template <class X, class A>
  HWY_INLINE void operator()(const X *x, const A *a, const A *b,
                             typename Store::Element *out) const {
    const DF d;
    const size_t n = hn::Lanes(d);
    Store()(d, Value(x, a, b), Value(x + n, a + n, b + (kTwo ? n : 0)),
            Value(x + 2 * n, a + 2 * n, b + (kTwo ? 2 * n : 0)),
            Value(x + 3 * n, a + 3 * n, b + (kTwo ? 3 * n : 0)), out);
  }
  static HWY_INLINE void Put(VF value, typename Store::Element *out) { Store()(DF(), value, out); }

  template <class X, class A> static HWY_INLINE VF Value(const X *x, const A *a, const A *b) {
    const DF d;
    if constexpr (kTwo) {
      return Op()(LoadF32(d, x), LoadF32(d, a), LoadF32(d, b));
    } else {
      (void)b;
      return Op()(LoadF32(d, x), LoadF32(d, a), hn::Zero(d));
    }
  }
};

// Integer arithmetic of bytes, exact where f32 is, and saturating: no rounding can differ.
struct AddBytesStep {
  static constexpr bool kTwo = false;
  using D = hn::ScalableTag<uint8_t>;
  using Vector = hn::Vec<D>;
  static HWY_INLINE size_t Lanes() { return hn::Lanes(D()); }
  static HWY_INLINE size_t Block() { return 4 * Lanes(); }
  HWY_INLINE void operator()(const uint8_t *x, const uint8_t *a, const uint8_t *b,
                             uint8_t *out) const {
    for (size_t i = 0; i < Block(); i += Lanes()) {
      Put(Value(x + i, a + i, b), out + i);
    }
  }
  static HWY_INLINE Vector Value(const uint8_t *x, const uint8_t *a, const uint8_t *) {
    return hn::SaturatedAdd(hn::LoadU(D(), x), hn::LoadU(D(), a));
  }
  static HWY_INLINE void Put(Vector value, uint8_t *out) { hn::StoreU(value, D(), out); }
};
// x · a (+ b): at most 65 280.
template <bool kTwoOperands> struct MultiplyBytesStep {
  static constexpr bool kTwo = kTwoOperands;
  using D = hn::ScalableTag<uint16_t>;
  using D8 = hn::Rebind<uint8_t, D>;
  using Vector = hn::Vec<D8>;
  static HWY_INLINE size_t Lanes() { return hn::Lanes(D()); }
  static HWY_INLINE size_t Block() { return 2 * Lanes(); }
  HWY_INLINE void operator()(const uint8_t *x, const uint8_t *a, const uint8_t *b,
                             uint8_t *out) const {
    for (size_t i = 0; i < Block(); i += Lanes()) {
      Put(Value(x + i, a + i, b + (kTwo ? i : 0)), out + i);
    }
  }
  static HWY_INLINE Vector Value(const uint8_t *x, const uint8_t *a, const uint8_t *b) {
    const D d;
    const D8 d8;
    const hn::RebindToSigned<D> di;
    auto result = hn::Mul(hn::PromoteTo(d, hn::LoadU(d8, x)), hn::PromoteTo(d, hn::LoadU(d8, a)));
    if constexpr (kTwo) {
      result = hn::Add(result, hn::PromoteTo(d, hn::LoadU(d8, b)));
    }
    (void)b;
    return hn::DemoteTo(d8, hn::BitCast(di, hn::Min(result, hn::Set(d, uint16_t{255}))));
  }
  static HWY_INLINE void Put(Vector value, uint8_t *out) { hn::StoreU(value, D8(), out); }
};

// A part of a run, at most kMost elements, through buffers: run(x, a, b, out) computes from there.
template <bool kTwo, size_t kMost, class X, class A, class Out, class Run>
HWY_INLINE void ZipFew(const X *x, const A *a, const A *b, Out *out, size_t n, Run run) {
  HWY_ALIGN X few_x[kMost] = {};
  HWY_ALIGN A few_a[kMost] = {};
  HWY_ALIGN A few_b[kMost] = {};
  HWY_ALIGN Out few_out[kMost];
  CopyFew(few_x, x, n * sizeof(X));
  CopyFew(few_a, a, n * sizeof(A));
  if (kTwo) {
    CopyFew(few_b, b, n * sizeof(A));
  }
  run(few_x, few_a, few_b, few_out);
  CopyFew(out, few_out, n * sizeof(Out));
}

// Runs a step over n elements.
template <class Step, class X, class A, class Out>
HWY_INLINE void Zip(const X *x, const A *a, const A *b, Out *out, size_t n) {
  constexpr bool kTwo = Step::kTwo;
  const Step step;
  const size_t lanes = Step::Lanes();
  const auto from_b = [&](size_t i) HWY_ATTR { return kTwo ? b + i : b; };
  if (n < lanes) {
    constexpr size_t kMost = hn::MaxLanes(hn::ScalableTag<uint8_t>());
    return ZipFew<kTwo, kMost>(
        x, a, b, out, n, [](const X *few_x, const A *few_a, const A *few_b, Out *few_out) HWY_ATTR {
          Step::Put(Step::Value(few_x, few_a, few_b), few_out);
        });
  }
  const size_t end = n - lanes;
  const typename Step::Vector last = Step::Value(x + end, a + end, from_b(end));
  const size_t block = Step::Block();
  size_t i = 0;
  for (; i + block <= n; i += block) {
    step(x + i, a + i, from_b(i), out + i);
  }
  for (; i < end; i += lanes) {
    Step::Put(Step::Value(x + i, a + i, from_b(i)), out + i);
  }
  if (i < n) {
    Step::Put(last, out + end);
  }
}

// Runs a step that knows nothing but blocks of kUnroll vectors of f32.
template <class Step, class X, class A, class Out>
HWY_INLINE void ZipBlocks(const X *x, const A *a, const A *b, Out *out, size_t n) {
  const Step step;
  const size_t block = kUnroll * hn::Lanes(DF());
  size_t i = 0;
  for (; i + block <= n; i += block) {
    step(x + i, a + i, b, out + i);
  }
  if (i < n) {
    ZipFew<false, kUnroll * hn::MaxLanes(DF())>(
        x + i, a + i, b, out + i, n - i,
        [&](const X *few_x, const A *few_a, const A *few_b, Out *few_out)
            HWY_ATTR { step(few_x, few_a, few_b, few_out); });
  }
}

// out[i] = f32(in[i]) of integers, exact.
template <class In> HWY_INLINE void IntegersToF32(const In *in, float *out, size_t n) {
  const DF d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(LoadF32(d, in + i), d, out + i);
  }
  for (; i < n; ++i) {
    out[i] = static_cast<float>(in[i]);
  }
}

// out[i] = f32(in[i]) of doubles, rounded to nearest, after they were truncated toward zero or not.
template <bool kTruncates> HWY_INLINE void DoublesToF32(const double *in, float *out, size_t n) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 // whose demotions make infinities finite
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto value = hn::LoadU(d, in + i);
    hn::StoreU(hn::DemoteTo(df, kTruncates ? hn::Trunc(value) : value), df, out + i);
  }
#endif
  for (; i < n; ++i) {
    out[i] = static_cast<float>(kTruncates ? __builtin_trunc(in[i]) : in[i]);
  }
}

// out[i · times + k] = in[i] for k < times. `picks` has times · 16 entries: the bytes of the
// elements that fill 16 bytes which become those times 16 bytes.
template <class T>
HWY_INLINE void Repeat(const T *in, T *out, size_t n, size_t times, const uint8_t *picks) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<uint8_t, 16> d;
  constexpr size_t kAtOnce = 16 / sizeof(T);
  const auto *from = reinterpret_cast<const uint8_t *>(in);
  auto *to = reinterpret_cast<uint8_t *>(out);
  for (; i + kAtOnce <= n; i += kAtOnce, from += 16) {
    const auto few = hn::LoadU(d, from);
    for (size_t k = 0; k < times; ++k, to += 16) {
      hn::StoreU(hn::TableLookupBytes(few, hn::LoadU(d, picks + 16 * k)), d, to);
    }
  }
#else
  (void)picks;
#endif
  for (; i < n; ++i) {
    for (size_t k = 0; k < times; ++k) {
      out[i * times + k] = in[i];
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_POINTWISE_ARRAYS_INL_HPP_
