// normalize in one pass over interleaved channels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/normalize/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/pointwise/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

template <class In>
void Normalize(const In *in, float *out, size_t n, const float *mean, const float *scale,
               size_t phase, size_t period) {
  if (period == 1) {
    const DF d;
    Transform<SubMul, ToF32>(in, out, n, OneValue(d, mean + phase), OneValue(d, scale + phase));
  } else {
    Transform<SubMul, ToF32>(in, out, n, Repeating(mean, phase, period),
                             Repeating(scale, phase, period));
  }
}

void NormalizeU8(const uint8_t *in, float *out, size_t n, const float *mean, const float *scale,
                 size_t phase, size_t period) {
  Normalize(in, out, n, mean, scale, phase, period);
}
void NormalizeF32(const float *in, float *out, size_t n, const float *mean, const float *scale,
                  size_t phase, size_t period) {
  Normalize(in, out, n, mean, scale, phase, period);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "candidates/common/coefficients.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/normalize/params.hpp"

namespace switchyard::kernels {
HWY_EXPORT(NormalizeU8);
HWY_EXPORT(NormalizeF32);
} // namespace switchyard::kernels

namespace switchyard::candidates::normalize {
namespace {

template <class In, class Kernel> void run(const Call &call, Kernel kernel) {
  const auto &params = call.params_as<NormalizeParams>();
  const std::int64_t period = params.scalar() ? 1 : call.in[0]->channels();
  const Pattern mean(params.mean, period);
  const Pattern scale(params.scale, period);
  Runs<float, In>({call.in[0], call.out[0]})(
      [&](const In *in, float *out, std::int64_t n, RunChannels channels) {
        const RunChannels c = period == 1 ? RunChannels{} : channels;
        kernel(in, out, static_cast<std::size_t>(n), mean.data(), scale.data(),
               static_cast<std::size_t>(c.first), static_cast<std::size_t>(c.period));
      });
}

} // namespace

const char *accepts_fused(const Call &call) {
  const bool scalar = call.params_as<NormalizeParams>().scalar();
  if (!scalar && call.in[0]->channels() > kMaxPatternChannels) {
    return "more than 4096 channels";
  }
  return refuses_wide(call);
}

void run_fused(const Call &call) {
  using namespace kernels;
  if (call.in[0]->dtype == Dtype::u8) {
    run<std::uint8_t>(call, &HWY_DYNAMIC_DISPATCH(NormalizeU8));
  } else {
    run<float>(call, &HWY_DYNAMIC_DISPATCH(NormalizeF32));
  }
}

} // namespace switchyard::candidates::normalize
#endif
