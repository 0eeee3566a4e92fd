// lut of bytes by one shared table through StringZilla's lookup.
#include "candidates/common/stringzilla_kernels.hpp"

#include "candidates/common/runs.hpp"
#include "candidates/lut/tables.hpp"

namespace switchyard::candidates::lut {

const char *accepts_stringzilla(const Call &call) {
  return call.params_as<LutParams>().table.channels() > 1 ? "one table only" : nullptr;
}

void run_stringzilla(const Call &call) {
  if (call.out[0]->empty()) {
    return;
  }
  static const ByteLookup kernel = stringzilla_lookup().lookup;
  const ConstView &view = call.params_as<LutParams>().table;
  alignas(256) char copy[kEntries];
  const auto *table = static_cast<const char *>(view.data);
  if (!is_dense(view)) {
    copy_channel(view, 0, copy);
    table = copy;
  }
  Runs<std::uint8_t, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, std::uint8_t *out, std::int64_t n, RunChannels) {
        kernel(reinterpret_cast<char *>(out), static_cast<sz_size_t>(n),
               reinterpret_cast<const char *>(in), table);
      });
}

} // namespace switchyard::candidates::lut
