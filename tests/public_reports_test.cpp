// Failures that users of other libraries have reported in public, restated for the ops that exist
// here. Each case is named by its id; the result asked for follows from docs/contracts.md.
#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <dlfcn.h>

#include "candidates/registry.hpp"
#include "switchyard/switchyard.hpp"
#include "tests/support/every_candidate.hpp"

using namespace switchyard;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Calls each(options) for the routed call and for every candidate of the variant that takes it;
// returns how many calls that were.
template <class Each> int with_every_candidate(std::string_view variant, Each &&each) {
  each(Options{});
  return 1 + test::with_every_candidate(variant, each);
}

std::vector<std::uint8_t> ramp_u8(std::int64_t h, std::int64_t w, std::int64_t c) {
  std::vector<std::uint8_t> values;
  for (std::int64_t y = 0; y < h; ++y) {
    for (std::int64_t x = 0; x < w; ++x) {
      for (std::int64_t k = 0; k < c; ++k) {
        values.push_back(static_cast<std::uint8_t>(7 * y + 13 * x + 29 * k));
      }
    }
  }
  return values;
}

std::array<double, 2> mean_std_of(const ConstView &image, Over over, const Options &options = {}) {
  const MeanStd result = mean_std(image, over, 1e-4, options);
  return {*result.mean.data<double>(), *result.std.data<double>()};
}

} // namespace

TEST_CASE("ARI-02: large products saturate alike in vector body and tail") {
  for (int length = 1; length <= 70; ++length) {
    std::vector<std::uint8_t> in;
    for (int i = 0; i < length; ++i) {
      in.push_back(i % 19 == 7 ? std::uint8_t{0} : static_cast<std::uint8_t>(100 + i % 19));
    }
    const ConstView image = hwc(std::as_const(in).data(), 1, length, 1);
    std::vector<std::uint8_t> out(in.size());
    const View result = hwc(out.data(), 1, length, 1);
    for (const double factor : {1e8, 3e7, 1e30, 1e300}) {
      with_every_candidate("multiply_add/scalar", [&](const Options &options) {
        multiply_add(image, factor, 0, result, options);
        for (std::size_t i = 0; i < in.size(); ++i) {
          REQUIRE(out[i] == (in[i] == 0 ? 0 : 255));
        }
      });
    }
    const std::vector<float> factors(in.size(), 1e30F);
    const ConstView factor = hwc(factors.data(), 1, length, 1);
    with_every_candidate("multiply_add/array", [&](const Options &options) {
      multiply_add(image, factor, factor, result, options);
      for (const std::uint8_t value : out) {
        REQUIRE(value == 255);
      }
    });
    with_every_candidate("multiply/array", [&](const Options &options) {
      multiply(image, factor, result, options);
      for (std::size_t i = 0; i < in.size(); ++i) {
        REQUIRE(out[i] == (in[i] == 0 ? 0 : 255));
      }
    });
    with_every_candidate("add_weighted", [&](const Options &options) {
      add_weighted(image, 1e8, image, 1e8, result, options);
      for (std::size_t i = 0; i < in.size(); ++i) {
        REQUIRE(out[i] == (in[i] == 0 ? 0 : 255));
      }
    });
  }
}

namespace {

// image · factor for each way to pass the factor: number, vector, and array of f32 or f64.
template <class Each> void with_every_factor(const ConstView &image, double factor, Each &&each) {
  const auto n = static_cast<std::size_t>(image.elements());
  const auto single = static_cast<double>(static_cast<float>(factor));
  const std::vector<double> vector(static_cast<std::size_t>(image.channels()), factor);
  const std::vector<float> floats(n, static_cast<float>(factor));
  const std::vector<double> doubles(n, factor);
  const ConstView narrow = strided(floats.data(), image.shape, contiguous_strides(image.shape, 4));
  const ConstView wide = strided(doubles.data(), image.shape, contiguous_strides(image.shape, 8));
  for (const char *variant : {"multiply/scalar", "multiply/vector"}) {
    with_every_candidate(variant, [&](const Options &options) {
      if (variant == std::string("multiply/vector") && image.channels() > 1) {
        each(multiply(image, vector, options));
      } else if (variant == std::string("multiply/scalar")) {
        each(multiply(image, factor, options));
        each(multiply(image, single, options));
      }
    });
  }
  with_every_candidate("multiply/array", [&](const Options &options) {
    each(multiply(image, narrow, options));
    each(multiply(image, wide, options));
  });
}

} // namespace

TEST_CASE("ARI-04: a factor of f64 multiplies in f32, however it is passed") {
  std::vector<std::uint8_t> levels(256 * 2);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] = static_cast<std::uint8_t>(i / 2);
  }
  const ConstView image = hwc(std::as_const(levels).data(), 1, 256, 2);
  struct Case {
    double factor;
    int level;
    int expected;
  };
  for (const Case &c :
       {Case{1.15, 100, 115}, {1.3, 90, 116}, {2.1, 30, 62}, {0.7, 90, 63}, {0.58, 100, 58}}) {
    INFO(c.factor);
    with_every_factor(image, c.factor, [&](const Image &out) {
      const auto *results = out.data<std::uint8_t>();
      REQUIRE(int{results[2 * c.level]} == c.expected);
      for (int x = 0; x < 256; ++x) {
        const float product = static_cast<float>(x) * static_cast<float>(c.factor);
        const int wanted = product >= 255 ? 255 : static_cast<int>(product);
        REQUIRE(int{results[2 * x]} == wanted);
        REQUIRE(int{results[2 * x + 1]} == wanted);
      }
    });
  }
}

