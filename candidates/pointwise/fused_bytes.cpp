// Pointwise ops from u8 to u8 in integer arithmetic or, where a CPU permutes 128 bytes, by tables.
#define HWY_WANT_AVX3_DL // the 128-entry byte permutation
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/pointwise/fused_bytes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/lut/lut-inl.hpp"
#include "kernels/pointwise/bytes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

// A function of its own for every map: dispatch knows no templates.
void ShiftBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteFields *channels,
                const BytePatterns *patterns, int bits, size_t phase, size_t period) {
  MapBytes<ShiftMap>(in, out, n, channels, patterns, bits, phase, period);
}
void ClampBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteFields *channels,
                const BytePatterns *patterns, int bits, size_t phase, size_t period) {
  MapBytes<ClampMap>(in, out, n, channels, patterns, bits, phase, period);
}
void LinearBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteFields *channels,
                 const BytePatterns *patterns, int bits, size_t phase, size_t period) {
#if HWY_TARGET != HWY_SCALAR
  MapBytes<LinearMap>(in, out, n, channels, patterns, bits, phase, period);
#else
  (void)in, (void)out, (void)n, (void)channels, (void)patterns, (void)bits, (void)phase;
  (void)period; // nothing fits there
#endif
}
bool FitBytes(const uint8_t *table, float slope, int bits, ByteFields &fields) {
  return FitLinear(table, slope, bits, fields);
}

