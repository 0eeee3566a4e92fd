// Statistics through the public functions: forms and shapes, equal bits whatever the layout and the
// axes' names, NaN and zeros, empty images, errors. Every candidate that takes a call is asked.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/registry.hpp"
#include "switchyard/switchyard.hpp"
#include "tests/support/every_candidate.hpp"

using namespace switchyard;

using switchyard::test::with_every_candidate;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Own code whose bits are those of the reference.
const std::array<std::string_view, 2> kBitwise{"fused", "loop"};

std::vector<float> noise(std::size_t n) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal(100, 20);
  std::vector<float> values(n);
  std::generate(values.begin(), values.end(), [&] { return normal(random); });
  return values;
}

std::vector<std::uint8_t> bytes(std::size_t n) {
  std::mt19937 random(12);
  std::vector<std::uint8_t> values(n);
  std::generate(values.begin(), values.end(),
                [&] { return static_cast<std::uint8_t>(random() >> 24); });
  return values;
}

template <class T> std::vector<T> numbers(const Image &image) {
  const T *data = image.data<T>();
  return {data, data + image.view().elements()};
}

struct All {
  std::vector<double> sum, mean, std, mean_of_both, std_of_both;
  std::vector<float> min, max;
  bool operator==(const All &) const = default;
};

All all_of(const ConstView &image, const Reduction &over, const Options &options) {
  MeanStd both = mean_std(image, over, 1e-4, options);
  const MinMax range = min_max(image, over, options);
  return {numbers<double>(reduce_sum(image, over, options)),
          numbers<double>(mean(image, over, options)),
          numbers<double>(switchyard::std(image, over, 1e-4, options)),
          numbers<double>(both.mean),
          numbers<double>(both.std),
          numbers<float>(range.min),
          numbers<float>(range.max)};
}

// Memory with the image at the strides of another order of axes, and gaps.
struct Elsewhere {
  std::vector<float> memory;
  ConstView view;

  Elsewhere(const ConstView &image, const Extents &strides, std::int64_t first)
      : memory(static_cast<std::size_t>(1) << 21, kNan) {
    const View to = strided(memory.data() + first, image.shape, strides, image.rank);
    for (std::int64_t x = 0; x < image.shape[kX]; ++x) {
      for (std::int64_t h = 0; h < image.shape[kH]; ++h) {
        for (std::int64_t w = 0; w < image.shape[kW]; ++w) {
          for (std::int64_t c = 0; c < image.shape[kC]; ++c) {
            std::memcpy(to.at(x, h, w, c), image.at(x, h, w, c), sizeof(float));
          }
        }
      }
    }
    view = to;
  }
};

} // namespace

TEST_CASE("results have the shape that remains, at the end or where it was") {
  const std::vector<std::uint8_t> values = bytes(2 * 3 * 4 * 5);
  const ConstView batch = xhwc(values.data(), 2, 3, 4, 5);
  const ConstView image = hwc(values.data(), 3, 4, 5);
  const auto shape = [](const ConstView &of, const Reduction &over) {
    return reduce_sum(of, over).view().shape;
  };
  CHECK(shape(batch, Over::global) == Extents{1, 1, 1, 1});
  CHECK(shape(batch, Over::per_channel) == Extents{1, 1, 1, 5});
  CHECK(shape(batch, Over::per_item) == Extents{1, 1, 1, 2});
  CHECK(shape(batch, keepdims(Over::per_item)) == Extents{2, 1, 1, 1});
  CHECK(shape(batch, Axes{kC}) == Extents{1, 2, 3, 4});
  CHECK(shape(batch, Axes{kH, kW}) == Extents{1, 1, 2, 5});
  CHECK(shape(batch, keepdims(Axes{kH, kW})) == Extents{2, 1, 1, 5});
  CHECK(shape(batch, Axes{}) == batch.shape);
  CHECK(shape(image, Axes{kC}) == Extents{1, 1, 3, 4});
  CHECK(shape(image, keepdims(Axes{kC})) == Extents{1, 3, 4, 1});
  CHECK(shape(image, Axes{kX, kH}) == Extents{1, 1, 4, 5});
  CHECK(reduce_sum(batch, keepdims(Axes{kC})).view().rank == 4);
  CHECK(reduce_sum(batch, Axes{kC}).view().rank == 3);
}

