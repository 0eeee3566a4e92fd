// The candidates of pairwise_distances_squared: out(n, m) = Σ (a(n, d) − b(m, d))².
#include "candidates/common/built.hpp"
#include "candidates/common/matrix.hpp"
#include "candidates/config.hpp"
#include "candidates/pairwise_distances_squared/adapters.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::pairwise_distances_squared {
namespace {

using enum Exactness;
using namespace config;
using matrix::part;

constexpr DtypeCase kDtypes[] = {
    {"f32", {Dtype::f32, Dtype::f32}, {Dtype::f32}},
    {"f64", {Dtype::f64, Dtype::f64}, {Dtype::f32}},
};

// id, version, backend, domain, exactness and traffic of f32 and f64, split, run, part
constexpr Candidate kCandidates[] = {
    {"fused", 1, "fused", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, run_fused, part},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_opencv>(),
     {faithful},
     {1, 1},
     Split::rows,
     built<kOpencv, run_opencv>(),
     part},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_aten>(),
     {faithful, faithful},
     {{2, 3}, {2, 5}},
     Split::rows,
     built<kAten, run_aten>(),
     part},
    {"numkong",
     1,
     "numkong",
     built<kNumkong, accepts_numkong>(),
     {faithful, faithful},
     {1, 1},
     Split::rows,
     built<kNumkong, run_numkong>(),
     part},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, run_loop, part},
};

constexpr Variant kVariants[] = {
    {"pairwise_distances_squared", kDtypes, kCandidates, matrix::kKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"pairwise_distances_squared", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::pairwise_distances_squared