TEST_CASE("ARI-08: negative and fractional summands are truncated toward zero, then saturate") {
  for (const std::int64_t channels : {1, 3, 5}) {
    const std::vector<std::uint8_t> in(static_cast<std::size_t>(3 * channels), 10);
    const ConstView image = hwc(in.data(), 1, 3, channels);
    struct Case {
      double value;
      int expected;
    };
    for (const Case &c : {Case{-20, 0}, {-0.9, 10}, {0.9, 10}}) {
      const auto all_as_expected = [&](const Image &out) {
        for (std::size_t i = 0; i < in.size(); ++i) {
          REQUIRE(int{out.data<std::uint8_t>()[i]} == c.expected);
        }
      };
      INFO(c.value << " with " << channels << " channels");
      const std::vector<float> floats(in.size(), static_cast<float>(c.value));
      const std::vector<double> doubles(in.size(), c.value);
      const std::vector<std::int16_t> shorts(in.size(), static_cast<std::int16_t>(c.value));
      with_every_candidate("add/scalar", [&](const Options &options) {
        all_as_expected(add(image, c.value, options));
      });
      with_every_candidate("add/array", [&](const Options &options) {
        all_as_expected(add(image, hwc(floats.data(), 1, 3, channels), options));
        all_as_expected(add(image, hwc(doubles.data(), 1, 3, channels), options));
        all_as_expected(add(image, hwc(shorts.data(), 1, 3, channels), options));
        all_as_expected(add(image, hwc(shorts.data(), 1, 3, 1), options));
      });
    }
  }
  const std::vector<std::uint8_t> in(15, 10);
  const std::array<double, 5> values{-20, 20, 250, -0.5, 0.5};
  constexpr std::array<int, 5> kExpected{0, 30, 255, 10, 10};
  std::vector<double> array;
  for (int pixel = 0; pixel < 3; ++pixel) {
    array.insert(array.end(), values.begin(), values.end());
  }
  const ConstView image = hwc(in.data(), 1, 3, 5);
  const auto check = [&](const Image &out) {
    for (std::size_t i = 0; i < 15; ++i) {
      REQUIRE(int{out.data<std::uint8_t>()[i]} == kExpected[i % 5]);
    }
  };
  with_every_candidate("add/vector",
                       [&](const Options &options) { check(add(image, values, options)); });
  with_every_candidate("add/array", [&](const Options &options) {
    check(add(image, hwc(std::as_const(array).data(), 1, 3, 5), options));
  });
}

TEST_CASE("ARI-06: a factor beyond f32 is not infinite before the arithmetic") {
  for (const std::int64_t copies : {1, 200000}) {
    std::vector<float> in;
    for (std::int64_t i = 0; i < copies; ++i) {
      in.insert(in.end(), {0.0F, 1e-10F, 2.0F});
    }
    const ConstView image = hwc(std::as_const(in).data(), 1, 3 * copies, 1);
    for (const double sign : {1.0, -1.0}) {
      const std::vector<double> factors(in.size(), sign * 1e40);
      const ConstView factor = hwc(factors.data(), 1, 3 * copies, 1);
      for (const Image &out : {multiply_add(image, sign * 1e40, 0), multiply(image, factor),
                               multiply_add(image, factor, 0)}) {
        for (std::int64_t i = 0; i < copies; ++i) {
          const float *value = out.data<float>() + 3 * i;
          REQUIRE(value[0] == 0);
          REQUIRE(value[1] == Approx(sign * 1e30).epsilon(1e-6));
          REQUIRE(static_cast<double>(value[2]) == sign * kInf);
        }
      }
      const Image sum = add(image, factor);
      for (std::int64_t i = 0; i < 3 * copies; ++i) {
        REQUIRE(static_cast<double>(sum.data<float>()[i]) == sign * kInf);
      }
    }
  }
}

TEST_CASE("ARI-10: an output whose elements share an address is an error") {
  float value = 1;
  const View expanded = strided(&value, {1, 4, 5, 3}, {0, 0, 0, 0});
  CHECK_THROWS_AS(multiply_add(expanded, 2, 0, expanded), Error);
  CHECK_THROWS_AS(add(expanded, expanded, expanded), Error);
  CHECK_THROWS_AS(multiply(expanded, expanded, expanded), Error);
  CHECK(value == 1);
  const Image out = multiply_add(expanded, 2, 0);
  for (int i = 0; i < 60; ++i) {
    REQUIRE(out.data<float>()[i] == 2);
  }
  std::uint8_t byte = 3;
  std::array<std::uint8_t, 256> table{};
  const View bytes = strided(&byte, {1, 4, 5, 3}, {0, 0, 0, 0});
  CHECK_THROWS_AS(lut(bytes, array_1d(table.data(), 256), bytes), Error);
  CHECK(byte == 3);
}

TEST_CASE("ARI-12: blends of f32 are never clipped") {
  for (const std::int64_t channels : {1, 3, 5}) {
    std::vector<float> a(static_cast<std::size_t>(24 * channels), 128);
    std::vector<float> b(a.size(), 64);
    const ConstView whole_a = hwc(std::as_const(a).data(), 2, 12, channels);
    const ConstView whole_b = hwc(std::as_const(b).data(), 2, 12, channels);
    const std::array<std::array<double, 3>, 3> cases{{{.5, .5, 96}, {2, 3, 448}, {-2, 3, -64}}};
    for (const auto &values : cases) {
      const double weight_a = values[0];
      const double weight_b = values[1];
      const double expected = values[2];
      with_every_candidate("add_weighted", [&](const Options &options) {
        for (const bool every_second : {false, true}) {
          ConstView x = whole_a;
          ConstView y = whole_b;
          if (every_second) {
            x.shape[kW] = y.shape[kW] = 6;
            x.strides[kW] *= 2;
            y.strides[kW] *= 2;
          }
          const Image out = add_weighted(x, weight_a, y, weight_b, options);
          for (std::int64_t i = 0; i < out.view().elements(); ++i) {
            REQUIRE(static_cast<double>(out.data<float>()[i]) == Approx(expected).epsilon(1e-6));
          }
        }
      });
    }
  }
}