TEST_CASE("a set of axes is served by the form that it amounts to") {
  const std::vector<std::uint8_t> values = bytes(2 * 3 * 4 * 5);
  const auto variant = [&](const ConstView &image, const Reduction &over) {
    (void)mean(image, over);
    return last_route().variant;
  };
  const ConstView batch = xhwc(values.data(), 2, 3, 4, 5);
  const ConstView image = hwc(values.data(), 3, 4, 5);
  CHECK(variant(batch, Axes{kX, kH, kW, kC}) == "mean/global");
  CHECK(variant(batch, Axes{kX, kH, kW}) == "mean/per_channel");
  CHECK(variant(batch, Axes{kH, kW, kC}) == "mean/per_item");
  CHECK(variant(batch, Axes{kH, kW}) == "mean/axes");
  CHECK(variant(image, Axes{kH, kW}) == "mean/per_channel");
  CHECK(variant(image, Axes{kH, kW, kC}) == "mean/global");
  CHECK(variant(image, Axes{kC}) == "mean/axes"); // the channels' axis is not each channel
  CHECK(variant(hwc(values.data(), 6, 20, 1), Axes{kH, kW}) == "mean/global");
}

TEST_CASE("any axes give what the slices that they leave give one by one, bit for bit") {
  const std::vector<float> values = noise(3 * 70 * 45 * 5);
  const ConstView image = xhwc(values.data(), 3, 70, 45, 5);
  for (unsigned mask = 1; mask < 16; ++mask) {
    const auto reduces = [mask](Axis axis) { return (mask >> axis & 1) != 0; };
    Axes axes{};
    for (const Axis axis : {kX, kH, kW, kC}) {
      if (reduces(axis)) {
        axes.add(axis);
      }
    }
    REQUIRE(axes.mask() == mask);
    for (const std::string_view candidate : kBitwise) {
      Options options;
      options.candidate = candidate;
      const All whole = all_of(image, keepdims(axes), options);
      std::mt19937 random(mask);
      Extents shape = keepdims(Reduction(axes)).result_shape(image.shape);
      for (int sample = 0; sample < 20; ++sample) {
        ConstView slice_of = image;
        std::int64_t result = 0;
        for (const Axis axis : {kX, kH, kW, kC}) {
          const auto at = static_cast<std::int64_t>(random()) % shape[axis];
          result = result * shape[axis] + at;
          if (!reduces(axis)) {
            slice_of = slice(slice_of, axis, at, at + 1);
          }
        }
        const auto i = static_cast<std::size_t>(result);
        const All alone = all_of(slice_of, Over::global, options);
        INFO("axes " << mask << ", result " << i << ", " << std::string(candidate));
        REQUIRE(whole.sum[i] == alone.sum[0]);
        REQUIRE(whole.mean[i] == alone.mean[0]);
        REQUIRE(whole.std[i] == alone.std[0]);
        REQUIRE(whole.min[i] == alone.min[0]);
        REQUIRE(whole.max[i] == alone.max[0]);
      }
      REQUIRE(whole.mean == whole.mean_of_both);
      REQUIRE(whole.std == whole.std_of_both);
    }
  }
}

TEST_CASE("bits of f32 statistics do not depend on layout, SIMD target or candidate") {
  const std::vector<float> values = noise(2 * 40 * 60 * 5);
  const ConstView image = xhwc(values.data(), 2, 40, 60, 5);
  const std::array<Elsewhere, 4> layouts{{
      {image, {4 * 400000, 4 * 330, 4 * 5, 4}, 0},                   // crop
      {image, {4 * 400000, 4 * 60, 4, 4 * 2400}, 3},                 // planar
      {image, {4 * 400000, 4 * 60 * 7, 4 * 7, 4}, 0},                // five of seven channels
      {image, {-4 * 400000, -4 * 60 * 15, 4 * 15, -4 * 2}, 1000000}, // backwards, apart
  }};
  for (const Reduction &over :
       {Reduction(Over::global), Reduction(Over::per_channel), Reduction(Over::per_item),
        Reduction(Axes{kH}), Reduction(Axes{kC}), Reduction(Axes{kX, kW})}) {
    Options by_loop;
    by_loop.candidate = "loop";
    const All expected = all_of(image, over, by_loop);
    conformance::for_each_simd_target([&](const std::string &target) {
      INFO(target);
      for (const std::string_view candidate : kBitwise) {
        Options options;
        options.candidate = candidate;
        REQUIRE(all_of(image, over, options) == expected);
        for (const Elsewhere &layout : layouts) {
          REQUIRE(all_of(layout.view, over, options) == expected);
        }
      }
    });
  }
}

