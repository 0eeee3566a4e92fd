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
  static const VariantHandle shared("lut/shared");
  static const VariantHandle per_channel("lut/per_channel");
  return table.channels() == 1 ? shared : per_channel;
}

// The table is a parameter: it is no input of the call.
Call call_of(const ConstView &image, const LutParams &params, const View &out) {
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = params.table.dtype == Dtype::u8 ? 0 : 1;
  call.flags = edge::flags(out, {&image}, {});
  return call;
}

} // namespace

void unchecked::lut(const ConstView &image, const ConstView &table, const View &out,
                    const Options &options) {
  const LutParams params{table};
  dispatch_repeated<1>(variant_of(table), call_of(image, params, out), OutputMode::into, options);
}

void lut(const ConstView &image, const ConstView &table, const View &out, const Options &options) {
  const LutParams params{table};
  const Call call = call_of(image, params, out);
  const auto check_the_table = [&] {
    check_table(image, table);
    validate::overlap(kOp, "table", out, table, false);
    return out.dtype == table.dtype;
  };
  if (dispatch_if_checked<1>(variant_of(table), call, OutputMode::into, options, check_the_table)) {
    return;
  }
  check(image, table, options);
  validate::output(kOp, "out", out, image.shape, {table.dtype});
  validate::overlap(kOp, "image", out, image, true);
  validate::overlap(kOp, "table", out, table, false);
  dispatch_checked(variant_of(table), call, OutputMode::into, options);
}

Image lut(const ConstView &image, const ConstView &table, const Options &options) {
  check(image, table, options);
  Image out = edge::result_image(kOp, image.shape, table.dtype, image.rank);
  const LutParams params{table};
  dispatch(variant_of(table), call_of(image, params, out), OutputMode::fresh, options);
  return out;
}

} // namespace switchyard
