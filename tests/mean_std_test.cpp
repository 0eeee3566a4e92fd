// mean_std where it is hard: constants, tiny spreads, long sums, odd strides. The cases are those
// that users of other libraries have reported; every candidate that takes one must pass it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/reduction/params.hpp"
#include "candidates/registry.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard {
namespace {

constexpr double kEps = 1e-4;

struct Statistics {
  std::vector<double> mean;
  std::vector<double> std;
  bool operator==(const Statistics &) const = default;
};

const Variant &variant(bool per_channel) {
  const Variant *found =
      candidates::find_variant(per_channel ? "mean_std/per_channel" : "mean_std/global");
  REQUIRE(found != nullptr);
  return *found;
}

// Runs the candidate; false where it does not take the image.
bool compute(const Candidate &candidate, const ConstView &image, bool per_channel, double eps,
             Statistics &result) {
  const std::int64_t channels = per_channel ? image.channels() : 1;
  result.mean.assign(static_cast<std::size_t>(channels), -1);
  result.std.assign(static_cast<std::size_t>(channels), -1);
  const View mean = hwc(result.mean.data(), 1, 1, channels);
  const View std = hwc(result.std.data(), 1, 1, channels);
  const ReductionParams params{eps, per_channel ? kPixelAxes : kAllAxes};
  Call call;
  call.in = {&image};
  call.out = {&mean, &std};
  call.params = &params;
  call.dtype_case = image.dtype == Dtype::u8 ? 0 : 1;
  if (candidate.refuses(call) != nullptr) {
    return false;
  }
  candidate.run(call);
  return true;
}

// Calls check(result) for each candidate that takes the image, own code on every SIMD target;
// returns how many did, counted once each.
int for_each_result(const ConstView &image, bool per_channel, double eps,
                    const std::function<void(const Statistics &)> &check) {
  int taken = 0;
  for (const Candidate &candidate : variant(per_channel).candidates) {
    bool took = false;
    conformance::for_each_simd_target([&](const std::string &target) {
      Statistics result;
      if (compute(candidate, image, per_channel, eps, result)) {
        INFO(variant(per_channel).name << " " << candidate.id << " " << target);
        check(result);
        took = true;
      }
    });
    taken += took ? 1 : 0;
  }
  return taken;
}

std::vector<std::uint8_t> random_bytes(std::size_t n) {
  std::mt19937 random(7);
  std::vector<std::uint8_t> values(n);
  for (std::uint8_t &value : values) {
    value = static_cast<std::uint8_t>(random() >> 24);
  }
  return values;
}

std::vector<float> random_floats(std::size_t n) {
  std::mt19937 random(7);
  std::vector<float> values(n);
  for (float &value : values) {
    value = std::ldexp(static_cast<float>(random() >> 8), -24);
  }
  return values;
}

TEST_CASE("the deviation of a constant f32 image is exactly eps and its mean the constant") {
  for (const float constant : {123456.789F, 0.1F, 1000000.5F, -3e38F, 1e-42F}) {
    const std::vector<float> values(130 * 131 * 3, constant);
    for (const bool per_channel : {false, true}) {
      for (const double eps : {kEps, 0.0}) {
        const int taken = for_each_result(
            hwc(values.data(), 130, 131, 3), per_channel, eps, [&](const Statistics &result) {
              for (std::size_t c = 0; c < result.mean.size(); ++c) {
                CHECK(result.mean[c] == static_cast<double>(constant));
                CHECK(result.std[c] == eps);
              }
            });
        CHECK(taken >= 2);
      }
    }
  }
}

TEST_CASE("sums of bright u8 images do not overflow") {
  for (const std::int64_t channels : {1, 3, 9}) {
    // Two rows of 254 above rows of 255.
    const std::int64_t side = channels == 1 ? 2048 : 512;
    const double p = 2.0 / static_cast<double>(side); // the share of 254
    std::vector<std::uint8_t> values(static_cast<std::size_t>(side * side * channels), 255);
    std::fill_n(values.begin(), 2 * side * channels, std::uint8_t{254});
    for (const bool per_channel : {false, true}) {
      const int taken = for_each_result(
          hwc(values.data(), side, side, channels), per_channel, 0, [&](const Statistics &result) {
            for (std::size_t c = 0; c < result.mean.size(); ++c) {
              CHECK(result.mean[c] == 255 - p);
              CHECK(result.std[c] == Approx(std::sqrt(p * (1 - p))).epsilon(1e-9));
            }
          });
      CHECK(taken >= 2);
    }
  }
}

TEST_CASE("sums of f32 do not stop at 2^24") {
  const float one = 1;
  // 5000² ones in one cell of memory.
  const ConstView ones = strided(&one, {1, 5000, 5000, 1}, {0, 0, 0, 0});
  for (const Candidate &candidate : variant(false).candidates) {
    if (candidate.id != "fused" && candidate.id != "loop") {
      continue;
    }
    Statistics result;
    REQUIRE(compute(candidate, ones, false, 0, result));
    CHECK(result.mean[0] == 1);
    CHECK(result.std[0] == 0);
  }
}

TEST_CASE("a spread of 1.5e-8 of the mean is found to a millionth") {
  // One value in sixteen is the next f32 above a million.
  constexpr std::int64_t kCount = 64 * 96;
  std::vector<float> values(kCount, 1e6F);
  for (std::size_t k = 5; k < values.size(); k += 16) {
    values[k] = std::nextafter(1e6F, 2e6F);
  }
  const double step = static_cast<double>(std::nextafter(1e6F, 2e6F)) - 1e6;
  const double expected = step * std::sqrt(15.0) / 16;
  REQUIRE(expected / 1e6 > 1e-8);
  for (const bool per_channel : {false, true}) {
    const int taken = for_each_result(
        hwc(values.data(), 64, 96, 1), per_channel, 0,
        [&](const Statistics &result) { CHECK(std::fabs(result.std[0] / expected - 1) < 1e-6); });
    CHECK(taken >= 2);
  }
}

TEST_CASE("an image flattened to one row has the same mean and deviation") {
  const std::vector<std::uint8_t> bytes = random_bytes(960 * 1280);
  const std::vector<float> floats = random_floats(960 * 1280);
  const std::array<std::array<ConstView, 2>, 2> pairs = {
      {{hwc(bytes.data(), 960, 1280, 1), array_1d(bytes.data(), 960 * 1280)},
       {hwc(floats.data(), 960, 1280, 1), array_1d(floats.data(), 960 * 1280)}}};
  for (const auto &[image, row] : pairs) {
    for (const Candidate &candidate : variant(false).candidates) {
      if (!candidate.built()) {
        continue;
      }
      INFO(candidate.id);
      Statistics of_image;
      Statistics of_row;
      REQUIRE(compute(candidate, image, false, kEps, of_image));
      REQUIRE(compute(candidate, row, false, kEps, of_row));
      CHECK(of_row.mean[0] == Approx(of_image.mean[0]).epsilon(1e-9));
      CHECK(of_row.std[0] == Approx(of_image.std[0]).epsilon(1e-9));
    }
  }
}

TEST_CASE("a flipped view has the sums of its image and reads nothing around it") {
  // 5 × 7 × 6 with (7y + 13x + 29c) mod 256, amid 255.
  std::vector<std::uint8_t> memory(3 * 210, 255);
  std::uint8_t *data = memory.data() + 210;
  std::vector<double> channel_sums(6, 0);
  for (int y = 0, k = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) {
      for (int c = 0; c < 6; ++c, ++k) {
        data[k] = static_cast<std::uint8_t>((7 * y + 13 * x + 29 * c) % 256);
        channel_sums[static_cast<std::size_t>(c)] += data[k];
      }
    }
  }
  const View image = hwc(data, 5, 7, 6);
  for (int flips = 1; flips < 8; ++flips) {
    View view = image;
    for (const Axis axis : {kH, kW, kC}) {
      view = (flips >> (axis - 1)) % 2 == 1 ? reversed(view, axis) : view;
    }
    CHECK(for_each_result(view, false, kEps, [&](const Statistics &result) {
            CHECK(result.mean[0] == 26355.0 / 210);
          }) >= 2);
    const bool channels_turned = flips >= 4;
    CHECK(for_each_result(view, true, kEps, [&](const Statistics &result) {
            for (std::size_t c = 0; c < 6; ++c) {
              CHECK(result.mean[c] == channel_sums[channels_turned ? 5 - c : c] / 35);
            }
          }) >= 2);
  }
}