TEST_CASE("ARI-12: sums and products of f32 arrays are never clipped") {
  for (const std::int64_t channels : {1, 3, 5}) {
    const std::vector<float> a(static_cast<std::size_t>(24 * channels), 128);
    const std::vector<float> b(a.size(), -300);
    for (const bool every_second : {false, true}) {
      ConstView x = hwc(a.data(), 2, 12, channels);
      ConstView y = hwc(b.data(), 2, 12, channels);
      if (every_second) {
        x.shape[kW] = y.shape[kW] = 6;
        x.strides[kW] *= 2;
        y.strides[kW] *= 2;
      }
      const auto all_are = [](const Image &out, float expected) {
        const auto *values = out.data<float>();
        REQUIRE(std::all_of(values, values + out.view().elements(),
                            [&](float value) { return value == expected; }));
      };
      with_every_candidate("add/array", [&](const Options &o) { all_are(add(x, y, o), -172); });
      with_every_candidate("multiply/array",
                           [&](const Options &o) { all_are(multiply(x, y, o), -38400); });
    }
  }
}

TEST_CASE("CNV-02: ties of from_float go to the even level in every candidate") {
  // 40 values, so that vectors and their tails both see ties.
  std::vector<float> ties;
  std::vector<int> levels;
  for (int repeat = 0; repeat < 8; ++repeat) {
    ties.insert(ties.end(), {0.5F, 1.5F, 2.5F, 253.5F, 254.5F});
    levels.insert(levels.end(), {0, 2, 2, 254, 254});
  }
  const ConstView image = hwc(std::as_const(ties).data(), 1, 40, 1);
  for (const Dtype dtype : {Dtype::u8, Dtype::u16}) {
    const int candidates = with_every_candidate("from_float", [&](const Options &options) {
      const Image out = from_float(image, dtype, 1, options);
      for (std::size_t i = 0; i < levels.size(); ++i) {
        const int got =
            dtype == Dtype::u8 ? out.data<std::uint8_t>()[i] : out.data<std::uint16_t>()[i];
        REQUIRE(got == levels[i]);
      }
    });
    CHECK(candidates >= 2);
  }
  Options half_up;
  half_up.rounding = Rounding::half_up;
  const Image out = from_float(image, Dtype::u8, 1, half_up);
  CHECK(std::vector<int>(out.data<std::uint8_t>(), out.data<std::uint8_t>() + 5) ==
        std::vector<int>{1, 2, 3, 254, 255});
}

TEST_CASE("ARI-14: a dtype that an op does not have is an error that names both") {
  std::array<double, 64> memory{};
  for (const Dtype dtype :
       {Dtype::i8, Dtype::u16, Dtype::i16, Dtype::i32, Dtype::i64, Dtype::u64, Dtype::f64}) {
    const Extents shape{1, 4, 4, 4};
    const View image(memory.data(), shape, contiguous_strides(shape, size_of(dtype)), dtype);
    const std::string named = "dtype " + std::string(name_of(dtype));
    CHECK_THROWS_WITH(multiply_add(image, 2, 0),
                      Catch::StartsWith("multiply_add: image") && Catch::Contains(named));
    CHECK_THROWS_WITH(multiply(image, image),
                      Catch::StartsWith("multiply: image") && Catch::Contains(named));
    CHECK_THROWS_WITH(add_weighted(image, 1, image, 1),
                      Catch::StartsWith("add_weighted: a") && Catch::Contains(named));
    if (dtype != Dtype::u16) {
      CHECK_THROWS_WITH(hflip(image), Catch::StartsWith("hflip: image") && Catch::Contains(named));
      CHECK_THROWS_WITH(normalize(image, 0, 1),
                        Catch::StartsWith("normalize: image") && Catch::Contains(named));
    }
    CHECK_THROWS_WITH((void)mean_std(image, Over::global),
                      Catch::StartsWith("mean_std: image") && Catch::Contains(named));
  }
}

TEST_CASE("CNV-04: the caller's rounding mode changes no result") {
  for (const std::int64_t n : {8, 100000}) {
    std::vector<std::uint8_t> a(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::uint8_t>(i);
    }
    const ConstView row = hwc(std::as_const(a).data(), 4, n / 4, 1);
    for (const int threads : {1, 2}) {
      Options budget;
      budget.threads = threads;
      const Image expected = add_weighted(row, 0.25, row, 0.5, budget);
      for (const int mode : {FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD}) {
        with_every_candidate("add_weighted", [&](Options options) {
          options.threads = threads;
          std::fesetround(mode);
          const Image out = [&] {
            try {
              return add_weighted(row, 0.25, row, 0.5, options);
            } catch (...) {
              std::fesetround(FE_TONEAREST);
              throw;
            }
          }();
          const int after = std::fegetround();
          std::fesetround(FE_TONEAREST);
          REQUIRE(after == mode);
          REQUIRE(std::memcmp(out.data<std::uint8_t>(), expected.data<std::uint8_t>(),
                              static_cast<std::size_t>(n)) == 0);
        });
      }
    }
  }
}

