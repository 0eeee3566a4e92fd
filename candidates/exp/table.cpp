// The candidates of exp: e^x, correctly rounded, or within 4 units in the last place.
#include "candidates/pointwise/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::exp {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call & /*call*/) {
  return {Form::exp, {}, {}, Rounding::truncate};
}

constexpr DtypeCase kDtypes[] = {{"f32", {Dtype::f32}, {Dtype::f32}}};

constexpr auto kCandidates = computing<5>(function_rows<describe>({.fused = {bitwise},
                                                                   .fused_faithful = {faithful},
                                                                   .lut = {unsupported},
                                                                   .opencv = {bitwise},
                                                                   .opencv_lut = {unsupported},
                                                                   .aten = {faithful},
                                                                   .loop = {bitwise}},
                                                                  {1, 1}));

constexpr Variant kVariants[] = {{"exp", kDtypes, kCandidates}};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"exp", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::exp
