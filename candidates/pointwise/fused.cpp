// Pointwise ops in one pass over interleaved channels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/pointwise/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/pointwise/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

template <class Op, class Store, class In>
HWY_INLINE void PerChannel(const In *in, typename Store::Element *out, size_t n, const float *a,
                           const float *b, size_t phase, size_t period) {
  if (period == 1) {
    const DF d;
    Transform<Op, Store>(in, out, n, OneValue(d, a + phase), OneValue(d, b + phase));
  } else {
    Transform<Op, Store>(in, out, n, Repeating(a, phase, period), Repeating(b, phase, period));
  }
}

// A function of its own for every combination that an op has: dispatch knows no templates.
#define SWITCHYARD_POINTWISE(NAME, OP, STORE, IN)                                                  \
  void NAME(const IN *in, STORE::Element *out, size_t n, const float *a, const float *b,           \
            size_t phase, size_t period) {                                                         \
    PerChannel<OP, STORE>(in, out, n, a, b, phase, period);                                        \
  }

SWITCHYARD_POINTWISE(AddU8Truncate, AddFirst, ToU8<Truncate>, uint8_t)
SWITCHYARD_POINTWISE(AddU8HalfEven, AddFirst, ToU8<HalfEven>, uint8_t)
SWITCHYARD_POINTWISE(AddU8HalfUp, AddFirst, ToU8<HalfUp>, uint8_t)
SWITCHYARD_POINTWISE(MultiplyU8Truncate, MulFirst, ToU8<Truncate>, uint8_t)
SWITCHYARD_POINTWISE(MultiplyU8HalfEven, MulFirst, ToU8<HalfEven>, uint8_t)
SWITCHYARD_POINTWISE(MultiplyU8HalfUp, MulFirst, ToU8<HalfUp>, uint8_t)
SWITCHYARD_POINTWISE(MultiplyAddU8Truncate, MulAdd, ToU8<Truncate>, uint8_t)
SWITCHYARD_POINTWISE(MultiplyAddU8HalfEven, MulAdd, ToU8<HalfEven>, uint8_t)
SWITCHYARD_POINTWISE(MultiplyAddU8HalfUp, MulAdd, ToU8<HalfUp>, uint8_t)
SWITCHYARD_POINTWISE(ClipU8, Clip, ToU8<Truncate>, uint8_t)

SWITCHYARD_POINTWISE(AddF32, AddFirst, ToF32, float)
SWITCHYARD_POINTWISE(MultiplyF32, MulFirst, ToF32, float)
SWITCHYARD_POINTWISE(MultiplyAddF32, MulAdd, ToF32, float)
SWITCHYARD_POINTWISE(SubtractMultiplyF32, SubMul, ToF32, float)
SWITCHYARD_POINTWISE(ClipF32, Clip, ToF32, float)

SWITCHYARD_POINTWISE(SubtractMultiplyU8F32, SubMul, ToF32, uint8_t)
SWITCHYARD_POINTWISE(SubtractMultiplyU16F32, SubMul, ToF32, uint16_t)
SWITCHYARD_POINTWISE(DivideU8F32, DivFirst, ToF32, uint8_t)
SWITCHYARD_POINTWISE(DivideU16F32, DivFirst, ToF32, uint16_t)
SWITCHYARD_POINTWISE(DivideByMostU8F32, DivByReciprocal, ToF32, uint8_t)
SWITCHYARD_POINTWISE(DivideByMostU16F32, DivByReciprocal, ToF32, uint16_t)

SWITCHYARD_POINTWISE(MultiplyF32U8Truncate, MulFirst, ToU8<Truncate>, float)
SWITCHYARD_POINTWISE(MultiplyF32U8HalfEven, MulFirst, ToU8<HalfEven>, float)
SWITCHYARD_POINTWISE(MultiplyF32U8HalfUp, MulFirst, ToU8<HalfUp>, float)
SWITCHYARD_POINTWISE(MultiplyF32U16Truncate, MulFirst, ToU16<Truncate>, float)
SWITCHYARD_POINTWISE(MultiplyF32U16HalfEven, MulFirst, ToU16<HalfEven>, float)
SWITCHYARD_POINTWISE(MultiplyF32U16HalfUp, MulFirst, ToU16<HalfUp>, float)
SWITCHYARD_POINTWISE(ClipF32U8Truncate, Clip, ToU8<Truncate>, float)
SWITCHYARD_POINTWISE(ClipF32U8HalfEven, Clip, ToU8<HalfEven>, float)
SWITCHYARD_POINTWISE(ClipF32U8HalfUp, Clip, ToU8<HalfUp>, float)
#undef SWITCHYARD_POINTWISE

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cstring>
#include <limits>