TEST_CASE("LUT-02: bytes above 127 are indices, not negative numbers") {
  std::array<std::uint8_t, 256> reversed_bits{};
  for (unsigned i = 0; i < 256; ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      reversed_bits[i] |= static_cast<std::uint8_t>(((i >> bit) & 1U) << (7 - bit));
    }
  }
  const ConstView table = array_1d(std::as_const(reversed_bits).data(), 256);
  std::vector<std::uint8_t> in(256 + 70);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<std::uint8_t>(i * 37 + 127);
  }
  const int ran = with_every_candidate("lut/shared", [&](const Options &options) {
    for (std::int64_t length = 1; length <= static_cast<std::int64_t>(in.size()); ++length) {
      const Image out = lut(hwc(std::as_const(in).data(), 1, length, 1), table, options);
      for (std::int64_t i = 0; i < length; ++i) {
        REQUIRE(out.data<std::uint8_t>()[i] == reversed_bits[in[static_cast<std::size_t>(i)]]);
      }
    }
  });
  CHECK(ran >= 3);
}

TEST_CASE("LUT-04: a table shorter than 256 entries is an error before any read") {
  std::array<std::uint8_t, 255> table{};
  std::array<std::uint8_t, 33> in{};
  const ConstView image = hwc(std::as_const(in).data(), 1, 33, 1);
  for (const std::int64_t entries : {0, 1, 128, 255}) {
    CHECK_THROWS_AS(lut(image, array_1d(table.data(), entries)), Error);
  }
}

TEST_CASE("STA-01: sums of f32 do not stop at 2^24") {
  for (const std::int64_t channels : {1, 2, 3, 5}) {
    const std::vector<float> ones(static_cast<std::size_t>(4200 * 4200 * channels), 1.0F);
    const ConstView image = hwc(ones.data(), 4200, 4200, channels);
    CHECK(mean_std_of(image, Over::global)[0] == 1.0);
    CHECK(mean_std_of(image, Over::per_channel)[0] == 1.0);
    with_every_candidate("reduce_sum/per_channel", [&](const Options &options) {
      const Image sums = reduce_sum(image, Over::per_channel, options);
      REQUIRE(sums.data<double>()[channels - 1] == 17640000.0);
      REQUIRE(*mean(image, Over::per_channel, options).data<double>() == 1.0);
    });
    REQUIRE(*reduce_sum(image, Over::global).data<double>() ==
            17640000.0 * static_cast<double>(channels));
    REQUIRE(*mean(image, Over::global).data<double>() == 1.0);
  }
}

TEST_CASE("STA-03: a constant image deviates by eps alone") {
  for (const float constant : {123456.789F, 0.1F, 1000000.5F}) {
    const std::vector<float> values(std::size_t{512} * 512 * 3, constant);
    const ConstView image = hwc(values.data(), 512, 512, 3);
    for (const Over over : {Over::global, Over::per_channel}) {
      const auto *variant = over == Over::global ? "mean_std/global" : "mean_std/per_channel";
      with_every_candidate(variant, [&](const Options &options) {
        REQUIRE(std::fabs(mean_std_of(image, over, options)[1] - 1e-4) <=
                1e-6 * std::max(1.0, std::fabs(static_cast<double>(constant))));
        REQUIRE(mean_std_of(crop(image, 3, 5, 400, 300), over, options)[1] == Approx(1e-4));
        REQUIRE(*switchyard::std(image, over, 1e-4, options).data<double>() == 1e-4);
      });
    }
  }
}

TEST_CASE("STA-05: mean and deviation do not depend on the shape of the same data") {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(128, 20);
  std::vector<float> values(960 * 1280);
  std::vector<std::uint8_t> bytes(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = normal(random);
    bytes[i] = static_cast<std::uint8_t>(std::clamp(values[i], 0.0F, 255.0F));
  }
  const auto same = [](const ConstView &flat, const ConstView &image) {
    with_every_candidate("mean_std/global", [&](const Options &options) {
      const auto a = mean_std_of(flat, Over::global, options);
      const auto b = mean_std_of(image, Over::global, options);
      REQUIRE(a[0] == Approx(b[0]).epsilon(1e-9));
      REQUIRE(a[1] == Approx(b[1]).epsilon(1e-9));
      REQUIRE(*mean(flat, Over::global, options).data<double>() ==
              Approx(*mean(image, Over::global, options).data<double>()).epsilon(1e-9));
      REQUIRE(
          *switchyard::std(flat, Over::global, 0, options).data<double>() ==
          Approx(*switchyard::std(image, Over::global, 0, options).data<double>()).epsilon(1e-9));
    });
  };
  same(hwc(std::as_const(values).data(), 1, 1228800, 1),
       hwc(std::as_const(values).data(), 960, 1280, 1));
  same(hwc(std::as_const(bytes).data(), 1, 1228800, 1),
       hwc(std::as_const(bytes).data(), 960, 1280, 1));
}

