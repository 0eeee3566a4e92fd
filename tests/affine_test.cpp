// add_weighted and normalize beyond the conformance problems: values worked out by hand, random
// parameters of every magnitude, and the reasons for which library candidates step back.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "candidates/add_weighted/params.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/registry.hpp"

namespace switchyard {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// One call of a variant on 1-D arrays, or on views given.
struct Problem {
  const Variant &variant;
  ConstView a;
  ConstView b;
  View out;
  Call call;

  Problem(std::string_view name, const ConstView &first, const ConstView &second,
          const View &result, const void *params)
      : variant(*candidates::find_variant(name)), a(first), b(second), out(result) {
    const VariantContract &contract = *candidates::find_contract(name);
    call.in = {&a, contract.inputs == 2 ? &b : nullptr};
    call.out = {&out};
    call.params = params;
    call.flags = contract.flags(params);
    for (std::size_t i = 0; i < variant.dtypes.size(); ++i) {
      const DtypeCase &dtypes = variant.dtypes[i];
      if (dtypes.in[0] == a.dtype && dtypes.out[0] == out.dtype) {
        call.dtype_case = static_cast<std::uint8_t>(i);
      }
    }
  }
  Problem(const Problem &) = delete;
  Problem &operator=(const Problem &) = delete;

  [[nodiscard]] const Candidate *find(std::string_view id) const {
    for (const Candidate &candidate : variant.candidates) {
      if (candidate.id == id && candidate.built()) {
        return &candidate;
      }
    }
    return nullptr;
  }
  // Why a candidate steps back; empty where it accepts, "absent" where it is not in this build.
  [[nodiscard]] std::string reason(std::string_view id) const {
    const Candidate *candidate = find(id);
    const char *why = candidate == nullptr ? "absent" : candidate->refuses(call);
    return why == nullptr ? "" : why;
  }
};

bool meets(const Expected &expected, double got, Exactness exactness) {
  if (std::isnan(expected.value)) {
    return std::isnan(got);
  }
  if (exactness == Exactness::bitwise) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(got)) ==
           std::bit_cast<std::uint32_t>(static_cast<float>(expected.value));
  }
  return got >= expected.low && got <= expected.high;
}

double result_at(const View &out, std::int64_t i) {
  const void *data = out.data;
  return out.dtype == Dtype::u8 ? static_cast<double>(static_cast<const std::uint8_t *>(data)[i])
                                : static_cast<double>(static_cast<const float *>(data)[i]);
}

// Runs every candidate that accepts the 1-D problem; the first result that breaks the contract, or
// an empty string. Counts the runs.
std::string first_violation(const Problem &problem, int &runs) {
  std::vector<Expected> expected(static_cast<std::size_t>(problem.out.elements()));
  candidates::find_contract(problem.variant.name)->oracle(problem.call, 0, expected);
  for (const Candidate &candidate : problem.variant.candidates) {
    if (candidate.refuses(problem.call) != nullptr) {
      continue;
    }
    ++runs;
    candidate.run(problem.call);
    const Exactness exactness = candidate.exactness[problem.call.dtype_case];
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double got = result_at(problem.out, static_cast<std::int64_t>(i));
      if (!meets(expected[i], got, exactness)) {
        return std::string(candidate.id) + ": got " + std::to_string(got) + ", expected " +
               std::to_string(expected[i].value) + " at " + std::to_string(i);
      }
    }
  }
  return {};
}

// Either sign, magnitude 2^low to 2^(high + 1).
double magnitude(Random &random, int low, int high) {
  const int exponent = std::uniform_int_distribution<int>(low, high)(random);
  const double mantissa = std::uniform_real_distribution<double>(1, 2)(random);
  return std::ldexp((random() & 1) != 0 ? mantissa : -mantissa, exponent);
}

// Values of every magnitude, and values that nearly cancel `target`.
float hostile(Random &random, double target) {
  const double near = std::uniform_real_distribution<double>(-1e-6, 1e-6)(random);
  switch (random() % 3) {
  case 0:
    return static_cast<float>(target * (1 + near));
  case 1:
    return static_cast<float>(magnitude(random, -149, 126));
  default:
    return static_cast<float>(std::uniform_real_distribution<double>(0, 255)(random));
  }
}

std::vector<float> weighted(double weight_a, double weight_b, const std::vector<float> &a,
                            const std::vector<float> &b, std::string_view id) {
  std::vector<float> out(a.size());
  const AddWeightedParams params{weight_a, weight_b};
  const auto n = static_cast<std::int64_t>(a.size());
  const Problem problem("add_weighted", array_1d(a.data(), n), array_1d(b.data(), n),
                        array_1d(out.data(), n), &params);
  REQUIRE(problem.reason(id).empty());
  problem.find(id)->run(problem.call);
  return out;
}

} // namespace

