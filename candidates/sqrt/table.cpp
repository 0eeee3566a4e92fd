// The candidates of sqrt: the square root, which IEEE rounds correctly.
#include "candidates/pointwise/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::sqrt {
namespace {

using enum Exactness;
using namespace pointwise;

Expression describe(const Call & /*call*/) {
  return {Form::square_root, {}, {}, Rounding::truncate};
}

constexpr DtypeCase kDtypes[] = {{"f32", {Dtype::f32}, {Dtype::f32}}};

constexpr auto kCandidates = computing<4>(function_rows<describe>({.fused = {bitwise},
                                                                   .fused_faithful = {unsupported},
                                                                   .lut = {unsupported},
                                                                   .opencv = {bitwise},
                                                                   .opencv_lut = {unsupported},
                                                                   .aten = {bitwise},
                                                                   .loop = {bitwise}},
                                                                  {1, 1}));

constexpr Variant kVariants[] = {{"sqrt", kDtypes, kCandidates}};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"sqrt", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::sqrt
