// The candidates of from_float: x · max_value in f32, half to even, saturated; to f32 it is copied.
#include "candidates/from_float/params.hpp"
#include "candidates/pointwise/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::from_float {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<FromFloatParams>();
  if (call.out[0]->dtype == Dtype::f32) {
    return {};
  }
  return {Form::multiply,
          Coefficients({&params.max_value, 1}),
          {},
          chosen(params.rounding, Rounding::half_even)};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::f32}, {Dtype::u8}},
    {"u16", {Dtype::f32}, {Dtype::u16}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Exactness of u8, u16 and f32.
constexpr auto kCandidates =
    computing<6>(rows<describe>({.fused = {bitwise, bitwise, bitwise},
                                 .lut = {unsupported, unsupported, unsupported},
                                 .numkong = {bitwise, bitwise, unsupported},
                                 .opencv = {faithful, faithful, bitwise},
                                 .opencv_lut = {unsupported, unsupported, unsupported},
                                 .opencv_convert = {faithful, faithful, unsupported},
                                 .aten = {bitwise, unsupported, bitwise},
                                 .loop = {bitwise, bitwise, bitwise}},
                                {.opencv = {{2, 1}, {2, 1}, {1, 1}},
                                 .aten = {{5, 17}, {1, 1}, {1, 1}},
                                 .loop = {{2, 5}, {2, 3}, {1, 1}},
                                 .opencv_convert = {2, 1}}));

constexpr Variant kVariants[] = {{"from_float", kDtypes, kCandidates}};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"from_float", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::from_float
