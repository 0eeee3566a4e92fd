// exp, log, sqrt and power beyond the conformance problems: C's special cases, exact cases, a dense
// sample of all f32, and (hidden, since it takes minutes) all of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "bench/conformance/conformance.hpp"
#include "candidates/power/params.hpp"
#include "candidates/registry.hpp"
#include "kernels/functions/correct.hpp"
#include "switchyard/switchyard.hpp"
#include "tests/support/fp_control.hpp"

namespace switchyard {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Floats = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
bool same(float a, float b) {
  return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b));
}

template <class T> ConstView row_of(const std::vector<T> &values) {
  return array_1d(values.data(), static_cast<std::int64_t>(values.size()));
}
template <class T> std::vector<T> values_of(const Image &image) {
  return {image.data<T>(), image.data<T>() + image.view().elements()};
}

using Compute = std::function<Image(const ConstView &, const Options &)>;

// A function of f32 by the name of its variant; `exponent` is power's.
Compute function_of(const std::string &variant, double exponent = 1) {
  if (variant == "exp") {
    return [](const ConstView &image, const Options &o) { return exp(image, o); };
  }
  if (variant == "log") {
    return [](const ConstView &image, const Options &o) { return log(image, o); };
  }
  if (variant == "sqrt") {
    return [](const ConstView &image, const Options &o) { return sqrt(image, o); };
  }
  return [exponent](const ConstView &image, const Options &o) { return power(image, exponent, o); };
}

// check(result, id) of the routed call and of every candidate that accepts the problem.
template <class Check>
int with_candidates(const std::string &variant, const Compute &compute, const ConstView &image,
                    Options options, Check &&check) {
  check(compute(image, options), std::string("routed"));
  int ran = 0;
  for (const std::string_view id : candidates_of(variant)) {
    options.candidate = id;
    INFO(variant << " " << id);
    Image result;
    try {
      result = compute(image, options);
    } catch (const Error &error) {
      REQUIRE(error.argument() == "candidate"); // refused, not wrong
      continue;
    }
    check(result, std::string(id));
    ++ran;
  }
  return ran;
}

// What a function must give: the nearest f32, and the exact value with all digits of f64.
struct Truth {
  float nearest = 0;
  double exact = 0;
};

// The C library's f64 where it leaves no doubt, else its long double.
template <class F> Truth truth_of(F function, double x) {
  const double value = function(x);
  const double reach = value * 0x1p-50;
  const auto low = static_cast<float>(value - reach);
  if (low == static_cast<float>(value + reach)) {
    return {static_cast<float>(value), value}; // `low` may have lost the sign of a zero
  }
  const long double more = function(static_cast<long double>(x));
  return {static_cast<float>(more), static_cast<double>(more)};
}
Truth truth_of(const std::string &variant, double exponent, float x) {
  const auto v = static_cast<double>(x);
  if (variant == "exp") {
    return truth_of([](auto t) { return std::exp(t); }, v);
  }
  if (variant == "log") {
    return truth_of([](auto t) { return std::log(t); }, v);
  }
  if (variant == "sqrt") {
    return truth_of([](auto t) { return std::sqrt(t); }, v);
  }
  return truth_of(
      [&](auto t) {
        using T = decltype(t);
        return std::pow(t, static_cast<T>(static_cast<float>(exponent)));
      },
      v);
}

