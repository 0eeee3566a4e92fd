// The candidates of normalize: (x − mean) · scale in f32, two roundings.
#include "candidates/normalize/params.hpp"
#include "candidates/pointwise/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::normalize {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call &call) {
  const auto &params = call.params_as<NormalizeParams>();
  return {Form::subtract_multiply, Coefficients(params.mean), Coefficients(params.scale)};
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::f32}},
    {"u16", {Dtype::u16}, {Dtype::f32}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Exactness of u8, u16 and f32.
constexpr auto kCandidates = rows<describe>({.fused = {bitwise, bitwise, bitwise},
                                             .lut = {bitwise, unsupported, unsupported},
                                             .numkong = {faithful, unsupported, faithful},
                                             .opencv = {bitwise, bitwise, bitwise},
                                             .opencv_lut = {bitwise, unsupported, unsupported},
                                             .opencv_convert = {faithful, faithful, faithful},
                                             .aten = {bitwise, unsupported, bitwise},
                                             .loop = {bitwise, bitwise, bitwise}},
                                            {.opencv = {{5, 2}, {3, 2}, {2, 2}},
                                             .aten = {{9, 3}, {1, 1}, {2, 2}},
                                             .loop = {{5, 2}, {3, 2}, {2, 2}}});

constexpr Variant kVariants[] = {
    {"normalize/scalar", kDtypes, kCandidates},
    {"normalize/vector", kDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"normalize", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::normalize