// Whether a table costs less than arithmetic.
bool PrefersTable() {
  return HWY_TARGET == HWY_AVX3_DL;
}
void TableBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteTable &table) {
  LookUpBytes(in, out, n, &table, 0, 1);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "candidates/common/runs.hpp"
#include "candidates/pointwise/fused_bytes.hpp"

namespace switchyard::kernels {
HWY_EXPORT(ShiftBytes);
HWY_EXPORT(ClampBytes);
HWY_EXPORT(LinearBytes);
HWY_EXPORT(FitBytes);
HWY_EXPORT(PrefersTable);
HWY_EXPORT(TableBytes);
} // namespace switchyard::kernels

namespace switchyard::candidates::pointwise {
namespace {

using namespace kernels; // a build for one SIMD target dispatches plain names alone

using kernels::ByteFields;
using kernels::BytePatterns;

constexpr std::size_t kMostChannels = BytePatterns::kMostChannels;
using Channels = std::array<ByteFields, kMostChannels>;

using Kernel = void (*)(const std::uint8_t *in, std::uint8_t *out, std::size_t n,
                        const ByteFields *channels, const BytePatterns *patterns, int bits,
                        std::size_t phase, std::size_t period);

// From so many elements per channel on, an affine map is worth fitting.
constexpr std::int64_t kWorthFitting = 8192;

// Fills `fields` rows of the patterns with channels that follow each other.
void fill_patterns(std::span<const ByteFields> channels, std::size_t fields,
                   BytePatterns &patterns) {
  const std::size_t period = channels.size();
  const std::size_t bytes = std::min(BytePatterns::kBytes, (period + 1) * BytePatterns::kVector);
  for (std::size_t f = 0; f < fields; ++f) {
    std::uint8_t *row = patterns.row[f];
    for (std::size_t c = 0; c < period; ++c) {
      row[c] = channels[c].field[f];
    }
    for (std::size_t filled = period; filled < bytes; filled *= 2) {
      std::memcpy(row + filled, row, std::min(filled, bytes - filled));
    }
  }
}

void run_map(const Call &call, Kernel kernel, std::span<const ByteFields> channels,
             std::size_t fields, int bits) {
  BytePatterns patterns;
  const bool together = channels.size() == 1;
  if (!together) {
    fill_patterns(channels, fields, patterns);
  }
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels run) {
        const RunChannels c = together ? RunChannels{} : run;
        kernel(in, out, static_cast<std::size_t>(n), channels.data(), &patterns, bits,
               static_cast<std::size_t>(c.first), static_cast<std::size_t>(c.period));
      });
}

std::uint8_t saturated(double value) {
  return static_cast<std::uint8_t>(std::min(std::max(value, 0.0), 255.0));
}

// x + a for whole numbers a. NaN takes everything away: the contract makes it 0.
bool run_shift(const Call &call, const Expression &expression, std::size_t period) {
  Channels channels;
  for (std::size_t c = 0; c < period; ++c) {
    const double a = expression.a[static_cast<std::int64_t>(c)];
    if (std::isfinite(a) && std::trunc(a) != a) {
      return false;
    }
    channels[c].field[0] = std::isnan(a) ? 0 : saturated(a);
    channels[c].field[1] = std::isnan(a) ? 255 : saturated(-a);
  }
  run_map(call, HWY_DYNAMIC_DISPATCH(ShiftBytes), std::span(channels).first(period), 2, 0);
  return true;
}

void run_clamp(const Call &call, const Expression &expression, std::size_t period) {
  Channels channels;
  for (std::size_t c = 0; c < period; ++c) {
    channels[c].field[0] = saturated(expression.a[static_cast<std::int64_t>(c)]);
    channels[c].field[1] = saturated(expression.b[static_cast<std::int64_t>(c)]);
  }
  run_map(call, HWY_DYNAMIC_DISPATCH(ClampBytes), std::span(channels).first(period), 2, 0);
}

// What the op makes of every byte in one channel.
void tabulate(const Expression &expression, std::int64_t channel, ByteKernel exact,
              std::uint8_t *table) {
  std::uint8_t inputs[256];
  for (int x = 0; x < 256; ++x) {
    inputs[x] = static_cast<std::uint8_t>(x);
  }
  const auto a = static_cast<float>(expression.a[channel]);
  const auto b = static_cast<float>(expression.b[channel]);
  exact(inputs, table, 256, &a, &b, 0, 1);
}

// x · a + b in 16 bits.
bool run_linear(const Call &call, const Expression &expression, std::size_t period,
                ByteKernel exact) {
  float steepest = 0;
  for (std::size_t c = 0; c < period; ++c) {
    const auto slope = static_cast<float>(expression.a[static_cast<std::int64_t>(c)]);
    if (!std::isfinite(slope)) {
      return false;
    }
    steepest = std::max(steepest, std::fabs(slope));
  }
  int bits = 8; // of fractions: as many as 16 leave
  while (steepest * static_cast<float>(256 << bits) > 65535.0F) {
    if (--bits == 0) {
      return false;
    }
  }
  Channels channels;
  std::uint8_t table[256];
  for (std::size_t c = 0; c < period; ++c) {
    const auto channel = static_cast<std::int64_t>(c);
    tabulate(expression, channel, exact, table);
    if (!HWY_DYNAMIC_DISPATCH(FitBytes)(table, static_cast<float>(expression.a[channel]), bits,
                                        channels[c])) {
      return false;
    }
  }
  run_map(call, HWY_DYNAMIC_DISPATCH(LinearBytes), std::span(channels).first(period),
          ByteFields::kMost, bits);
  return true;
}

void run_table(const Call &call, const Expression &expression, ByteKernel exact) {
  kernels::ByteTable table;
  tabulate(expression, 0, exact, table.entries);
  const auto kernel = HWY_DYNAMIC_DISPATCH(TableBytes);
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels) {
        kernel(in, out, static_cast<std::size_t>(n), table);
      });
}

// Whether the kernels hold the coefficients of so many interleaved channels in registers, on
// targets of every width: others have to load them anew for every vector.
bool comes_back_soon(std::size_t period) {
  const std::size_t odd = period >> std::countr_zero(period);
  return odd == 1 || odd == 3;
}

} // namespace

bool run_in_bytes(const Call &call, const Expression &expression, ByteKernel exact) {
  const std::int64_t distinct = expression.distinct(call.in[0]->channels());
  if (distinct > static_cast<std::int64_t>(kMostChannels)) {
    return false;
  }
  const auto period = static_cast<std::size_t>(distinct);
  switch (expression.form) {
  case Form::add:
    return run_shift(call, expression, period);
  case Form::clip:
    run_clamp(call, expression, period);
    return true;
  case Form::multiply:
  case Form::multiply_add:
    break;
  default:
    return false;
  }
  if (!comes_back_soon(period) || call.in[0]->elements() < kWorthFitting * distinct) {
    return false;
  }
  if (period == 1 && HWY_DYNAMIC_DISPATCH(PrefersTable)()) {
    run_table(call, expression, exact);
    return true;
  }
  return run_linear(call, expression, period, exact);
}

} // namespace switchyard::candidates::pointwise
#endif
