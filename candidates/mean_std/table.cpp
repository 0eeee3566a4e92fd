// The candidates of mean_std: mean and population deviation, over all values or per channel.
#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::mean_std {

Run run_global_fused, run_global_numkong, run_global_opencv, run_global_aten, run_global_loop;
Run run_per_channel_fused, run_per_channel_numkong, run_per_channel_opencv, run_per_channel_aten,
    run_per_channel_loop;
Domain accepts_numkong, accepts_global_opencv, accepts_global_aten;
Domain accepts_per_channel_fused, accepts_per_channel_opencv, accepts_per_channel_aten;

namespace {

using enum Exactness;
using namespace config;

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::f64, Dtype::f64}},
    {"f32", {Dtype::f32}, {Dtype::f64, Dtype::f64}},
};

// id, version, backend, domain, exactness and traffic of u8 and f32, split, run
constexpr Candidate kGlobal[] = {
    {"fused", 1, "fused", nullptr, {bitwise, bitwise}, {1, 0}, Split::none, run_global_fused},
    {"numkong",
     1,
     "numkong",
     built<kNumkong, accepts_numkong>(),
     {bitwise, faithful},
     {1, 0},
     Split::none,
     built<kNumkong, run_global_numkong>()},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_global_opencv>(),
     {bitwise, faithful},
     {1, 0},
     Split::none,
     built<kOpencv, run_global_opencv>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_global_aten>(),
     {faithful, faithful},
     {{33, 24}, {9, 6}},
     Split::none,
     built<kAten, run_global_aten>()},
    {"loop",
     1,
     "loop",
     nullptr,
     {bitwise, bitwise},
     {{1, 0}, {2, 0}},
     Split::none,
     run_global_loop},
};

// ATen reduces one channel after the other, each in a pass of its own: traffic is that of three.
constexpr Candidate kPerChannel[] = {
    {"fused",
     1,
     "fused",
     accepts_per_channel_fused,
     {bitwise, bitwise},
     {1, 0},
     Split::none,
     run_per_channel_fused},
    {"numkong",
     1,
     "numkong",
     built<kNumkong, accepts_numkong>(),
     {bitwise, faithful},
     {1, 0},
     Split::none,
     built<kNumkong, run_per_channel_numkong>()},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_per_channel_opencv>(),
     {bitwise, faithful},
     {1, 0},
     Split::none,
     built<kOpencv, run_per_channel_opencv>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_per_channel_aten>(),
     {faithful, faithful},
     {{65, 24}, {17, 6}},
     Split::none,
     built<kAten, run_per_channel_aten>()},
    {"loop",
     1,
     "loop",
     nullptr,
     {bitwise, bitwise},
     {{1, 0}, {2, 0}},
     Split::none,
     run_per_channel_loop},
};

constexpr Variant kVariants[] = {
    {"mean_std/global", kDtypes, kGlobal},
    {"mean_std/per_channel", kDtypes, kPerChannel},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"mean_std", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::mean_std
