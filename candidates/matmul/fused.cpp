// matmul in register tiles; the bits are the loop's, except for fused multiply-adds.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/matmul/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/matrix/matrix-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void MultiplyU8(const MatrixOperands &operands) {
  Multiply<ProductU8>(operands);
}
void MultiplyF32(const MatrixOperands &operands) {
  Multiply<ProductF32>(operands);
}
void MultiplyF64(const MatrixOperands &operands) {
  Multiply<ProductF64>(operands);
}
void MultiplyFusedF32(const MatrixOperands &operands) {
  Multiply<FusedProductF32>(operands);
}
void MultiplyFusedF64(const MatrixOperands &operands) {
  Multiply<FusedProductF64>(operands);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "candidates/common/matrix.hpp"
#include "candidates/matmul/adapters.hpp"

namespace switchyard::kernels {
HWY_EXPORT(MultiplyU8);
HWY_EXPORT(MultiplyF32);
HWY_EXPORT(MultiplyF64);
HWY_EXPORT(MultiplyFusedF32);
HWY_EXPORT(MultiplyFusedF64);
} // namespace switchyard::kernels

namespace switchyard::candidates::matmul {

using namespace kernels; // a build for one SIMD target dispatches plain names alone
namespace {

template <class Kernel> void each_product(const Call &call, Kernel kernel) {
  for (std::int64_t x = 0; x < call.out[0]->shape[kX]; ++x) {
    kernel(matrix::operands_of(matrix::item(*call.in[0], x), matrix::item(*call.in[1], x),
                               matrix::item(*call.out[0], x)));
  }
}

} // namespace

void run_fused(const Call &call) {
  each_product(call, [&](const kernels::MatrixOperands &operands) {
    switch (call.in[0]->dtype) {
    case Dtype::u8:
      return HWY_DYNAMIC_DISPATCH(MultiplyU8)(operands);
    case Dtype::f32:
      return HWY_DYNAMIC_DISPATCH(MultiplyF32)(operands);
    default:
      return HWY_DYNAMIC_DISPATCH(MultiplyF64)(operands);
    }
  });
}

void run_fused_fma(const Call &call) {
  each_product(call, [&](const kernels::MatrixOperands &operands) {
    call.in[0]->dtype == Dtype::f32 ? HWY_DYNAMIC_DISPATCH(MultiplyFusedF32)(operands)
                                    : HWY_DYNAMIC_DISPATCH(MultiplyFusedF64)(operands);
  });
}

} // namespace switchyard::candidates::matmul
#endif
