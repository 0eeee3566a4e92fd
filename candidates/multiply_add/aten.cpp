// multiply_add through eager ATen: mul and add in f32; u8 is widened, clamped and narrowed.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/multiply_add/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::multiply_add {

const char *accepts_aten(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_tensor(*view)) {
      return reason;
    }
  }
  if (call.in[0]->dtype == Dtype::u8 && !(all_finite(params.factor) && all_finite(params.value))) {
    return "ATen's cast of NaN to u8 is undefined";
  }
  return refuses_wide(call);
}

void run_aten(const Call &call) {
  const AtenScope scope;
  const auto &params = call.params_as<MultiplyAddParams>();
  const bool scalar = params.factor.scalar() && params.value.scalar();
  const at::Tensor in = tensor_of(*call.in[0]);
  at::Tensor out = tensor_of(*call.out[0]);
  at::Tensor work = call.in[0]->dtype == Dtype::u8 ? at::empty_like(in, at::kFloat) : out;
  const at::Tensor source = call.in[0]->dtype == Dtype::u8 ? work.copy_(in) : in;
  if (scalar) {
    at::mul_out(work, source, at::scalar_tensor(params.factor[0], at::kFloat));
    work.add_(params.value[0]);
  } else {
    at::mul_out(work, source, tensor_of(params.factor));
    work.add_(tensor_of(params.value));
  }
  if (call.in[0]->dtype == Dtype::u8) {
    out.copy_(work.clamp_(0, 255)); // the cast truncates
  }
}

} // namespace switchyard::candidates::multiply_add
