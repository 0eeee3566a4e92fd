// hflip as NumPy evaluates it, and the contract's reference: a copy of the view with W reversed.
#include <cstdint>

#include "candidates/common/passes.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::hflip {
namespace {

// Elements travel as integers of their size, so that no bit of a NaN can change.
template <class Bits> void copy_reversed(const Call &call) {
  pass<Bits, Bits>(reversed(*call.in[0], kW), *call.out[0], [](Bits x) { return x; });
}

} // namespace

void run_loop(const Call &call) {
  call.in[0]->dtype == Dtype::u8 ? copy_reversed<std::uint8_t>(call)
                                 : copy_reversed<std::uint32_t>(call);
}

} // namespace switchyard::candidates::hflip
