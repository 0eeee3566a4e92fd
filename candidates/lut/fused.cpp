// lut in registers, in one pass over interleaved channels; f32 entries by gathers or by bytes.
#define HWY_WANT_AVX3_DL // the 128-entry byte permutation
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/lut/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/lut/lut-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void LutPrepareBytes(ByteTable &table) {
  PrepareBytes(table);
}
void LutBytes(const uint8_t *in, uint8_t *out, size_t n, const ByteTable *tables, size_t phase,
              size_t period) {
  LookUpBytes(in, out, n, tables, phase, period);
}
bool LutReadsEntries() {
  return ReadsEntries();
}
void LutEntries(const uint8_t *in, uint8_t *out, size_t n, const uint8_t *entries) {
  LookUpEntries(in, out, n, entries);
}
void LutPrepareFloats(FloatTable &table) {
  PrepareFloats(table);
}
void LutFloats(const uint8_t *in, float *out, size_t n, const FloatTable &table) {
  LookUpFloats(in, out, n, table);
}
void LutFloatsPerChannel(const uint8_t *in, float *out, size_t n, const float *table, int32_t scale,
                         const int32_t *offsets, size_t phase, size_t period) {
  GatherFloats<true>(in, out, n, table, scale, offsets, phase, period);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "candidates/common/coefficients.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/lut/tables.hpp"

namespace switchyard::kernels {
HWY_EXPORT(LutPrepareBytes);
HWY_EXPORT(LutBytes);
HWY_EXPORT(LutReadsEntries);
HWY_EXPORT(LutEntries);
HWY_EXPORT(LutPrepareFloats);
HWY_EXPORT(LutFloats);
HWY_EXPORT(LutFloatsPerChannel);
} // namespace switchyard::kernels

namespace switchyard::candidates::lut {
namespace {

constexpr std::int64_t kMaxByteTables = 4;  // channels that the kernel takes apart
constexpr std::int64_t kMaxGathered = 1024; // channels, so that their offsets fit the stack

// One table, where it lies.
void run_entries(const Call &call, const ConstView &table) {
  using namespace kernels;
  const auto *entries = static_cast<const std::uint8_t *>(table.data);
  const auto kernel = HWY_DYNAMIC_DISPATCH(LutEntries);
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels) {
        kernel(in, out, static_cast<std::size_t>(n), entries);
      });
}

void run_bytes(const Call &call) {
  using namespace kernels;
  const ConstView &view = call.params_as<LutParams>().table;
  const bool shared = view.channels() == 1;
  if (shared && is_dense(view) && HWY_DYNAMIC_DISPATCH(LutReadsEntries)()) {
    return run_entries(call, view);
  }
  ByteTable tables[kMaxByteTables];
  for (std::int64_t c = 0; c < view.channels(); ++c) {
    copy_channel(view, c, tables[c].entries);
    HWY_DYNAMIC_DISPATCH(LutPrepareBytes)(tables[c]);
  }
  const auto kernel = &HWY_DYNAMIC_DISPATCH(LutBytes);
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels run_channels) {
        const RunChannels c = shared ? RunChannels{} : run_channels;
        kernel(in, out, static_cast<std::size_t>(n), tables, static_cast<std::size_t>(c.first),
               static_cast<std::size_t>(c.period));
      });
}

void run_floats_shared(const Call &call) {
  using namespace kernels;
  FloatTable table;
  copy_channel(call.params_as<LutParams>().table, 0, table.entries);
  HWY_DYNAMIC_DISPATCH(LutPrepareFloats)(table);
  const auto kernel = &HWY_DYNAMIC_DISPATCH(LutFloats);
  Runs<float, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, float *out, std::int64_t n, RunChannels) {
        kernel(in, out, static_cast<std::size_t>(n), table);
      });
}

void run_floats_per_channel(const Call &call) {
  using namespace kernels;
  const ConstView &view = call.params_as<LutParams>().table;
  const DenseTable<float> table(view);
  const std::int64_t channels = view.channels();
  std::int32_t offsets[kMaxGathered + kPatternSlack];
  for (std::int64_t i = 0; i < channels + kPatternSlack; ++i) {
    offsets[i] = static_cast<std::int32_t>(i % channels);
  }
  const std::int32_t one_channel[kPatternSlack] = {};
  const auto kernel = &HWY_DYNAMIC_DISPATCH(LutFloatsPerChannel);
  Runs<float, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, float *out, std::int64_t n, RunChannels c) {
        const bool one = c.period == 1;
        kernel(in, out, static_cast<std::size_t>(n), table.data() + (one ? c.first : 0),
               static_cast<std::int32_t>(channels), one ? one_channel : offsets,
               static_cast<std::size_t>(one ? 0 : c.first), static_cast<std::size_t>(c.period));
      });
}

} // namespace

const char *accepts_fused(const Call &call) {
  const ConstView &table = call.params_as<LutParams>().table;
  if (call.out[0]->dtype == Dtype::u8) {
    return table.channels() > kMaxByteTables ? "more than 4 tables" : nullptr;
  }
  return table.channels() > kMaxGathered ? "more than 1024 tables" : refuses_table(table);
}

void run_fused(const Call &call) {
  if (call.out[0]->empty()) {
    return;
  }
  if (call.out[0]->dtype == Dtype::u8) {
    run_bytes(call);
  } else if (call.params_as<LutParams>().table.channels() == 1) {
    run_floats_shared(call);
  } else {
    run_floats_per_channel(call);
  }
}

} // namespace switchyard::candidates::lut
#endif
