// Pointwise ops with arrays as NumPy evaluates them, and the contracts' reference: operands are
// converted, then one pass per operation.
#include <cmath>
#include <optional>
#include <type_traits>

#include "candidates/common/narrow.hpp"
#include "candidates/common/passes.hpp"
#include "candidates/pointwise_array/adapters.hpp"
#include "kernels/functions/correct.hpp"

namespace switchyard::candidates::pointwise_array {
namespace {

// An operand in the working precision, repeated to the image's shape.
template <class Real> class Converted {
public:
  Converted(const ConstView &operand, bool truncates, const Extents &shape) {
    if (operand.dtype == kDtypeOf<Real> && !truncates) {
      view_ = repeated(operand, shape);
      return;
    }
    own_.emplace(operand.shape);
    convert(operand, truncates);
    view_ = repeated(own_->view(), shape);
  }
  [[nodiscard]] const ConstView &view() const { return view_; }

private:
  template <class T> void convert_from(const ConstView &operand, bool truncates) {
    pass<T, Real>(operand, own_->view(), [&](T value) {
      if constexpr (std::is_floating_point_v<T>) {
        return static_cast<Real>(truncates ? std::trunc(value) : value);
      } else {
        return static_cast<Real>(value);
      }
    });
  }
  void convert(const ConstView &operand, bool truncates) {
    switch (operand.dtype) {
    case Dtype::u8:
      return convert_from<std::uint8_t>(operand, truncates);
    case Dtype::i8:
      return convert_from<std::int8_t>(operand, truncates);
    case Dtype::u16:
      return convert_from<std::uint16_t>(operand, truncates);
    case Dtype::i16:
      return convert_from<std::int16_t>(operand, truncates);
    case Dtype::f32:
      return convert_from<float>(operand, truncates);
    default:
      return convert_from<double>(operand, truncates);
    }
  }

  std::optional<Temporary<Real>> own_;
  ConstView view_;
};

// out = operation(x, a) of the working precision, stored by the rounding.
template <class X, class Real, class Out, class Operation>
void last_step(const ConstView &x, const ConstView &a, const View &out, Rounding rounding,
               Operation operation) {
  const auto calculate = [&](X value, Real other) {
    return operation(static_cast<Real>(value), other);
  };
  if constexpr (std::is_same_v<Out, Real>) {
    pass<X, Real, Real>(x, a, out, calculate);
  } else {
    const Temporary<Real> work(out.shape);
    pass<X, Real, Real>(x, a, work.view(), calculate);
    pass<Real, Out>(work.view(), out, [&](Real value) { return store<Out>(value, rounding); });
  }
}

template <class T, class Real> void compute(const Call &call, const Expression &expression) {
  const ConstView &image = *call.in[0];
  const View &out = *call.out[0];
  const Converted<Real> a(*call.in[1], expression.truncates, out.shape);
  const auto multiply = [](Real x, Real factor) { return x * factor; };
  const auto add = [](Real x, Real summand) { return x + summand; };
  switch (expression.form) {
  case Form::add:
    return last_step<T, Real, T>(image, a.view(), out, expression.rounding, add);
  case Form::multiply:
    return last_step<T, Real, T>(image, a.view(), out, expression.rounding, multiply);
  case Form::power:
    return last_step<T, Real, T>(
        image, a.view(), out, expression.rounding,
        [](Real x, Real exponent) { return kernels::correct::power(x, exponent); });
  case Form::multiply_add:
    break;
  }
  // The product has an array of its own: the output may be the operand that is still to be added.
  const Converted<Real> b(*call.in[2], false, out.shape);
  const Temporary<Real> product(out.shape);
  last_step<T, Real, Real>(image, a.view(), product.view(), expression.rounding, multiply);
  last_step<Real, Real, T>(product.view(), b.view(), out, expression.rounding, add);
}

} // namespace

void run_loop(const Call &call, const Expression &expression) {
  const bool wide = (call.flags & kWide) != 0;
  if (call.in[0]->dtype == Dtype::u8) {
    wide ? compute<std::uint8_t, double>(call, expression)
         : compute<std::uint8_t, float>(call, expression);
  } else {
    wide ? compute<float, double>(call, expression) : compute<float, float>(call, expression);
  }
}

} // namespace switchyard::candidates::pointwise_array