// The error in units in the last place of the exact value; infinite for a wrong special value.
double units_off(float got, const Truth &truth) {
  if (same(got, truth.nearest)) {
    return 0;
  }
  constexpr double kEnd = 0x1p128; // what an infinite result stands for
  const double exact = std::clamp(truth.exact, -kEnd, kEnd);
  const double value = std::isinf(got) ? std::copysign(kEnd, got) : static_cast<double>(got);
  if (std::isnan(value) || std::isnan(exact) || std::isinf(truth.exact) || exact == 0) {
    return std::numeric_limits<double>::infinity();
  }
  int exponent = 0;
  static_cast<void>(std::frexp(std::fmin(std::fabs(exact), 0x1.ffffffp127), &exponent));
  return std::fabs(value - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Found {
  std::int64_t elements = 0;
  std::int64_t off_nearest = 0; // results that are not the nearest f32
  double units = 0;             // the largest error
  float at = 0;                 // where it is
  bool bitwise = false;
};

// Runs candidates over f32 inputs and collects their errors.
class Sweep {
public:
  Sweep(std::string variant, double exponent)
      : name_(std::move(variant)), exponent_(exponent),
        variant_(candidates::find_variant(name_)), params_{{&exponent_, 1}, Rounding::by_op} {}

  // On every SIMD target if `all`, else on the best, on AVX2 and on one without fused
  // multiply-add; `loop` is as slow as the others together.
  void add(const Floats &in, bool all) {
    truths_.clear();
    nearest_.clear();
    for (const float x : in) {
      truths_.push_back(truth_of(name_, exponent_, x));
      nearest_.push_back(truths_.back().nearest);
    }
    bool first = true;
    conformance::for_each_simd_target([&](const std::string &target) {
      if (first || all || target == "AVX2" || target == "SSE4") {
        run_all(in, target, first, all);
      }
      first = false;
    });
  }

  [[nodiscard]] const std::map<std::string, Found> &found() const { return found_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto &[id, f] : found_) {
      text += fmt::format("{} {} {}: {} inputs, {} not the nearest, {:.3f} units at {}\n", name_,
                          name_ == "power/scalar" ? fmt::format("{}", exponent_) : "", id,
                          f.elements, f.off_nearest, f.units, f.at);
    }
    return text;
  }

private:
  void run_all(const Floats &in, const std::string &target, bool first, bool all) {
    Floats out(in.size());
    const ConstView image = row_of(in);
    const View result = array_1d(out.data(), static_cast<std::int64_t>(out.size()));
    Call call;
    call.in = {&image};
    call.out = {&result};
    call.params = &params_;
    call.dtype_case = static_cast<std::uint8_t>(variant_->dtypes.size() - 1); // f32
    for (const Candidate &candidate : variant_->candidates) {
      const bool own = candidate.backend == "fused";
      if (!(own || first) || (candidate.id == "loop" && !all) ||
          candidate.refuses(call) != nullptr) {
        continue;
      }
      candidate.run(call);
      Found &f = found_[std::string(candidate.id) + (own ? " " + target : "")];
      f.bitwise = candidate.exactness[call.dtype_case] == Exactness::bitwise;
      compare(in, out, f);
    }
  }
  void compare(const Floats &in, const Floats &out, Found &f) const {
    f.elements += static_cast<std::int64_t>(in.size());
    if (std::memcmp(out.data(), nearest_.data(), out.size() * sizeof(float)) == 0) {
      return;
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!same(out[i], nearest_[i])) {
        ++f.off_nearest;
        const double units = units_off(out[i], truths_[i]);
        if (units > f.units) {
          f.units = units;
          f.at = in[i];
        }
      }
    }
  }

  std::string name_;
  double exponent_;
  const Variant *variant_;
  PowerParams params_;
  std::vector<Truth> truths_;
  Floats nearest_;
  std::map<std::string, Found> found_;
};

// Bitwise candidates give the nearest f32; others may be 4 units off.
void judge(const Sweep &sweep) {
  CHECK(sweep.found().size() >= 2);
  for (const auto &[id, f] : sweep.found()) {
    INFO(sweep.text() << id);
    CHECK((!f.bitwise || f.off_nearest == 0));
    CHECK(f.units <= 4);
  }
}

struct Function {
  const char *variant;
  double exponent;
};
constexpr Function kFunctions[] = {
    {"exp", 1},
    {"log", 1},
    {"sqrt", 1},
    {"power/scalar", 2.2},
    {"power/scalar", 2},
    {"power/scalar", 0.5},
    {"power/scalar", 0},
    {"power/scalar", -1},
    {"power/scalar", 3},
    {"power/scalar", 0.45},
    {"power/scalar", -0.3333},
    {"power/scalar", 101},
    {"power/scalar", 1e5},
    {"power/scalar", 1e-3},
    {"power/scalar", -1e9},
};

} // namespace

