// The candidates of clip: min(max(x, low), high); NaN stays NaN in f32 and becomes 0 in u8.
#include "candidates/clip/params.hpp"
#include "candidates/pointwise/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::clip {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<ClipParams>();
  const Prepare prepare = call.in[0]->dtype == Dtype::u8 ? Prepare::to_u8 : Prepare::to_f32;
  return {Form::clip, Coefficients(params.low, prepare), Coefficients(params.high, prepare),
          chosen(params.rounding, Rounding::truncate)};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
    {"f32_u8", {Dtype::f32}, {Dtype::u8}},
};

// Exactness of u8, f32, and f32 to u8. OpenCV's max and min of f32 lose NaN.
constexpr auto kCandidates = computing<6>(rows<describe>(
    {.fused = {bitwise, bitwise, bitwise},
     .lut = {bitwise, unsupported, unsupported},
     .numkong = {unsupported, unsupported, unsupported},
     .opencv = {bitwise, unsupported, unsupported},
     .opencv_lut = {bitwise, unsupported, unsupported},
     .opencv_convert = {unsupported, unsupported, unsupported},
     .aten = {bitwise, faithful, bitwise},
     .loop = {bitwise, bitwise, bitwise}},
    {.opencv = {2, 2}, .aten = {{13, 13}, {1, 1}, {4, 13}}, .loop = {{9, 9}, {2, 2}, {3, 9}}}));

constexpr Variant kVariants[] = {
    {"clip/scalar", kDtypes, kCandidates},
    {"clip/vector", kDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"clip", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::clip
