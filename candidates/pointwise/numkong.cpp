// Pointwise ops by scalars through NumKong's alpha · x + beta of f32; u8 is cast before, integer
// results after (half to even, saturating, NaN → 0).
//
// Its u8 kernels round half to even where most ops truncate, so they serve integer addition alone.
#include "candidates/common/numkong_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

// Elements that pass through a buffer of f32 at once: 16 KiB stay in the L1 cache.
constexpr std::int64_t kBlock = 4096;

struct Kernels {
  decltype(nk_cast_serial) *cast = nk_cast_serial;
  decltype(nk_each_scale_f32_serial) *scale_f32 = nk_each_scale_f32_serial;
  decltype(nk_each_scale_u8_serial) *scale_u8 = nk_each_scale_u8_serial;
};

Kernels kernels() {
  Kernels chosen;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    chosen = {nk_cast_haswell, nk_each_scale_f32_haswell, nk_each_scale_u8_haswell};
  }
#endif
  return chosen;
}

// A beta of −0 leaves the product's sign as it is.
struct Affine {
  float alpha = 1;
  float beta = -0.0F;
};

Affine affine_of(const Expression &expression) {
  const auto a = static_cast<float>(expression.a[0]);
  const auto b = static_cast<float>(expression.b[0]);
  switch (expression.form) {
  case Form::add:
    return {1, a};
  case Form::multiply:
    return {a, -0.0F};
  case Form::multiply_add:
    return {a, b};
  case Form::subtract_multiply:
    return {b, static_cast<float>(-static_cast<double>(a) * static_cast<double>(b))};
  case Form::divide:
    return {static_cast<float>(1 / static_cast<double>(a)), -0.0F};
  default:
    return {};
  }
}

const char *refuses_form(const Call &call, const Expression &expression) {
  const bool u8_image = call.in[0]->dtype == Dtype::u8;
  switch (expression.form) {
  case Form::add:
    return u8_image && !expression.a.whole_within(1e6) ? "its u8 kernel rounds half to even"
                                                       : nullptr;
  case Form::multiply:
    return nullptr;
  case Form::multiply_add:
    return expression.b.all_finite() ? nullptr
                                     : "not finite: a fused product could hide an overflow";
  case Form::subtract_multiply: {
    const double mean = std::fabs(expression.a[0]);
    const double beta = std::fabs(static_cast<double>(affine_of(expression).beta));
    if (!(mean <= 0x1p100 && beta <= 0x1p100)) { // also NaN
      return "mean or mean * scale could overflow";
    }
    return beta < 0x1p-40 && mean != 0 && expression.b[0] != 0
               ? "mean * scale is too small to be told from 0"
               : nullptr;
  }
  case Form::divide:
    return u8_image && expression.a[0] == 255
               ? nullptr
               : "a reciprocal product is not proven for this divisor";
  default:
    return "no such kernel";
  }
}

void run_f32(const Call &call, const Kernels &kernel, const Affine &affine) {
  Runs<float, float>({call.in[0], call.out[0]})(
      [&](const float *in, float *out, std::int64_t n, RunChannels) {
        kernel.scale_f32(in, static_cast<nk_size_t>(n), &affine.alpha, &affine.beta, out);
      });
}

void run_u8(const Call &call, const Kernels &kernel, const Affine &affine) {
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels) {
        kernel.scale_u8(in, static_cast<nk_size_t>(n), &affine.alpha, &affine.beta, out);
      });
}

void run_u8_to_f32(const Call &call, const Kernels &kernel, const Affine &affine) {
  Runs<float, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, float *out, std::int64_t n, RunChannels) {
        for (std::int64_t k = 0; k < n; k += kBlock) {
          const auto count = static_cast<nk_size_t>(std::min(kBlock, n - k));
          kernel.cast(in + k, nk_u8_k, count, out + k, nk_f32_k);
          kernel.scale_f32(out + k, count, &affine.alpha, &affine.beta, out + k);
        }
      });
}

template <class Out>
void run_f32_to(const Call &call, const Kernels &kernel, const Affine &affine, nk_dtype_t type) {
  Runs<Out, float>({call.in[0], call.out[0]})(
      [&](const float *in, Out *out, std::int64_t n, RunChannels) {
        float scaled[kBlock];
        for (std::int64_t k = 0; k < n; k += kBlock) {
          const auto count = static_cast<nk_size_t>(std::min(kBlock, n - k));
          kernel.scale_f32(in + k, count, &affine.alpha, &affine.beta, scaled);
          kernel.cast(scaled, nk_f32_k, count, out + k, type);
        }
      });
}

} // namespace

const char *accepts_numkong(const Call &call, const Expression &expression) {
  if (!expression.scalar()) {
    return "scalars only";
  }
  const bool integer_result = call.out[0]->dtype != Dtype::f32;
  const bool integer_image = call.in[0]->dtype != Dtype::f32;
  if (call.in[0]->dtype == Dtype::u16) {
    return "no u16 images";
  }
  if (integer_result && integer_image && expression.form != Form::add) {
    return "its u8 kernel rounds half to even";
  }
  if (integer_result && !integer_image && expression.rounding != Rounding::half_even) {
    return "its cast rounds half to even";
  }
  if (const char *reason = refuses_form(call, expression)) {
    return reason;
  }
  return refuses_wide(call);
}

void run_numkong(const Call &call, const Expression &expression) {
  const Kernels kernel = kernels();
  const Affine affine = affine_of(expression);
  if (call.in[0]->dtype == Dtype::u8) {
    return call.out[0]->dtype == Dtype::u8 ? run_u8(call, kernel, affine)
                                           : run_u8_to_f32(call, kernel, affine);
  }
  switch (call.out[0]->dtype) {
  case Dtype::u8:
    return run_f32_to<std::uint8_t>(call, kernel, affine, nk_u8_k);
  case Dtype::u16:
    return run_f32_to<std::uint16_t>(call, kernel, affine, nk_u16_k);
  default:
    return run_f32(call, kernel, affine);
  }
}

} // namespace switchyard::candidates::pointwise