TEST_CASE("Functions are right within 4 units, bitwise ones exactly, in a dense sample of f32") {
  for (const auto &[variant, exponent] : kFunctions) {
    Sweep sweep(variant, exponent);
    Floats in;
    for (std::uint64_t bits = 0; bits < (1ULL << 32); bits += 40'009) {
      in.push_back(float_of(static_cast<std::uint32_t>(bits)));
    }
    // Closer where images are.
    for (std::uint32_t bits = bits_of(0x1p-10F); bits < bits_of(4.0F); bits += 2'003) {
      in.push_back(float_of(bits));
      in.push_back(-float_of(bits));
    }
    sweep.add(in, true);
    judge(sweep);
  }
}

TEST_CASE("Functions are right for all f32", "[.long]") {
  constexpr std::uint64_t kBlock = 1 << 18;
  const auto chosen = GENERATE(as<Function>(), Function{"exp", 1}, Function{"log", 1},
                               Function{"sqrt", 1}, Function{"power/scalar", 2.2},
                               Function{"power/scalar", 0.45}, Function{"power/scalar", -3});
  DYNAMIC_SECTION(chosen.variant << " " << chosen.exponent) {
    Sweep sweep(chosen.variant, chosen.exponent);
    Floats in(kBlock);
    for (std::uint64_t first = 0; first < (1ULL << 32); first += kBlock) {
      for (std::uint64_t i = 0; i < kBlock; ++i) {
        in[i] = float_of(static_cast<std::uint32_t>(first + i));
      }
      sweep.add(in, first / kBlock % 16 == 0);
    }
    std::cout << sweep.text() << std::flush;
    judge(sweep);
  }
}

TEST_CASE("power has C's special cases in every candidate") {
  constexpr float kPairs[][3] = {
      // x, exponent, result
      {0.0F, 2.5F, 0.0F},
      {-0.0F, 2.5F, 0.0F},
      {-0.0F, 3, -0.0F},
      {-0.0F, 2, 0.0F},
      {0.0F, -2.5F, kInf},
      {-0.0F, -2.5F, kInf},
      {-0.0F, -3, -kInf},
      {-0.0F, -2, kInf},
      {0.0F, 0, 1},
      {-0.0F, 0, 1},
      {kNan, 0, 1},
      {kInf, 0, 1},
      {-kInf, 0, 1},
      {1, kNan, 1},
      {-1, kNan, kNan},
      {kNan, 1, kNan},
      {2, kNan, kNan},
      {-2, 0.5F, kNan},
      {-2, 3, -8},
      {-2, 2, 4},
      {-2, -3, -0.125F},
      {-2, 16777215, -kInf},
      {-2, 16777216, kInf},
      {kInf, 0.5F, kInf},
      {kInf, -0.5F, 0},
      {-kInf, 0.5F, kInf},
      {-kInf, 3, -kInf},
      {-kInf, 2, kInf},
      {-kInf, -3, -0.0F},
      {-kInf, -2, 0.0F},
      {-kInf, -0.5F, 0.0F},
      {0.5F, kInf, 0},
      {2, kInf, kInf},
      {0.5F, -kInf, kInf},
      {2, -kInf, 0},
      {-1, kInf, 1},
      {-1, -kInf, 1},
      {-0.5F, kInf, 0},
      {-2, kInf, kInf},
      {0, kInf, 0},
      {0, -kInf, kInf},
      {-0.0F, 0.5F, 0.0F},
      {2, -149, 0x1p-149F},
      {2, -150, 0},
      {2, 127, 0x1p127F},
      {2, 128, kInf},
      {0x1p-149F, 1, 0x1p-149F},
      {3, 2, 9},
      {4, 0.5F, 2},
      {8, -1, 0.125F},
      {1, 1e30F, 1},
  };
  for (const auto &[x, exponent, expected] : kPairs) {
    const Floats in(70, x); // a vector body and a tail
    int ran = 0;
    ran = with_candidates(
        "power/scalar", function_of("power/scalar", static_cast<double>(exponent)), row_of(in), {},
        [&, value = x, y = exponent, wanted = expected](const Image &out, const std::string &id) {
          INFO(id << ": " << value << "^" << y);
          const Floats results = values_of<float>(out);
          const auto units = id == "aten" || id == "fused_faithful" ? 4 : 0;
          CHECK(std::all_of(results.begin(), results.end(), [&](float result) {
            return units_off(result, {wanted, static_cast<double>(wanted)}) <= units;
          }));
        });
    CHECK(ran >= 1);
  }
}

