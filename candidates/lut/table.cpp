// The candidates of lut: out = table[in], exactly; one table for all channels or one per channel.
#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::lut {

Run run_fused, run_lut, run_loop, run_opencv, run_aten, run_stringzilla;
Domain accepts_fused, accepts_lut, accepts_opencv, accepts_aten, accepts_stringzilla;

namespace {

using enum Exactness;
using namespace config;

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"u8_f32", {Dtype::u8}, {Dtype::f32}},
};

// id, version, backend, domain, exactness and traffic of u8 and u8_f32, split, run
//
// Of one channel; addresses matter to some domains where there are many.
constexpr Candidate kShared[] = {
    by_geometry(
        {"fused", 3, "fused", accepts_fused, {bitwise, bitwise}, {1, 1}, Split::rows, run_fused}),
    by_geometry({"stringzilla",
                 1,
                 "stringzilla",
                 built<kStringzilla, accepts_stringzilla>(),
                 {bitwise, unsupported},
                 {1, 1},
                 Split::rows,
                 built<kStringzilla, run_stringzilla>()}),
    {"lut", 1, "lut", accepts_lut, {bitwise, bitwise}, {1, 1}, Split::rows, run_lut},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_opencv>(),
     {bitwise, bitwise},
     {1, 1},
     Split::rows,
     built<kOpencv, run_opencv>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_aten>(),
     {bitwise, bitwise},
     {{9, 9}, {9, 3}},
     Split::rows,
     built<kAten, run_aten>()},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, run_loop},
};

constexpr Candidate kPerChannel[] = {
    {"fused", 2, "fused", accepts_fused, {bitwise, bitwise}, {1, 1}, Split::rows, run_fused},
    {"lut", 2, "lut", accepts_lut, {bitwise, bitwise}, {1, 1}, Split::rows, run_lut},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_opencv>(),
     {bitwise, bitwise},
     {1, 1},
     Split::rows,
     built<kOpencv, run_opencv>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_aten>(),
     {bitwise, bitwise},
     {{25, 25}, {25, 7}},
     Split::rows,
     built<kAten, run_aten>()},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, run_loop},
};

constexpr Variant kVariants[] = {
    {"lut/shared", kDtypes, kShared},
    {"lut/per_channel", kDtypes, kPerChannel},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"lut", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::lut
