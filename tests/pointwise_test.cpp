// Pointwise ops beyond the conformance problems: values worked out by hand, the rounding option,
// and library calls that break the contract where the candidate must not.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "switchyard/switchyard.hpp"

namespace switchyard {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

template <class T> std::vector<T> values_of(const Image &image) {
  return {image.data<T>(), image.data<T>() + image.view().elements()};
}

template <class T> ConstView row_of(const std::vector<T> &values, std::int64_t channels = 1) {
  const auto n = static_cast<std::int64_t>(values.size());
  const Extents shape{1, 1, n / channels, channels};
  return strided(values.data(), shape, contiguous_strides(shape, sizeof(T)));
}

// check(image) for the result of every candidate of the variant that accepts the problem; returns
// how many there were.
template <class Compute, class Check>
int with_candidates(std::string_view variant, Options options, Compute &&compute, Check &&check) {
  int ran = 0;
  for (const std::string_view id : candidates_of(variant)) {
    options.candidate = id;
    Image image;
    try {
      image = compute(options);
    } catch (const Error &error) {
      REQUIRE(std::string(error.what()).find("candidate: got") != std::string::npos);
      continue;
    }
    INFO(id);
    check(image);
    ++ran;
  }
  return ran;
}

Options rounded(Rounding rounding) {
  Options options;
  options.rounding = rounding;
  return options;
}

} // namespace

TEST_CASE("add of u8 truncates the operand, not the sum, and saturates") {
  const Bytes in{0, 1, 5, 100, 254, 255};
  struct Case {
    double value;
    Bytes expected;
  };
  const Case cases[] = {
      {0.99999999, {0, 1, 5, 100, 254, 255}},
      {1.9, {1, 2, 6, 101, 255, 255}},
      {-0.9, {0, 1, 5, 100, 254, 255}},
      {-1.9, {0, 0, 4, 99, 253, 254}},
      {300, {255, 255, 255, 255, 255, 255}},
      {-300, {0, 0, 0, 0, 0, 0}},
      {2147483647, {255, 255, 255, 255, 255, 255}},
      {-1e300, {0, 0, 0, 0, 0, 0}},
  };
  for (const Case &c : cases) {
    INFO(c.value);
    const int ran = with_candidates(
        "add/scalar", {}, [&](const Options &o) { return add(row_of(in), c.value, o); },
        [&](const Image &out) { CHECK(values_of<std::uint8_t>(out) == c.expected); });
    CHECK(ran >= 1);
  }
}

TEST_CASE("A scalar and a vector of three reach all three channels in every candidate") {
  const Bytes in{10, 10, 10, 20, 20, 20};
  CHECK(with_candidates(
            "add/vector", {},
            [&](const Options &o) {
              return add(row_of(in, 3), {1, 2, 3}, o);
            },
            [](const Image &out) {
              CHECK(values_of<std::uint8_t>(out) == Bytes{11, 12, 13, 21, 22, 23});
            }) >= 2);
  CHECK(with_candidates(
            "add/scalar", {}, [&](const Options &o) { return add(row_of(in, 3), 5, o); },
            [](const Image &out) {
              CHECK(values_of<std::uint8_t>(out) == Bytes{15, 15, 15, 25, 25, 25});
            }) >= 2);
}

TEST_CASE("The rounding option applies to the real result before it saturates") {
  const Bytes in{1, 2, 3, 5, 255, 254};
  struct Case {
    Rounding rounding;
    Bytes expected;
  };
  const Case halves[] = {
      {Rounding::by_op, {0, 1, 1, 2, 127, 127}},
      {Rounding::truncate, {0, 1, 1, 2, 127, 127}},
      {Rounding::half_even, {0, 1, 2, 2, 128, 127}},
      {Rounding::half_up, {1, 1, 2, 3, 128, 127}},
  };
  for (const Case &c : halves) {
    INFO(name_of(c.rounding));
    const int ran = with_candidates(
        "multiply/scalar", rounded(c.rounding),
        [&](const Options &o) { return multiply(row_of(in), 0.5, o); },
        [&](const Image &out) { CHECK(values_of<std::uint8_t>(out) == c.expected); });
    CHECK(ran >= 2);
  }
  // The sum is truncated where that is asked for; by its own rule add truncates the operand.
  CHECK(values_of<std::uint8_t>(add(row_of(in), -0.5)) == in);
  CHECK(values_of<std::uint8_t>(add(row_of(in), -0.5, rounded(Rounding::truncate))) ==
        Bytes{0, 1, 2, 4, 254, 253});
}

TEST_CASE("half_up rounds the value itself, not the value plus a half") {
  // The f32 below 0.5: adding 0.5 in f32 gives 1.
  const float below = std::nextafter(0.5F, 0.0F);
  const Floats in{below, 0.5F, 1.5F, 2.5F, std::nextafter(254.5F, 0.0F), 254.5F, 300, -1, kNan};
  CHECK(with_candidates(
            "from_float", rounded(Rounding::half_up),
            [&](const Options &o) { return from_float(row_of(in), Dtype::u8, 1.0, o); },
            [](const Image &out) {
              CHECK(values_of<std::uint8_t>(out) == Bytes{0, 1, 2, 3, 254, 255, 255, 0, 0});
            }) >= 2);
}

