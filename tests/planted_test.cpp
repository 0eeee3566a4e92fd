// The proof, proven: candidates with one planted fault each must be caught, by their message.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/registry.hpp"

namespace switchyard::conformance {
namespace {

using Catch::Matchers::Contains;

struct Subject {
  const Variant &variant;
  const VariantContract &contract;
};

Subject subject(std::string_view name) {
  const Variant *variant = candidates::find_variant(name);
  const VariantContract *contract = candidates::find_contract(name);
  REQUIRE(variant != nullptr);
  REQUIRE(contract != nullptr);
  return {*variant, *contract};
}

Run *loop_of(std::string_view variant) {
  return candidates::find_variant(variant)->candidates.back().run;
}

void right(const Call &call) {
  loop_of("multiply_add/scalar")(call);
}

Candidate planted(Run *run, Domain *domain = nullptr, Exactness exactness = Exactness::bitwise) {
  Candidate candidate;
  candidate.id = "planted";
  candidate.backend = "planted";
  candidate.domain = domain;
  candidate.exactness = {exactness, exactness};
  candidate.run = run;
  return candidate;
}

Verdict verdict_on(const Subject &on, const Candidate &candidate) {
  return prove(on.variant, on.contract, candidate, problems(on.variant, on.contract));
}

std::string caught(std::string_view variant, const Candidate &candidate) {
  return verdict_on(subject(variant), candidate).mismatch;
}

const char *accepts_contiguous(const Call &call) {
  const View &out = *call.out[0];
  const Extents dense = contiguous_strides(out.shape, size_of(out.dtype));
  for (int axis = 0; axis < 4; ++axis) {
    if (out.shape[axis] > 1 && out.strides[axis] != dense[axis]) {
      return "not contiguous";
    }
  }
  return out.empty() ? "empty" : nullptr;
}

// Where dense strides stay within the memory of the view.
const char *accepts_rising(const Call &call) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    const Extents dense = contiguous_strides(view->shape, size_of(view->dtype));
    for (const int axis : {kX, kH, kW, kC}) {
      if (view->shape[axis] > 1 && view->strides[axis] < dense[axis]) {
        return "not in rising order";
      }
    }
  }
  return nullptr;
}

const char *accepts_gaps(const Call &call) {
  if (const char *reason = accepts_rising(call)) {
    return reason;
  }
  const View &out = *call.out[0];
  const std::int64_t row = size_of(out.dtype) * out.shape[kW] * out.shape[kC];
  return out.shape[kH] > 1 && out.strides[kH] > row + 1 ? nullptr : "no gap after a row";
}

template <class Change> void change_elements(const View &view, Change &&change) {
  oracle::for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    std::byte *at = view.at(x, h, w, c);
    if (view.dtype == Dtype::u8) {
      *at = static_cast<std::byte>(change(static_cast<double>(*at)));
    } else {
      float value = 0;
      std::memcpy(&value, at, sizeof value);
      value = static_cast<float>(change(static_cast<double>(value)));
      std::memcpy(at, &value, sizeof value);
    }
  });
}

void flip(std::byte *byte) {
  *byte ^= std::byte{1};
}

TEST_CASE("a candidate that is right passes with every problem") {
  const Subject on = subject("multiply_add/scalar");
  const Verdict verdict = verdict_on(on, planted(right));
  CHECK(verdict.mismatch.empty());
  CHECK(verdict.refused == 0);
  CHECK(verdict.cells == static_cast<std::int64_t>(problems(on.variant, on.contract).size()));
}

