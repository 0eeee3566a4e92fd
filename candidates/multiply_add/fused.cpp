// multiply_add in one pass over interleaved channels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/multiply_add/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/pointwise/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

template <class Store, class In>
void MultiplyAdd(const In *in, typename Store::Element *out, size_t n, const float *factor,
                 const float *value, size_t phase, size_t period) {
  if (period == 1) {
    const DF d;
    Transform<MulAdd, Store>(in, out, n, OneValue(d, factor + phase), OneValue(d, value + phase));
  } else {
    Transform<MulAdd, Store>(in, out, n, Repeating(factor, phase, period),
                             Repeating(value, phase, period));
  }
}

void MultiplyAddU8(const uint8_t *in, uint8_t *out, size_t n, const float *factor,
                   const float *value, size_t phase, size_t period) {
  MultiplyAdd<ToU8<Truncate>>(in, out, n, factor, value, phase, period);
}
void MultiplyAddF32(const float *in, float *out, size_t n, const float *factor, const float *value,
                    size_t phase, size_t period) {
  MultiplyAdd<ToF32>(in, out, n, factor, value, phase, period);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "candidates/common/coefficients.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/multiply_add/params.hpp"

namespace switchyard::kernels {
HWY_EXPORT(MultiplyAddU8);
HWY_EXPORT(MultiplyAddF32);
} // namespace switchyard::kernels

namespace switchyard::candidates::multiply_add {
namespace {

template <class T, class Kernel>
void run(const Call &call, const Values &factor, const Values &value, Kernel kernel) {
  const bool scalar = factor.scalar() && value.scalar();
  const std::int64_t period = scalar ? 1 : call.in[0]->channels();
  const Pattern factors(factor, period);
  const Pattern values(value, period);
  Runs<T, T>({call.in[0], call.out[0]})(
      [&](const T *in, T *out, std::int64_t n, RunChannels run_channels) {
        const RunChannels c = scalar ? RunChannels{} : run_channels;
        kernel(in, out, static_cast<std::size_t>(n), factors.data(), values.data(),
               static_cast<std::size_t>(c.first), static_cast<std::size_t>(c.period));
      });
}

} // namespace

const char *accepts_fused(const Call &call) {
  if (call.in[0]->channels() > kMaxPatternChannels) {
    return "more than 4096 channels";
  }
  return refuses_wide(call);
}

void run_fused(const Call &call) {
  using namespace kernels;
  const auto &params = call.params_as<MultiplyAddParams>();
  if (call.in[0]->dtype == Dtype::u8) {
    run<std::uint8_t>(call, params.factor, params.value, &HWY_DYNAMIC_DISPATCH(MultiplyAddU8));
  } else {
    run<float>(call, params.factor, params.value, &HWY_DYNAMIC_DISPATCH(MultiplyAddF32));
  }
}

} // namespace switchyard::candidates::multiply_add
#endif