#include "candidates/common/coefficients.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/pointwise/adapters.hpp"
#include "candidates/pointwise/fused_bytes.hpp"

namespace switchyard::kernels {
HWY_EXPORT(AddU8Truncate);
HWY_EXPORT(AddU8HalfEven);
HWY_EXPORT(AddU8HalfUp);
HWY_EXPORT(MultiplyU8Truncate);
HWY_EXPORT(MultiplyU8HalfEven);
HWY_EXPORT(MultiplyU8HalfUp);
HWY_EXPORT(MultiplyAddU8Truncate);
HWY_EXPORT(MultiplyAddU8HalfEven);
HWY_EXPORT(MultiplyAddU8HalfUp);
HWY_EXPORT(ClipU8);
HWY_EXPORT(AddF32);
HWY_EXPORT(MultiplyF32);
HWY_EXPORT(MultiplyAddF32);
HWY_EXPORT(SubtractMultiplyF32);
HWY_EXPORT(ClipF32);
HWY_EXPORT(SubtractMultiplyU8F32);
HWY_EXPORT(SubtractMultiplyU16F32);
HWY_EXPORT(DivideU8F32);
HWY_EXPORT(DivideU16F32);
HWY_EXPORT(DivideByMostU8F32);
HWY_EXPORT(DivideByMostU16F32);
HWY_EXPORT(MultiplyF32U8Truncate);
HWY_EXPORT(MultiplyF32U8HalfEven);
HWY_EXPORT(MultiplyF32U8HalfUp);
HWY_EXPORT(MultiplyF32U16Truncate);
HWY_EXPORT(MultiplyF32U16HalfEven);
HWY_EXPORT(MultiplyF32U16HalfUp);
HWY_EXPORT(ClipF32U8Truncate);
HWY_EXPORT(ClipF32U8HalfEven);
HWY_EXPORT(ClipF32U8HalfUp);
} // namespace switchyard::kernels

