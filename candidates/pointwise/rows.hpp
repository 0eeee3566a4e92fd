// The candidates of a pointwise op: one row per adapter, made for the op's Describe function.
//
// A new adapter for all of these ops is one file here and one row in rows().
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>

#include "candidates/common/built.hpp"
#include "candidates/common/domain.hpp"
#include "candidates/config.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {

template <RunExpression *kRun, Describe *kDescribe> void run(const Call &call) {
  kRun(call, kDescribe(call));
}
// Sanitizers keep the compiler from comparing addresses of functions; hence a variable each.
template <ExpressionDomain *kDomain> inline constexpr bool kIsFused = false;
template <> inline constexpr bool kIsFused<accepts_fused> = true;

template <ExpressionDomain *kDomain, Describe *kDescribe> const char *accepts(const Call &call) {
  if constexpr (kIsFused<kDomain>) {
    // Nearly every call; its parameters need no look.
    if (call.in[0]->channels() <= kMaxPatternChannels) {
      return refuses_wide(call);
    }
  }
  return kDomain(call, kDescribe(call));
}

// The rows without those that compute none of the op's dtypes: how many are left is written down,
// so that a list of exactness and its table can't part unnoticed. Anything else does not compile.
template <std::size_t kLeft, std::size_t kAll>
consteval std::array<Candidate, kLeft> computing(const std::array<Candidate, kAll> &all) {
  std::array<Candidate, kLeft> left{};
  std::size_t count = 0;
  for (const Candidate &candidate : all) {
    bool computes = false;
    for (const Exactness exactness : candidate.exactness) {
      computes = computes || exactness != Exactness::unsupported;
    }
    if (computes) {
      left.at(count) = candidate;
      ++count;
    }
  }
  return count == kLeft ? left : throw std::logic_error("fewer rows compute anything");
}

// Exactness of every adapter by dtype case.
struct Classes {
  using ByDtype = std::array<Exactness, kMaxDtypeCases>;
  ByDtype fused, lut, numkong, opencv, opencv_lut, opencv_convert, aten, loop;
};

// Full-array passes of the adapters that make several, by dtype case.
struct Passes {
  TrafficByCase opencv, aten, loop;
  TrafficByCase opencv_convert = {1, 1};
};

template <Describe *kDescribe>
consteval std::array<Candidate, 8> rows(const Classes &exactness, const Passes &passes) {
  using namespace config;
  constexpr TrafficByCase kOne(1, 1);
  // id, version, backend, domain, exactness by dtype case, full-array passes, split, run
  return {{
      by_geometry({"fused", 4, "fused", accepts<accepts_fused, kDescribe>, exactness.fused, kOne,
                   Split::rows, run<run_fused, kDescribe>}),
      by_geometry({"lut", 2, "lut", accepts<accepts_lut, kDescribe>, exactness.lut, kOne,
                   Split::rows, run<run_lut, kDescribe>}),
      {"numkong", 2, "numkong", built<kNumkong, accepts<accepts_numkong, kDescribe>>(),
       exactness.numkong, kOne, Split::rows, built<kNumkong, run<run_numkong, kDescribe>>()},
      {"opencv", 2, "opencv", built<kOpencv, accepts<accepts_opencv, kDescribe>>(),
       exactness.opencv, passes.opencv, Split::rows, built<kOpencv, run<run_opencv, kDescribe>>()},
      {"opencv_lut", 1, "opencv", built<kOpencv, accepts<accepts_opencv_lut, kDescribe>>(),
       exactness.opencv_lut, kOne, Split::rows, built<kOpencv, run<run_opencv_lut, kDescribe>>()},
      {"opencv_convert", 2, "opencv", built<kOpencv, accepts<accepts_opencv_convert, kDescribe>>(),
       exactness.opencv_convert, passes.opencv_convert, Split::rows,
       built<kOpencv, run<run_opencv_convert, kDescribe>>()},
      {"aten", 2, "aten", built<kAten, accepts<accepts_aten, kDescribe>>(), exactness.aten,
       passes.aten, Split::rows, built<kAten, run<run_aten, kDescribe>>()},
      {"loop", 2, "loop", nullptr, exactness.loop, passes.loop, Split::rows,
       run<run_loop, kDescribe>},
  }};
}

// Exactness of the adapters of functions: exp, log, square root and power, of u8 (where the op has
// it) and f32.
struct FunctionClasses {
  Classes::ByDtype fused, fused_faithful, lut, opencv, opencv_lut, aten, loop;
};

template <Describe *kDescribe>
consteval std::array<Candidate, 7> function_rows(const FunctionClasses &exactness,
                                                 const TrafficByCase &loop) {
  using namespace config;
  constexpr TrafficByCase kOne(1, 1);
  return {{
      {"fused", 2, "fused", accepts<accepts_fused_function, kDescribe>, exactness.fused, kOne,
       Split::rows, run<run_fused_function, kDescribe>},
      {"fused_faithful", 2, "fused", accepts<accepts_fused_function, kDescribe>,
       exactness.fused_faithful, kOne, Split::rows, run<run_fused_faithful, kDescribe>},
      by_geometry({"lut", 1, "lut", accepts<accepts_lut, kDescribe>, exactness.lut, kOne,
                   Split::rows, run<run_lut, kDescribe>}),
      {"opencv", 1, "opencv", built<kOpencv, accepts<accepts_opencv_function, kDescribe>>(),
       exactness.opencv, kOne, Split::rows, built<kOpencv, run<run_opencv_function, kDescribe>>()},
      {"opencv_lut", 1, "opencv", built<kOpencv, accepts<accepts_opencv_lut, kDescribe>>(),
       exactness.opencv_lut, kOne, Split::rows, built<kOpencv, run<run_opencv_lut, kDescribe>>()},
      {"aten", 1, "aten", built<kAten, accepts<accepts_aten_function, kDescribe>>(), exactness.aten,
       kOne, Split::rows, built<kAten, run<run_aten_function, kDescribe>>()},
      {"loop", 1, "loop", nullptr, exactness.loop, loop, Split::rows, run<run_loop, kDescribe>},
  }};
}

} // namespace switchyard::candidates::pointwise