TEST_CASE("add_weighted of u8 rounds half to even and saturates in every candidate") {
  const std::vector<std::uint8_t> a{1, 2, 3, 4, 0, 255, 255, 200, 0};
  const std::vector<std::uint8_t> b{2, 3, 4, 5, 0, 255, 254, 0, 200};
  struct Case {
    AddWeightedParams params;
    std::vector<std::uint8_t> expected;
  };
  const Case cases[] = {
      {{0.5, 0.5}, {2, 2, 4, 4, 0, 255, 254, 100, 100}},
      {{1.5, -0.5}, {0, 2, 2, 4, 0, 255, 255, 255, 0}},
      {{0, 2}, {4, 6, 8, 10, 0, 255, 255, 0, 255}},
      {{1, 1}, {3, 5, 7, 9, 0, 255, 255, 200, 200}},
  };
  for (const Case &c : cases) {
    int ran = 0;
    std::vector<std::uint8_t> out(a.size());
    const Problem problem("add_weighted", array_1d(a.data(), 9), array_1d(b.data(), 9),
                          array_1d(out.data(), 9), &c.params);
    for (const Candidate &candidate : problem.variant.candidates) {
      if (candidate.refuses(problem.call) == nullptr) {
        candidate.run(problem.call);
        INFO(candidate.id << " " << c.params.weight_a << " " << c.params.weight_b);
        CHECK(out == c.expected);
        ++ran;
      }
    }
    CHECK(ran >= 2);
  }
}

TEST_CASE("add_weighted of f32 keeps what a zero weight makes of NaN and infinity") {
  const std::vector<float> a{kNan, kInf, 1, -kInf};
  const std::vector<float> b{1, 2, kInf, 3};
  for (const std::string_view id : {"loop", "fused"}) {
    const std::vector<float> out = weighted(0, 1, a, b, id);
    CHECK(std::isnan(out[0]));
    CHECK(std::isnan(out[1]));
    CHECK(out[2] == kInf);
    CHECK(std::isnan(out[3]));
  }
  std::vector<float> out(4);
  const AddWeightedParams params{0, 1};
  const Problem problem("add_weighted", array_1d(a.data(), 4), array_1d(b.data(), 4),
                        array_1d(out.data(), 4), &params);
  if (problem.find("numkong") != nullptr) {
    CHECK(problem.reason("numkong") == "NumKong skips a zero weight");
  }
  int runs = 0;
  CHECK(first_violation(problem, runs).empty());
}

TEST_CASE(
    "add_weighted candidates that fuse a product refuse weights that could hide an overflow") {
  const float a = 1;
  float out = 0;
  const AddWeightedParams params{2, -1.5};
  const Problem problem("add_weighted", array_1d(&a, 1), array_1d(&a, 1), array_1d(&out, 1),
                        &params);
  for (const std::string_view id : {"numkong", "opencv", "aten"}) {
    if (problem.find(id) != nullptr) {
      CHECK(problem.reason(id).find("overflow") != std::string::npos);
    }
  }
  CHECK(problem.reason("fused").empty());
}

TEST_CASE("add_weighted refuses u8 sums beyond int where a library converts them") {
  const std::uint8_t a = 255;
  std::uint8_t out = 0;
  const AddWeightedParams params{1e9, 0.5};
  const Problem problem("add_weighted", array_1d(&a, 1), array_1d(&a, 1), array_1d(&out, 1),
                        &params);
  for (const std::string_view id : {"numkong", "opencv", "aten"}) {
    if (problem.find(id) != nullptr) {
      CHECK(problem.reason(id) == "sums beyond the range of int");
    }
  }
  problem.find("fused")->run(problem.call);
  CHECK(out == 255);
}

TEST_CASE("add_weighted meets its contract for random weights of every magnitude") {
  constexpr std::int64_t kN = 37;
  Random random(20);
  int runs = 0;
  for (int i = 0; i < 2000; ++i) {
    const bool wild = i % 2 == 0;
    const auto weight = [&] {
      return wild ? magnitude(random, -140, 126)
                  : std::uniform_real_distribution<double>(-1, 1)(random);
    };
    const AddWeightedParams params{weight(), weight()};
    std::vector<float> a(kN);
    std::vector<float> b(kN);
    std::vector<float> out(kN);
    std::vector<std::uint8_t> a8(kN);
    std::vector<std::uint8_t> b8(kN);
    std::vector<std::uint8_t> out8(kN);
    for (std::size_t k = 0; k < kN; ++k) {
      a[k] = hostile(random, 100);
      b[k] = hostile(random, -a[k] * params.weight_a / params.weight_b);
      a8[k] = static_cast<std::uint8_t>(random());
      b8[k] = static_cast<std::uint8_t>(random());
    }
    const Problem f32("add_weighted", array_1d(a.data(), kN), array_1d(b.data(), kN),
                      array_1d(out.data(), kN), &params);
    const Problem u8("add_weighted", array_1d(a8.data(), kN), array_1d(b8.data(), kN),
                     array_1d(out8.data(), kN), &params);
    INFO(params.weight_a << " " << params.weight_b);
    REQUIRE(first_violation(f32, runs).empty());
    REQUIRE(first_violation(u8, runs).empty());
  }
  CHECK(runs >= 2 * 2 * 2000); // fused and loop at least
}

