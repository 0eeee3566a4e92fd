// normalize by scalars through NumKong's alpha · x + beta; u8 is cast to f32 first.
#include "candidates/common/numkong_kernels.hpp"

#include <algorithm>

#include "candidates/common/runs.hpp"
#include "candidates/normalize/affine.hpp"

namespace switchyard::candidates::normalize {
namespace {

// Elements that are cast before they are scaled: 16 KiB of f32 stay in the L1 cache.
constexpr std::int64_t kBlock = 4096;

void run_u8(const Call &call, decltype(nk_cast_serial) *cast,
            decltype(nk_each_scale_f32_serial) *scale, const Affine &affine) {
  Runs<float, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, float *out, std::int64_t n, RunChannels) {
        for (std::int64_t k = 0; k < n; k += kBlock) {
          const auto count = static_cast<nk_size_t>(std::min(kBlock, n - k));
          cast(in + k, nk_u8_k, count, out + k, nk_f32_k);
          scale(out + k, count, &affine.alpha, &affine.beta, out + k);
        }
      });
}

void run_f32(const Call &call, decltype(nk_each_scale_f32_serial) *scale, const Affine &affine) {
  Runs<float, float>({call.in[0], call.out[0]})(
      [&](const float *in, float *out, std::int64_t n, RunChannels) {
        scale(in, static_cast<nk_size_t>(n), &affine.alpha, &affine.beta, out);
      });
}

} // namespace

const char *accepts_numkong(const Call &call) {
  return refuses_affine(call);
}

void run_numkong(const Call &call) {
  const Affine affine = affine_of(call.params_as<NormalizeParams>());
  auto *cast = nk_cast_serial;
  auto *scale = nk_each_scale_f32_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    cast = nk_cast_haswell;
    scale = nk_each_scale_f32_haswell;
  }
#endif
  call.in[0]->dtype == Dtype::u8 ? run_u8(call, cast, scale, affine) : run_f32(call, scale, affine);
}

} // namespace switchyard::candidates::normalize
