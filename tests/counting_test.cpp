// histogram and bincount beyond what their contracts' problems state: errors, limits, layouts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

template <class T> std::vector<T> values_of(const Image &image) {
  const auto *data = image.data<T>();
  return {data, data + image.view().elements()};
}
using Counts = std::vector<std::uint64_t>;

// Calls each(options) for the routed call and for every candidate that takes it, own code on every
// SIMD target; returns how many candidates did.
template <class Each> int with_every_candidate(std::string_view variant, Each &&each) {
  each(Options{});
  int taken = 0;
  for (const std::string_view candidate : candidates_of(variant)) {
    bool took = true;
    conformance::for_each_simd_target([&](const std::string &target) {
      INFO(std::string(candidate) << " " << target);
      Options options;
      options.candidate = candidate;
      try {
        each(options);
      } catch (const Error &error) {
        REQUIRE(error.argument() == "candidate"); // refused, not wrong
        took = false;
      }
    });
    taken += took ? 1 : 0;
  }
  return taken;
}

std::vector<std::uint8_t> random_bytes(std::size_t n, unsigned most = 255) {
  std::mt19937 random(7);
  std::vector<std::uint8_t> bytes(n);
  for (std::uint8_t &byte : bytes) {
    byte = static_cast<std::uint8_t>((random() >> 8) % (most + 1));
  }
  return bytes;
}

// ---- histogram
// -----------------------------------------------------------------------------------

TEST_CASE("a histogram counts every byte once, for any number of channels") {
  for (const std::int64_t channels : {1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 130, 4096}) {
    const auto bytes = random_bytes(static_cast<std::size_t>(3 * 5 * channels));
    const ConstView image = hwc(bytes.data(), 3, 5, channels);
    Counts together(256);
    Counts apart(static_cast<std::size_t>(256 * channels));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      ++together[bytes[i]];
      ++apart[bytes[i] * static_cast<std::size_t>(channels) +
              i % static_cast<std::size_t>(channels)];
    }
    CHECK(with_every_candidate("histogram/together", [&](const Options &options) {
            const Counts counts = values_of<std::uint64_t>(histogram(image, Over::global, options));
            CHECK(counts == together);
          }) >= 2);
    CHECK(with_every_candidate("histogram/per_channel", [&](const Options &options) {
            const Counts counts =
                values_of<std::uint64_t>(histogram(image, Over::per_channel, options));
            CHECK(counts == apart);
          }) >= 2);
  }
}

TEST_CASE("planes, flips, transposed and repeated rows are counted where they lie") {
  const auto bytes = random_bytes(40 * 50 * 3);
  const ConstView whole = hwc(bytes.data(), 40, 50, 3);
  const ConstView turned = strided(bytes.data(), {1, 50, 40, 3}, {0, 3, 150, 1}, 3);
  CHECK(values_of<std::uint64_t>(histogram(turned, Over::per_channel)) ==
        values_of<std::uint64_t>(histogram(whole, Over::per_channel)));
  CHECK(values_of<std::uint64_t>(histogram(reversed(reversed(whole, kW), kC), Over::global)) ==
        values_of<std::uint64_t>(histogram(whole, Over::global)));
  const Counts apart = values_of<std::uint64_t>(histogram(whole, Over::per_channel));
  const Counts plane = values_of<std::uint64_t>(histogram(channel(whole, 1), Over::global));
  for (std::size_t level = 0; level < 256; ++level) {
    CHECK(plane[level] == apart[3 * level + 1]);
  }
  // 10^9 times one byte, in one cell of memory: more than a table's counters take at once.
  const std::uint8_t one = 9;
  const ConstView repeated = strided(&one, {1, 20000, 50000, 1}, {0, 0, 0, 0}, 3);
  Options fused;
  fused.candidate = "fused";
  CHECK(histogram(repeated, Over::global, fused).data<std::uint64_t>()[9] == 1000000000);
}

TEST_CASE("a mask of any value but 0 counts the pixel in all its channels") {
  const auto bytes = random_bytes(31 * 17 * 5);
  auto mask = random_bytes(31 * 17, 2);
  Counts expected(256 * 5);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    expected[bytes[i] * std::size_t{5} + i % 5] += mask[i / 5] != 0 ? 1 : 0;
  }
  const ConstView image = hwc(bytes.data(), 31, 17, 5);
  const ConstView plane = hwc(mask.data(), 31, 17, 1);
  CHECK(with_every_candidate("histogram/per_channel_masked", [&](const Options &options) {
          const Counts counts =
              values_of<std::uint64_t>(histogram(image, plane, Over::per_channel, options));
          CHECK(counts == expected);
        }) >= 2);
  CHECK_THROWS_WITH(histogram(image, hwc(mask.data(), 17, 31, 1), Over::global),
                    Catch::Contains("mask"));
  CHECK_THROWS_WITH(histogram(image, image, Over::global), Catch::Contains("mask"));
}

