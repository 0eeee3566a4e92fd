// The candidates of hflip: out(x, h, w, c) = in(x, h, W - 1 - w, c).
#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::hflip {

Run run_fused, run_loop, run_opencv, run_aten;
Domain accepts_opencv, accepts_aten;

namespace {

using enum Exactness;
using namespace config;

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// id, version, backend, domain, exactness and traffic of u8 and f32, split, run
constexpr Candidate kCandidates[] = {
    {"fused", 1, "fused", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, run_fused},
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
     {2, 2},
     Split::rows,
     built<kAten, run_aten>()},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, run_loop},
};

constexpr Variant kVariants[] = {
    {"hflip", kDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"hflip", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::hflip
