// lut as NumPy evaluates it, and the contract's reference: take(table, image).
#include <cstring>

#include "candidates/common/runs.hpp"
#include "candidates/lut/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::lut {
namespace {

template <class T> void take(const Call &call) {
  const ConstView &table = call.params_as<LutParams>().table;
  const bool shared = table.channels() == 1;
  Runs<T, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, T *out, std::int64_t n, RunChannels channels) {
        std::int64_t c = shared ? 0 : channels.first;
        for (std::int64_t k = 0; k < n; ++k) {
          std::memcpy(out + k, table.at(0, 0, in[k], c), sizeof(T));
          if (!shared && channels.period > 1 && ++c == channels.period) {
            c = 0;
          }
        }
      });
}

} // namespace

void run_loop(const Call &call) {
  call.out[0]->dtype == Dtype::u8 ? take<std::uint8_t>(call) : take<float>(call);
}

} // namespace switchyard::candidates::lut