TEST_CASE("STA-07: reducing the channels' axis is not a statistic of each channel") {
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0F);
  const ConstView image = hwc(std::as_const(values).data(), 2, 3, 4);
  const auto is = [](const Image &result, const Extents &shape,
                     const std::vector<double> &expected) {
    REQUIRE(result.view().shape == shape);
    const auto *data = result.data<double>();
    REQUIRE(std::vector<double>(data, data + result.view().elements()) == expected);
  };
  with_every_candidate("mean/axes", [&](const Options &options) {
    is(mean(image, Axes{kC}, options), {1, 1, 2, 3}, {1.5, 5.5, 9.5, 13.5, 17.5, 21.5});
    is(mean(image, Axes{kH, kC}, options), {1, 1, 1, 3}, {7.5, 11.5, 15.5});
    is(mean(image, Axes{kH, kW}, options), {1, 1, 1, 4}, {10, 11, 12, 13});
    is(mean(image, keepdims(Axes{kW}), options), {1, 2, 1, 4}, {4, 5, 6, 7, 16, 17, 18, 19});
  });
  with_every_candidate("reduce_sum/axes", [&](const Options &options) {
    is(reduce_sum(image, Axes{kC}, options), {1, 1, 2, 3}, {6, 22, 38, 54, 70, 86});
    is(reduce_sum(image, Axes{kH, kW}, options), {1, 1, 1, 4}, {60, 66, 72, 78});
  });
  with_every_candidate("std/axes", [&](const Options &options) {
    const double spread = std::sqrt(1.25); // of four consecutive integers
    is(switchyard::std(image, Axes{kC}, 0, options), {1, 1, 2, 3}, std::vector<double>(6, spread));
    is(switchyard::std(image, Axes{kH}, 0, options), {1, 1, 3, 4}, std::vector<double>(12, 6));
  });
}

TEST_CASE("STA-09: the sign of a stride is never lost") {
  // The image lies in a larger buffer of 255s, which a wrong sign would read.
  std::vector<std::uint8_t> memory(1000, 255);
  const std::vector<std::uint8_t> ramp = ramp_u8(5, 7, 6);
  std::copy(ramp.begin(), ramp.end(), memory.begin() + 400);
  const ConstView image = hwc(std::as_const(memory).data() + 400, 5, 7, 6);
  const MeanStd plain = mean_std(image, Over::per_channel);
  for (const ConstView &flipped : {reversed(image, kH), reversed(image, kW),
                                   reversed(reversed(image, kH), kW), reversed(image, kC)}) {
    with_every_candidate("mean_std/global", [&](const Options &options) {
      REQUIRE(mean_std_of(flipped, Over::global, options)[0] == Approx(26355.0 / 210));
      REQUIRE(*reduce_sum(flipped, Over::global, options).data<std::uint64_t>() == 26355);
      REQUIRE(*mean(flipped, Over::global, options).data<double>() == 26355.0 / 210);
      REQUIRE(*switchyard::std(flipped, Over::global, 1e-4, options).data<double>() ==
              Approx(*switchyard::std(image, Over::global).data<double>()));
    });
    const Image sums = reduce_sum(image, Over::per_channel);
    with_every_candidate("reduce_sum/per_channel", [&](const Options &options) {
      const Image result = reduce_sum(flipped, Over::per_channel, options);
      for (std::size_t c = 0; c < 6; ++c) {
        REQUIRE(result.data<std::uint64_t>()[c] ==
                sums.data<std::uint64_t>()[flipped.strides[kC] < 0 ? 5 - c : c]);
      }
    });
    with_every_candidate("mean_std/per_channel", [&](const Options &options) {
      const MeanStd result = mean_std(flipped, Over::per_channel, 1e-4, options);
      const bool channels_reversed = flipped.strides[kC] < 0;
      for (std::size_t c = 0; c < 6; ++c) {
        REQUIRE(result.mean.data<double>()[c] ==
                Approx(plain.mean.data<double>()[channels_reversed ? 5 - c : c]));
      }
    });
  }
}

TEST_CASE("STA-11: strides of axes of length 1 mean nothing") {
  const std::vector<std::uint8_t> ramp = ramp_u8(10, 1, 2);
  const ConstView image = hwc(ramp.data(), 10, 1, 2);
  const auto expected = mean_std_of(image, Over::global);
  const Image flipped = hflip(image);
  for (const std::int64_t stride :
       {std::int64_t{2147483647}, std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}}) {
    ConstView odd = image;
    odd.strides[kW] = stride;
    with_every_candidate("mean_std/global", [&](const Options &options) {
      REQUIRE(mean_std_of(odd, Over::global, options) == expected);
      REQUIRE(*reduce_sum(odd, Over::global, options).data<std::uint64_t>() ==
              static_cast<std::uint64_t>(std::accumulate(ramp.begin(), ramp.end(), 0)));
      REQUIRE(*min_max(odd, Over::global, options).max.data<std::uint8_t>() ==
              *std::max_element(ramp.begin(), ramp.end()));
    });
    with_every_candidate("hflip", [&](const Options &options) {
      const Image out = hflip(odd, options);
      REQUIRE(std::memcmp(out.data<std::uint8_t>(), flipped.data<std::uint8_t>(), 20) == 0);
    });
  }
}

TEST_CASE("NRM-03: a NaN reaches minimum and maximum wherever it sits") {
  for (const std::int64_t channels : {1, 3}) {
    const std::size_t n = 40 * static_cast<std::size_t>(channels);
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      constexpr std::array<float, 4> kRepeated{0, 1, std::numeric_limits<float>::quiet_NaN(), 4};
      values[i] = kRepeated[i / static_cast<std::size_t>(channels) % 4];
    }
    const auto all_nan = [](const Image &image) {
      const auto *data = image.data<float>();
      return std::all_of(data, data + image.view().elements(), [](float x) { return x != x; });
    };
    const auto check = [&](const std::vector<float> &of, bool per_channel) {
      const ConstView image = hwc(of.data(), 1, 40, channels);
      with_every_candidate("min_max/global", [&](const Options &options) {
        const Over over = per_channel ? Over::per_channel : Over::global;
        const MinMax range = min_max(image, over, options);
        REQUIRE(all_nan(range.min));
        REQUIRE(all_nan(range.max));
      });
    };
    check(values, false);
    check(values, true);
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) { // one alone
      std::vector<float> one(n, 1);
      one[at] = std::numeric_limits<float>::quiet_NaN();
      check(one, channels == 1);
    }
  }
}