TEST_CASE("power rounds ties of exact results half to even, where no approximation decides") {
  // Squares of odd numbers of 13 bits that have 25 bits: halfway between two f32.
  Floats in;
  for (int n = 4097; n < 5793; n += 2) {
    in.push_back(static_cast<float>(n));
  }
  Options options;
  options.exactness = Exactness::bitwise;
  CHECK(with_candidates("power/scalar", function_of("power/scalar", 2), row_of(in), options,
                        [&](const Image &out, const std::string & /*id*/) {
                          for (std::size_t i = 0; i < in.size(); ++i) {
                            const auto n = static_cast<std::int64_t>(in[i]);
                            CHECK(out.data<float>()[i] == static_cast<float>(n * n));
                          }
                        }) >= 2);
  CHECK(kernels::correct::exact_power(-4097.0F, 2.0F) == 16785408.0F);
  CHECK(kernels::correct::exact_power(-3.0F, 3.0F) == -27.0F);
}

TEST_CASE("The pairs of f64 agree with long double to its last digits") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const float x = float_of(static_cast<std::uint32_t>(random() % 0x7F800000));
    if (x == 0 || x == 1) {
      continue;
    }
    const kernels::correct::Pair log = kernels::correct::log_of(static_cast<double>(x));
    const long double exact_log = std::log(static_cast<long double>(x));
    const long double got_log = static_cast<long double>(log.high) + log.low;
    REQUIRE(std::fabs(got_log - exact_log) <= std::fabs(exact_log) * 0x1p-62L);
    const float t = static_cast<float>(static_cast<double>(random() % 200'000) / 1000 - 100);
    int exponent = 0;
    const auto exp = kernels::correct::exp_of({static_cast<double>(t), 0}, exponent);
    const long double exact_exp = std::exp(static_cast<long double>(t));
    const long double got_exp = std::ldexp(static_cast<long double>(exp.high) + exp.low, exponent);
    REQUIRE(std::fabs(got_exp - exact_exp) <= exact_exp * 0x1p-62L);
  }
}

TEST_CASE("The slow path rounds as the fast one, also below the normal numbers") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20'000; ++i) {
    const float t = static_cast<float>(static_cast<double>(random() % 191'000) / 1000 - 103);
    REQUIRE(same(kernels::correct::exact_exp(t, 0), kernels::correct::exp(t)));
    const float x = float_of(1 + static_cast<std::uint32_t>(random() % 0x7F7FFFFF));
    REQUIRE(same(kernels::correct::exact_log(x, 0), kernels::correct::log(x)));
    const float y = static_cast<float>(static_cast<double>(random() % 4000) / 1000 - 2);
    REQUIRE(same(kernels::correct::exact_power(x, y), kernels::correct::power(x, y)));
  }
}

TEST_CASE("power of u8 is an exact table for every exponent") {
  Bytes levels;
  for (int i = 0; i < 1024; ++i) {
    levels.push_back(static_cast<std::uint8_t>(i));
  }
  std::mt19937_64 random(3);
  std::vector<double> exponents = {0, 1, 2, 0.5, 0.25, -1, 1.0 / 3, 0.88, 2.2, 1e-9, 40, -40};
  for (int i = 0; i < 40; ++i) {
    exponents.push_back(static_cast<double>(random() % 3000) / 1000);
  }
  for (const double exponent : exponents) {
    INFO(exponent);
    Bytes expected;
    for (const std::uint8_t x : levels) {
      const auto value = static_cast<float>(
          std::pow(static_cast<double>(x), static_cast<double>(static_cast<float>(exponent))));
      expected.push_back(value >= 255 ? std::uint8_t{255} : static_cast<std::uint8_t>(value));
    }
    CHECK(with_candidates("power/scalar", function_of("power/scalar", exponent), row_of(levels), {},
                          [&](const Image &out, const std::string &id) {
                            INFO(id);
                            CHECK(values_of<std::uint8_t>(out) == expected);
                          }) >= 3);
  }
}

