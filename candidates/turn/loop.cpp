// Turns as NumPy evaluates them, and the contract's reference: a copy of the turned view.
#include <cstdint>

#include "candidates/common/passes.hpp"
#include "candidates/turn/adapters.hpp"

namespace switchyard::candidates::turn {
namespace {

// Elements travel as integers of their size, so that no bit of a NaN can change.
template <class Bits> void copy(const ConstView &in, const View &out) {
  pass<Bits, Bits>(in, out, [](Bits x) { return x; });
}

} // namespace

void run_loop(const Call &call, const Turn &turn) {
  const ConstView in = turned(*call.in[0], turn);
  const View &out = *call.out[0];
  switch (size_of(in.dtype)) {
  case 1:
    return copy<std::uint8_t>(in, out);
  case 2:
    return copy<std::uint16_t>(in, out);
  default:
    return copy<std::uint32_t>(in, out);
  }
}

} // namespace switchyard::candidates::turn
