// The candidates of power: x^exponent as C's pow has it; u8 truncates and saturates.
#include "candidates/pointwise/rows.hpp"
#include "candidates/pointwise_array/params.hpp"
#include "candidates/pointwise_array/rows.hpp"
#include "candidates/power/params.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::power {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<PowerParams>();
  return {
      Form::power, Coefficients(params.exponent), {}, chosen(params.rounding, Rounding::truncate)};
}

pointwise_array::Expression describe_array(const Call &call) {
  return {pointwise_array::Form::power, false,
          chosen(call.params_as<ArrayParams>().rounding, Rounding::truncate)};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Exactness of u8 and f32. A power that is a whole number must not fall below it: what is a unit
// off in f32 does not serve u8.
constexpr auto kCandidates = function_rows<describe>({.fused = {bitwise, bitwise},
                                                      .fused_faithful = {unsupported, faithful},
                                                      .lut = {bitwise, unsupported},
                                                      .opencv = {unsupported, bitwise},
                                                      .opencv_lut = {bitwise, unsupported},
                                                      .aten = {unsupported, faithful},
                                                      .loop = {bitwise, bitwise}},
                                                     {{5, 5}, {1, 1}});

constexpr auto kArrayCandidates = pointwise_array::power_rows<describe_array>();

constexpr Variant kVariants[] = {
    {"power/scalar", kDtypes, kCandidates},
    {"power/vector", kDtypes, kCandidates},
    {"power/array", pointwise_array::kRealOperand, kArrayCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"power", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::power
