// Pointwise ops of u8 images through 256-entry tables: exact, and independent of what the
// arithmetic costs.
#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

constexpr std::int64_t kMaxTables = 64; // 64 KiB of f32 on the stack

template <class Out> void run(const Call &call, const Expression &expression) {
  const std::int64_t tables = expression.distinct(call.in[0]->channels());
  Out table[kMaxTables * 256];
  for (std::int64_t c = 0; c < tables; ++c) {
    fill_table(expression, c, 1, table + c * 256);
  }
  Runs<Out, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, Out *out, std::int64_t n, RunChannels channels) {
        if (tables == 1 || channels.period == 1) {
          const Out *shared = table + (tables == 1 ? 0 : channels.first * 256);
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

} // namespace

const char *accepts_lut(const Call &call, const Expression &expression) {
  if (expression.distinct(call.in[0]->channels()) > kMaxTables) {
    return "more than 64 tables";
  }
  return refuses_wide(call);
}

void run_lut(const Call &call, const Expression &expression) {
  call.out[0]->dtype == Dtype::u8 ? run<std::uint8_t>(call, expression)
                                  : run<float>(call, expression);
}

} // namespace switchyard::candidates::pointwise
