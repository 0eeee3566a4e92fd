// The rows that the tables of flips, transpositions and quarter turns consist of.
#pragma once

#include <array>

#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/registry.hpp"
#include "candidates/turn/adapters.hpp"

namespace switchyard::candidates::turn {

// In this order: a new case goes to the end.
inline constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
    {"u16", {Dtype::u16}, {Dtype::u16}},
};

template <auto kRun, DescribeTurn kDescribe> void run(const Call &call) {
  kRun(call, kDescribe(call));
}
template <auto kAccepts, DescribeTurn kDescribe> const char *accepts(const Call &call) {
  return kAccepts(call, kDescribe(call));
}

// Passes of the libraries' candidates: more than one where they flip through a temporary array.
struct Passes {
  Traffic opencv{1, 1};
  Traffic aten{1, 1};
};

// id, version, backend, domain, exactness, traffic, split, run, part of the inputs
template <DescribeTurn kDescribe> constexpr std::array<Candidate, 4> rows(const Passes &passes) {
  using enum Exactness;
  using namespace config;
  constexpr std::array<Exactness, kMaxDtypeCases> kExact{bitwise, bitwise, bitwise};
  return {{
      {"fused",
       3,
       "fused",
       nullptr,
       kExact,
       {1, 1},
       Split::rows,
       run<run_fused, kDescribe>,
       turn_part<kDescribe>},
      {"opencv",
       2,
       "opencv",
       built<kOpencv, accepts<accepts_opencv, kDescribe>>(),
       kExact,
       {passes.opencv},
       Split::rows,
       built<kOpencv, run<run_opencv, kDescribe>>(),
       turn_part<kDescribe>},
      {"aten",
       2,
       "aten",
       built<kAten, accepts<accepts_aten, kDescribe>>(),
       kExact,
       {passes.aten},
       Split::rows,
       built<kAten, run<run_aten, kDescribe>>(),
       turn_part<kDescribe>},
      {"loop",
       2,
       "loop",
       nullptr,
       kExact,
       {1, 1},
       Split::rows,
       run<run_loop, kDescribe>,
       turn_part<kDescribe>},
  }};
}

} // namespace switchyard::candidates::turn
