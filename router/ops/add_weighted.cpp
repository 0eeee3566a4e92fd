#include "candidates/add_weighted/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "add_weighted";

void check(const ConstView &a, const ConstView &b, const Options &options) {
  validate::image(kOp, "a", a, {Dtype::u8, Dtype::f32});
  validate::image(kOp, "b", b, {a.dtype});
  validate::same_shape(kOp, "b", b, a.shape);
  validate::options(kOp, options);
}

const VariantHandle &variant() {
  static constinit const VariantHandle only(kOp);
  return only;
}

Call call_of(const ConstView &a, const ConstView &b, const AddWeightedParams &params,
             const View &out) {
  Call call;
  call.in = {&a, &b};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = edge::u8_or_f32(a);
  call.flags = edge::flags(out, {&a, &b}, {{&params.weight_a, 1}, {&params.weight_b, 1}});
  return call;
}

bool are_surely_narrow(const AddWeightedParams &params) {
  return validate::is_surely_narrow({&params.weight_a, 1}) &&
         validate::is_surely_narrow({&params.weight_b, 1});
}

Repeat<2> into_of(const ConstView &a, const ConstView &b, const View &out, const Options &options) {
  return {variant(), OutputMode::into, 0, {&a, &b, &out}, options};
}

template <int kOutputs>
void run_first(const Repeat<2, kOutputs> &repeat, const ConstView &a, const ConstView &b,
               const AddWeightedParams &params, const View &out, bool checked) {
  const Call call = call_of(a, b, params, out);
  if ((call.flags & kWide) != 0) {
    return repeat.dispatch_unlike(variant(), call);
  }
  repeat.dispatch_first(variant(), call, checked);
}

bool again(const Known *known, const ConstView &a, const ConstView &b,
           const AddWeightedParams &params, const View &out) {
  return known != nullptr && are_surely_narrow(params) &&
         run_again(*known, edge::call_again(*known, {&a, &b}, {&out}, &params));
}

[[gnu::noinline]] void run_otherwise(const Known *known, const ConstView &a, const ConstView &b,
                                     const AddWeightedParams &params, const View &out,
                                     const Options &options) {
  if (!again(known, a, b, params, out)) {
    run_first(into_of(a, b, out, options), a, b, params, out, false);
  }
}
[[gnu::noinline]] void into_otherwise(const Known *known, const ConstView &a, const ConstView &b,
                                      const AddWeightedParams &params, const View &out,
                                      const Options &options) {
  if (again(known, a, b, params, out)) {
    return;
  }
  check(a, b, options);
  validate::output(kOp, "out", out, a.shape, {a.dtype});
  validate::overlap(kOp, "a", out, a, true);
  validate::overlap(kOp, "b", out, b, true);
  run_first(into_of(a, b, out, options), a, b, params, out, true);
}

} // namespace

void unchecked::add_weighted(const ConstView &a, double weight_a, const ConstView &b,
                             double weight_b, const View &out, const Options &options) {
  const AddWeightedParams params{weight_a, weight_b};
  const Known *known = into_of(a, b, out, options).find_unchecked();
  if (known == nullptr || !are_surely_narrow(params) ||
      !run_settled(*known, edge::call_again(*known, {&a, &b}, {&out}, &params))) [[unlikely]] {
    run_otherwise(known, a, b, params, out, options);
  }
}

void add_weighted(const ConstView &a, double weight_a, const ConstView &b, double weight_b,
                  const View &out, const Options &options) {
  const AddWeightedParams params{weight_a, weight_b};
  const Known *known = into_of(a, b, out, options).find_checked();
  if (known == nullptr || !are_surely_narrow(params) ||
      !run_settled(*known, edge::call_again(*known, {&a, &b}, {&out}, &params))) [[unlikely]] {
    into_otherwise(known, a, b, params, out, options);
  }
}

Image add_weighted(const ConstView &a, double weight_a, const ConstView &b, double weight_b,
                   const Options &options) {
  const AddWeightedParams params{weight_a, weight_b};
  const Repeat<2, 0> repeat(variant(), OutputMode::fresh, 0, {&a, &b}, options);
  const Known *known = repeat.find_checked();
  if (known == nullptr) {
    check(a, b, options);
  }
  Image out(a.shape, a.dtype, a.rank);
  if (!again(known, a, b, params, out)) {
    run_first(repeat, a, b, params, out, true);
  }
  return out;
}

} // namespace switchyard