TEST_CASE("a candidate that does nothing is caught") {
  const std::string message = caught("multiply_add/scalar", planted([](const Call &) {}));
  CHECK_THAT(message, Contains("planted: multiply_add/scalar u8 1x1x1x1 rank=3 "));
  CHECK_THAT(message, Contains("(never written), expected"));
  CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("a candidate that computes no more than four channels rightly is caught") {
  const auto four_channels = [](const Call &call) {
    const auto &params = call.params_as<MultiplyAddParams>();
    std::vector<double> factor;
    for (std::int64_t c = 0; c < params.factor.size; ++c) {
      factor.push_back(params.factor[c % 4]);
    }
    const MultiplyAddParams wrapped{{factor.data(), params.factor.size}, params.value};
    Call changed = call;
    changed.params = &wrapped;
    loop_of("multiply_add/vector")(changed);
  };
  const std::string message = caught("multiply_add/vector", planted(four_channels));
  CHECK_THAT(message, Contains("x5 rank=3"));
  CHECK_THAT(message, Contains(", 4): got "));
}

TEST_CASE("a candidate that ignores strides is caught") {
  const auto dense = [](const Call &call) {
    ConstView in = *call.in[0];
    View out = *call.out[0];
    in.strides = contiguous_strides(in.shape, size_of(in.dtype));
    out.strides = contiguous_strides(out.shape, size_of(out.dtype));
    Call changed = call;
    changed.in[0] = &in;
    changed.out[0] = &out;
    right(changed);
  };
  const std::string message = caught("multiply_add/scalar", planted(dense, accepts_rising));
  CHECK_THAT(message, Contains("layout=rows"));
}

TEST_CASE("a candidate that is off by one level is caught") {
  const auto off = [](const Call &call) {
    right(call);
    if (call.in[0]->dtype == Dtype::u8) {
      change_elements(*call.out[0], [](double y) { return y < 255 ? y + 1 : y; });
    }
  };
  for (const Exactness exactness : {Exactness::bitwise, Exactness::faithful}) {
    const std::string message = caught("multiply_add/scalar", planted(off, nullptr, exactness));
    CHECK_THAT(message, Contains("out[0] at ("));
    CHECK_THAT(message, !Contains("never written"));
  }
}

TEST_CASE("a candidate that writes one element past the end is caught") {
  const auto past = [](const Call &call) {
    right(call);
    const View &out = *call.out[0];
    flip(out.at(0, 0, 0, 0) + out.elements() * size_of(out.dtype));
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(past, accepts_contiguous)),
             Contains("out[0]: wrote outside its elements: byte 1 after the last element"));
}

TEST_CASE("a candidate that writes before the start is caught") {
  const auto before = [](const Call &call) {
    right(call);
    flip(call.out[0]->at(0, 0, 0, 0) - 1);
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(before, accepts_contiguous)),
             Contains("out[0]: wrote outside its elements: byte 1 before the first element"));
}

TEST_CASE("a candidate that writes into the gap after a row is caught") {
  const auto gap = [](const Call &call) {
    right(call);
    const View &out = *call.out[0];
    const std::int64_t row = size_of(out.dtype) * out.shape[kW] * out.shape[kC];
    flip(out.at(0, 0, 0, 0) + row);
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(gap, accepts_gaps)),
             Contains("out[0]: wrote outside its elements: a gap, "));
}

TEST_CASE("a candidate that writes outside in place is caught") {
  const auto past = [](const Call &call) {
    right(call);
    if ((call.flags & kInPlace) != 0) {
      const View &out = *call.out[0];
      flip(out.at(0, 0, 0, 0) + out.elements() * size_of(out.dtype));
    }
  };
  const std::string message = caught("multiply_add/scalar", planted(past, accepts_contiguous));
  CHECK_THAT(message, Contains("output=in_place"));
  CHECK_THAT(message, Contains("byte 1 after the last element"));
}

TEST_CASE("a candidate that modifies its input is caught") {
  const auto modifies = [](const Call &call) {
    right(call);
    if (!call.in[0]->empty() && (call.flags & kInPlace) == 0) {
      flip(const_cast<std::byte *>(call.in[0]->at(0, 0, 0, 0)));
    }
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(modifies)),
             Contains("in[0]: was written: element (0, 0, 0, 0)"));
}

TEST_CASE("a candidate that is right except for the tail is caught") {
  const auto no_tail = [](const Call &call) {
    ConstView in = *call.in[0];
    View out = *call.out[0];
    in.shape[kW] = out.shape[kW] = out.shape[kW] / 16 * 16;
    Call changed = call;
    changed.in[0] = &in;
    changed.out[0] = &out;
    right(changed);
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(no_tail)), Contains("(never written)"));
}

TEST_CASE("a candidate that is wrong for NaN alone is caught") {
  const auto no_nan = [](const Call &call) {
    right(call);
    change_elements(*call.out[0], [](double y) { return std::isnan(y) ? 0 : y; });
  };
  for (const Exactness exactness : {Exactness::bitwise, Exactness::faithful}) {
    const std::string message = caught("multiply_add/scalar", planted(no_nan, nullptr, exactness));
    CHECK_THAT(message, Contains("got 0, expected nan (nan … nan)"));
  }
}