TEST_CASE("GEO-15: an image of more than 2 GiB is flipped") {
  constexpr std::int64_t kSide = 26760;
  const Image image({1, kSide, kSide, 3}, Dtype::u8);
  auto *pixels = image.data<std::uint8_t>();
  const std::array<std::uint8_t, 24> pattern{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3,
                                             1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
  for (std::int64_t i = 0; i < kSide * kSide * 3; i += 24) {
    std::memcpy(pixels + i, pattern.data(),
                static_cast<std::size_t>(std::min<std::int64_t>(24, kSide * kSide * 3 - i)));
  }
  const View &view = image.view();
  std::memset(view.at(0, 0, 0, 0), 9, 3);
  std::memset(view.at(0, kSide - 1, kSide - 1, 0), 7, 3);
  for (const int threads : {1, 8}) {
    Options options;
    options.threads = threads;
    Image out = hflip(image, options);
    CHECK(*out.view().at(0, 0, kSide - 1, 1) == std::byte{9});
    CHECK(*out.view().at(0, kSide - 1, 0, 1) == std::byte{7});
    CHECK(*out.view().at(0, 0, 0, 1) == std::byte{2});
    CHECK(*out.view().at(0, kSide / 2, kSide / 3, 2) == std::byte{3});
    vflip(image, out, options);
    CHECK(*out.view().at(0, kSide - 1, 0, 1) == std::byte{9});
    CHECK(*out.view().at(0, 0, kSide - 1, 1) == std::byte{7});
    CHECK(*out.view().at(0, 0, 0, 1) == std::byte{2});
    CHECK(*out.view().at(0, kSide / 2, kSide / 3, 2) == std::byte{3});
  }
}

TEST_CASE("GEO-19: a flip uses the height and width of an image that is not square") {
  const std::array<float, 6> in{1, 1, 1, 1, 0, 2};
  const std::array<float, 6> in_columns{1, 1, 1, 0, 1, 2};
  // One image, channels in planes of their own, a batch, and an image whose columns are dense.
  const std::array<float, 12> twice{1, 1, 1, 1, 0, 2, 1, 1, 1, 1, 0, 2};
  const ConstView plain = hwc(in.data(), 2, 3, 1);
  const ConstView planar = strided(twice.data(), {1, 2, 3, 2}, {0, 12, 4, 24});
  const ConstView batch = xhwc(twice.data(), 2, 2, 3, 1);
  const ConstView columns = strided(in_columns.data(), {1, 2, 3, 1}, {0, 4, 8, 4});
  struct Flip {
    std::string_view variant;
    Image (*run)(const ConstView &image, const Options &options);
    std::array<float, 6> expected;
  };
  const std::array<Flip, 3> flips{{
      {"hflip",
       [](const ConstView &image, const Options &o) { return hflip(image, o); },
       {1, 1, 1, 2, 0, 1}},
      {"vflip",
       [](const ConstView &image, const Options &o) { return vflip(image, o); },
       {1, 0, 2, 1, 1, 1}},
      {"rot90",
       [](const ConstView &image, const Options &o) { return rot90(image, 2, o); },
       {2, 0, 1, 1, 1, 1}},
  }};
  for (const Flip &flip : flips) {
    for (const ConstView &image : {plain, planar, batch, columns}) {
      with_every_candidate(flip.variant, [&](const Options &options) {
        const Image out = flip.run(image, options);
        REQUIRE(out.view().shape == image.shape);
        for (std::int64_t i = 0; i < image.elements(); ++i) {
          const std::int64_t pixel = i / image.channels() % 6; // both planes and items are alike
          REQUIRE(out.data<float>()[i] == flip.expected[static_cast<std::size_t>(pixel)]);
        }
      });
    }
  }
  const Image both = hflip(vflip(plain));
  REQUIRE(both.view().shape == plain.shape);
  CHECK(std::equal(flips[2].expected.begin(), flips[2].expected.end(), both.data<float>()));
}

TEST_CASE("ISA-02: strides that are no multiple of the element, from an odd address") {
  std::vector<std::byte> records(6 * 7 * 5 + 16);
  std::vector<float> compact;
  std::byte *base = records.data() + 1;
  for (int i = 0; i < 42; ++i) {
    compact.push_back(static_cast<float>(i) * 0.37F - 3.0F);
    std::memcpy(base + 5 * i, &compact.back(), 4);
  }
  const ConstView view{base, {1, 6, 7, 1}, {0, 35, 5, 1}, Dtype::f32, 3};
  const ConstView dense = hwc(std::as_const(compact).data(), 6, 7, 1);
  const Image expected = multiply_add(dense, 2, 0.5);
  CHECK(with_every_candidate("multiply_add/scalar", [&](const Options &options) {
          const Image out = multiply_add(view, 2, 0.5, options);
          for (int i = 0; i < 42; ++i) {
            REQUIRE(out.data<float>()[i] == Approx(expected.data<float>()[i]).epsilon(1e-6));
          }
        }) >= 2);
  CHECK(mean_std_of(view, Over::global)[0] == Approx(mean_std_of(dense, Over::global)[0]));
  const std::array<std::pair<std::string_view, Image (*)(const ConstView &, const Options &)>, 4>
      moves{{{"hflip", [](const ConstView &v, const Options &o) { return hflip(v, o); }},
             {"vflip", [](const ConstView &v, const Options &o) { return vflip(v, o); }},
             {"transpose", [](const ConstView &v, const Options &o) { return transpose(v, o); }},
             {"rot90", [](const ConstView &v, const Options &o) { return rot90(v, 1, o); }}}};
  for (const auto &move : moves) {
    const Image moved = move.second(dense, {});
    CHECK(with_every_candidate(move.first, [&](const Options &options) {
            const Image out = move.second(view, options);
            REQUIRE(out.view().shape == moved.view().shape);
            REQUIRE(std::equal(moved.data<float>(), moved.data<float>() + 42, out.data<float>()));
          }) >= 2);
  }
  const ConstView turned = strided(std::as_const(compact).data(), {1, 7, 6, 1}, {0, 4, 28, 4}, 3);
  const Image product = matmul(turned, dense);
  CHECK(with_every_candidate("matmul", [&](const Options &options) {
          const Image out = matmul(turned, view, options);
          for (int i = 0; i < 49; ++i) {
            REQUIRE(out.data<float>()[i] == Approx(product.data<float>()[i]).epsilon(1e-5));
          }
        }) >= 2);
  const Image distances = pairwise_distances_squared(dense, dense);
  CHECK(with_every_candidate("pairwise_distances_squared", [&](const Options &options) {
          const Image out = pairwise_distances_squared(view, dense, options);
          for (int i = 0; i < 36; ++i) {
            REQUIRE(out.data<float>()[i] == Approx(distances.data<float>()[i]).epsilon(1e-5));
          }
        }) >= 2);
}

TEST_CASE("ISA-04: ranks and channels of length 1 stay") {
  for (const Extents &shape : {Extents{1, 5, 7, 1}, Extents{3, 5, 7, 1}, Extents{1, 1, 7, 1},
                               Extents{1, 5, 1, 1}, Extents{1, 1, 1, 1}}) {
    std::vector<std::uint8_t> memory(static_cast<std::size_t>(element_count(shape)));
    for (std::size_t i = 0; i < memory.size(); ++i) {
      memory[i] = static_cast<std::uint8_t>(i);
    }
    const std::uint8_t rank = shape[kX] > 1 ? 4 : 3;
    const ConstView image =
        strided(std::as_const(memory).data(), shape, contiguous_strides(shape, 1), rank);
    for (const std::string_view variant : {"multiply_add/scalar", "hflip", "add_weighted"}) {
      with_every_candidate(variant, [&](const Options &options) {
        const Image out = variant == "hflip"          ? hflip(image, options)
                          : variant == "add_weighted" ? add_weighted(image, 1, image, 0, options)
                                                      : multiply_add(image, 1, 0, options);
        REQUIRE(out.view().shape == shape);
        REQUIRE(out.view().rank == rank);
        if (variant != "hflip") {
          REQUIRE(std::equal(memory.begin(), memory.end(), out.data<std::uint8_t>()));
        }
      });
    }
  }
}

namespace {

// Images and results for callers at once: the same bits are asked for, whoever calls and with
// whatever budget.
class Workload {
public:
  explicit Workload(std::int64_t side) : ramp_(static_cast<std::size_t>(side * side * 3)) {
    for (std::size_t i = 0; i < ramp_.size(); ++i) {
      ramp_[i] = static_cast<float>(i % 1001) / 1001.0F;
    }
    image_ = hwc(std::as_const(ramp_).data(), side, side, 3);
    // Bitwise, since thread budgets may route to candidates that differ within the tolerance.
    exact_.exactness = Exactness::bitwise;
    blended_ = add_weighted(image_, 0.7, image_, 0.3, exact_);
    scaled_ = multiply_add(image_, 1.1, 3, exact_);
    statistics_ = mean_std_of(image_, Over::global, exact_);
  }

  // How many of the results of one turn on up to `threads` threads are wrong.
  [[nodiscard]] int wrong(int threads) const {
    Options options = exact_;
    options.threads = threads;
    int wrong = differs(add_weighted(image_, 0.7, image_, 0.3, options), blended_);
    wrong += differs(multiply_add(image_, 1.1, 3, options), scaled_);
    return wrong + (mean_std_of(image_, Over::global, options) != statistics_ ? 1 : 0);
  }
  // The same for every bitwise candidate: all of the libraries' thread pools take part.
  [[nodiscard]] int wrong_of_any_candidate(int threads) const {
    int wrong = 0;
    for (const std::string_view candidate : candidates_of("multiply_add/scalar")) {
      Options options = exact_;
      options.threads = threads;
      options.candidate = candidate;
      try {
        wrong += differs(multiply_add(image_, 1.1, 3, options), scaled_);
      } catch (const Error &) { // not bitwise
      }
    }
    for (const std::string_view candidate : candidates_of("mean_std/global")) {
      Options options;
      options.threads = threads;
      options.candidate = candidate;
      const double mean = mean_std_of(image_, Over::global, options)[0];
      wrong += std::fabs(mean - statistics_[0]) <= 1e-6 ? 0 : 1;
    }
    return wrong;
  }

private:
  [[nodiscard]] int differs(const Image &a, const Image &b) const {
    return std::memcmp(a.data<float>(), b.data<float>(), ramp_.size() * 4) != 0 ? 1 : 0;
  }

  std::vector<float> ramp_;
  ConstView image_;
  Options exact_;
  Image blended_;
  Image scaled_;
  std::array<double, 2> statistics_{};
};

// Runs `body` on `count` threads at once; returns the sum of what it returns.
template <class Body> int sum_of_callers(int count, Body &&body) {
  std::vector<int> results(static_cast<std::size_t>(count));
  std::vector<std::thread> callers;
  for (int &result : results) {
    callers.emplace_back([&] { result = body(); });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
  return std::accumulate(results.begin(), results.end(), 0);
}

// An OpenMP runtime, reached by the entry point that g++ compiles parallel regions to.
class OpenMp {
public:
  explicit OpenMp(const char *library) : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ != nullptr) {
      parallel_ = reinterpret_cast<Parallel *>(::dlsym(library_, "GOMP_parallel"));
    }
  }
  [[nodiscard]] bool available() const { return parallel_ != nullptr; }
  // Calls `body` on `threads` threads of the runtime's.
  void parallel(unsigned threads, const std::function<void()> &body) const {
    parallel_([](void *data) { (*static_cast<const std::function<void()> *>(data))(); },
              const_cast<void *>(static_cast<const void *>(&body)), threads, 0);
  }

private:
  using Parallel = void(void (*)(void *), void *, unsigned, unsigned);
  void *library_; // stays loaded: its threads live on
  Parallel *parallel_ = nullptr;
};

// Threads of this process, by the kernel's count; 0 where it does not tell.
std::ptrdiff_t live_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 0 : std::distance(begin(tasks), end(tasks));
}

} // namespace

