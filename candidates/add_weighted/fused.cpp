// add_weighted in one pass.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/add_weighted/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/pointwise/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void AddWeightedU8(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n, float weight_a,
                   float weight_b) {
  Combine2<WeightedSum, ToU8<HalfEven>>(a, b, out, n, weight_a, weight_b);
}
void AddWeightedF32(const float *a, const float *b, float *out, size_t n, float weight_a,
                    float weight_b) {
  Combine2<WeightedSum, ToF32>(a, b, out, n, weight_a, weight_b);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "candidates/add_weighted/params.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"

namespace switchyard::kernels {
HWY_EXPORT(AddWeightedU8);
HWY_EXPORT(AddWeightedF32);
} // namespace switchyard::kernels

namespace switchyard::candidates::add_weighted {
namespace {

template <class T, class Kernel> void run(const Call &call, Kernel kernel) {
  const auto &params = call.params_as<AddWeightedParams>();
  const auto weight_a = static_cast<float>(params.weight_a);
  const auto weight_b = static_cast<float>(params.weight_b);
  Runs<T, T, T>({call.in[0], call.in[1], call.out[0]})(
      [&](const T *a, const T *b, T *out, std::int64_t n, RunChannels) {
        kernel(a, b, out, static_cast<std::size_t>(n), weight_a, weight_b);
      });
}

} // namespace

const char *accepts_fused(const Call &call) {
  return refuses_wide(call);
}

void run_fused(const Call &call) {
  using namespace kernels;
  if (call.in[0]->dtype == Dtype::u8) {
    run<std::uint8_t>(call, &HWY_DYNAMIC_DISPATCH(AddWeightedU8));
  } else {
    run<float>(call, &HWY_DYNAMIC_DISPATCH(AddWeightedF32));
  }
}

} // namespace switchyard::candidates::add_weighted
#endif
