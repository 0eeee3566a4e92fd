// add_weighted through NumKong's blend: the second product is fused into the sum.
//
// NumKong drops the term of a zero weight, and with it a NaN or infinity, so that f32 images are
// refused there; in u8 nothing is lost.
#include "candidates/common/numkong_kernels.hpp"

#include "candidates/add_weighted/terms.hpp"
#include "candidates/common/runs.hpp"

namespace switchyard::candidates::add_weighted {
namespace {

template <class T, class Kernel> void run(const Call &call, Kernel *kernel) {
  const auto [rounded, fused] = order_terms(call);
  const float first = rounded.weight;
  const float second = fused.weight;
  Runs<T, T, T>({rounded.image, fused.image, call.out[0]})(
      [&](const T *a, const T *b, T *out, std::int64_t n, RunChannels) {
        kernel(a, b, static_cast<nk_size_t>(n), &first, &second, out);
      });
}

} // namespace

const char *accepts_numkong(const Call &call) {
  if (const char *reason = refuses_fusing(call)) {
    return reason;
  }
  if (call.in[0]->dtype == Dtype::f32 && order_terms(call).fused.weight == 0) {
    return "NumKong skips a zero weight";
  }
  return nullptr;
}

void run_numkong(const Call &call) {
  auto *u8 = nk_each_blend_u8_serial;
  auto *f32 = nk_each_blend_f32_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    u8 = nk_each_blend_u8_haswell;
    f32 = nk_each_blend_f32_haswell;
  }
#endif
  call.in[0]->dtype == Dtype::u8 ? run<std::uint8_t>(call, u8) : run<float>(call, f32);
}

} // namespace switchyard::candidates::add_weighted
