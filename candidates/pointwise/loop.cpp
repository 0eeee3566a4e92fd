// Pointwise ops as NumPy evaluates them, and the contracts' reference: one pass per operation.
#include <cstring>
#include <type_traits>

#include "candidates/common/passes.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

// out = operation(in, coefficient of the element's channel), narrowed to Real first.
template <class In, class Out, class Real, class Operation>
void step(const ConstView &in, const View &out, const Coefficients &values, Operation operation) {
  Runs<Out, In>({&in, &out})([&](const In *x, Out *y, std::int64_t n, RunChannels channels) {
    std::int64_t c = channels.first;
    for (std::int64_t k = 0; k < n; ++k) {
      y[k] = operation(static_cast<Real>(x[k]), static_cast<Real>(values[c]));
      if (channels.period > 1 && ++c == channels.period) {
        c = 0;
      }
    }
  });
}

// The operations of the form, from the image to the work array.
template <class In, class Real>
void operations(const ConstView &in, const View &work, const Expression &expression) {
  const auto first = [&](auto operation) {
    step<In, Real, Real>(in, work, expression.a, operation);
  };
  const auto second = [&](auto operation) {
    step<Real, Real, Real>(work, work, expression.b, operation);
  };
  switch (expression.form) {
  case Form::add:
    return first([](Real x, Real a) { return x + a; });
  case Form::multiply:
    return first([](Real x, Real a) { return x * a; });
  case Form::multiply_add:
    first([](Real x, Real a) { return x * a; });
    return second([](Real x, Real b) { return x + b; });
  case Form::subtract_multiply:
    first([](Real x, Real a) { return x - a; });
    return second([](Real x, Real b) { return x * b; });
  case Form::divide:
    return first([](Real x, Real a) { return x / a; });
  case Form::clip:
    first([](Real x, Real a) { return x < a ? a : x; });
    return second([](Real x, Real b) { return x > b ? b : x; });
  case Form::exp:
  case Form::log:
  case Form::square_root:
  case Form::power:
    return first([form = expression.form](Real x, Real a) { return evaluate(form, x, a, a); });
  case Form::copy:
    return first([](Real x, Real) { return x; });
  }
}

template <class In, class Out, class Real>
void compute(const Call &call, const Expression &expression) {
  if constexpr (std::is_same_v<Out, Real>) {
    operations<In, Real>(*call.in[0], *call.out[0], expression);
  } else {
    const Temporary<Real> work(call.in[0]->shape);
    operations<In, Real>(*call.in[0], work.view(), expression);
    pass<Real, Out>(work.view(), *call.out[0],
                    [&](Real x) { return store<Out>(x, expression.rounding); });
  }
}

template <class In, class Out> void compute(const Call &call, const Expression &expression) {
  (call.flags & kWide) != 0 ? compute<In, Out, double>(call, expression)
                            : compute<In, Out, float>(call, expression);
}

template <class In> void compute(const Call &call, const Expression &expression) {
  switch (call.out[0]->dtype) {
  case Dtype::u8:
    return compute<In, std::uint8_t>(call, expression);
  case Dtype::u16:
    return compute<In, std::uint16_t>(call, expression);
  default:
    return compute<In, float>(call, expression);
  }
}

template <class T> void copy(const Call &call) {
  Runs<T, T>({call.in[0], call.out[0]})([](const T *in, T *out, std::int64_t n, RunChannels) {
    std::memmove(out, in, static_cast<std::size_t>(n) * sizeof(T));
  });
}

} // namespace

void run_loop(const Call &call, const Expression &expression) {
  if (expression.form == Form::copy) {
    return copy<float>(call);
  }
  switch (call.in[0]->dtype) {
  case Dtype::u8:
    return compute<std::uint8_t>(call, expression);
  case Dtype::u16:
    return compute<std::uint16_t>(call, expression);
  default:
    return compute<float>(call, expression);
  }
}

} // namespace switchyard::candidates::pointwise