TEST_CASE("results side by side have the bits of each alone, however many fill a vector") {
  // Memory ends with the image, so that a sanitizer sees a vector that reaches beyond it.
  const auto check = [](const auto &values, std::int64_t rows, std::int64_t columns,
                        std::int64_t apart) {
    const auto size = static_cast<std::int64_t>(sizeof(values[0]));
    const ConstView image = strided(values.data(), {1, rows, columns, 1},
                                    {0, size * apart * columns, size * apart, size});
    const auto both = [&](std::string_view candidate) {
      Options options;
      options.candidate = candidate;
      const MeanStd moments = mean_std(image, Axes{kH}, 0, options);
      const MinMax range = min_max(image, Axes{kH}, options);
      std::vector<double> results = numbers<double>(moments.mean);
      for (const Image *more : {&moments.std, &range.min, &range.max}) {
        const auto *data = static_cast<const std::byte *>(more->view().data);
        for (std::int64_t i = 0; i < columns; ++i) {
          results.push_back(more->view().dtype == Dtype::f64
                                ? reinterpret_cast<const double *>(data)[i]
                            : more->view().dtype == Dtype::f32
                                ? static_cast<double>(reinterpret_cast<const float *>(data)[i])
                                : static_cast<double>(data[i]));
        }
      }
      return results;
    };
    INFO(rows << " rows of " << columns << ", " << apart << " apart");
    REQUIRE(both("fused") == both("loop"));
  };
  conformance::for_each_simd_target([&](const std::string &target) {
    INFO(target);
    for (const std::int64_t rows : {1, 5, 37, 300, 600}) {
      for (const std::int64_t columns : {1, 2, 3, 5, 15, 17, 31, 33, 53, 63, 65, 100, 159}) {
        for (const std::int64_t apart : {1, 2, 3, 4, 5}) {
          const auto n = static_cast<std::size_t>((rows * columns - 1) * apart + 1);
          const std::vector<std::uint8_t> of_u8 = bytes(n);
          const std::vector<float> of_f32 = noise(n);
          check(of_u8, rows, columns, apart);
          check(of_f32, rows, columns, apart);
        }
      }
    }
  });
}

TEST_CASE("many channels: sums, moments and ranges of each") {
  for (const std::int64_t channels : {96, 513, 4096}) {
    const std::int64_t pixels = 37;
    const auto values = bytes(static_cast<std::size_t>(pixels * channels));
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(channels), 0);
    std::vector<std::uint8_t> most(sums.size(), 0);
    std::vector<float> floats(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i % sums.size()] += values[i];
      most[i % sums.size()] = std::max(most[i % sums.size()], values[i]);
    }
    const ConstView image = hwc(values.data(), 1, pixels, channels);
    const ConstView as_f32 = hwc(std::as_const(floats).data(), 1, pixels, channels);
    const int ran = with_every_candidate("reduce_sum/per_channel", [&](const Options &options) {
      REQUIRE(numbers<std::uint64_t>(reduce_sum(image, Over::per_channel, options)) == sums);
      REQUIRE(numbers<std::uint8_t>(min_max(image, Over::per_channel, options).max) == most);
      const MeanStd of_u8 = mean_std(image, Over::per_channel, 0, options);
      const MeanStd of_f32 = mean_std(as_f32, Over::per_channel, 0, options);
      for (std::size_t c = 0; c < sums.size(); ++c) {
        REQUIRE(of_u8.mean.data<double>()[c] == Approx(static_cast<double>(sums[c]) / 37));
        REQUIRE(of_f32.mean.data<double>()[c] == Approx(of_u8.mean.data<double>()[c]));
        REQUIRE(of_f32.std.data<double>()[c] == Approx(of_u8.std.data<double>()[c]));
      }
    });
    CHECK(ran >= 2);
  }
}

TEST_CASE("a NaN anywhere makes its range NaN, and no other") {
  for (const std::int64_t channels : {1, 3, 70}) {
    for (const std::int64_t pixels : {1, 2, 7, 8, 33, 100, 3000}) {
      const auto n = static_cast<std::size_t>(pixels * channels);
      for (const std::size_t at : {std::size_t{0}, n / 3, n / 2, n - 1}) {
        for (const float nan : {kNan, -kNan}) {
          std::vector<float> values = noise(n);
          values[at] = nan;
          const ConstView image = hwc(std::as_const(values).data(), 1, pixels, channels);
          const auto bad = at % static_cast<std::size_t>(channels);
          const int ran = with_every_candidate("min_max/per_channel", [&](const Options &options) {
            const MinMax each = min_max(image, Over::per_channel, options);
            for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
              REQUIRE(std::isnan(each.min.data<float>()[c]) == (c == bad));
              REQUIRE(std::isnan(each.max.data<float>()[c]) == (c == bad));
            }
            const MinMax whole = min_max(image, Over::global, options);
            REQUIRE(std::isnan(*whole.min.data<float>()));
            REQUIRE(std::isnan(*whole.max.data<float>()));
          });
          REQUIRE(ran >= 2);
        }
      }
    }
  }
}