TEST_CASE("THR-02: several callers at once get the same results from one bounded pool") {
  const Workload work(512);
  const std::ptrdiff_t before = live_threads();
  std::ptrdiff_t most = 0;
  constexpr int kCallers = 8;
  for (const int cap : {1, 2, 4}) {
    std::atomic<std::ptrdiff_t> seen = 0;
    CHECK(sum_of_callers(kCallers, [&] {
            int wrong = 0;
            for (int i = 0; i < 10; ++i) {
              wrong += work.wrong(cap);
              seen = std::max<std::ptrdiff_t>(seen, live_threads());
            }
            return wrong;
          }) == 0);
    most = std::max<std::ptrdiff_t>(most, seen);
  }
  // Callers and one pool of at most a thread per core, however many calls divide themselves.
  const auto cores = static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency());
  CHECK(most <= before + kCallers + cores);
}

TEST_CASE("THR-02: calls from inside a parallel region of OpenMP get the same results") {
#if defined(__SANITIZE_THREAD__)
  WARN("1 test skipped: ThreadSanitizer does not see how threads of OpenMP meet");
  return;
#endif
  const Workload work(256);
  const OpenMp gnu("libgomp.so.1");
  if (!gnu.available()) {
    WARN("1 test skipped: libgomp is not installed");
    return;
  }
  for (const int cap : {1, 2, 4}) {
    std::atomic<int> wrong = 0;
    gnu.parallel(4, [&] { wrong += work.wrong(cap) + work.wrong_of_any_candidate(cap); });
    CHECK(wrong == 0);
  }
}

