#include "candidates/lut/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "lut";

void check(const ConstView &image, const ConstView &table, const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8});
  validate::image(kOp, "table", table, {Dtype::u8, Dtype::f32});
  if (table.channels() != 1 || table.elements() != 256) {
    validate::same_shape(kOp, "table", table, {1, 1, 256, image.channels()});
  }
  validate::options(kOp, options);
}

void run(const ConstView &image, const ConstView &table, const View &out, OutputMode mode,
         const Options &options) {
  static const VariantHandle shared("lut/shared");
  static const VariantHandle per_channel("lut/per_channel");
  const LutParams params{table};
  Call call;
  call.in = {&image};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = table.dtype == Dtype::u8 ? 0 : 1;
  call.flags = edge::flags(out, {&image}, {});
  dispatch(table.channels() == 1 ? shared : per_channel, call, mode, options);
}

} // namespace

void unchecked::lut(const ConstView &image, const ConstView &table, const View &out,
                    const Options &options) {
  run(image, table, out, OutputMode::into, options);
}

void lut(const ConstView &image, const ConstView &table, const View &out, const Options &options) {
  check(image, table, options);
  validate::output(kOp, "out", out, image.shape, {table.dtype});
  validate::overlap(kOp, "image", out, image, true);
  validate::overlap(kOp, "table", out, table, false);
  run(image, table, out, OutputMode::into, options);
}

Image lut(const ConstView &image, const ConstView &table, const Options &options) {
  check(image, table, options);
  Image out(image.shape, table.dtype, image.rank);
  run(image, table, out, OutputMode::fresh, options);
  return out;
}

} // namespace switchyard
