// multiply_add of f32 by a scalar through NumKong's alpha · x + beta.
//
// Its u8 kernel rounds half to even where the contract truncates, so u8 is not offered.
#include "candidates/common/numkong_kernels.hpp"

#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/multiply_add/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::multiply_add {

const char *accepts_numkong(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  if (!params.factor.scalar() || !params.value.scalar()) {
    return "scalars only";
  }
  if (!all_finite(params.value)) {
    return "not finite: a fused product could hide an overflow";
  }
  return refuses_wide(call);
}

void run_numkong(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  const auto factor = static_cast<float>(params.factor[0]);
  const auto value = static_cast<float>(params.value[0]);
  auto *kernel = nk_each_scale_f32_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    kernel = nk_each_scale_f32_haswell;
  }
#endif
  Runs<float, float>({call.in[0], call.out[0]})(
      [&](const float *in, float *out, std::int64_t n, RunChannels) {
        kernel(in, static_cast<nk_size_t>(n), &factor, &value, out);
      });
}

} // namespace switchyard::candidates::multiply_add
