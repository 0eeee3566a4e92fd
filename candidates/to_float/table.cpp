// The candidates of to_float: x / max_value in f32; f32 is copied.
#include "candidates/pointwise/rows.hpp"
#include "candidates/registry.hpp"
#include "candidates/to_float/params.hpp"

namespace switchyard::candidates::to_float {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<ToFloatParams>();
  if (call.in[0]->dtype == Dtype::f32) {
    return {};
  }
  return {Form::divide, Coefficients({&params.max_value, 1}), {}};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::f32}},
    {"u16", {Dtype::u16}, {Dtype::f32}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Exactness of u8, u16 and f32.
constexpr auto kCandidates =
    rows<describe>({.fused = {bitwise, bitwise, bitwise},
                    .lut = {bitwise, unsupported, unsupported},
                    .numkong = {faithful, unsupported, unsupported},
                    .opencv = {bitwise, bitwise, bitwise},
                    .opencv_lut = {bitwise, unsupported, unsupported},
                    .opencv_convert = {faithful, faithful, unsupported},
                    .aten = {bitwise, unsupported, bitwise},
                    .loop = {bitwise, bitwise, bitwise}},
                   {.opencv = {1, 1}, .aten = {{5, 2}, {1, 1}, {1, 1}}, .loop = {1, 1}});

constexpr Variant kVariants[] = {{"to_float", kDtypes, kCandidates}};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"to_float", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::to_float