TEST_CASE("power rounds u8 results as asked for") {
  const Bytes levels{0, 1, 2, 3, 6, 7, 12, 20, 255}; // roots: 1.41 1.73 2.45 2.65 3.46 4.47 15.97
  struct Case {
    Rounding rounding;
    Bytes expected;
  };
  const Case cases[] = {{Rounding::by_op, {0, 1, 1, 1, 2, 2, 3, 4, 15}},
                        {Rounding::truncate, {0, 1, 1, 1, 2, 2, 3, 4, 15}},
                        {Rounding::half_even, {0, 1, 1, 2, 2, 3, 3, 4, 16}},
                        {Rounding::half_up, {0, 1, 1, 2, 2, 3, 3, 4, 16}}};
  for (const Case &c : cases) {
    Options options;
    options.rounding = c.rounding;
    with_candidates("power/scalar", function_of("power/scalar", 0.5), row_of(levels), options,
                    [&](const Image &out, const std::string &id) {
                      INFO(id);
                      CHECK(values_of<std::uint8_t>(out) == c.expected);
                    });
  }
}

TEST_CASE("Exponents of channels stay with their channels, and one beyond f32 is not infinite") {
  const Floats in{2, 2, 2, 3, 3, 3, -1, -1, -1};
  const ConstView image = hwc(in.data(), 1, 3, 3);
  const Image out = power(image, {1, 2, 3});
  CHECK(values_of<float>(out) == Floats{2, 4, 8, 3, 9, 27, -1, 1, -1});
  // 1e39 is even in f64; as an infinite f32 it would have no sign to ask for.
  const Image wide = power(image, {1, 2, 1e39});
  CHECK(values_of<float>(wide) == Floats{2, 4, kInf, 3, 9, kInf, -1, 1, 1});
  CHECK_THROWS_WITH(power(image, {1, 2}), Catch::Contains("power") && Catch::Contains("exponent"));
}

TEST_CASE("Functions take f32 alone, work in place and leave empty images empty") {
  const Bytes bytes{1, 2, 3};
  CHECK_THROWS_WITH(exp(row_of(bytes)), Catch::Contains("exp") && Catch::Contains("u8"));
  CHECK_THROWS_WITH(log(row_of(bytes)), Catch::Contains("log") && Catch::Contains("u8"));
  CHECK_THROWS_WITH(sqrt(row_of(bytes)), Catch::Contains("sqrt") && Catch::Contains("u8"));
  Floats in{0, 1, 4};
  const View view = array_1d(in.data(), 3);
  sqrt(view, view);
  CHECK(in == Floats{0, 1, 2});
  unchecked::log(view, view);
  CHECK(in[0] == -kInf);
  unchecked::exp(view, view);
  CHECK(in[0] == 0);
  power(view, 2, view);
  CHECK(in[1] == 1);
  CHECK(exp(hwc(in.data(), 0, 5, 3)).view().empty());
  CHECK(power(hwc(in.data(), 4, 0, 3), 2).view().empty());
}

