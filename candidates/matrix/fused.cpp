// Matrix products and distances in register tiles; their bits are the loops', except for fused
// multiply-adds.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/matrix/fused.cpp"
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
#include "candidates/matmul/adapters.hpp"
#include "candidates/matrix/operands.hpp"
#include "candidates/pairwise_distances_squared/adapters.hpp"
#include "candidates/turn/turn.hpp"

namespace switchyard::kernels {
HWY_EXPORT(MultiplyU8);
HWY_EXPORT(MultiplyF32);
HWY_EXPORT(MultiplyF64);
HWY_EXPORT(MultiplyFusedF32);
HWY_EXPORT(MultiplyFusedF64);
HWY_EXPORT(DistancesF32);
HWY_EXPORT(DistancesF64);
} // namespace switchyard::kernels

namespace switchyard::candidates {
namespace {

const std::uint8_t *bytes_of(const ConstView &view) {
  return static_cast<const std::uint8_t *>(view.data);
}

// b's elements (k, n) as a view of K × N.
kernels::MatrixOperands operands_of(const ConstView &a, const ConstView &b, const View &out) {
  return {bytes_of(a),
          a.strides[kH],
          a.strides[kW],
          bytes_of(b),
          b.strides[kH],
          b.strides[kW],
          static_cast<std::uint8_t *>(out.mutable_data()),
          out.strides[kH],
          out.strides[kW],
          static_cast<std::size_t>(out.shape[kH]),
          static_cast<std::size_t>(out.shape[kW]),
          static_cast<std::size_t>(a.shape[kW])};
}

template <class Kernel> void each_product(const Call &call, Kernel kernel) {
  for (std::int64_t x = 0; x < call.out[0]->shape[kX]; ++x) {
    kernel(operands_of(matrix::item(*call.in[0], x), matrix::item(*call.in[1], x),
                       matrix::item(*call.out[0], x)));
  }
}

} // namespace

void matmul::run_fused(const Call &call) {
  each_product(call, [&](const kernels::MatrixOperands &operands) {
    switch (call.in[0]->dtype) {
    case Dtype::u8:
      return HWY_DYNAMIC_DISPATCH(kernels::MultiplyU8)(operands);
    case Dtype::f32:
      return HWY_DYNAMIC_DISPATCH(kernels::MultiplyF32)(operands);
    default:
      return HWY_DYNAMIC_DISPATCH(kernels::MultiplyF64)(operands);
    }
  });
}

void matmul::run_fused_fma(const Call &call) {
  each_product(call, [&](const kernels::MatrixOperands &operands) {
    call.in[0]->dtype == Dtype::f32 ? HWY_DYNAMIC_DISPATCH(kernels::MultiplyFusedF32)(operands)
                                    : HWY_DYNAMIC_DISPATCH(kernels::MultiplyFusedF64)(operands);
  });
}

void pairwise_distances_squared::run_fused(const Call &call) {
  const kernels::MatrixOperands operands =
      operands_of(*call.in[0], transposed(*call.in[1]), *call.out[0]);
  call.in[0]->dtype == Dtype::f32 ? HWY_DYNAMIC_DISPATCH(kernels::DistancesF32)(operands)
                                  : HWY_DYNAMIC_DISPATCH(kernels::DistancesF64)(operands);
}

} // namespace switchyard::candidates
#endif
