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
  static const VariantHandle only(kOp);
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

} // namespace

void unchecked::add_weighted(const ConstView &a, double weight_a, const ConstView &b,
                             double weight_b, const View &out, const Options &options) {
  const AddWeightedParams params{weight_a, weight_b};
  dispatch_repeated<2>(variant(), call_of(a, b, params, out), OutputMode::into, options);
}

void add_weighted(const ConstView &a, double weight_a, const ConstView &b, double weight_b,
                  const View &out, const Options &options) {
  const AddWeightedParams params{weight_a, weight_b};
  const Call call = call_of(a, b, params, out);
  if (dispatch_if_checked<2>(variant(), call, OutputMode::into, options, [] { return true; })) {
    return;
  }
  check(a, b, options);
  validate::output(kOp, "out", out, a.shape, {a.dtype});
  validate::overlap(kOp, "a", out, a, true);
  validate::overlap(kOp, "b", out, b, true);
  dispatch_checked(variant(), call, OutputMode::into, options);
}

Image add_weighted(const ConstView &a, double weight_a, const ConstView &b, double weight_b,
                   const Options &options) {
  check(a, b, options);
  Image out(a.shape, a.dtype, a.rank);
  const AddWeightedParams params{weight_a, weight_b};
  dispatch_repeated<2>(variant(), call_of(a, b, params, out), OutputMode::fresh, options);
  return out;
}

} // namespace switchyard
