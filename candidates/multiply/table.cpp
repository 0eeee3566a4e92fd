// The candidates of multiply: x · factor; u8 truncates and saturates.
#include "candidates/multiply/params.hpp"
#include "candidates/pointwise/rows.hpp"
#include "candidates/pointwise_array/params.hpp"
#include "candidates/pointwise_array/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::multiply {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<MultiplyParams>();
  return {
      Form::multiply, Coefficients(params.factor), {}, chosen(params.rounding, Rounding::truncate)};
}

pointwise_array::Expression describe_array(const Call &call) {
  return {pointwise_array::Form::multiply, false,
          chosen(call.params_as<ArrayParams>().rounding, Rounding::truncate)};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Exactness of u8 and f32. OpenCV's multiply and NumKong's scale round the product once, as asked.
constexpr auto kCandidates =
    rows<describe>({.fused = {bitwise, bitwise},
                    .lut = {bitwise, unsupported},
                    .numkong = {unsupported, bitwise},
                    .opencv = {unsupported, bitwise},
                    .opencv_lut = {bitwise, unsupported},
                    .opencv_convert = {unsupported, faithful},
                    .aten = {bitwise, bitwise},
                    .loop = {bitwise, bitwise}},
                   {.opencv = {1, 1}, .aten = {{13, 13}, {1, 1}}, .loop = {{5, 5}, {1, 1}}});

constexpr auto kArrayCandidates =
    pointwise_array::rows<describe_array, pointwise_array::Form::multiply, false, false>();

constexpr Variant kVariants[] = {
    {"multiply/scalar", kDtypes, kCandidates},
    {"multiply/vector", kDtypes, kCandidates},
    {"multiply/array", pointwise_array::kOneOperand, kArrayCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"multiply", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::multiply