TEST_CASE("from_float saturates infinities, which library conversions turn into 0") {
  const Floats in{kInf, -kInf, kNan, 3e38F, -3e38F, 0.5F, 1, 0.00196F};
  CHECK(with_candidates(
            "from_float", {},
            [&](const Options &o) { return from_float(row_of(in), Dtype::u8, {}, o); },
            [](const Image &out) {
              CHECK(values_of<std::uint8_t>(out) == Bytes{255, 0, 0, 255, 0, 128, 255, 0});
            }) >= 2);
  const Image words = from_float(row_of(in), Dtype::u16);
  CHECK(values_of<std::uint16_t>(words) ==
        std::vector<std::uint16_t>{65535, 0, 0, 65535, 0, 32768, 65535, 128});
  const Image copy = from_float(row_of(in), Dtype::f32, 7.0);
  CHECK(std::isnan(copy.data<float>()[2]));
  CHECK(copy.data<float>()[3] == 3e38F);
}

// Elements i that are not i / divisor, or for a faithful result further than one ulp from it.
std::int64_t wrong_quotients(const Image &image, float divisor, bool exact) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < image.view().elements(); ++i) {
    const float expected = static_cast<float>(i) / divisor;
    const float got = image.data<float>()[i];
    const bool near =
        got >= std::nextafter(expected, -kInf) && got <= std::nextafter(expected, kInf);
    wrong += (exact ? got == expected : near) ? 0 : 1;
  }
  return wrong;
}

TEST_CASE("to_float divides every u8 and u16 value within one ulp, in bitwise mode exactly") {
  std::vector<std::uint16_t> words(65536);
  Bytes bytes(256);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint16_t>(i);
    bytes[i % 256] = static_cast<std::uint8_t>(i);
  }
  for (const bool exact : {true, false}) {
    Options options;
    options.exactness = exact ? Exactness::bitwise : Exactness::faithful;
    CHECK(with_candidates(
              "to_float", options, [&](const Options &o) { return to_float(row_of(bytes), {}, o); },
              [&](const Image &out) { CHECK(wrong_quotients(out, 255, exact) == 0); }) >= 2);
    CHECK(with_candidates(
              "to_float", options, [&](const Options &o) { return to_float(row_of(words), {}, o); },
              [&](const Image &out) { CHECK(wrong_quotients(out, 65535, exact) == 0); }) >= 2);
  }
}

TEST_CASE("clip keeps NaN in f32, gives 0 for it in u8, and refuses bounds out of order") {
  const Floats in{kNan, -1, 0.05F, 0.5F, 2, kInf, -kInf};
  CHECK(
      with_candidates(
          "clip/scalar", {}, [&](const Options &o) { return clip(row_of(in), 0.1, 0.9, o); },
          [](const Image &image) {
            const Floats out = values_of<float>(image);
            CHECK(std::isnan(out[0]));
            CHECK(Floats(out.begin() + 1, out.end()) == Floats{0.1F, 0.1F, 0.5F, 0.9F, 0.9F, 0.1F});
          }) >= 2);
  const Floats levels{kNan, -1, 16.5F, 100.9F, 300, kInf, -kInf};
  Bytes out(levels.size());
  const Extents shape{1, 1, 7, 1};
  const View result(out.data(), shape, contiguous_strides(shape, 1), Dtype::u8);
  clip(row_of(levels), 16, 235, result);
  CHECK(out == Bytes{0, 16, 16, 100, 235, 235, 16});
  CHECK_THROWS_WITH(clip(row_of(in), 1, 0), Catch::Contains("low <= high"));
  CHECK_THROWS_WITH(clip(row_of(in), kNan, 0), Catch::Contains("low <= high"));
}

TEST_CASE("A copy onto itself has a route, and refuses a pin, as any call does") {
  Floats pixels{0, 0.5F, 1};
  const Extents shape{1, 1, 3, 1};
  const View view(pixels.data(), shape, contiguous_strides(shape, 4), Dtype::f32);
  static_cast<void>(hflip(view)); // leaves another route behind
  from_float(view, view);
  CHECK(last_route().variant == "from_float");
  to_float(view, view);
  CHECK(last_route().variant == "to_float");
  Options options;
  options.candidate = "nobody";
  CHECK_THROWS_WITH(to_float(view, view, {}, options), Catch::Contains("nobody"));
  CHECK_THROWS_WITH(from_float(view, view, {}, options), Catch::Contains("nobody"));
  CHECK(pixels == Floats{0, 0.5F, 1});
}

TEST_CASE("clip narrows a bound to the image even where another channel's is beyond f32") {
  // 0.99999999 is 1 in f32, which truncates to 1; in f64 it would truncate to 0.
  const Floats in{5, 5};
  CHECK(with_candidates(
            "clip/vector", {},
            [&](const Options &o) {
              Image out({1, 1, 1, 2}, Dtype::u8);
              clip(row_of(in, 2), 0, {0.99999999, 1e300}, out, o);
              return out;
            },
            [](const Image &out) {
              CHECK(values_of<std::uint8_t>(out) == Bytes{1, 5});
            }) >= 1);
}

TEST_CASE("u16 images are normalised in every candidate that takes them") {
  const std::vector<std::uint16_t> in{0, 1, 32768, 65535};
  CHECK(with_candidates(
            "normalize/scalar", {},
            [&](const Options &o) { return normalize(row_of(in), 32768, 0.5, o); },
            [](const Image &out) {
              CHECK(values_of<float>(out) == Floats{-16384, -16383.5F, 0, 16383.5F});
            }) >= 2);
}

} // namespace switchyard
