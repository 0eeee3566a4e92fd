// normalize of u8 through 256-entry f32 tables: exact, and independent of the arithmetic's cost.
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/normalize/tables.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::normalize {
namespace {

constexpr std::int64_t kMaxTables = 64; // 64 KiB on the stack

} // namespace

const char *accepts_lut(const Call &call) {
  const auto &params = call.params_as<NormalizeParams>();
  if (table_count(params, call.in[0]->channels()) > kMaxTables) {
    return "more than 64 tables";
  }
  return refuses_wide(call);
}

void run_lut(const Call &call) {
  const auto &params = call.params_as<NormalizeParams>();
  const std::int64_t tables = table_count(params, call.in[0]->channels());
  float table[kMaxTables * 256];
  for (std::int64_t c = 0; c < tables; ++c) {
    fill_table(params, c, 1, table + c * 256);
  }
  Runs<float, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, float *out, std::int64_t n, RunChannels channels) {
        if (tables == 1 || channels.period == 1) {
          const float *shared = table + (tables == 1 ? 0 : channels.first * 256);
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

} // namespace switchyard::candidates::normalize