TEST_CASE("strides of axes of length 1 mean nothing") {
  const std::vector<float> values = random_floats(20);
  for (const std::int64_t stride :
       {std::int64_t{2147483647}, std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}}) {
    const ConstView plain = hwc(values.data(), 10, 1, 2);
    ConstView odd = plain;
    odd.strides[kX] = stride;
    odd.strides[kW] = stride;
    for (const bool per_channel : {false, true}) {
      for (const Candidate &candidate : variant(per_channel).candidates) {
        Statistics expected;
        Statistics result;
        if (compute(candidate, plain, per_channel, kEps, expected)) {
          INFO(candidate.id << ", stride " << stride);
          REQUIRE(compute(candidate, odd, per_channel, kEps, result));
          CHECK(result == expected);
        }
      }
    }
  }
}

TEST_CASE("a channel has the same bits interleaved, planar, and as an image of its own") {
  constexpr std::int64_t kHeight = 67;
  constexpr std::int64_t kWidth = 131;
  for (const std::int64_t channels : {2, 3, 4, 5, 33, 40}) {
    const auto count = static_cast<std::size_t>(kHeight * kWidth * channels);
    const std::vector<float> values = random_floats(count);
    std::vector<float> planes(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t c = k % static_cast<std::size_t>(channels);
      planes[c * kHeight * kWidth + k / static_cast<std::size_t>(channels)] = values[k];
    }
    const ConstView image = hwc(values.data(), kHeight, kWidth, channels);
    const ConstView planar =
        strided(planes.data(), image.shape, {0, kWidth * 4, 4, kHeight * kWidth * 4}, 3);
    for (const Candidate &candidate : variant(true).candidates) {
      if (candidate.exactness[1] != Exactness::bitwise) {
        continue;
      }
      conformance::for_each_simd_target([&](const std::string &target) {
        INFO(candidate.id << " " << target << ", C " << channels);
        Statistics interleaved;
        Statistics apart;
        REQUIRE(compute(candidate, image, true, kEps, interleaved));
        REQUIRE(compute(candidate, planar, true, kEps, apart));
        CHECK(interleaved == apart);
        for (const std::int64_t c : {std::int64_t{0}, channels - 1}) {
          Statistics own;
          REQUIRE(compute(candidate, channel(image, c), true, kEps, own));
          CHECK(own.mean[0] == interleaved.mean[static_cast<std::size_t>(c)]);
          CHECK(own.std[0] == interleaved.std[static_cast<std::size_t>(c)]);
        }
      });
    }
  }
}

} // namespace
} // namespace switchyard
