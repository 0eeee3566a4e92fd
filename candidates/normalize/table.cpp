// The candidates of normalize: (x − mean) · scale in f32, two roundings.
#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::normalize {

Run run_fused, run_lut, run_loop, run_opencv, run_opencv_convert, run_aten, run_numkong;
Domain accepts_fused, accepts_lut, accepts_opencv, accepts_opencv_convert, accepts_aten,
    accepts_numkong;

namespace {

using enum Exactness;
using namespace config;

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::f32}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// id, version, backend, domain, exactness and traffic of u8 and f32, split, run
constexpr Candidate kScalar[] = {
    {"fused", 1, "fused", accepts_fused, {bitwise, bitwise}, {1, 1}, Split::rows, run_fused},
    {"lut", 1, "lut", accepts_lut, {bitwise, unsupported}, {1, 1}, Split::rows, run_lut},
    {"numkong",
     1,
     "numkong",
     built<kNumkong, accepts_numkong>(),
     {faithful, faithful},
     {1, 1},
     Split::rows,
     built<kNumkong, run_numkong>()},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_opencv>(),
     {bitwise, bitwise},
     {{1, 1}, {2, 2}},
     Split::rows,
     built<kOpencv, run_opencv>()},
    {"opencv_convert",
     1,
     "opencv",
     built<kOpencv, accepts_opencv_convert>(),
     {faithful, faithful},
     {1, 1},
     Split::rows,
     built<kOpencv, run_opencv_convert>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_aten>(),
     {bitwise, bitwise},
     {{9, 3}, {2, 2}},
     Split::rows,
     built<kAten, run_aten>()},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {{5, 2}, {2, 2}}, Split::rows, run_loop},
};

constexpr Candidate kVector[] = {
    {"fused", 1, "fused", accepts_fused, {bitwise, bitwise}, {1, 1}, Split::rows, run_fused},
    {"lut", 1, "lut", accepts_lut, {bitwise, unsupported}, {1, 1}, Split::rows, run_lut},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_opencv>(),
     {bitwise, bitwise},
     {{1, 1}, {2, 2}},
     Split::rows,
     built<kOpencv, run_opencv>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_aten>(),
     {bitwise, bitwise},
     {{9, 3}, {2, 2}},
     Split::rows,
     built<kAten, run_aten>()},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {{5, 2}, {2, 2}}, Split::rows, run_loop},
};

constexpr Variant kVariants[] = {
    {"normalize/scalar", kDtypes, kScalar},
    {"normalize/vector", kDtypes, kVector},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"normalize", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::normalize