TEST_CASE("ELT-01: log of zero, negative and subnormal numbers, NaN and infinities") {
  const Floats tail{-1, 0, 1e-40F, kInf, kNan, -0.0F};
  const Floats expected{kNan, -kInf, -92.10341F, kInf, kNan, -kInf};
  Floats values(4096, 1.0F);
  std::copy(tail.begin(), tail.end(), values.end() - 6);
  Floats spread(8192, 7.0F); // the same at every other element
  for (std::size_t i = 0; i < values.size(); ++i) {
    spread[2 * i] = values[i];
  }
  const ConstView layouts[] = {
      hwc(std::as_const(values).data(), 64, 64, 1),
      array_1d(std::as_const(values).data() + 1, 4095),
      strided(std::as_const(spread).data(), {1, 64, 64, 1}, {8 * 4096, 8 * 64, 8, 8})};
  for (const ConstView &image : layouts) {
    for (const int threads : {1, 4}) {
      Options options;
      options.threads = threads;
      with_candidates("log", function_of("log"), image, options,
                      [&](const Image &image_out, const std::string &id) {
                        INFO(id << ", " << image.elements() << " elements");
                        const Floats out = values_of<float>(image_out);
                        const auto from = out.end() - 6;
                        CHECK(std::all_of(out.begin(), from, [](float y) { return y == 0; }));
                        for (std::size_t i = 0; i < 6; ++i) {
                          const float got = from[static_cast<std::ptrdiff_t>(i)];
                          INFO(tail[i] << " gives " << got);
                          CHECK((same(got, expected[i]) ||
                                 std::fabs(got - expected[i]) <= 1e-5F * std::fabs(expected[i])));
                        }
                      });
    }
  }
}

namespace {

// f of every element alone, of all together, of all in reverse, of a strided copy and of tails.
void check_independent(const std::string &variant, const Floats &in, Options options) {
  const Compute compute = function_of(variant, 0.7);
  const Floats whole = values_of<float>(compute(row_of(in), options));
  const auto n = static_cast<std::int64_t>(in.size());
  const auto equal = [&](const Image &out, std::int64_t first) {
    const Floats part = values_of<float>(out);
    return std::equal(part.begin(), part.end(), whole.begin() + first,
                      [](float a, float b) { return same(a, b); });
  };
  for (std::int64_t length = 1; length <= 70; ++length) {
    CHECK(equal(compute(array_1d(in.data() + n - length, length), options), n - length));
    CHECK(equal(compute(array_1d(in.data() + length, length), options), length));
  }
  const Floats backwards(in.rbegin(), in.rend());
  const ConstView reversed_again = reversed(row_of(backwards), kW);
  Floats spread(3 * in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    spread[3 * i] = in[i];
  }
  const ConstView strided_copy = strided(std::as_const(spread).data(), {1, 1, n, 1}, {0, 0, 12, 4});
  for (const ConstView &view : {reversed_again, strided_copy}) {
    Image out;
    try {
      out = compute(view, options);
    } catch (const Error &error) {
      REQUIRE(error.argument() == "candidate"); // refused, not wrong
      continue;
    }
    CHECK(equal(out, 0));
  }
}

} // namespace

TEST_CASE("ELT-03: a value has the same function wherever it stands") {
  Floats in;
  for (int k = 1; k <= 1009; ++k) {
    in.push_back(12.312F / static_cast<float>(k));
  }
  for (const std::string variant : {"exp", "log", "sqrt", "power/scalar"}) {
    for (const std::string_view id : candidates_of(variant)) {
      INFO(variant << " " << id);
      // ATen leaves the last elements of pow to the C library, a unit apart from its own.
      if (variant == "power/scalar" && id == "aten") {
        continue;
      }
      Options options;
      options.candidate = id;
      try {
        check_independent(variant, in, options);
      } catch (const Error &error) {
        REQUIRE(error.argument() == "candidate"); // has no such dtype
      }
    }
    // Bitwise calls: on every SIMD target the same, and with three threads.
    Options bitwise;
    bitwise.exactness = Exactness::bitwise;
    const Floats expected = values_of<float>(function_of(variant, 0.7)(row_of(in), bitwise));
    conformance::for_each_simd_target([&](const std::string &target) {
      INFO(variant << " " << target);
      for (const std::string_view id : {"fused", "loop"}) {
        Options options = bitwise;
        options.candidate = id;
        options.threads = 3;
        CHECK(values_of<float>(function_of(variant, 0.7)(row_of(in), options)) == expected);
      }
    });
  }
}

