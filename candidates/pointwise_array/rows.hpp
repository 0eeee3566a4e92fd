// The candidates of a pointwise op with arrays, and its dtype cases: one row per adapter, made for
// the op's Describe function.
#pragma once

#include <array>

#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/pointwise_array/adapters.hpp"

namespace switchyard::candidates::pointwise_array {

// Image and operand; the result has the image's dtype. The order is that of array_case() at the
// public edge. Few are measured: routes of the others are the nearest that were.
inline constexpr DtypeCase kOneOperand[] = {
    {"u8", {Dtype::u8, Dtype::u8}, {Dtype::u8}, true},
    {"u8_i8", {Dtype::u8, Dtype::i8}, {Dtype::u8}, false},
    {"u8_u16", {Dtype::u8, Dtype::u16}, {Dtype::u8}, false},
    {"u8_i16", {Dtype::u8, Dtype::i16}, {Dtype::u8}, false},
    {"u8_f32", {Dtype::u8, Dtype::f32}, {Dtype::u8}, true},
    {"u8_f64", {Dtype::u8, Dtype::f64}, {Dtype::u8}, false},
    {"f32_u8", {Dtype::f32, Dtype::u8}, {Dtype::f32}, true},
    {"f32_i8", {Dtype::f32, Dtype::i8}, {Dtype::f32}, false},
    {"f32_u16", {Dtype::f32, Dtype::u16}, {Dtype::f32}, false},
    {"f32_i16", {Dtype::f32, Dtype::i16}, {Dtype::f32}, false},
    {"f32", {Dtype::f32, Dtype::f32}, {Dtype::f32}, true},
    {"f32_f64", {Dtype::f32, Dtype::f64}, {Dtype::f32}, false},
};

// Image and two operands. Arrays of two dtypes go by the case `mixed`, which stands for all of them.
inline constexpr auto kTwoOperands = [] {
  std::array<DtypeCase, std::size(kOneOperand) + 2> cases{};
  std::size_t i = 0;
  for (DtypeCase dtypes : kOneOperand) {
    dtypes.in[2] = dtypes.in[1];
    cases[i++] = dtypes;
  }
  cases[i++] = {"u8_mixed", {Dtype::u8, Dtype::i16, Dtype::f32}, {Dtype::u8}, false};
  cases[i++] = {"f32_mixed", {Dtype::f32, Dtype::f32, Dtype::u16}, {Dtype::f32}, false};
  return cases;
}();

template <RunExpression *kRun, Describe *kDescribe> void run(const Call &call) {
  kRun(call, kDescribe(call));
}
template <ExpressionDomain *kDomain, Describe *kDescribe> const char *accepts(const Call &call) {
  return kDomain(call, kDescribe(call));
}

// The same exactness in every dtype case.
constexpr std::array<Exactness, kMaxDtypeCases> everywhere(Exactness exactness) {
  std::array<Exactness, kMaxDtypeCases> all{};
  all.fill(exactness);
  return all;
}

// Full-array passes by dtype case, in the order of the cases.
struct Passes {
  TrafficByCase one, opencv, aten, loop; // `one`: every array once
};

// NumKong has the sum alone.
template <Describe *kDescribe>
consteval std::array<Candidate, 5> rows(Exactness numkong, const Passes &passes) {
  using namespace config;
  constexpr auto kBitwise = everywhere(Exactness::bitwise);
  // id, version, backend, domain, exactness by dtype case, full-array passes, split, run
  return {{
      {"fused", 1, "fused", accepts<accepts_fused, kDescribe>, kBitwise, passes.one, Split::rows,
       run<run_fused, kDescribe>},
      {"numkong", 1, "numkong", built<kNumkong, accepts<accepts_numkong, kDescribe>>(),
       everywhere(numkong), passes.one, Split::rows,
       built<kNumkong, run<run_numkong, kDescribe>>()},
      {"opencv", 1, "opencv", built<kOpencv, accepts<accepts_opencv, kDescribe>>(), kBitwise,
       passes.opencv, Split::rows, built<kOpencv, run<run_opencv, kDescribe>>()},
      {"aten", 1, "aten", built<kAten, accepts<accepts_aten, kDescribe>>(), kBitwise, passes.aten,
       Split::rows, built<kAten, run<run_aten, kDescribe>>()},
      {"loop", 1, "loop", nullptr, kBitwise, passes.loop, Split::rows, run<run_loop, kDescribe>},
  }};
}

} // namespace switchyard::candidates::pointwise_array
