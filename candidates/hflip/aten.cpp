// hflip through eager ATen: a flipped copy, copied into the output.
#include "candidates/common/aten_tensor.hpp"

namespace switchyard::candidates::hflip {

const char *accepts_aten(const Call &call) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_tensor(*view)) {
      return reason;
    }
  }
  return nullptr;
}

void run_aten(const Call &call) {
  const AtenScope scope;
  at::Tensor out = tensor_of(*call.out[0]);
  out.copy_(at::flip(tensor_of(*call.in[0]), {kW}));
}

} // namespace switchyard::candidates::hflip
