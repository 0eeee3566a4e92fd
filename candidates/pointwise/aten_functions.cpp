// exp, log, square root and power through eager ATen, which leaves f32 functions to a vector
// library of one unit in the last place.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

// Always a tensor: for an exponent that is a number, ATen takes other routes, such as a square root
// for 1/2, which differs from pow for -0 and for negative infinity.
at::Tensor exponents_of(const Coefficients &coefficients) {
  at::Tensor exponents = at::empty({coefficients.size()}, at::kFloat);
  for (std::int64_t c = 0; c < coefficients.size(); ++c) {
    exponents.data_ptr<float>()[c] = static_cast<float>(coefficients[c]);
  }
  return exponents;
}

} // namespace

const char *accepts_aten_function(const Call &call, const Expression &expression) {
  // ATen leaves the last elements to the C library's pow, whose 0th power of a signalling NaN is
  // NaN.
  if (expression.form == Form::power && !expression.a.all([](double a) { return a != 0; })) {
    return "exponents of 0";
  }
  if (const char *reason = refuses_tensors(call)) {
    return reason;
  }
  return refuses_wide(call);
}

void run_aten_function(const Call &call, const Expression &expression) {
  const AtenScope scope;
  const at::Tensor in = tensor_of(*call.in[0]);
  at::Tensor out = tensor_of(*call.out[0]);
  switch (expression.form) {
  case Form::exp:
    at::exp_out(out, in);
    break;
  case Form::log:
    at::log_out(out, in);
    break;
  case Form::square_root:
    at::sqrt_out(out, in);
    break;
  default:
    at::pow_out(out, in, exponents_of(expression.a));
    break;
  }
}

} // namespace switchyard::candidates::pointwise
