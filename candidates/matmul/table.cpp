// The candidates of matmul: out = a · b.
#include "candidates/common/built.hpp"
#include "candidates/common/matrix.hpp"
#include "candidates/config.hpp"
#include "candidates/matmul/adapters.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::matmul {
namespace {

using enum Exactness;
using namespace config;
using matrix::part;

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8, Dtype::u8}, {Dtype::i32}},
    {"f32", {Dtype::f32, Dtype::f32}, {Dtype::f32}},
    {"f64", {Dtype::f64, Dtype::f64}, {Dtype::f64}},
};

// Traffic is that of square matrices: two are read and one is written. Integers pass through f64
// copies of all three where a library computes them.
// id, version, backend, domain, exactness and traffic of u8, f32 and f64, split, run, part
constexpr Candidate kCandidates[] = {
    {"fused_fma",
     1,
     "fused",
     nullptr,
     {unsupported, faithful, faithful},
     {2, 1},
     Split::rows,
     run_fused_fma,
     part},
    {"fused",
     1,
     "fused",
     nullptr,
     {bitwise, bitwise, bitwise},
     {2, 1},
     Split::rows,
     run_fused,
     part},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_opencv>(),
     {bitwise, faithful, faithful},
     {{26, 7}, {2, 1}},
     Split::rows,
     built<kOpencv, run_opencv>(),
     part},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_aten>(),
     {bitwise, faithful, faithful},
     {{26, 7}, {3, 2}},
     Split::rows,
     built<kAten, run_aten>(),
     part},
    {"numkong",
     1,
     "numkong",
     built<kNumkong, accepts_numkong>(),
     {bitwise, faithful, faithful},
     {{4, 1}, {6, 5}, {4, 3}},
     Split::rows,
     built<kNumkong, run_numkong>(),
     part},
    {"loop",
     1,
     "loop",
     nullptr,
     {bitwise, bitwise, bitwise},
     {{3, 1}, {3, 2}},
     Split::rows,
     run_loop,
     part},
};

constexpr Variant kVariants[] = {
    {"matmul", kDtypes, kCandidates, matrix::kKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"matmul", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::matmul
