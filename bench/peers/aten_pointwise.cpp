// Eager ATen's pointwise arithmetic as a user writes it: out forms in f32; u8 images go to f32,
// are clamped and come back.
#include <vector>

#include "bench/peers/aten.hpp"
#include "candidates/add/params.hpp"
#include "candidates/add_weighted/params.hpp"
#include "candidates/clip/params.hpp"
#include "candidates/multiply/params.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/power/params.hpp"

namespace switchyard::peers::aten {
namespace {

// A parameter as the user's call takes it: a number, or a tensor that broadcasts over pixels.
at::Tensor parameter_of(const Values &values) {
  std::vector<float> narrowed;
  for (std::int64_t c = 0; c < values.size; ++c) {
    narrowed.push_back(static_cast<float>(values[c]));
  }
  return at::tensor(narrowed);
}

// compute(out, x), where both are f32 tensors: in place on the f32 copy of a u8 image, else from
// the image into the result.
template <class Compute> Bound in_f32(const Call &call, Compute compute) {
  const Tensors t(call);
  if (!t.usable()) {
    return {};
  }
  if (t.bytes()) {
    return [t, compute, work = t.work()]() mutable {
      work.copy_(t.x);
      compute(work, work);
      t.y.copy_(work.clamp_(0, 255));
    };
  }
  return [t, compute, y = t.y]() mutable { compute(y, t.x); };
}

template <bool kVector> Bound add(const Call &call) {
  const Values given = call.params_as<AddParams>().value;
  return in_f32(call, [given](at::Tensor &y, const at::Tensor &x) {
    if (kVector) {
      at::add_out(y, x, parameter_of(given));
    } else {
      at::add_out(y, x, at::scalar_tensor(given[0]));
    }
  });
}

template <bool kVector> Bound multiply(const Call &call) {
  const Values given = call.params_as<MultiplyParams>().factor;
  return in_f32(call, [given](at::Tensor &y, const at::Tensor &x) {
    if (kVector) {
      at::mul_out(y, x, parameter_of(given));
    } else {
      at::mul_out(y, x, at::scalar_tensor(given[0]));
    }
  });
}

template <bool kVector> Bound multiply_add(const Call &call) {
  const auto &p = call.params_as<MultiplyAddParams>();
  return in_f32(call, [p](at::Tensor &y, const at::Tensor &x) {
    if (kVector) {
      at::mul_out(y, x, parameter_of(p.factor));
      y.add_(parameter_of(p.value));
    } else {
      at::mul_out(y, x, at::scalar_tensor(p.factor[0]));
      y.add_(p.value[0]);
    }
  });
}

Bound add_array(const Call &call) {
  const at::Tensor v = tensor_of(*call.in[1]);
  return !v.defined()
             ? Bound()
             : in_f32(call, [v](at::Tensor &y, const at::Tensor &x) { at::add_out(y, x, v); });
}

Bound multiply_array(const Call &call) {
  const at::Tensor f = tensor_of(*call.in[1]);
  return !f.defined()
             ? Bound()
             : in_f32(call, [f](at::Tensor &y, const at::Tensor &x) { at::mul_out(y, x, f); });
}

Bound multiply_add_array(const Call &call) {
  const at::Tensor f = tensor_of(*call.in[1]);
  const at::Tensor v = tensor_of(*call.in[2]);
  if (!f.defined() || !v.defined()) {
    return {};
  }
  return in_f32(call, [f, v](at::Tensor &y, const at::Tensor &x) {
    at::mul_out(y, x, f);
    y.add_(v);
  });
}

Bound power_array(const Call &call) {
  const at::Tensor e = tensor_of(*call.in[1]);
  return !e.defined()
             ? Bound()
             : in_f32(call, [e](at::Tensor &y, const at::Tensor &x) { at::pow_out(y, x, e); });
}

template <bool kVector> Bound power(const Call &call) {
  const Values given = call.params_as<PowerParams>().exponent;
  return in_f32(call, [given](at::Tensor &y, const at::Tensor &x) {
    if (kVector) {
      at::pow_out(y, x, parameter_of(given));
    } else {
      at::pow_out(y, x, given[0]);
    }
  });
}

Bound add_weighted(const Call &call) {
  const Tensors t(call);
  const at::Tensor b = tensor_of(*call.in[1]);
  const auto &p = call.params_as<AddWeightedParams>();
  if (!t.usable() || !b.defined()) {
    return {};
  }
  if (t.bytes()) {
    return [t, b, p, work = t.work(), second = t.work()]() mutable {
      work.copy_(t.x).mul_(p.weight_a);
      work.add_(second.copy_(b), p.weight_b);
      t.y.copy_(work.round_().clamp_(0, 255));
    };
  }
  return [t, b, p, y = t.y]() mutable {
    at::mul_out(y, t.x, at::scalar_tensor(p.weight_a));
    y.add_(b, p.weight_b);
  };
}

template <class Function> Bound function_of(const Call &call, Function function) {
  const Tensors t(call);
  return t.usable() ? Bound([t, function, y = t.y]() mutable { function(y, t.x); }) : Bound();
}

Bound exp(const Call &call) {
  return function_of(call, [](at::Tensor &y, const at::Tensor &x) { at::exp_out(y, x); });
}
Bound log(const Call &call) {
  return function_of(call, [](at::Tensor &y, const at::Tensor &x) { at::log_out(y, x); });
}
Bound sqrt(const Call &call) {
  return function_of(call, [](at::Tensor &y, const at::Tensor &x) { at::sqrt_out(y, x); });
}

template <bool kVector> Bound normalize(const Call &call) {
  const Tensors t(call);
  const auto &p = call.params_as<NormalizeParams>();
  if (!t.usable()) {
    return {};
  }
  return [t, p, y = t.y]() mutable {
    at::Tensor from = t.x;
    if (t.x.scalar_type() != at::kFloat) {
      from = y.copy_(t.x);
    }
    if (kVector) {
      at::sub_out(y, from, parameter_of(p.mean));
      y.mul_(parameter_of(p.scale));
    } else {
      at::sub_out(y, from, at::scalar_tensor(p.mean[0]));
      y.mul_(p.scale[0]);
    }
  };
}

// A bound in the image's type: a number of another would make the result of that type.
at::Scalar bound_of(double value, at::ScalarType type) {
  return type == at::kByte ? at::Scalar(static_cast<std::int64_t>(value)) : at::Scalar(value);
}

template <bool kVector> void clamp(at::Tensor &y, const at::Tensor &x, const ClipParams &p) {
  const auto type = x.scalar_type();
  if (kVector) {
    at::clamp_out(y, x, parameter_of(p.low).to(type), parameter_of(p.high).to(type));
  } else {
    at::clamp_out(y, x, bound_of(p.low[0], type), bound_of(p.high[0], type));
  }
}

template <bool kVector> Bound clip(const Call &call) {
  const Tensors t(call);
  const auto &p = call.params_as<ClipParams>();
  if (!t.usable()) {
    return {};
  }
  if (t.x.scalar_type() != t.y.scalar_type()) { // f32 to u8
    return [t, p, work = t.work()]() mutable {
      clamp<kVector>(work, t.x, p);
      t.y.copy_(work);
    };
  }
  return [t, p, y = t.y]() mutable { clamp<kVector>(y, t.x, p); };
}

constexpr Expression kPointwise[] = {
    {"add/scalar", "add_out(y, x, v)", add<false>},
    {"add/vector", "add_out(y, x, v)", add<true>},
    {"add/array", "add_out(y, x, v)", add_array},
    {"multiply/scalar", "mul_out(y, x, f)", multiply<false>},
    {"multiply/vector", "mul_out(y, x, f)", multiply<true>},
    {"multiply/array", "mul_out(y, x, f)", multiply_array},
    {"multiply_add/scalar", "mul_out(y, x, f); y.add_(v)", multiply_add<false>},
    {"multiply_add/vector", "mul_out(y, x, f); y.add_(v)", multiply_add<true>},
    {"multiply_add/array", "mul_out(y, x, f); y.add_(v)", multiply_add_array},
    {"add_weighted", "mul_out(y, a, wa); y.add_(b, wb)", add_weighted},
    {"power/scalar", "pow_out(y, x, e)", power<false>},
    {"power/vector", "pow_out(y, x, e)", power<true>},
    {"power/array", "pow_out(y, x, e)", power_array},
    {"exp", "exp_out(y, x)", exp},
    {"log", "log_out(y, x)", log},
    {"sqrt", "sqrt_out(y, x)", sqrt},
    {"normalize/scalar", "sub_out(y, x, m); y.mul_(s); u8: y.copy_(x) first", normalize<false>},
    {"normalize/vector", "sub_out(y, x, m); y.mul_(s); u8: y.copy_(x) first", normalize<true>},
    {"clip/scalar", "clamp_out(y, x, low, high)", clip<false>},
    {"clip/vector", "clamp_out(y, x, low, high)", clip<true>},
};

} // namespace

std::span<const Expression> pointwise() {
  return kPointwise;
}

} // namespace switchyard::peers::aten