TEST_CASE("infinities are values, and −0 lies below +0 in every order") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> wide{1, -kInf, 3, kInf, 0};
  with_every_candidate("min_max/global", [&](const Options &options) {
    const MinMax range = min_max(hwc(wide.data(), 1, 5, 1), Over::global, options);
    REQUIRE(*range.min.data<float>() == -kInf);
    REQUIRE(*range.max.data<float>() == kInf);
  });
  for (const std::size_t at : {0U, 17U, 39U}) {
    std::vector<float> zeros(40, 0.0F);
    zeros[at] = -0.0F;
    for (const std::string_view candidate : kBitwise) {
      Options options;
      options.candidate = candidate;
      const MinMax range = min_max(hwc(zeros.data(), 1, 40, 1), Over::global, options);
      CHECK(std::signbit(*range.min.data<float>()));
      CHECK(!std::signbit(*range.max.data<float>()));
    }
  }
}

TEST_CASE("the sum of nothing is 0, as often as there are results") {
  const float unused = 0;
  for (const auto &[shape, over, count] :
       {std::tuple{Extents{1, 0, 5, 3}, Reduction(Over::per_channel), 3},
        std::tuple{Extents{1, 0, 5, 3}, Reduction(Over::global), 1},
        std::tuple{Extents{2, 4, 5, 0}, Reduction(Over::per_item), 2},
        std::tuple{Extents{2, 4, 5, 0}, Reduction(Axes{kC}), 40},
        std::tuple{Extents{2, 4, 5, 0}, Reduction(Over::per_channel), 0}}) {
    for (const std::string_view candidate : candidates_of("reduce_sum/global")) {
      Options options;
      options.candidate = candidate;
      const ConstView image = strided(&unused, shape, {0, 0, 0, 0});
      const Image sums = reduce_sum(image, over, options);
      REQUIRE(sums.view().elements() == count);
      for (const double sum : numbers<double>(sums)) {
        REQUIRE(std::bit_cast<std::uint64_t>(sum) == 0);
      }
    }
  }
}

TEST_CASE("the statistics of nothing, and results of the wrong kind, are errors") {
  std::vector<float> values(24, 1);
  const View image = hwc(values.data(), 2, 3, 4);
  const ConstView nothing = hwc(std::as_const(values).data(), 0, 3, 4);
  std::vector<double> out(24);
  const View one = hwc(out.data(), 1, 1, 1);
  CHECK_THROWS_WITH(mean(nothing, Over::global), Catch::Contains("an empty image"));
  CHECK_THROWS_WITH(switchyard::std(nothing, Axes{kC}), Catch::Contains("an empty image"));
  CHECK_THROWS_WITH(min_max(nothing, Over::per_channel), Catch::Contains("an empty image"));
  CHECK_THROWS_WITH(mean(image, hwc(out.data(), 1, 1, 3), Over::per_channel),
                    Catch::Contains("1x1x1x3") && Catch::Contains("1x1x1x4"));
  CHECK_THROWS_WITH(reduce_sum(image, hwc(values.data(), 1, 1, 1), Over::global),
                    Catch::Contains("dtype f32") && Catch::Contains("f64"));
  CHECK_THROWS_WITH(min_max(image, one, one, Over::global), Catch::Contains("dtype f64"));
  const View inside = hwc(values.data(), 1, 1, 1);
  CHECK_THROWS_WITH(min_max(image, inside, hwc(values.data() + 1, 1, 1, 1), Over::global),
                    Catch::Contains("memory that overlaps image"));
  std::vector<float> range(4);
  const View both = hwc(range.data(), 1, 1, 4);
  CHECK_THROWS_WITH(min_max(image, both, both, Over::per_channel),
                    Catch::Contains("memory that overlaps min"));
  std::vector<std::uint16_t> words(24);
  CHECK_THROWS_WITH(mean(hwc(words.data(), 2, 3, 4), Over::global), Catch::Contains("dtype u16"));
}

TEST_CASE("results go where the view says, whatever its strides") {
  std::vector<float> values(2 * 3 * 4);
  std::iota(values.begin(), values.end(), 0.0F);
  const ConstView image = hwc(std::as_const(values).data(), 2, 3, 4);
  with_every_candidate("mean/axes", [&](const Options &options) {
    std::vector<double> memory(24, -1);
    // Results of Axes{kC}, 1 × 1 × 2 × 3, from the end backwards, every second element.
    const View out = strided(memory.data() + 22, {1, 1, 2, 3}, {0, 0, -8 * 8, -8 * 2}, 3);
    mean(image, out, Axes{kC}, options);
    for (int h = 0; h < 2; ++h) {
      for (int w = 0; w < 3; ++w) {
        REQUIRE(memory[static_cast<std::size_t>(22 - 8 * h - 2 * w)] == 1.5 + 4 * (3 * h + w));
      }
    }
    REQUIRE(std::count(memory.begin(), memory.end(), -1.0) == 18);
    unchecked::mean(image, out, Axes{kC}, options);
    REQUIRE(memory[22] == 1.5);
  });
}
