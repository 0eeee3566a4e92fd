// The candidates of add: x + value; u8 adds the truncated value and saturates.
#include "candidates/add/params.hpp"
#include "candidates/pointwise/rows.hpp"
#include "candidates/pointwise_array/params.hpp"
#include "candidates/pointwise_array/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::add {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<AddParams>();
  // The op's own rule truncates the operand rather than the sum, which differs below 0.
  const bool own = call.in[0]->dtype == Dtype::u8 && params.rounding == Rounding::by_op;
  return {Form::add,
          Coefficients(params.value, own ? Prepare::truncate : Prepare::as_given),
          {},
          chosen(params.rounding, Rounding::truncate)};
}

pointwise_array::Expression describe_array(const Call &call) {
  const Rounding rounding = call.params_as<ArrayParams>().rounding;
  const bool own = call.in[0]->dtype == Dtype::u8 && rounding == Rounding::by_op;
  return {pointwise_array::Form::add, own, chosen(rounding, Rounding::truncate)};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Exactness of u8 and f32.
constexpr auto kCandidates =
    rows<describe>({.fused = {bitwise, bitwise},
                    .lut = {bitwise, unsupported},
                    .numkong = {bitwise, bitwise},
                    .opencv = {bitwise, bitwise},
                    .opencv_lut = {bitwise, unsupported},
                    .opencv_convert = {unsupported, faithful},
                    .aten = {bitwise, bitwise},
                    .loop = {bitwise, bitwise}},
                   {.opencv = {1, 1}, .aten = {{13, 13}, {1, 1}}, .loop = {{5, 5}, {1, 1}}});

constexpr auto kArrayCandidates =
    pointwise_array::rows<describe_array, pointwise_array::Form::add, true, true>();

constexpr Variant kVariants[] = {
    {"add/scalar", kDtypes, kCandidates},
    {"add/vector", kDtypes, kCandidates},
    {"add/array", pointwise_array::kOneOperand, kArrayCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"add", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::add