TEST_CASE("THR-04: thread settings of the libraries are as the host left them") {
  const auto settings = [] {
    std::vector<std::string> all;
    for (const BackendInfo &backend : candidates::backends()) {
      all.emplace_back(backend.threads != nullptr ? backend.threads() : "");
    }
    return all;
  };
  const std::vector<std::string> before = settings();
  std::vector<std::uint8_t> ramp = ramp_u8(512, 512, 3);
  const ConstView image = hwc(std::as_const(ramp).data(), 512, 512, 3);
  const auto call_all = [&] {
    for (const std::string_view candidate : candidates_of("multiply_add/scalar")) {
      Options options;
      options.candidate = candidate;
      for (const int threads : {1, 2}) {
        options.threads = threads;
        try {
          (void)multiply_add(image, 1.1, 3, options);
        } catch (const Error &) { // refused
        }
      }
    }
    return 0;
  };
  call_all();
  CHECK(settings() == before);
  // Two at once must not restore each other's temporary values.
  for (int i = 0; i < 5; ++i) {
    sum_of_callers(2, call_all);
    CHECK(settings() == before);
  }
}

TEST_CASE("THR-06: threads of two OpenMP runtimes get the same results as anyone") {
#if defined(__SANITIZE_ADDRESS__)
  WARN("1 test skipped: LeakSanitizer does not survive the threads of a second OpenMP runtime");
  return;
#elif defined(__SANITIZE_THREAD__)
  WARN("1 test skipped: ThreadSanitizer does not see how threads of OpenMP meet");
  return;
#endif
  const Workload work(256);
  const OpenMp gnu("libgomp.so.1");
  const OpenMp llvm("libomp.so.5");
  if (!gnu.available() || !llvm.available()) {
    WARN("1 test skipped: libgomp and libomp are not both installed");
    return;
  }
  std::atomic<int> wrong = 0;
  std::atomic<int> turns = 0;
  const auto turn = [&] {
    wrong += work.wrong(3) + work.wrong_of_any_candidate(2);
    ++turns;
  };
  for (int i = 0; i < 10; ++i) {
    llvm.parallel(4, turn);
    // A region of one runtime inside a region of the other: neither knows of it.
    llvm.parallel(2, [&] { gnu.parallel(2, turn); });
    gnu.parallel(2, [&] { llvm.parallel(2, turn); });
  }
  CHECK(turns >= 100);
  CHECK(wrong == 0);
}
