// u8 in integer arithmetic: images long enough for what is fitted to them, on every SIMD target,
// equal the reference in every byte.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/add/params.hpp"
#include "candidates/clip/params.hpp"
#include "candidates/multiply/params.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/registry.hpp"
#include "candidates/to_float/params.hpp"

namespace switchyard {
namespace {

using Bytes = std::vector<std::uint8_t>;

const Candidate &candidate_of(std::string_view variant, std::string_view id) {
  for (const Candidate &candidate : candidates::find_variant(variant)->candidates) {
    if (candidate.id == id) {
      return candidate;
    }
  }
  FAIL("no candidate " << id);
  throw 0;
}

// An image of random bytes, every value among them, whose rows have room behind them.
struct Image {
  std::int64_t width;
  std::int64_t channels;
  Bytes data;

  Image(std::int64_t w, std::int64_t c, std::mt19937 &random)
      : width(w), channels(c), data(static_cast<std::size_t>(kRows * stride())) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::uint8_t>(i < 1024 ? i : random());
    }
  }
  static constexpr std::int64_t kRows = 3;
  [[nodiscard]] std::int64_t stride() const { return width * channels + 5; }
  [[nodiscard]] View view(Bytes &bytes) const {
    return strided(bytes.data(), {1, kRows, width, channels}, {0, stride(), channels, 1}, 3);
  }
};

// Whether fused and the reference agree in every byte, those behind rows included.
bool agrees(std::string_view variant, const void *params, const Image &image, bool in_place) {
  Bytes input = image.data;
  Bytes wanted(image.data.size(), 7);
  Bytes found(image.data.size(), 7);
  if (in_place) {
    wanted = image.data;
    found = image.data;
  }
  const auto run = [&](std::string_view id, Bytes &bytes) {
    const ConstView in = image.view(in_place ? bytes : input);
    const View out = image.view(bytes);
    Call call;
    call.in = {&in};
    call.out = {&out};
    call.params = params;
    candidate_of(variant, id).run(call);
  };
  run("loop", wanted);
  run("fused", found);
  return wanted == found && input == image.data;
}

constexpr std::int64_t kChannels[] = {1, 2, 3, 4, 5, 6, 7, 12, 16, 17};

// Wide enough that rounding to a whole number of vectors leaves rests of every kind.
std::int64_t width_for(std::int64_t channels, std::mt19937 &random) {
  return 8192 + static_cast<std::int64_t>(random() % 97) + channels % 2;
}

} // namespace

TEST_CASE("Affine maps of u8 have the reference's bytes, whatever they are fitted to", "[bytes]") {
  conformance::for_each_simd_target([](const std::string &target) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> exponent(-9, 7);
    std::uniform_real_distribution<double> offset(-300, 300);
    for (const std::int64_t channels : kChannels) {
      for (int draw = 0; draw < 12; ++draw) {
        const Image image(width_for(channels, random), channels, random);
        std::vector<double> factors;
        std::vector<double> values;
        for (std::int64_t c = 0; c < channels; ++c) {
          factors.push_back((random() % 3 == 0 ? -1 : 1) * std::exp2(exponent(random)));
          values.push_back(draw % 4 == 0 ? std::round(offset(random)) : offset(random));
        }
        factors.front() = draw == 1 ? 0 : draw == 2 ? 1 : draw == 3 ? 200 : factors.front();
        values.back() = draw == 4 ? std::numeric_limits<double>::quiet_NaN() : values.back();
        values.front() = draw == 5 ? std::numeric_limits<double>::infinity() : values.front();
        const Values factor{factors.data(), channels};
        const Values value{values.data(), channels};
        const auto rounding = static_cast<Rounding>(draw % 4);
        INFO(target << " channels " << channels << " draw " << draw);
        const MultiplyAddParams affine{factor, value, rounding};
        REQUIRE(agrees("multiply_add/vector", &affine, image, draw % 2 == 0));
        const MultiplyParams product{factor, rounding};
        REQUIRE(agrees("multiply/vector", &product, image, draw % 2 == 1));
      }
    }
  });
}

TEST_CASE("Common factors of u8 have the reference's bytes", "[bytes]") {
  conformance::for_each_simd_target([](const std::string &target) {
    std::mt19937 random(6);
    const Image image(width_for(1, random), 1, random);
    for (double factor = 0.5; factor < 2; factor += 0.0625 / 3) {
      for (const double value : {-12.0, 0.0, 0.5, 100.25}) {
        INFO(target << " x · " << factor << " + " << value);
        const MultiplyAddParams affine{Values{&factor, 1}, Values{&value, 1}, Rounding::by_op};
        REQUIRE(agrees("multiply_add/scalar", &affine, image, false));
      }
    }
  });
}

TEST_CASE("Shifts and clamps of u8 have the reference's bytes", "[bytes]") {
  conformance::for_each_simd_target([](const std::string &target) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shift(-300, 300);
    std::uniform_real_distribution<double> bound(-20, 280);
    for (const std::int64_t channels : kChannels) {
      for (int draw = 0; draw < 8; ++draw) {
        const Image image(1 + static_cast<std::int64_t>(random() % 300), channels, random);
        std::vector<double> shifts;
        std::vector<double> lows;
        std::vector<double> highs;
        for (std::int64_t c = 0; c < channels; ++c) {
          shifts.push_back(shift(random));
          lows.push_back(bound(random));
          highs.push_back(lows.back() + std::fabs(bound(random)));
        }
        shifts.back() = draw == 0 ? std::numeric_limits<double>::quiet_NaN() : shifts.back();
        shifts.front() = draw == 1 ? -std::numeric_limits<double>::infinity() : shifts.front();
        INFO(target << " channels " << channels << " draw " << draw);
        const AddParams sum{Values{shifts.data(), channels}, static_cast<Rounding>(draw % 4)};
        REQUIRE(agrees("add/vector", &sum, image, draw % 2 == 0));
        const ClipParams clamp{Values{lows.data(), channels}, Values{highs.data(), channels},
                               Rounding::by_op};
        REQUIRE(agrees("clip/vector", &clamp, image, draw % 2 == 1));
      }
    }
  });
}

TEST_CASE("Every integer over the largest is the f32 quotient", "[bytes]") {
  const auto check = []<class T>(T most, Dtype dtype, const std::string &target) {
    std::vector<T> integers(std::size_t{most} + 1);
    std::vector<float> found(integers.size());
    for (std::size_t i = 0; i < integers.size(); ++i) {
      integers[i] = static_cast<T>(i);
    }
    const auto n = static_cast<std::int64_t>(integers.size());
    const ConstView in = hwc(static_cast<const T *>(integers.data()), 1, n, 1);
    const View out = hwc(found.data(), 1, n, 1);
    const ToFloatParams params{static_cast<double>(most)};
    const Variant &variant = *candidates::find_variant("to_float");
    Call call;
    call.in = {&in};
    call.out = {&out};
    call.params = &params;
    while (variant.dtypes[call.dtype_case].in[0] != dtype) {
      ++call.dtype_case;
    }
    candidate_of("to_float", "fused").run(call);
    for (std::size_t i = 0; i < integers.size(); ++i) {
      INFO(target << " " << i);
      REQUIRE(found[i] == static_cast<float>(i) / static_cast<float>(most));
    }
  };
  conformance::for_each_simd_target([&](const std::string &target) {
    check(std::uint8_t{255}, Dtype::u8, target);
    check(std::uint16_t{65535}, Dtype::u16, target);
  });
}

} // namespace switchyard