namespace {

// This program has loaded every backend before main(): a library that was built for speed alone
// would have switched subnormal numbers off by now.
void check_subnormal_numbers() {
  CHECK(test::fp_control() == test::kDefaultFpControl);
  const Floats in{1e-40F, 2e-39F, 1e-45F, 0};
  with_candidates("sqrt", function_of("sqrt"), row_of(in), {},
                  [](const Image &out, const std::string &id) {
                    INFO(id);
                    CHECK(out.data<float>()[0] == 9.999973e-21F);
                    CHECK(out.data<float>()[3] == 0);
                  });
  with_candidates("log", function_of("log"), row_of(in), {},
                  [](const Image &out, const std::string &id) {
                    INFO(id);
                    CHECK(out.data<float>()[0] == Approx(-92.10341));
                    CHECK(out.data<float>()[3] == -kInf);
                  });
  with_candidates(
      "multiply/scalar",
      [](const ConstView &image, const Options &o) { return multiply(image, 1, o); }, row_of(in),
      {},
      [&](const Image &out, const std::string &id) {
        INFO(id);
        CHECK(values_of<float>(out) == in);
      });
  CHECK(test::fp_control() == test::kDefaultFpControl);
}

} // namespace

TEST_CASE("ELT-05: subnormal numbers count in the main thread and in a fresh one") {
  check_subnormal_numbers();
  // Catch's assertions belong to one thread; the other one reports by its values.
  std::uint64_t control = 0;
  Floats root;
  std::thread([&] {
    control = test::fp_control();
    const Floats in{1e-40F};
    root = values_of<float>(sqrt(row_of(in)));
  }).join();
  CHECK(control == test::kDefaultFpControl);
  CHECK(root == Floats{9.999973e-21F});
}

TEST_CASE("ELT-05: a caller's own flush-to-zero changes no function and stays as it is") {
  const std::uint64_t saved = test::fp_control();
  test::set_fp_control(saved | test::kFlushToZero);
  const Floats in{1e-40F, -103.0F};
  const Floats roots = values_of<float>(sqrt(row_of(in)));
  const Floats exps = values_of<float>(exp(row_of(in)));
  const Floats logs = values_of<float>(log(row_of(in)));
  const std::uint64_t after = test::fp_control();
  test::set_fp_control(saved);
  CHECK(after == (saved | test::kFlushToZero));
  CHECK(roots[0] == 9.999973e-21F);
  CHECK(exps[1] == 0x1p-149F);
  CHECK(logs[0] == Approx(-92.10341));
}

TEST_CASE("the 0th power is 1 at every position, also of a signalling NaN") {
  std::vector<float> values(39);
  const std::uint32_t bits = 0x7F800001;
  for (float &value : values) {
    std::memcpy(&value, &bits, sizeof value);
  }
  for (const std::string_view candidate : candidates_of("power/scalar")) {
    Options options;
    options.candidate = candidate;
    std::vector<float> out(values.size());
    try {
      power(array_1d(std::as_const(values).data(), 39), 0.0, array_1d(out.data(), 39), options);
    } catch (const Error &error) {
      CHECK(error.argument() == "candidate");
      continue;
    }
    INFO(std::string(candidate));
    CHECK(std::all_of(out.begin(), out.end(), [](float value) { return value == 1; }));
  }
}

TEST_CASE("ISA-02: functions of the float in a packed record, from an odd address") {
  constexpr std::int64_t kRecord = 5;
  const std::int64_t n = 42;
  std::vector<std::byte> records(static_cast<std::size_t>(kRecord * n + 1));
  Floats compact;
  for (std::int64_t i = 0; i < n; ++i) {
    compact.push_back(0.1F * static_cast<float>(i));
    std::memcpy(records.data() + 1 + kRecord * i, &compact.back(), sizeof(float));
  }
  const ConstView packed{records.data() + 1, {1, 6, 7, 1}, {0, 35, 5, 5}, Dtype::f32, 3};
  for (const std::string variant : {"exp", "log", "sqrt", "power/scalar"}) {
    INFO(variant);
    Options bitwise;
    bitwise.exactness = Exactness::bitwise;
    const Compute compute = function_of(variant, 0.7);
    CHECK(values_of<float>(compute(packed, bitwise)) ==
          values_of<float>(compute(row_of(compact), bitwise)));
  }
}

} // namespace switchyard
