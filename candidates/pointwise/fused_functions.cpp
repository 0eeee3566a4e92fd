// exp, log, square root and power in one pass; u8 images through tables that the kernels fill.
#define HWY_WANT_AVX3_DL // the 128-entry byte permutation of lookups
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/pointwise/fused_functions.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/functions/functions-inl.hpp"
#include "kernels/lut/lut-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

// Functions of x alone have no exponents to load.
constexpr float kNoExponent = 0;

void ExpExact(const float *in, float *out, size_t n, const float *, size_t, size_t) {
  MapExact<ExactExp>(in, out, n, OneExponent(&kNoExponent, 0, 1));
}
void LogExact(const float *in, float *out, size_t n, const float *, size_t, size_t) {
  MapExact<ExactLog>(in, out, n, OneExponent(&kNoExponent, 0, 1));
}
void PowerExact(const float *in, float *out, size_t n, const float *a, size_t phase,
                size_t period) {
  period == 1 ? MapExact<ExactPower>(in, out, n, OneExponent(a, phase, 1))
              : MapExact<ExactPower>(in, out, n, RepeatingExponents(a, phase, period));
}
void PowerFaithful(const float *in, float *out, size_t n, const float *a, size_t phase,
                   size_t period) {
  period == 1 ? MapFaithful<FaithfulPower>(in, out, n, OneExponent(a, phase, 1))
              : MapFaithful<FaithfulPower>(in, out, n, RepeatingExponents(a, phase, period));
}

template <class Op> HWY_INLINE void MapF32(const float *in, float *out, size_t n) {
  const OneValue none(DF(), &kNoExponent);
  Transform<Op, ToF32>(in, out, n, none, none);
}
void ExpFaithful(const float *in, float *out, size_t n, const float *, size_t, size_t) {
  MapF32<FaithfulExp>(in, out, n);
}
void LogFaithful(const float *in, float *out, size_t n, const float *, size_t, size_t) {
  MapF32<FaithfulLog>(in, out, n);
}
void SquareRootExact(const float *in, float *out, size_t n, const float *, size_t, size_t) {
  MapF32<SquareRoot>(in, out, n);
}

void PowerPrepareBytes(ByteTable &table) {
  PrepareBytes(table);
}
void PowerBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteTable *tables, size_t phase,
                size_t period) {
  LookUpBytes(in, out, n, tables, phase, period);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <numeric>

#include "candidates/common/coefficients.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::kernels {
HWY_EXPORT(ExpExact);
HWY_EXPORT(LogExact);
HWY_EXPORT(PowerExact);
HWY_EXPORT(SquareRootExact);
HWY_EXPORT(ExpFaithful);
HWY_EXPORT(LogFaithful);
HWY_EXPORT(PowerFaithful);
HWY_EXPORT(PowerPrepareBytes);
HWY_EXPORT(PowerBytes);
} // namespace switchyard::kernels

namespace switchyard::candidates::pointwise {
namespace {

constexpr std::int64_t kMaxByteTables = 4; // channels that the lookup kernel takes apart

using Kernel = void (*)(const float *in, float *out, std::size_t n, const float *exponents,
                        std::size_t phase, std::size_t period);

Kernel exact_kernel(Form form) {
  using namespace kernels;
  switch (form) {
  case Form::exp:
    return &HWY_DYNAMIC_DISPATCH(ExpExact);
  case Form::log:
    return &HWY_DYNAMIC_DISPATCH(LogExact);
  case Form::square_root:
    return &HWY_DYNAMIC_DISPATCH(SquareRootExact);
  default:
    return &HWY_DYNAMIC_DISPATCH(PowerExact);
  }
}

Kernel faithful_kernel(Form form) {
  using namespace kernels;
  switch (form) {
  case Form::exp:
    return &HWY_DYNAMIC_DISPATCH(ExpFaithful);
  case Form::log:
    return &HWY_DYNAMIC_DISPATCH(LogFaithful);
  default:
    return &HWY_DYNAMIC_DISPATCH(PowerFaithful);
  }
}

void apply(Kernel kernel, const Call &call, const Expression &expression) {
  const std::int64_t period = expression.distinct(call.in[0]->channels());
  const Pattern exponents(expression.a, period);
  Runs<float, float>({call.in[0], call.out[0]})(
      [&](const float *in, float *out, std::int64_t n, RunChannels channels) {
        const RunChannels c = period == 1 ? RunChannels{} : channels;
        kernel(in, out, static_cast<std::size_t>(n), exponents.data(),
               static_cast<std::size_t>(c.first), static_cast<std::size_t>(c.period));
      });
}

void apply_to_bytes(const Call &call, const Expression &expression) {
  using namespace kernels;
  std::array<float, 256> levels{};
  std::iota(levels.begin(), levels.end(), 0.0F);
  const std::int64_t period = expression.distinct(call.in[0]->channels());
  ByteTable tables[kMaxByteTables];
  for (std::int64_t c = 0; c < period; ++c) {
    const auto exponent = static_cast<float>(expression.a[c]);
    std::array<float, 256> powers;
    HWY_DYNAMIC_DISPATCH(PowerExact)(levels.data(), powers.data(), powers.size(), &exponent, 0, 1);
    for (std::size_t x = 0; x < powers.size(); ++x) {
      tables[c].entries[x] = store<std::uint8_t>(powers[x], expression.rounding);
    }
    HWY_DYNAMIC_DISPATCH(PowerPrepareBytes)(tables[c]);
  }
  const auto kernel = &HWY_DYNAMIC_DISPATCH(PowerBytes);
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels channels) {
        const RunChannels c = period == 1 ? RunChannels{} : channels;
        kernel(in, out, static_cast<std::size_t>(n), tables, static_cast<std::size_t>(c.first),
               static_cast<std::size_t>(c.period));
      });
}

} // namespace

const char *accepts_fused_function(const Call &call, const Expression &expression) {
  const std::int64_t distinct = expression.distinct(call.in[0]->channels());
  if (call.in[0]->dtype == Dtype::u8 && distinct > kMaxByteTables) {
    return "more than 4 tables";
  }
  if (distinct > kMaxPatternChannels) {
    return "more than 4096 channels";
  }
  if (!expression.a.all_finite()) {
    return "an exponent is not finite";
  }
  return refuses_wide(call);
}

void run_fused_function(const Call &call, const Expression &expression) {
  call.in[0]->dtype == Dtype::u8 ? apply_to_bytes(call, expression)
                                 : apply(exact_kernel(expression.form), call, expression);
}

void run_fused_faithful(const Call &call, const Expression &expression) {
  apply(faithful_kernel(expression.form), call, expression);
}

} // namespace switchyard::candidates::pointwise
#endif
