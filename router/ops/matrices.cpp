// matmul and pairwise_distances_squared: two matrices, of which the result has the rows of the
// first.
#include <fmt/format.h>

#include "candidates/matmul/params.hpp"
#include "candidates/pairwise_distances_squared/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kMatmul = "matmul";
constexpr std::string_view kPairwise = "pairwise_distances_squared";

std::string size_text(const ConstView &view) {
  return fmt::format("{}x{} elements", view.shape[kH], view.shape[kW]);
}

void check_matrix(std::string_view op, std::string_view name, const ConstView &view,
                  std::initializer_list<Dtype> accepted) {
  validate::image(op, name, view, accepted);
  if (view.channels() != 1) {
    throw Error(op, name, fmt::format("{} channels", view.channels()), "a matrix: 1 channel");
  }
}

// ---------------------------------------------------------------------------------------------

Dtype product_dtype(Dtype factor) {
  return factor == Dtype::u8 ? Dtype::i32 : factor;
}

Extents product_shape(const ConstView &a, const ConstView &b) {
  return {a.shape[kX], a.shape[kH], b.shape[kW], 1};
}

void check_matmul(const ConstView &a, const ConstView &b, const Options &options) {
  check_matrix(kMatmul, "a", a, {Dtype::u8, Dtype::f32, Dtype::f64});
  check_matrix(kMatmul, "b", b, {a.dtype});
  if (b.shape[kH] != a.shape[kW]) {
    throw Error(kMatmul, "b", size_text(b), fmt::format("{} rows, as a has columns", a.shape[kW]));
  }
  if (b.shape[kX] != 1 && b.shape[kX] != a.shape[kX]) {
    throw Error(kMatmul, "b", fmt::format("{} matrices", b.shape[kX]),
                a.shape[kX] == 1 ? std::string("1 matrix")
                                 : fmt::format("1 or {} matrices", a.shape[kX]));
  }
  if (a.dtype == Dtype::u8 && a.shape[kW] > candidates::kMostByteProducts) {
    throw Error(kMatmul, "a", fmt::format("{} columns of u8", a.shape[kW]),
                fmt::format("at most {}, whose sums fit i32", candidates::kMostByteProducts));
  }
  validate::options(kMatmul, options);
}

Call matmul_call(const ConstView &a, const ConstView &b, const View &out,
                 const candidates::MatmulParams &params) {
  Call call;
  call.in = {&a, &b};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = a.dtype == Dtype::f64 ? std::uint8_t{2} : edge::u8_or_f32(a);
  return call;
}
candidates::MatmulParams matmul_params(const ConstView &b) {
  return {b.shape[kW], b.shape[kX] == 1};
}

// ---------------------------------------------------------------------------------------------

Extents distances_shape(const ConstView &a, const ConstView &b) {
  return {1, a.shape[kH], b.shape[kH], 1};
}

void check_points(std::string_view name, const ConstView &view, std::initializer_list<Dtype> list) {
  check_matrix(kPairwise, name, view, list);
  if (view.shape[kX] != 1) {
    throw Error(kPairwise, name, fmt::format("{} matrices", view.shape[kX]), "1 matrix");
  }
}

void check_pairwise(const ConstView &a, const ConstView &b, const Options &options) {
  check_points("a", a, {Dtype::f32, Dtype::f64});
  check_points("b", b, {a.dtype});
  if (b.shape[kW] != a.shape[kW]) {
    throw Error(kPairwise, "b", size_text(b),
                fmt::format("points of {} coordinates, as in a", a.shape[kW]));
  }
  validate::options(kPairwise, options);
}

Call pairwise_call(const ConstView &a, const ConstView &b, const View &out,
                   const candidates::PairwiseParams &params) {
  Call call;
  call.in = {&a, &b};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = a.dtype == Dtype::f64 ? 1 : 0;
  return call;
}

// ---------------------------------------------------------------------------------------------

constinit const VariantHandle kMatmulVariant("matmul");
constinit const VariantHandle kPairwiseVariant("pairwise_distances_squared");