TEST_CASE("normalize subtracts before it scales, with no shortcut") {
  const std::vector<std::uint8_t> in{0, 1, 127, 128, 255};
  std::vector<float> out(5);
  const double mean = 127.5;
  const double scale = 1 / 51.0;
  const NormalizeParams params{{&mean, 1}, {&scale, 1}};
  const Problem problem("normalize/scalar", array_1d(in.data(), 5), {}, array_1d(out.data(), 5),
                        &params);
  const std::vector<float> expected{-2.5F, -126.5F * (1 / 51.0F), -0.5F * (1 / 51.0F),
                                    0.5F * (1 / 51.0F), 2.5F};
  for (const std::string_view id : {"loop", "fused", "lut"}) {
    REQUIRE(problem.reason(id).empty());
    out.assign(5, 0);
    problem.find(id)->run(problem.call);
    CHECK(out == expected);
  }
}

TEST_CASE("normalize meets its contract for random scalars of every magnitude") {
  constexpr std::int64_t kN = 37;
  Random random(21);
  int runs = 0;
  for (int i = 0; i < 2000; ++i) {
    const int reach = i % 2 == 0 ? 126 : 20;
    const double mean =
        i % 5 == 0 ? static_cast<double>(random() % 256) : magnitude(random, -reach, reach);
    const double scale = magnitude(random, -reach, reach);
    const NormalizeParams params{{&mean, 1}, {&scale, 1}};
    std::vector<float> in(kN);
    std::vector<std::uint8_t> in8(kN);
    std::vector<float> out(kN);
    for (std::size_t k = 0; k < kN; ++k) {
      in[k] = hostile(random, mean);
      in8[k] = static_cast<std::uint8_t>(random());
    }
    const View result = array_1d(out.data(), kN);
    const Problem f32("normalize/scalar", array_1d(in.data(), kN), {}, result, &params);
    const Problem u8("normalize/scalar", array_1d(in8.data(), kN), {}, result, &params);
    INFO(mean << " " << scale);
    REQUIRE(first_violation(f32, runs).empty());
    REQUIRE(first_violation(u8, runs).empty());
  }
  CHECK(runs >= (2 + 3) * 2000); // fused and loop, and for u8 lut
}

TEST_CASE("normalize as alpha x + beta steps back where beta would lose its meaning") {
  struct Case {
    double mean;
    double scale;
    bool accepted;
  };
  const Case cases[] = {{117.8, 1 / 57.6, true}, {0, 1e-30, true},  {5, 0, true},
                        {1e30, 1e20, false},     {1e-20, 1, false}, {-1e35, 1e-30, false},
                        {kNan, 1, false},        {1, -kInf, false}, {1e-5, 1e300, false}};
  const float in = 1;
  float out = 0;
  for (const Case &c : cases) {
    const NormalizeParams params{{&c.mean, 1}, {&c.scale, 1}};
    const Problem problem("normalize/scalar", array_1d(&in, 1), {}, array_1d(&out, 1), &params);
    for (const std::string_view id : {"numkong", "opencv_convert"}) {
      if (problem.find(id) != nullptr) {
        INFO(id << " " << c.mean << " " << c.scale);
        CHECK(problem.reason(id).empty() == c.accepted);
      }
    }
  }
}

TEST_CASE("normalize repeats a scalar beside a vector for every channel of a planar batch") {
  // Enough channels that reading beyond a short pattern would show; planes lie apart.
  constexpr std::int64_t kC = 200;
  constexpr Extents kShape{3, 2, 20, kC};
  const Extents strides{4 * 40 * kC, 4 * 20, 4, 4 * 40};
  std::vector<float> in(3 * 2 * 20 * kC);
  std::vector<float> out(in.size());
  std::vector<double> mean(kC);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
  }
  for (std::size_t c = 0; c < mean.size(); ++c) {
    mean[c] = static_cast<double>(c * 40);
  }
  const double scale = 2;
  const NormalizeParams params{{mean.data(), kC}, {&scale, 1}};
  const Problem problem("normalize/vector", strided(in.data(), kShape, strides), {},
                        strided(out.data(), kShape, strides), &params);
  for (const std::string_view id : {"loop", "fused"}) {
    REQUIRE(problem.reason(id).empty());
    out.assign(out.size(), 0);
    problem.find(id)->run(problem.call);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t batch = i / (40 * kC);
      const std::size_t within = i % 40;
      wrong += out[i] != static_cast<float>(2 * (batch * 40 * kC + within)) ? 1 : 0;
    }
    INFO(id);
    CHECK(wrong == 0);
  }
}

} // namespace switchyard
