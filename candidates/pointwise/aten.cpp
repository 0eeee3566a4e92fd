// Pointwise ops through eager ATen, one op per operation, in f32: integer images are widened
// first; integer results are rounded, clamped and narrowed.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/common/domain.hpp"
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

// To u8; ATen has no u16. Its cast of NaN, and of what lies beyond the type, is undefined.
void narrow(at::Tensor &work, at::Tensor &out, Rounding rounding, bool may_be_nan) {
  if (may_be_nan) {
    work.nan_to_num_(0);
  }
  work.clamp_(0, 255);
  out.copy_(rounding == Rounding::half_even ? work.round_() : work);
}

} // namespace

const char *accepts_aten(const Call &call, const Expression &expression) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (view->dtype == Dtype::u16) {
      return "ATen has no u16";
    }
    if (const char *reason = refuses_tensor(*view)) {
      return reason;
    }
  }
  if (call.out[0]->dtype == Dtype::u8 && expression.rounding == Rounding::half_up) {
    return "ATen has no exact half-up rounding";
  }
  return refuses_wide(call);
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
  narrow(work, out, expression.rounding, !finite);
}

} // namespace switchyard::candidates::pointwise
