// normalize through eager ATen: sub and mul in f32; u8 is widened into the output first.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/normalize/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::normalize {
namespace {

at::Tensor operand(const Values &values) {
  return values.scalar() ? at::scalar_tensor(values[0], at::kFloat) : tensor_of(values);
}

} // namespace

const char *accepts_aten(const Call &call) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_tensor(*view)) {
      return reason;
    }
  }
  return refuses_wide(call);
}

void run_aten(const Call &call) {
  const AtenScope scope;
  const auto &params = call.params_as<NormalizeParams>();
  const at::Tensor in = tensor_of(*call.in[0]);
  at::Tensor out = tensor_of(*call.out[0]);
  if (call.in[0]->dtype == Dtype::u8) {
    out.copy_(in);
    out.sub_(operand(params.mean));
  } else {
    at::sub_out(out, in, operand(params.mean));
  }
  out.mul_(operand(params.scale));
}

} // namespace switchyard::candidates::normalize
