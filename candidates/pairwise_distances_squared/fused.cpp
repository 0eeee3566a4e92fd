// pairwise_distances_squared in register tiles, from differences; the bits are the loop's.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/pairwise_distances_squared/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/matrix/matrix-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void DistancesF32(const MatrixOperands &operands) {
  Multiply<DistanceF32>(operands);
}
void DistancesF64(const MatrixOperands &operands) {
  Multiply<DistanceF64>(operands);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "candidates/common/matrix.hpp"
#include "candidates/common/turn.hpp"
#include "candidates/pairwise_distances_squared/adapters.hpp"

namespace switchyard::kernels {
HWY_EXPORT(DistancesF32);
HWY_EXPORT(DistancesF64);
} // namespace switchyard::kernels

namespace switchyard::candidates::pairwise_distances_squared {

using namespace kernels; // a build for one SIMD target dispatches plain names alone

void run_fused(const Call &call) {
  const kernels::MatrixOperands operands =
      matrix::operands_of(*call.in[0], transposed(*call.in[1]), *call.out[0]);
  call.in[0]->dtype == Dtype::f32 ? HWY_DYNAMIC_DISPATCH(DistancesF32)(operands)
                                  : HWY_DYNAMIC_DISPATCH(DistancesF64)(operands);
}

} // namespace switchyard::candidates::pairwise_distances_squared
#endif