namespace switchyard::candidates::pointwise {
namespace {

template <class In, class Out>
using Kernel = void (*)(const In *in, Out *out, std::size_t n, const float *a, const float *b,
                        std::size_t phase, std::size_t period);

// The kernel of a combination, or nullptr. Rounding matters to real results alone.
template <class In, class Out> Kernel<In, Out> kernel_of(Form form, Rounding rounding);

#define SWITCHYARD_ROUNDED(NAME)                                                                   \
  (rounding == Rounding::half_even ? &HWY_DYNAMIC_DISPATCH(NAME##HalfEven)                         \
   : rounding == Rounding::half_up ? &HWY_DYNAMIC_DISPATCH(NAME##HalfUp)                           \
                                   : &HWY_DYNAMIC_DISPATCH(NAME##Truncate))

template <> Kernel<std::uint8_t, std::uint8_t> kernel_of(Form form, Rounding rounding) {
  using namespace kernels;
  switch (form) {
  case Form::add:
    return SWITCHYARD_ROUNDED(AddU8);
  case Form::multiply:
    return SWITCHYARD_ROUNDED(MultiplyU8);
  case Form::multiply_add:
    return SWITCHYARD_ROUNDED(MultiplyAddU8);
  case Form::clip:
    return &HWY_DYNAMIC_DISPATCH(ClipU8);
  default:
    return nullptr;
  }
}

template <> Kernel<float, float> kernel_of(Form form, Rounding /*rounding*/) {
  using namespace kernels;
  switch (form) {
  case Form::add:
    return &HWY_DYNAMIC_DISPATCH(AddF32);
  case Form::multiply:
    return &HWY_DYNAMIC_DISPATCH(MultiplyF32);
  case Form::multiply_add:
    return &HWY_DYNAMIC_DISPATCH(MultiplyAddF32);
  case Form::subtract_multiply:
    return &HWY_DYNAMIC_DISPATCH(SubtractMultiplyF32);
  case Form::clip:
    return &HWY_DYNAMIC_DISPATCH(ClipF32);
  default:
    return nullptr;
  }
}

template <> Kernel<std::uint8_t, float> kernel_of(Form form, Rounding /*rounding*/) {
  using namespace kernels;
  return form == Form::divide              ? &HWY_DYNAMIC_DISPATCH(DivideU8F32)
         : form == Form::subtract_multiply ? &HWY_DYNAMIC_DISPATCH(SubtractMultiplyU8F32)
                                           : nullptr;
}

template <> Kernel<std::uint16_t, float> kernel_of(Form form, Rounding /*rounding*/) {
  using namespace kernels;
  return form == Form::divide              ? &HWY_DYNAMIC_DISPATCH(DivideU16F32)
         : form == Form::subtract_multiply ? &HWY_DYNAMIC_DISPATCH(SubtractMultiplyU16F32)
                                           : nullptr;
}

template <> Kernel<float, std::uint8_t> kernel_of(Form form, Rounding rounding) {
  using namespace kernels;
  return form == Form::multiply ? SWITCHYARD_ROUNDED(MultiplyF32U8)
         : form == Form::clip   ? SWITCHYARD_ROUNDED(ClipF32U8)
                                : nullptr;
}

template <> Kernel<float, std::uint16_t> kernel_of(Form form, Rounding rounding) {
  using namespace kernels;
  return form == Form::multiply ? SWITCHYARD_ROUNDED(MultiplyF32U16) : nullptr;
}
#undef SWITCHYARD_ROUNDED

// Integers divided by the largest one, which few calls do otherwise: to the interval [0, 1].
template <class In> bool divides_by_most(const Expression &expression) {
  return expression.form == Form::divide && expression.scalar() &&
         expression.a[0] == static_cast<double>(std::numeric_limits<In>::max());
}

template <class In> void divide_by_most(const Call &call) {
  using namespace kernels;
  Kernel<In, float> kernel = nullptr;
  if constexpr (sizeof(In) == 1) {
    kernel = &HWY_DYNAMIC_DISPATCH(DivideByMostU8F32);
  } else {
    kernel = &HWY_DYNAMIC_DISPATCH(DivideByMostU16F32);
  }
  constexpr float kMost = std::numeric_limits<In>::max();
  constexpr float kReciprocal = 1 / kMost;
  Runs<float, In>({call.in[0], call.out[0]})(
      [&](const In *in, float *out, std::int64_t n, RunChannels) {
        kernel(in, out, static_cast<std::size_t>(n), &kMost, &kReciprocal, 0, 1);
      });
}

// The same coefficients for all channels.
template <class In, class Out>
void apply_one(const Call &call, const Expression &expression, Kernel<In, Out> kernel) {
  const auto a = static_cast<float>(expression.a[0]);
  const auto b = static_cast<float>(expression.b[0]);
  Runs<Out, In>({call.in[0], call.out[0]})(
      [&](const In *in, Out *out, std::int64_t n, RunChannels) {
        kernel(in, out, static_cast<std::size_t>(n), &a, &b, 0, 1);
      });
}

template <class In, class Out> void apply(const Call &call, const Expression &expression) {
  if constexpr (std::numeric_limits<In>::is_integer && sizeof(Out) == sizeof(float)) {
    if (divides_by_most<In>(expression)) {
      return divide_by_most<In>(call);
    }
  }
  const Kernel<In, Out> kernel = kernel_of<In, Out>(expression.form, expression.rounding);
  if constexpr (sizeof(In) == 1 && sizeof(Out) == 1) {
    if (run_in_bytes(call, expression, kernel)) {
      return;
    }
  }
  const std::int64_t period = expression.distinct(call.in[0]->channels());
  if (period == 1) {
    return apply_one(call, expression, kernel);
  }
  const Pattern a(expression.a, period);
  const Pattern b(expression.b, period);
  Runs<Out, In>({call.in[0], call.out[0]})(
      [&](const In *in, Out *out, std::int64_t n, RunChannels c) {
        kernel(in, out, static_cast<std::size_t>(n), a.data(), b.data(),
               static_cast<std::size_t>(c.first), static_cast<std::size_t>(c.period));
      });
}

template <class In> void apply_to(const Call &call, const Expression &expression) {
  if (call.out[0]->dtype == Dtype::f32) {
    return apply<In, float>(call, expression);
  }
  if constexpr (sizeof(In) == sizeof(float)) {
    if (call.out[0]->dtype == Dtype::u16) {
      return apply<In, std::uint16_t>(call, expression);
    }
  }
  if constexpr (sizeof(In) != sizeof(std::uint16_t)) {
    apply<In, std::uint8_t>(call, expression);
  }
}

void copy(const Call &call) {
  Runs<float, float>({call.in[0], call.out[0]})(
      [](const float *in, float *out, std::int64_t n, RunChannels) {
        std::memmove(out, in, static_cast<std::size_t>(n) * sizeof(float));
      });
}

} // namespace

const char *accepts_fused(const Call &call, const Expression &expression) {
  if (expression.distinct(call.in[0]->channels()) > kMaxPatternChannels) {
    return "more than 4096 channels";
  }
  return refuses_wide(call);
}

void run_fused(const Call &call, const Expression &expression) {
  if (expression.form == Form::copy) {
    return copy(call);
  }
  switch (call.in[0]->dtype) {
  case Dtype::u8:
    return apply_to<std::uint8_t>(call, expression);
  case Dtype::u16:
    return apply_to<std::uint16_t>(call, expression);
  default:
    return apply_to<float>(call, expression);
  }
}

} // namespace switchyard::candidates::pointwise
#endif