TEST_CASE("a candidate that mixes in what the output held before is caught") {
  const auto stale = [](const Call &call) {
    const View &out = *call.out[0];
    std::vector<double> before;
    oracle::for_each_index(out.shape, [&](auto x, auto h, auto w, auto c) {
      before.push_back(oracle::read(out, x, h, w, c));
    });
    right(call);
    std::size_t i = 0;
    change_elements(out, [&](double y) { return std::max(y, before[i++]); });
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(stale)), Contains("out[0] at ("));
}

TEST_CASE("a candidate that is wrong now and then is caught") {
  const auto moody = [](const Call &call) {
    static int calls = 0;
    right(call);
    if (++calls % 97 == 0 && !call.out[0]->empty()) {
      flip(call.out[0]->at(0, 0, 0, 0));
    }
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(moody)), Contains("out[0] at (0, 0, 0, 0)"));
}

TEST_CASE("a candidate that is wrong in place alone is caught") {
  const auto twice = [](const Call &call) {
    right(call);
    if ((call.flags & kInPlace) != 0) {
      right(call);
    }
  };
  CHECK_THAT(caught("multiply_add/scalar", planted(twice)), Contains("output=in_place"));
}

TEST_CASE("a candidate that throws is caught") {
  const auto throws = [](const Call &) -> void { throw std::runtime_error("two\nlines"); };
  CHECK_THAT(caught("multiply_add/scalar", planted(throws)), Contains("threw: two lines"));
}

// ---------------------------------------------------------------------------------------------
// An op that the engine has never heard of: out = −x in f32.

void negate_oracle(const Call &call, int, std::span<Expected> expected) {
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double value = -oracle::read(*call.in[0], x, h, w, c);
    expected[i++] = {value, value, value};
  });
}

template <bool kKeepsZeroSign, bool kNewNan> void negate(const Call &call) {
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    auto y = static_cast<float>(-oracle::read(*call.in[0], x, h, w, c));
    if (!kKeepsZeroSign && y == 0) {
      y = 0;
    }
    if (kNewNan && std::isnan(y)) {
      const std::uint32_t bits = 0x7fc01234;
      std::memcpy(&y, &bits, sizeof y);
    }
    std::memcpy(call.out[0]->at(x, h, w, c), &y, sizeof y);
  });
}

constexpr DtypeCase kFloats[] = {{"f32", {Dtype::f32}, {Dtype::f32}}};
constexpr ParamSet kOnly[] = {{"only", true}};

VariantContract negate_contract() {
  VariantContract contract;
  contract.variant = "negate";
  contract.in_place = true;
  contract.row_local = true;
  contract.param_sets = kOnly;
  contract.make_params = [](int, std::int64_t, int, Random &) -> std::shared_ptr<const void> {
    return std::make_shared<int>(0);
  };
  contract.oracle = negate_oracle;
  return contract;
}

TEST_CASE("bitwise candidates keep the sign of zero but may give any NaN") {
  const VariantContract contract = negate_contract();
  const Candidate candidates[] = {planted(negate<true, true>)};
  const Variant variant{"negate", kFloats, candidates};
  const Subject on{variant, contract};
  CHECK(verdict_on(on, planted(negate<true, true>)).mismatch.empty());
  CHECK_THAT(verdict_on(on, planted(negate<false, false>)).mismatch,
             Contains("got 0, expected -0 (-0 … -0)"));
  const Candidate faithful = planted(negate<false, false>, nullptr, Exactness::faithful);
  CHECK(verdict_on(on, faithful).mismatch.empty());
}

// ---------------------------------------------------------------------------------------------
// Large problems and the gate

ProblemSpec large_spec(int dtype_case) {
  ProblemSpec spec;
  spec.dtype_case = dtype_case;
  spec.shape = {1, 1100, 1000, 1};
  return spec;
}

void fused_multiply_add(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  const auto factor = static_cast<float>(params.factor[0]);
  const auto value = static_cast<float>(params.value[0]);
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const auto pixel = static_cast<float>(oracle::read(*call.in[0], x, h, w, c));
    const float y = std::fma(pixel, factor, value);
    std::memcpy(call.out[0]->at(x, h, w, c), &y, sizeof y);
  });
}

TEST_CASE("one wrong element of a large problem is caught by comparing with a proven candidate") {
  const Subject on = subject("multiply_add/scalar");
  const auto wrong_far_in = [](const Call &call) {
    right(call);
    const View &out = *call.out[0];
    if (out.shape[kH] > 777) {
      flip(out.at(0, 777, 555, 0));
    }
  };
  for (const int dtype_case : {0, 1}) {
    CHECK(gate(on.variant, on.contract, planted(right), large_spec(dtype_case)).empty());
    CHECK_THAT(gate(on.variant, on.contract, planted(wrong_far_in), large_spec(dtype_case)),
               Contains("out[0] at (0, 777, 555, 0): got "));
  }
}

