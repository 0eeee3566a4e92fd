// add_weighted through eager ATen: mul and add(alpha) in f32; u8 is widened, rounded, clamped and
// narrowed. ATen fuses alpha's product into the sum.
#include "candidates/add_weighted/terms.hpp"
#include "candidates/common/aten_tensor.hpp"

namespace switchyard::candidates::add_weighted {
namespace {

at::Tensor weight_tensor(float weight) {
  return at::scalar_tensor(static_cast<double>(weight), at::kFloat);
}

void run_u8(const Terms &terms, at::Tensor out) {
  at::Tensor sum = tensor_of(*terms.rounded.image).to(at::kFloat);
  sum.mul_(weight_tensor(terms.rounded.weight));
  sum.add_(tensor_of(*terms.fused.image).to(at::kFloat), terms.fused.weight);
  out.copy_(sum.round_().clamp_(0, 255)); // the cast truncates
}

void run_f32(const Terms &terms, at::Tensor out) {
  const at::Tensor fused = tensor_of(*terms.fused.image);
  // In place, the product must not overwrite the term that is still to be added.
  at::Tensor product = out.data_ptr() == fused.data_ptr() ? at::empty_like(fused) : out;
  at::mul_out(product, tensor_of(*terms.rounded.image), weight_tensor(terms.rounded.weight));
  at::add_out(out, product, fused, terms.fused.weight);
}

} // namespace

const char *accepts_aten(const Call &call) {
  if (const char *reason = refuses_tensors(call)) {
    return reason;
  }
  return refuses_fusing(call);
}

void run_aten(const Call &call) {
  const AtenScope scope;
  const Terms terms = order_terms(call);
  const at::Tensor out = tensor_of(*call.out[0]);
  call.in[0]->dtype == Dtype::u8 ? run_u8(terms, out) : run_f32(terms, out);
}

} // namespace switchyard::candidates::add_weighted
