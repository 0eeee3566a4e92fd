// Pointwise ops with arrays in one pass over memory.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/pointwise_array/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/functions/power_arrays-inl.hpp"
#include "kernels/pointwise/arrays-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

// A function of its own for every combination that an op has: dispatch knows no templates.
#define SWITCHYARD_ARRAYS_BY(ZIP, NAME, STEP, T, A)                                                \
  void NAME(const T *x, const A *a, const A *b, T *out, size_t n) {                                \
    ZIP<STEP>(x, a, b, out, n);                                                                    \
  }
#define SWITCHYARD_ARRAYS(NAME, STEP, T, A) SWITCHYARD_ARRAYS_BY(Zip, NAME, STEP, T, A)
#define SWITCHYARD_ARRAYS_ROUNDED(NAME, OP, TWO)                                                   \
  using NAME##TruncateStep = RealStep<OP, ToU8<Truncate>, TWO>;                                    \
  using NAME##HalfEvenStep = RealStep<OP, ToU8<HalfEven>, TWO>;                                    \
  using NAME##HalfUpStep = RealStep<OP, ToU8<HalfUp>, TWO>;                                        \
  SWITCHYARD_ARRAYS(NAME##Truncate, NAME##TruncateStep, uint8_t, float)                            \
  SWITCHYARD_ARRAYS(NAME##HalfEven, NAME##HalfEvenStep, uint8_t, float)                            \
  SWITCHYARD_ARRAYS(NAME##HalfUp, NAME##HalfUpStep, uint8_t, float)

SWITCHYARD_ARRAYS_ROUNDED(AddArrayU8, AddFirst, false)
SWITCHYARD_ARRAYS_ROUNDED(MultiplyArrayU8, MulFirst, false)
SWITCHYARD_ARRAYS_ROUNDED(MultiplyAddArraysU8, MulAdd, true)

using AddTruncatedStep = RealStep<AddTruncated, ToU8<Truncate>, false>;
SWITCHYARD_ARRAYS(AddTruncatedU8, AddTruncatedStep, uint8_t, float)
SWITCHYARD_ARRAYS(AddBytes, AddBytesStep, uint8_t, uint8_t)
SWITCHYARD_ARRAYS(MultiplyBytes, MultiplyBytesStep<false>, uint8_t, uint8_t)
SWITCHYARD_ARRAYS(MultiplyAddBytes, MultiplyBytesStep<true>, uint8_t, uint8_t)

using AddF32Step = RealStep<AddFirst, ToF32, false>;
using MultiplyF32Step = RealStep<MulFirst, ToF32, false>;
using MultiplyAddF32Step = RealStep<MulAdd, ToF32, true>;
SWITCHYARD_ARRAYS(AddArrayF32, AddF32Step, float, float)
SWITCHYARD_ARRAYS(MultiplyArrayF32, MultiplyF32Step, float, float)
SWITCHYARD_ARRAYS(MultiplyAddArraysF32, MultiplyAddF32Step, float, float)
SWITCHYARD_ARRAYS(AddArrayF32U8, AddF32Step, float, uint8_t)
SWITCHYARD_ARRAYS(MultiplyArrayF32U8, MultiplyF32Step, float, uint8_t)
SWITCHYARD_ARRAYS(MultiplyAddArraysF32U8, MultiplyAddF32Step, float, uint8_t)

SWITCHYARD_ARRAYS_BY(ZipBlocks, PowerArrayU8Truncate, PowerBytesStep<ToU8<Truncate>>, uint8_t,
                     float)
SWITCHYARD_ARRAYS_BY(ZipBlocks, PowerArrayU8HalfEven, PowerBytesStep<ToU8<HalfEven>>, uint8_t,
                     float)
SWITCHYARD_ARRAYS_BY(ZipBlocks, PowerArrayU8HalfUp, PowerBytesStep<ToU8<HalfUp>>, uint8_t, float)
SWITCHYARD_ARRAYS_BY(ZipBlocks, PowerArrayF32, PowerStep<false>, float, float)
SWITCHYARD_ARRAYS_BY(ZipBlocks, PowerArrayFaithfulF32, PowerStep<true>, float, float)
#undef SWITCHYARD_ARRAYS_ROUNDED
#undef SWITCHYARD_ARRAYS
#undef SWITCHYARD_ARRAYS_BY

#define SWITCHYARD_CONVERT(NAME, T)                                                                \
  void NAME(const void *in, float *out, size_t n) {                                                \
    IntegersToF32(static_cast<const T *>(in), out, n);                                             \
  }
SWITCHYARD_CONVERT(ConvertU8, uint8_t)
SWITCHYARD_CONVERT(ConvertI8, int8_t)
SWITCHYARD_CONVERT(ConvertU16, uint16_t)
SWITCHYARD_CONVERT(ConvertI16, int16_t)
#undef SWITCHYARD_CONVERT
void ConvertF64(const void *in, float *out, size_t n) {
  DoublesToF32<false>(static_cast<const double *>(in), out, n);
}
void TruncateF64(const void *in, float *out, size_t n) {
  DoublesToF32<true>(static_cast<const double *>(in), out, n);
}

void RepeatU8(const uint8_t *in, uint8_t *out, size_t n, size_t times, const uint8_t *picks) {
  Repeat(in, out, n, times, picks);
}
void RepeatF32(const float *in, float *out, size_t n, size_t times, const uint8_t *picks) {
  Repeat(in, out, n, times, picks);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "candidates/common/domain.hpp"
#include "candidates/pointwise_array/adapters.hpp"
#include "candidates/pointwise_array/tiles.hpp"

namespace switchyard::kernels {
HWY_EXPORT(AddArrayU8Truncate);
HWY_EXPORT(AddArrayU8HalfEven);
HWY_EXPORT(AddArrayU8HalfUp);
HWY_EXPORT(MultiplyArrayU8Truncate);
HWY_EXPORT(MultiplyArrayU8HalfEven);
HWY_EXPORT(MultiplyArrayU8HalfUp);
HWY_EXPORT(MultiplyAddArraysU8Truncate);
HWY_EXPORT(MultiplyAddArraysU8HalfEven);
HWY_EXPORT(MultiplyAddArraysU8HalfUp);
HWY_EXPORT(AddTruncatedU8);
HWY_EXPORT(AddBytes);
HWY_EXPORT(MultiplyBytes);
HWY_EXPORT(MultiplyAddBytes);
HWY_EXPORT(AddArrayF32);
HWY_EXPORT(MultiplyArrayF32);
HWY_EXPORT(MultiplyAddArraysF32);
HWY_EXPORT(AddArrayF32U8);
HWY_EXPORT(MultiplyArrayF32U8);
HWY_EXPORT(MultiplyAddArraysF32U8);
HWY_EXPORT(PowerArrayU8Truncate);
HWY_EXPORT(PowerArrayU8HalfEven);
HWY_EXPORT(PowerArrayU8HalfUp);
HWY_EXPORT(PowerArrayF32);
HWY_EXPORT(PowerArrayFaithfulF32);
HWY_EXPORT(ConvertU8);
HWY_EXPORT(ConvertI8);
HWY_EXPORT(ConvertU16);
HWY_EXPORT(ConvertI16);
HWY_EXPORT(ConvertF64);
HWY_EXPORT(TruncateF64);
HWY_EXPORT(RepeatU8);
HWY_EXPORT(RepeatF32);
} // namespace switchyard::kernels

namespace switchyard::candidates::pointwise_array {
namespace {

template <class T, class A>
using Kernel = void (*)(const T *x, const A *a, const A *b, T *out, std::size_t n);

// The kernel for an image of T and operands that are given to it as A.
template <class T, class A> Kernel<T, A> kernel_of(const Expression &expression);

template <> Kernel<std::uint8_t, std::uint8_t> kernel_of(const Expression &expression) {
  using namespace kernels;
  switch (expression.form) {
  case Form::add:
    return &HWY_DYNAMIC_DISPATCH(AddBytes);
  case Form::multiply:
    return &HWY_DYNAMIC_DISPATCH(MultiplyBytes);
  default:
    break;
  }
  return &HWY_DYNAMIC_DISPATCH(MultiplyAddBytes);
}

#define SWITCHYARD_ROUNDED(NAME)                                                                   \
  (expression.rounding == Rounding::half_even ? &HWY_DYNAMIC_DISPATCH(NAME##HalfEven)              \
   : expression.rounding == Rounding::half_up ? &HWY_DYNAMIC_DISPATCH(NAME##HalfUp)                \
                                              : &HWY_DYNAMIC_DISPATCH(NAME##Truncate))
template <> Kernel<std::uint8_t, float> kernel_of(const Expression &expression) {
  using namespace kernels;
  switch (expression.form) {
  case Form::add:
    return expression.truncates ? &HWY_DYNAMIC_DISPATCH(AddTruncatedU8)
                                : SWITCHYARD_ROUNDED(AddArrayU8);
  case Form::multiply:
    return SWITCHYARD_ROUNDED(MultiplyArrayU8);
  case Form::power:
    return SWITCHYARD_ROUNDED(PowerArrayU8);
  case Form::multiply_add:
    break;
  }
  return SWITCHYARD_ROUNDED(MultiplyAddArraysU8);
}
#undef SWITCHYARD_ROUNDED

template <> Kernel<float, float> kernel_of(const Expression &expression) {
  using namespace kernels;
  switch (expression.form) {
  case Form::add:
    return &HWY_DYNAMIC_DISPATCH(AddArrayF32);
  case Form::multiply:
    return &HWY_DYNAMIC_DISPATCH(MultiplyArrayF32);
  case Form::power:
    return &HWY_DYNAMIC_DISPATCH(PowerArrayF32);
  case Form::multiply_add:
    break;
  }
  return &HWY_DYNAMIC_DISPATCH(MultiplyAddArraysF32);
}

template <> Kernel<float, std::uint8_t> kernel_of(const Expression &expression) {
  using namespace kernels;
  switch (expression.form) {
  case Form::add:
    return &HWY_DYNAMIC_DISPATCH(AddArrayF32U8);
  case Form::multiply:
    return &HWY_DYNAMIC_DISPATCH(MultiplyArrayF32U8);
  default:
    break;
  }
  return &HWY_DYNAMIC_DISPATCH(MultiplyAddArraysF32U8);
}

// From an operand's dtype to f32; nullptr where it is f32.
Convert conversion_of(Dtype dtype, bool truncates) {
  using namespace kernels;
  switch (dtype) {
  case Dtype::u8:
    return &HWY_DYNAMIC_DISPATCH(ConvertU8);
  case Dtype::i8:
    return &HWY_DYNAMIC_DISPATCH(ConvertI8);
  case Dtype::u16:
    return &HWY_DYNAMIC_DISPATCH(ConvertU16);
  case Dtype::i16:
    return &HWY_DYNAMIC_DISPATCH(ConvertI16);
  case Dtype::f64:
    return truncates ? &HWY_DYNAMIC_DISPATCH(TruncateF64) : &HWY_DYNAMIC_DISPATCH(ConvertF64);
  default:
    return nullptr;
  }
}

template <class A> RepeatElements<A> repetition() {
  using namespace kernels;
  if constexpr (std::is_same_v<A, float>) {
    return &HWY_DYNAMIC_DISPATCH(RepeatF32);
  } else {
    return &HWY_DYNAMIC_DISPATCH(RepeatU8);
  }
}

// A tile's blocks: one for the whole where nothing passes through a buffer.
template <class Each>
void for_each_block(std::int64_t total, std::int64_t block, bool direct, Each &&each) {
  const std::int64_t step = direct ? total : block;
  for (std::int64_t from = 0; from < total; from += step) {
    each(from, std::min(step, total - from));
  }
}

template <class E, std::size_t V>
Reader<E> reader_of(const ConstView &view, const Tiles<V> &tiles, std::size_t v, bool truncates) {
  const bool converts = kDtypeOf<E> != view.dtype;
  return {view,
          tiles.shape(),
          tiles.strides(v),
          tiles.aligned(v),
          converts ? conversion_of(view.dtype, truncates) : nullptr,
          repetition<E>()};
}

// Without the call to compare memory that == of arrays is.
bool are_equal(const Extents &a, const Extents &b) {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

// Whether elements are what the kernel takes, in one dense run of the given shape.
template <class E> bool is_run(const ConstView &view, const Extents &shape) {
  return view.dtype == kDtypeOf<E> && are_equal(view.shape, shape) &&
         candidates::detail::contiguous(view, sizeof(E)) &&
         candidates::detail::aligned<E>(static_cast<const std::byte *>(view.data));
}

template <class T, class A, std::size_t... I>
void run_as(const Call &call, bool truncates, Kernel<T, A> kernel, std::index_sequence<I...>) {
  constexpr std::size_t kOperands = sizeof...(I);
  const View &result = *call.out[0];
  if (is_run<T>(result, result.shape) && is_run<T>(*call.in[0], result.shape) &&
      (is_run<A>(*call.in[I + 1], result.shape) && ...)) { // as below, for most calls
    const A *read[2] = {static_cast<const A *>(call.in[I + 1]->data)...};
    return kernel(static_cast<const T *>(call.in[0]->data), read[0], read[1],
                  static_cast<T *>(result.mutable_data()),
                  static_cast<std::size_t>(result.elements()));
  }
  const std::array<ConstView, kOperands> operands{repeated(*call.in[I + 1], result.shape)...};
  const Tiles<kOperands + 2> tiles({call.in[0], &operands[I]..., &result});
  Reader<T> x = reader_of<T>(*call.in[0], tiles, 0, false);
  std::array<Reader<A>, kOperands> a{reader_of<A>(operands[I], tiles, I + 1, truncates)...};
  Writer<T> out(result, tiles.shape(), tiles.strides(kOperands + 1), tiles.aligned(kOperands + 1));
  const bool direct = x.direct() && (a[I].direct() && ...) && out.direct();
  tiles.for_each([&](const auto &at) {
    auto *to = const_cast<std::byte *>(at[kOperands + 1]);
    for_each_block(tiles.shape().elements(), tiles.block(), direct,
                   [&](std::int64_t from, std::int64_t n) {
                     const A *read[2] = {a[I].read(at[I + 1], from, n)...};
                     kernel(x.read(at[0], from, n), read[0], read[1], out.begin(to, from),
                            static_cast<std::size_t>(n));
                     out.end(to, from, n);
                   });
  });
}

template <class T, class A>
void run_as(const Call &call, const Expression &expression, Kernel<T, A> kernel) {
  expression.operands() == 1
      ? run_as(call, expression.truncates, kernel, std::make_index_sequence<1>())
      : run_as(call, expression.truncates, kernel, std::make_index_sequence<2>());
}

// Whether a kernel takes the bytes of all operands as they are.
bool takes_bytes(const Call &call, const Expression &expression) {
  return expression.form != Form::power && call.in[1]->dtype == Dtype::u8 &&
         (expression.operands() == 1 || call.in[2]->dtype == Dtype::u8);
}

template <class T> void run_for(const Call &call, const Expression &expression) {
  takes_bytes(call, expression) ? run_as(call, expression, kernel_of<T, std::uint8_t>(expression))
                                : run_as(call, expression, kernel_of<T, float>(expression));
}

} // namespace

const char *accepts_fused(const Call &call, const Expression & /*expression*/) {
  return refuses_wide(call);
}

void run_fused(const Call &call, const Expression &expression) {
  if (call.out[0]->empty()) {
    return;
  }
  call.in[0]->dtype == Dtype::u8 ? run_for<std::uint8_t>(call, expression)
                                 : run_for<float>(call, expression);
}

void run_fused_faithful(const Call &call, const Expression &expression) {
  using namespace kernels;
  if (!call.out[0]->empty()) {
    run_as<float, float>(call, expression, &HWY_DYNAMIC_DISPATCH(PowerArrayFaithfulF32));
  }
}

} // namespace switchyard::candidates::pointwise_array
#endif
