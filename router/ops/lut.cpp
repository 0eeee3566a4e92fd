#include "candidates/lut/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "lut";

void check_table(const ConstView &image, const ConstView &table) {
  validate::image(kOp, "table", table, {Dtype::u8, Dtype::f32});
  if (table.channels() != 1 || table.elements() != 256) {
    validate::same_shape(kOp, "table", table, {1, 1, 256, image.channels()});
  }
}

void check(const ConstView &image, const ConstView &table, const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8});
  check_table(image, table);
  validate::options(kOp, options);
}

const VariantHandle &variant_of(const ConstView &table) {
  static constinit const VariantHandle shared("lut/shared");
  static constinit const VariantHandle per_channel("lut/per_channel");
  return table.channels() == 1 ? shared : per_channel;
}

// The table is a parameter: it is no input of the call, though calls are compared by it.
Call call_of(const ConstView &image, const LutParams &params, const View &out) {
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = params.table.dtype == Dtype::u8 ? 0 : 1;
  call.flags = edge::flags(out, {&image}, {});
  return call;
}

Repeat<2> into_of(const ConstView &image, const ConstView &table, const View &out,
                  const Options &options) {
  return {variant_of(table), OutputMode::into, 0, {&image, &table, &out}, options};
}

bool again(const Known *known, const ConstView &image, const LutParams &params, const View &out) {
  return known != nullptr && run_again(*known, edge::call_again(*known, {&image}, {&out}, &params));
}

[[gnu::noinline]] void run_otherwise(const Known *known, const ConstView &image,
                                     const LutParams &params, const View &out,
                                     const Options &options) {
  if (!again(known, image, params, out)) {
    into_of(image, params.table, out, options)
        .dispatch_first(variant_of(params.table), call_of(image, params, out), false);
  }
}
[[gnu::noinline]] void into_otherwise(const Known *known, const ConstView &image,
                                      const LutParams &params, const View &out,
                                      const Options &options) {
  if (again(known, image, params, out)) {
    return;
  }
  const ConstView &table = params.table;
  check(image, table, options);
  validate::output(kOp, "out", out, image.shape, {table.dtype});
  validate::overlap(kOp, "image", out, image, true);
  validate::overlap(kOp, "table", out, table, false);
  into_of(image, table, out, options)
      .dispatch_first(variant_of(table), call_of(image, params, out), true);
}

} // namespace

void unchecked::lut(const ConstView &image, const ConstView &table, const View &out,
                    const Options &options) {
  const LutParams params{table};
  const Known *known = into_of(image, table, out, options).find_unchecked();
  if (known == nullptr || !run_settled(*known, edge::call_again(*known, {&image}, {&out}, &params)))
      [[unlikely]] {
    run_otherwise(known, image, params, out, options);
  }
}

void lut(const ConstView &image, const ConstView &table, const View &out, const Options &options) {
  const LutParams params{table};
  const Known *known = into_of(image, table, out, options).find_checked();
  if (known == nullptr || !run_settled(*known, edge::call_again(*known, {&image}, {&out}, &params)))
      [[unlikely]] {
    into_otherwise(known, image, params, out, options);
  }
}

Image lut(const ConstView &image, const ConstView &table, const Options &options) {
  const LutParams params{table};
  const Repeat<2, 0> repeat(variant_of(table), OutputMode::fresh, 0, {&image, &table}, options);
  const Known *known = repeat.find_checked();
  if (known == nullptr) {
    check(image, table, options);
    validate::result(kOp, image.shape, table.dtype, image.rank);
  }
  Image out(image.shape, table.dtype, image.rank);
  if (!again(known, image, params, out)) {
    repeat.dispatch_first(variant_of(table), call_of(image, params, out), true);
  }
  return out;
}

} // namespace switchyard