TEST_CASE("a large problem lets a faithful candidate differ from a proven one within tolerance") {
  const Subject on = subject("multiply_add/scalar");
  const Candidate faithful = planted(fused_multiply_add, nullptr, Exactness::faithful);
  CHECK(gate(on.variant, on.contract, faithful, large_spec(1)).empty());
  CHECK_THAT(gate(on.variant, on.contract, planted(fused_multiply_add), large_spec(1)),
             Contains("out[0] at ("));
  const auto off = [](const Call &call) {
    fused_multiply_add(call);
    if (call.out[0]->shape[kH] > 1000) {
      float y = 0;
      std::byte *at = call.out[0]->at(0, 1000, 7, 0);
      std::memcpy(&y, at, sizeof y);
      y += 1e-4F * std::fabs(y);
      std::memcpy(at, &y, sizeof y);
    }
  };
  CHECK_THAT(
      gate(on.variant, on.contract, planted(off, nullptr, Exactness::faithful), large_spec(1)),
      Contains("out[0] at (0, 1000, 7, 0): got "));
}

TEST_CASE("a large problem is not excused from canaries and unchanged inputs") {
  const Subject on = subject("multiply_add/scalar");
  const auto past = [](const Call &call) {
    right(call);
    if (call.out[0]->elements() > 1 << 20) {
      flip(call.out[0]->at(0, 0, 0, 0) + call.out[0]->elements());
    }
  };
  CHECK_THAT(gate(on.variant, on.contract, planted(past), large_spec(0)),
             Contains("byte 1 after the last element"));
  const auto modifies = [](const Call &call) {
    right(call);
    if (call.out[0]->elements() > 1 << 20) {
      flip(const_cast<std::byte *>(call.in[0]->at(0, 1099, 999, 0)));
    }
  };
  CHECK_THAT(gate(on.variant, on.contract, planted(modifies), large_spec(0)),
             Contains("in[0]: was written: element (0, 1099, 999, 0)"));
}

TEST_CASE("the gate draws special values even where the cell has none") {
  const Subject on = subject("multiply_add/scalar");
  const auto no_nan = [](const Call &call) {
    right(call);
    change_elements(*call.out[0], [](double y) { return std::isnan(y) ? 0 : y; });
  };
  ProblemSpec spec;
  spec.dtype_case = 1;
  spec.shape = {1, 16, 16, 3};
  CHECK_THAT(gate(on.variant, on.contract, planted(no_nan), spec), Contains("special=1"));
}

// ---------------------------------------------------------------------------------------------
// Problems

std::vector<std::byte> bytes_of(const ConstView &view) {
  std::vector<std::byte> bytes;
  oracle::for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    const std::byte *at = view.at(x, h, w, c);
    bytes.insert(bytes.end(), at, at + size_of(view.dtype));
  });
  return bytes;
}

TEST_CASE("a problem is restored and poisoned by reset and moved by page offsets") {
  const Subject on = subject("multiply_add/scalar");
  ProblemSpec spec;
  spec.dtype_case = 1;
  spec.shape = {1, 9, 11, 3};
  Problem problem(on.variant, on.contract, spec);
  const std::vector<std::byte> drawn = bytes_of(*problem.call().in[0]);
  right(problem.call());
  CHECK(problem.check(Exactness::bitwise).empty());
  problem.reset();
  CHECK_THAT(problem.check(Exactness::bitwise), Contains("out[0] at (0, 0, 0, 0): got "));
  problem.set_page_offsets(128, 4032);
  CHECK(reinterpret_cast<std::uintptr_t>(problem.call().in[0]->data) % 4096 == 128);
  CHECK(reinterpret_cast<std::uintptr_t>(problem.call().out[0]->data) % 4096 == 4032);
  CHECK(bytes_of(*problem.call().in[0]) == drawn);
  right(problem.call());
  CHECK(problem.check(Exactness::bitwise).empty());
  CHECK_THROWS_AS(problem.set_page_offsets(8, 0), std::invalid_argument);
  CHECK_THROWS_AS(problem.set_page_offsets(0, 4096), std::invalid_argument);
}

