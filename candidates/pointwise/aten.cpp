// Pointwise ops through eager ATen, one op per operation, in f32: integer images are widened
// first; integer results are rounded, clamped and narrowed.
#include "candidates/common/aten_narrow.hpp"
#include "candidates/common/aten_tensor.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

// A 0-D tensor, or one that broadcasts along C.
at::Tensor operand(const Coefficients &coefficients) {
  if (coefficients.scalar()) {
    return at::scalar_tensor(coefficients[0], at::kFloat);
  }
  at::Tensor tensor = at::empty({coefficients.size()}, at::kFloat);
  for (std::int64_t c = 0; c < coefficients.size(); ++c) {
    tensor.data_ptr<float>()[c] = static_cast<float>(coefficients[c]);
  }
  return tensor;
}

void operate(at::Tensor &work, const at::Tensor &in, const Expression &expression) {
  const at::Tensor a = operand(expression.a);
  const at::Tensor b = operand(expression.b);
  switch (expression.form) {
  case Form::add:
    at::add_out(work, in, a);
    break;
  case Form::multiply:
    at::mul_out(work, in, a);
    break;
  case Form::multiply_add:
    at::mul_out(work, in, a);
    work.add_(b);
    break;
  case Form::subtract_multiply:
    at::sub_out(work, in, a);
    work.mul_(b);
    break;
  case Form::divide:
    at::div_out(work, in, a);
    break;
  case Form::clip:
    at::clamp_out(work, in, a, b);
    break;
  default: // a copy: functions have adapters of their own
    work.copy_(in);
    break;
  }
}

} // namespace

const char *accepts_aten(const Call &call, const Expression &expression) {
  return refuses_arithmetic(call, expression.rounding);
}

void run_aten(const Call &call, const Expression &expression) {
  const AtenScope scope;
  const at::Tensor in = tensor_of(*call.in[0]);
  at::Tensor out = tensor_of(*call.out[0]);
  if (out.scalar_type() == at::kFloat && in.scalar_type() == at::kFloat) {
    return operate(out, in, expression);
  }
  if (out.scalar_type() == at::kFloat) {
    out.copy_(in);
    return operate(out, out, expression);
  }
  at::Tensor work = at::empty_like(in, at::kFloat);
  const bool widen = in.scalar_type() != at::kFloat;
  operate(work, widen ? work.copy_(in) : in, expression);
  // Integers and finite coefficients make infinities at most.
  const bool finite = widen && expression.a.all_finite() && expression.b.all_finite();
  narrow_to_u8(work, out, expression.rounding, !finite);
}

} // namespace switchyard::candidates::pointwise
