// Pointwise ops with arrays through eager ATen, which repeats operands by itself: one op per
// operation, in f32. u8 images are widened first; their results are rounded, clamped and narrowed.
#include "candidates/common/aten_narrow.hpp"
#include "candidates/common/aten_tensor.hpp"
#include "candidates/pointwise_array/adapters.hpp"

namespace switchyard::candidates::pointwise_array {
namespace {

// An operand that joins f32 without making the result f64.
at::Tensor operand_of(const ConstView &view, bool truncates) {
  at::Tensor tensor = tensor_of(view);
  if (truncates && at::isFloatingType(tensor.scalar_type())) {
    tensor = tensor.trunc();
  }
  return tensor.scalar_type() == at::kDouble ? tensor.to(at::kFloat) : tensor;
}

void operate(const Call &call, const Expression &expression, const at::Tensor &in,
             at::Tensor &out) {
  const at::Tensor a = operand_of(*call.in[1], expression.truncates);
  switch (expression.form) {
  case Form::add:
    at::add_out(out, in, a);
    break;
  case Form::multiply:
    at::mul_out(out, in, a);
    break;
  case Form::power: {
    // f32 exponents: for integers, ATen multiplies. Products with 1, because the C library's pow,
    // to which ATen leaves the rest of a row, makes NaN of a signalling one even where the other
    // argument decides.
    const at::Tensor exponents = a.scalar_type() == at::kFloat ? a.mul(1) : a.to(at::kFloat);
    at::pow_out(out, in.mul(1), exponents);
    break;
  }
  case Form::multiply_add: {
    const at::Tensor b = operand_of(*call.in[2], false);
    // The product must not overwrite what is still to be added.
    at::Tensor product = b.data_ptr() == out.data_ptr() ? at::empty_like(out) : out;
    at::mul_out(product, in, a);
    at::add_out(out, product, b);
    break;
  }
  }
}

bool has_real_operands(const Call &call) {
  for (std::size_t i = 1; i < call.in.size() && call.in[i] != nullptr; ++i) {
    if (call.in[i]->dtype == Dtype::f32 || call.in[i]->dtype == Dtype::f64) {
      return true;
    }
  }
  return false;
}

} // namespace

const char *accepts_aten(const Call &call, const Expression &expression) {
  return refuses_arithmetic(call, expression.rounding);
}

void run_aten(const Call &call, const Expression &expression) {
  const AtenScope scope;
  const at::Tensor in = tensor_of(*call.in[0]);
  at::Tensor out = tensor_of(*call.out[0]);
  if (out.scalar_type() == at::kFloat) {
    return operate(call, expression, in, out);
  }
  at::Tensor work = in.to(at::kFloat);
  operate(call, expression, work, work);
  narrow_to_u8(work, out, expression.rounding, has_real_operands(call));
}

} // namespace switchyard::candidates::pointwise_array