TEST_CASE("no element of a small output is right before the candidate runs") {
  const Subject on = subject("multiply_add/scalar");
  for (const int dtype_case : {0, 1}) {
    ProblemSpec spec;
    spec.dtype_case = dtype_case;
    spec.shape = {1, 97, 101, 3}; // a pattern without regard to the result hits a hundred of these
    spec.special = true;
    Problem problem(on.variant, on.contract, spec);
    const std::vector<std::byte> before = bytes_of(*problem.call().out[0]);
    right(problem.call());
    const std::vector<std::byte> after = bytes_of(*problem.call().out[0]);
    const auto size = static_cast<std::size_t>(size_of(problem.call().out[0]->dtype));
    std::size_t equal = 0;
    for (std::size_t i = 0; i < after.size(); i += size) {
      equal += std::memcmp(&before[i], &after[i], size) == 0 ? 1 : 0;
    }
    CHECK(after.size() == 97 * 101 * 3 * size);
    CHECK(equal == 0);
  }
}

TEST_CASE("a problem in place gives its input as output and restores it") {
  const Subject on = subject("multiply_add/scalar");
  ProblemSpec spec;
  spec.shape = {1, 9, 11, 3};
  spec.layout = LayoutClass::rows;
  spec.output = OutputMode::in_place;
  Problem problem(on.variant, on.contract, spec);
  const std::vector<std::byte> drawn = bytes_of(*problem.call().in[0]);
  CHECK(problem.call().in[0]->data == problem.call().out[0]->data);
  CHECK(problem.call().in[0]->strides == problem.call().out[0]->strides);
  CHECK((problem.call().flags & kInPlace) != 0);
  right(problem.call());
  CHECK(problem.check(Exactness::bitwise).empty());
  CHECK(bytes_of(*problem.call().in[0]) != drawn);
  problem.reset();
  CHECK(bytes_of(*problem.call().in[0]) == drawn);
}

TEST_CASE("a problem that the contract does not allow is refused") {
  const Subject on = subject("multiply_add/scalar");
  const auto refused = [&](auto change) {
    VariantContract contract = on.contract;
    ProblemSpec spec;
    change(contract, spec);
    CHECK_THROWS_AS(Problem(on.variant, contract, spec), std::invalid_argument);
  };
  refused([](auto &, auto &spec) { spec.dtype_case = 2; });
  refused([](auto &, auto &spec) { spec.param_set = 99; });
  refused([](auto &, auto &spec) { spec.shape[kW] = -1; });
  refused([](auto &, auto &spec) { spec.shape[kX] = 2; });
  refused([](auto &contract, auto &spec) {
    contract.takes_empty = false;
    spec.shape[kH] = 0;
  });
  refused([](auto &contract, auto &spec) {
    contract.in_place = false;
    spec.output = OutputMode::in_place;
  });
}

TEST_CASE("the list of problems holds every layout, mode, parameter set and kind of input") {
  const Subject on = subject("multiply_add/scalar");
  for (int dtype_case = 0; dtype_case < 2; ++dtype_case) {
    std::vector<ProblemSpec> specs;
    for (const ProblemSpec &spec : problems(on.variant, on.contract)) {
      if (spec.dtype_case == dtype_case) {
        specs.push_back(spec);
      }
    }
    const auto has = [&](auto predicate) {
      return std::any_of(specs.begin(), specs.end(), predicate);
    };
    CHECK(specs.size() >= 400);
    CHECK(specs.size() <= 1000);
    for (int layout = 0; layout < kLayoutClasses; ++layout) {
      for (const OutputMode output : {OutputMode::into, OutputMode::in_place}) {
        for (const bool unaligned : {false, true}) {
          CHECK(has([&](const ProblemSpec &spec) {
            return static_cast<int>(spec.layout) == layout && spec.output == output &&
                   spec.unaligned == unaligned;
          }));
        }
      }
    }
    for (int set = 0; set < static_cast<int>(on.contract.param_sets.size()); ++set) {
      for (const bool special : {false, true}) {
        CHECK(has([&](const ProblemSpec &spec) {
          return spec.param_set == set && spec.special == special;
        }));
      }
    }
    for (const std::int64_t c : {1, 2, 3, 4, 5, 9, 33}) {
      CHECK(has([&](const ProblemSpec &spec) { return spec.shape[kC] == c; }));
    }
    CHECK(has([](const ProblemSpec &spec) { return spec.rank == 4 && spec.shape[kX] > 1; }));
    CHECK(has([](const ProblemSpec &spec) { return element_count(spec.shape) == 0; }));
  }
}

} // namespace
} // namespace switchyard::conformance