template <class Params>
bool again(const Known *known, const ConstView &a, const ConstView &b, const View &out,
           const Params &params) {
  return known != nullptr && run_again(*known, edge::call_again(*known, {&a, &b}, {&out}, &params));
}

} // namespace

void unchecked::matmul(const ConstView &a, const ConstView &b, const View &out,
                       const Options &options) {
  const auto params = matmul_params(b);
  const Repeat<2> repeat(kMatmulVariant, OutputMode::into, 0, {&a, &b, &out}, options);
  if (!again(repeat.find_unchecked(), a, b, out, params)) [[unlikely]] {
    repeat.dispatch_first(kMatmulVariant, matmul_call(a, b, out, params), false);
  }
}

void matmul(const ConstView &a, const ConstView &b, const View &out, const Options &options) {
  const auto params = matmul_params(b);
  const Repeat<2> repeat(kMatmulVariant, OutputMode::into, 0, {&a, &b, &out}, options);
  if (again(repeat.find_checked(), a, b, out, params)) [[likely]] {
    return;
  }
  check_matmul(a, b, options);
  validate::output(kMatmul, "out", out, product_shape(a, b), {product_dtype(a.dtype)});
  validate::overlap(kMatmul, "a", out, a, false);
  validate::overlap(kMatmul, "b", out, b, false);
  repeat.dispatch_first(kMatmulVariant, matmul_call(a, b, out, params), true);
}

Image matmul(const ConstView &a, const ConstView &b, const Options &options) {
  const auto params = matmul_params(b);
  const Repeat<2, 0> repeat(kMatmulVariant, OutputMode::fresh, 0, {&a, &b}, options);
  const Known *known = repeat.find_checked();
  if (known == nullptr) {
    check_matmul(a, b, options);
    validate::result(kMatmul, product_shape(a, b), product_dtype(a.dtype), a.rank);
  }
  Image out(product_shape(a, b), product_dtype(a.dtype), a.rank);
  if (!again(known, a, b, out, params)) {
    repeat.dispatch_first(kMatmulVariant, matmul_call(a, b, out, params), true);
  }
  return out;
}

void unchecked::pairwise_distances_squared(const ConstView &a, const ConstView &b, const View &out,
                                           const Options &options) {
  const candidates::PairwiseParams params{b.shape[kH]};
  const Repeat<2> repeat(kPairwiseVariant, OutputMode::into, 0, {&a, &b, &out}, options);
  if (!again(repeat.find_unchecked(), a, b, out, params)) [[unlikely]] {
    repeat.dispatch_first(kPairwiseVariant, pairwise_call(a, b, out, params), false);
  }
}

void pairwise_distances_squared(const ConstView &a, const ConstView &b, const View &out,
                                const Options &options) {
  const candidates::PairwiseParams params{b.shape[kH]};
  const Repeat<2> repeat(kPairwiseVariant, OutputMode::into, 0, {&a, &b, &out}, options);
  if (again(repeat.find_checked(), a, b, out, params)) [[likely]] {
    return;
  }
  check_pairwise(a, b, options);
  validate::output(kPairwise, "out", out, distances_shape(a, b), {Dtype::f32});
  validate::overlap(kPairwise, "a", out, a, false);
  validate::overlap(kPairwise, "b", out, b, false);
  repeat.dispatch_first(kPairwiseVariant, pairwise_call(a, b, out, params), true);
}

Image pairwise_distances_squared(const ConstView &a, const ConstView &b, const Options &options) {
  const candidates::PairwiseParams params{b.shape[kH]};
  const Repeat<2, 0> repeat(kPairwiseVariant, OutputMode::fresh, 0, {&a, &b}, options);
  const Known *known = repeat.find_checked();
  if (known == nullptr) {
    check_pairwise(a, b, options);
    validate::result(kPairwise, distances_shape(a, b), Dtype::f32, 3);
  }
  Image out(distances_shape(a, b), Dtype::f32);
  if (!again(known, a, b, out, params)) {
    repeat.dispatch_first(kPairwiseVariant, pairwise_call(a, b, out, params), true);
  }
  return out;
}

} // namespace switchyard