TEST_CASE("a histogram of nothing is zeros, of another dtype an error") {
  const std::uint8_t byte = 0;
  CHECK(values_of<std::uint64_t>(histogram(hwc(&byte, 0, 4, 3), Over::per_channel)) ==
        Counts(256 * 3));
  const float value = 0;
  CHECK_THROWS_WITH(histogram(hwc(&value, 1, 1, 1), Over::global),
                    Catch::Contains("histogram") && Catch::Contains("f32"));
  Counts counts(256);
  CHECK_THROWS_WITH(histogram(hwc(&byte, 1, 1, 1), Over::global, hwc(counts.data(), 1, 255, 1)),
                    Catch::Contains("out"));
}

// ---- bincount
// ------------------------------------------------------------------------------------

TEST_CASE("bins are as many as the greatest label asks for, or min_length") {
  const std::vector<std::int32_t> labels{3, 0, 3, 1};
  const ConstView view = array_1d(labels.data(), 4);
  CHECK(values_of<std::uint64_t>(bincount(view)) == Counts{1, 1, 0, 2});
  CHECK(values_of<std::uint64_t>(bincount(view, BincountOptions{6, {}})) ==
        Counts{1, 1, 0, 2, 0, 0});
  CHECK(values_of<std::uint64_t>(bincount(view, BincountOptions{2, {}})) == Counts{1, 1, 0, 2});
  const std::int32_t none = 0;
  CHECK(bincount(array_1d(&none, 0)).view().shape == Extents{1, 1, 0, 1});
  CHECK(values_of<std::uint64_t>(bincount(array_1d(&none, 0), BincountOptions{2, {}})) ==
        Counts{0, 0});
}

template <class T> void check_negative(std::int64_t n, std::int64_t at, T label) {
  std::vector<T> labels(static_cast<std::size_t>(n), T{1});
  labels[static_cast<std::size_t>(at)] = label;
  Counts counts(4, 77);
  const View out = array_1d(counts.data(), 4);
  CHECK_THROWS_WITH(bincount(array_1d(labels.data(), n), out),
                    Catch::Contains("bincount") && Catch::Contains(std::to_string(label)));
  CHECK_THROWS_AS(bincount(array_1d(labels.data(), n)), Error);
  CHECK(counts == Counts(4, 77)); // before anything is written
  // Unless it is the one that is ignored.
  bincount(array_1d(labels.data(), n), out, static_cast<std::int64_t>(label));
  CHECK(counts == Counts{0, static_cast<std::uint64_t>(n - 1), 0, 0});
}

TEST_CASE("a negative label is an error that names it, wherever it is") {
  conformance::for_each_simd_target([](const std::string &target) {
    INFO(target);
    for (const std::int64_t n : {1, 7, 64, 1000, 20011}) {
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
        check_negative<std::int32_t>(n, at, -3);
        check_negative<std::int32_t>(n, at, std::numeric_limits<std::int32_t>::min());
        check_negative<std::int64_t>(n, at, -1);
        check_negative<std::int64_t>(n, at, std::numeric_limits<std::int64_t>::min());
      }
    }
  });
}

TEST_CASE("huge labels and lengths are errors, not allocations") {
  for (const std::int64_t label :
       {std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 27}) {
    const std::vector<std::int64_t> labels{0, label, 1};
    CHECK_THROWS_WITH(bincount(array_1d(labels.data(), 3)),
                      Catch::Contains(std::to_string(label)) && Catch::Contains("134217728"));
    Counts counts(5);
    CHECK_THROWS_WITH(bincount(array_1d(labels.data(), 3), array_1d(counts.data(), 5)),
                      Catch::Contains(std::to_string(label)));
    CHECK(values_of<std::uint64_t>(
              bincount(array_1d(labels.data(), 3), BincountOptions{0, label})) == Counts{1, 1});
  }
  const std::uint8_t label = 0;
  for (const std::int64_t length :
       {std::int64_t{-1}, (std::int64_t{1} << 27) + 1, std::numeric_limits<std::int64_t>::max()}) {
    CHECK_THROWS_WITH(bincount(array_1d(&label, 1), BincountOptions{length, {}}),
                      Catch::Contains("min_length"));
  }
}

