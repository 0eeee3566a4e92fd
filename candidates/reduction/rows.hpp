// The candidates of a reduction: one row per adapter, the same for every variant of an op. Which
// axes are reduced is a parameter.
//
// A new adapter for all reductions is one file here and one row in rows().
#pragma once

#include <array>
#include <string_view>

#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/reduction/adapters.hpp"

namespace switchyard::candidates::reduction {

inline constexpr Dtype kU64 = Dtype::u64;
inline constexpr Dtype kF64 = Dtype::f64;

// u8 and f32, by what is asked for.
inline constexpr DtypeCase kSumDtypes[] = {
    {"u8", {Dtype::u8}, {kU64}},
    {"f32", {Dtype::f32}, {kF64}},
};
inline constexpr DtypeCase kMomentDtypes[] = {
    {"u8", {Dtype::u8}, {kF64, kF64}},
    {"f32", {Dtype::f32}, {kF64, kF64}},
};
inline constexpr DtypeCase kRangeDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8, Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32, Dtype::f32}},
};

// Reductions along the innermost axis, whose elements are neighbours, and others.
inline constexpr std::string_view kAxesClasses[] = {"c", "h"};
inline int class_of_axes(const Call &call) {
  const AxisMask axes = call.params_as<ReductionParams>().axes;
  const bool one_channel = call.in[0]->channels() == 1;
  return has_axis(axes, kC) || (one_channel && has_axis(axes, kW)) ? 0 : 1;
}
inline constexpr Kinds kAxesKinds{nullptr, true, kAxesClasses, class_of_axes};

// Full-array passes of those that make several, in u8 and f32. ATen reduces one channel after the
// other, each in a pass of its own: its traffic is that of three.
struct Passes {
  TrafficByCase aten;
  TrafficByCase own = {1, 0}; // of fused and loop
};

// `aten_u8`: ATen's exactness of u8, which differs with what is asked for.
template <Asked kAsked>
consteval std::array<Candidate, 5> rows(Exactness aten_u8, const Passes &passes) {
  using namespace config;
  using enum Exactness;
  const TrafficByCase &own = passes.own;
  // id, version, backend, domain, exactness and traffic of u8 and f32, split, run
  return {{
      {"fused", 4, "fused", nullptr, {bitwise, bitwise}, own, Split::none, run_fused<kAsked>},
      {"numkong",
       3,
       "numkong",
       nullptr,
       {bitwise, faithful},
       {1, 0},
       Split::none,
       built<kNumkong, run_numkong<kAsked>>()},
      {"opencv",
       3,
       "opencv",
       nullptr,
       {bitwise, faithful},
       {1, 0},
       Split::none,
       built<kOpencv, run_opencv<kAsked>>()},
      {"aten",
       3,
       "aten",
       built<kAten, accepts_aten>(),
       {aten_u8, faithful},
       passes.aten,
       Split::none,
       built<kAten, run_aten<kAsked>>()},
      {"loop", 4, "loop", nullptr, {bitwise, bitwise}, own, Split::none, run_loop<kAsked>},
  }};
}

} // namespace switchyard::candidates::reduction
