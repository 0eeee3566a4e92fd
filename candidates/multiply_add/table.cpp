// The candidates of multiply_add: x · factor + value, two roundings; u8 truncates and saturates.
#include "candidates/multiply_add/params.hpp"
#include "candidates/pointwise/rows.hpp"
#include "candidates/pointwise_array/params.hpp"
#include "candidates/pointwise_array/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::multiply_add {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  return {Form::multiply_add, Coefficients(params.factor), Coefficients(params.value),
          chosen(params.rounding, Rounding::truncate)};
}

pointwise_array::Expression describe_array(const Call &call) {
  return {pointwise_array::Form::multiply_add, false,
          chosen(call.params_as<ArrayParams>().rounding, Rounding::truncate)};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Exactness of u8 and f32.
constexpr auto kCandidates =
    rows<describe>({.fused = {bitwise, bitwise},
                    .lut = {bitwise, unsupported},
                    .numkong = {unsupported, faithful},
                    .opencv = {unsupported, faithful},
                    .opencv_lut = {bitwise, unsupported},
                    .opencv_convert = {unsupported, faithful},
                    .aten = {bitwise, bitwise},
                    .loop = {bitwise, bitwise}},
                   {.opencv = {2, 2}, .aten = {{17, 17}, {2, 2}}, .loop = {{9, 9}, {2, 2}}});

constexpr auto kArrayCandidates =
    pointwise_array::rows<describe_array, pointwise_array::Form::multiply_add, false, false>();

constexpr Variant kVariants[] = {
    {"multiply_add/scalar", kDtypes, kCandidates},
    {"multiply_add/vector", kDtypes, kCandidates},
    {"multiply_add/array", pointwise_array::kTwoOperands, kArrayCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"multiply_add", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::multiply_add