TEST_CASE("u8 and u16 have their largest labels") {
  const std::vector<std::uint8_t> bytes{255, 0, 255};
  CHECK(values_of<std::uint64_t>(bincount(array_1d(bytes.data(), 3)))[255] == 2);
  const std::vector<std::uint16_t> words{65535, 0, 65535};
  CHECK(with_every_candidate("bincount/counts", [&](const Options &options) {
          const Counts counts =
              values_of<std::uint64_t>(bincount(array_1d(words.data(), 3), {}, options));
          CHECK(counts.size() == 65536);
          CHECK(counts[65535] == 2);
        }) >= 2);
}

TEST_CASE("an ignored label has no say in anything") {
  const std::vector<std::int32_t> labels{9, 2, -1, 2, 9, 0};
  const std::vector<double> weights{1, 2, std::numeric_limits<double>::quiet_NaN(), 4, 8, 16};
  const ConstView view = array_1d(labels.data(), 6);
  CHECK_THROWS_AS(bincount(view), Error);
  CHECK(values_of<std::uint64_t>(bincount(view, BincountOptions{0, -1}))[9] == 2);
  CHECK(values_of<double>(
            bincount_weights(view, array_1d(weights.data(), 6), BincountOptions{0, -1}))[2] == 6);
  const std::vector<std::int32_t> all(5, 3);
  CHECK(bincount(array_1d(all.data(), 5), BincountOptions{0, 3}).view().empty());
  CHECK(values_of<std::uint64_t>(bincount(array_1d(all.data(), 5), BincountOptions{5, 3})) ==
        Counts(5));
}

TEST_CASE("weights are added in the order of appearance where bits are asked for") {
  std::mt19937_64 random(3);
  std::vector<std::uint16_t> labels(20000);
  std::vector<float> weights(labels.size());
  std::vector<double> expected(11);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::uint16_t>(random() % 11);
    weights[i] =
        std::ldexp(static_cast<float>(random() >> 40), static_cast<int>(random() % 60) - 40);
    expected[labels[i]] += static_cast<double>(weights[i]);
  }
  Options bitwise;
  bitwise.exactness = Exactness::bitwise;
  const ConstView in = hwc(labels.data(), 100, 200, 1);
  CHECK(values_of<double>(bincount_weights(in, hwc(weights.data(), 100, 200, 1), {}, bitwise)) ==
        expected);
  // The labels' order, not that of memory.
  const ConstView mirrored = reversed(in, kH);
  const Image backwards =
      bincount_weights(mirrored, reversed(hwc(weights.data(), 100, 200, 1), kH), {}, bitwise);
  std::fill(expected.begin(), expected.end(), 0);
  for (std::size_t row = 100; row-- > 0;) {
    for (std::size_t w = 0; w < 200; ++w) {
      expected[labels[row * 200 + w]] += static_cast<double>(weights[row * 200 + w]);
    }
  }
  CHECK(values_of<double>(backwards) == expected);
}

TEST_CASE("histogram has two forms, and any other is an error") {
  const std::vector<std::uint8_t> pixels(8);
  const ConstView images = xhwc(pixels.data(), 2, 2, 1, 2);
  CHECK_THROWS_WITH(histogram(images, Over::per_item), Catch::StartsWith("histogram: over"));
}

TEST_CASE("weights of another shape or dtype are errors") {
  const std::vector<std::int32_t> labels{1, 2, 3, 0};
  const std::vector<float> weights(4);
  CHECK_THROWS_WITH(bincount_weights(array_1d(labels.data(), 4), array_1d(weights.data(), 3)),
                    Catch::Contains("weights"));
  CHECK_THROWS_WITH(bincount_weights(array_1d(labels.data(), 4), array_1d(labels.data(), 4)),
                    Catch::Contains("weights") && Catch::Contains("i32"));
  CHECK_THROWS_WITH(bincount(array_1d(weights.data(), 4)),
                    Catch::Contains("labels") && Catch::Contains("f32"));
  std::vector<double> sums(8);
  CHECK_THROWS_AS(bincount(array_1d(labels.data(), 4), array_1d(sums.data(), 4)), Error);
}

} // namespace
