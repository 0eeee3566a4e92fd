// The candidates of add_weighted: a · weight_a + b · weight_b, each operation rounded to f32; u8
// rounds half to even and saturates.
#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::add_weighted {

Run run_fused, run_loop, run_opencv, run_aten, run_numkong;
Domain accepts_fused, accepts_opencv, accepts_aten, accepts_numkong;

namespace {

using enum Exactness;
using namespace config;

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8, Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32, Dtype::f32}, {Dtype::f32}},
};

// id, version, backend, domain, exactness and traffic of u8 and f32, split, run
constexpr Candidate kCandidates[] = {
    by_geometry(
        {"fused", 3, "fused", accepts_fused, {bitwise, bitwise}, {2, 1}, Split::rows, run_fused}),
    {"numkong",
     1,
     "numkong",
     built<kNumkong, accepts_numkong>(),
     {faithful, faithful},
     {2, 1},
     Split::rows,
     built<kNumkong, run_numkong>()},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_opencv>(),
     {faithful, faithful},
     {2, 1},
     Split::rows,
     built<kOpencv, run_opencv>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_aten>(),
     {faithful, faithful},
     {{26, 25}, {3, 2}},
     Split::rows,
     built<kAten, run_aten>()},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {{14, 13}, {5, 4}}, Split::rows, run_loop},
};

constexpr Variant kVariants[] = {{"add_weighted", kDtypes, kCandidates}};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"add_weighted", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::add_weighted
