// multiply_add of u8 through 256-entry tables: exact, and independent of the arithmetic's cost.
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/multiply_add/tables.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::multiply_add {
namespace {

constexpr std::int64_t kMaxTables = 64; // 16 KiB on the stack, half of a small L1 cache

} // namespace

const char *accepts_lut(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  if (table_count(params, call.in[0]->channels()) > kMaxTables) {
    return "more than 64 tables";
  }
  return refuses_wide(call);
}

void run_lut(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  const std::int64_t tables = table_count(params, call.in[0]->channels());
  std::uint8_t table[kMaxTables * 256];
  for (std::int64_t c = 0; c < tables; ++c) {
    fill_table(params, c, table + c * 256);
  }
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels channels) {
        if (tables == 1 || channels.period == 1) {
          const std::uint8_t *shared = table + (tables == 1 ? 0 : channels.first * 256);
          for (std::int64_t k = 0; k < n; ++k) {
            out[k] = shared[in[k]];
          }
          return;
        }
        std::int64_t c = channels.first;
        for (std::int64_t k = 0; k < n; ++k) {
          out[k] = table[c * 256 + in[k]];
          c = c + 1 == channels.period ? 0 : c + 1;
        }
      });
}

} // namespace switchyard::candidates::multiply_add
