// normalize_per_image beyond what its contract's problems state: reported cases, errors, items.
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

constexpr Normalization kModes[] = {Normalization::image, Normalization::image_per_channel,
                                    Normalization::min_max, Normalization::min_max_per_channel};
constexpr Normalization kRanges[] = {Normalization::min_max, Normalization::min_max_per_channel};

std::string variant_of(Normalization mode) {
  constexpr std::string_view kNames[] = {"image", "image_per_channel", "min_max",
                                         "min_max_per_channel"};
  return "normalize_per_image/" + std::string(kNames[static_cast<int>(mode)]);
}

std::vector<float> values_of(const Image &image) {
  const auto *data = image.data<float>();
  return {data, data + image.view().elements()};
}

// Calls check(values, candidate) with the result of every candidate that takes the image, own code
// on every SIMD target, and of the routed call; returns how many candidates did.
template <class Check>
int for_each_result(const ConstView &image, Normalization mode, Check &&check,
                    bool per_item = false) {
  check(values_of(normalize_per_image(image, mode, per_item)), "routed");
  int taken = 0;
  for (const std::string_view candidate : candidates_of(variant_of(mode))) {
    bool took = false;
    conformance::for_each_simd_target([&](const std::string &target) {
      INFO(variant_of(mode) << " " << std::string(candidate) << " " << target);
      Options options;
      options.candidate = candidate;
      std::vector<float> values;
      try {
        values = values_of(normalize_per_image(image, mode, per_item, options));
      } catch (const Error &error) {
        REQUIRE(error.argument() == "candidate"); // refused, not wrong
        return;
      }
      check(values, candidate);
      took = true;
    });
    taken += took ? 1 : 0;
  }
  return taken;
}

// 128 × 129 × 3 values within rows of 130 pixels, if strided.
template <class T> struct Picture {
  std::vector<T> memory = std::vector<T>(128 * 130 * 3);
  [[nodiscard]] ConstView view(bool is_strided) const {
    const ConstView whole = hwc(memory.data(), 128, 130, 3);
    return is_strided ? crop(whole, 0, 1, 128, 129) : ConstView(hwc(memory.data(), 128, 129, 3));
  }
};

template <class T> void check_flat(T level) {
  Picture<T> picture;
  std::fill(picture.memory.begin(), picture.memory.end(), level);
  for (const Normalization mode : kModes) {
    for (const bool is_strided : {false, true}) {
      const int taken = for_each_result(
          picture.view(is_strided), mode, [](const std::vector<float> &values, std::string_view) {
            CHECK(std::all_of(values.begin(), values.end(), [](float x) { return x == 0; }));
          });
      CHECK(taken >= 2);
    }
  }
}

TEST_CASE("NRM-01: a flat image gives exactly 0 in every mode") {
  check_flat<std::uint8_t>(0);
  check_flat<std::uint8_t>(7);
  check_flat<std::uint8_t>(255);
  check_flat<float>(0);
  check_flat<float>(7);
  check_flat<float>(0.1F);
  check_flat<float>(123456.789F);
  check_flat<float>(FLT_MAX);
}

TEST_CASE("NRM-01: a flat channel among others gives 0 and leaves them finite") {
  Picture<float> picture;
  for (std::size_t i = 0; i < picture.memory.size(); ++i) {
    picture.memory[i] = i % 3 == 1 ? 0.3F : static_cast<float>(i * 7919 % 1000) / 1000;
  }
  for (const Normalization mode :
       {Normalization::image_per_channel, Normalization::min_max_per_channel}) {
    for (const bool is_strided : {false, true}) {
      for_each_result(picture.view(is_strided), mode,
                      [](const std::vector<float> &values, std::string_view) {
                        bool flat_is_0 = true;
                        bool finite = true;
                        for (std::size_t i = 0; i < values.size(); ++i) {
                          flat_is_0 = flat_is_0 && (i % 3 != 1 || values[i] == 0);
                          finite = finite && std::isfinite(values[i]);
                        }
                        CHECK(flat_is_0);
                        CHECK(finite);
                      });
    }
  }
}

TEST_CASE("NRM-03: a NaN makes all of its channel NaN, wherever it sits") {
  constexpr std::size_t kPixels = 40;
  for (const std::size_t channels : {1, 3}) {
    for (const std::size_t at : {std::size_t{0}, kPixels / 2, kPixels - 1}) {
      std::vector<float> image(kPixels * channels);
      for (std::size_t i = 0; i < image.size(); ++i) {
        image[i] = std::array<float, 4>{0, 1, 2, 4}[i / channels % 4];
      }
      image[at * channels] = std::numeric_limits<float>::quiet_NaN(); // of channel 0
      const ConstView view = hwc(image.data(), 1, kPixels, static_cast<std::int64_t>(channels));
      for (const Normalization mode : kModes) {
        const bool per_channel =
            mode == Normalization::image_per_channel || mode == Normalization::min_max_per_channel;
        for_each_result(view, mode, [&](const std::vector<float> &values, std::string_view) {
          bool right = true;
          for (std::size_t i = 0; i < values.size(); ++i) {
            const bool is_lost = !per_channel || i % channels == 0;
            right = right && std::isnan(values[i]) == is_lost;
          }
          CHECK(right);
        });
      }
    }
  }
}

TEST_CASE("the least value gives 0 and the greatest 1, also where f32 cannot hold their distance") {
  for (const auto &[low, high] : {std::pair{-0.3F, 0.7F},
                                  {1e-40F, 3e-40F},
                                  {-FLT_MAX, FLT_MAX},
                                  {-3e38F, 2e38F},
                                  {1.0F, std::nextafter(1.0F, 2.0F)}}) {
    std::vector<float> image(301, low);
    image[117] = high;
    image[118] = low / 2 + high / 2;
    for (const Normalization mode : kRanges) {
      const int taken = for_each_result(hwc(image.data(), 7, 43, 1), mode,
                                        [](const std::vector<float> &values, std::string_view) {
                                          CHECK(values[0] == 0);
                                          CHECK(values[300] == 0);
                                          CHECK(values[117] == 1);
                                          CHECK(values[118] >= 0);
                                          CHECK(values[118] <= 1);
                                        });
      CHECK(taken >= 2);
    }
  }
}

TEST_CASE("image modes clamp to 20 deviations") {
  std::vector<std::uint8_t> image(1000, 100);
  image[500] = 255; // 31 deviations from the mean
  for_each_result(hwc(image.data(), 10, 100, 1), Normalization::image,
                  [](const std::vector<float> &values, std::string_view) {
                    CHECK(values[500] == 20);
                    CHECK(values[0] < 0);
                  });
}

TEST_CASE("per_item takes the statistics of every item by itself") {
  std::vector<std::uint8_t> batch(3 * 5 * 6 * 2);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i] = static_cast<std::uint8_t>(i * i % 251 / (1 + i / 60));
  }
  const ConstView view = xhwc(batch.data(), 3, 5, 6, 2);
  for (const Normalization mode : kModes) {
    std::vector<float> expected;
    for (std::int64_t x = 0; x < 3; ++x) {
      const std::vector<float> item =
          values_of(normalize_per_image(slice(view, kX, x, x + 1), mode));
      expected.insert(expected.end(), item.begin(), item.end());
    }
    const std::vector<float> whole = values_of(normalize_per_image(view, mode));
    CHECK(whole != expected);
    Options bitwise;
    bitwise.exactness = Exactness::bitwise;
    CHECK(values_of(normalize_per_image(view, mode, true, bitwise)) == expected);
  }
}

TEST_CASE("a volume is normalised as the same data in one row") {
  std::vector<float> data(4 * 9 * 11 * 3);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<float>(i * 7919 % 1013) / 7;
  }
  Options bitwise;
  bitwise.exactness = Exactness::bitwise;
  for (const Normalization mode : kModes) {
    CHECK(values_of(normalize_per_image(xhwc(data.data(), 4, 9, 11, 3), mode, false, bitwise)) ==
          values_of(normalize_per_image(hwc(data.data(), 1, 4 * 9 * 11, 3), mode, false, bitwise)));
  }
}

TEST_CASE("more channels than tables and patterns hold are normalised alike") {
  for (const std::int64_t channels : {65, 600, 5000}) {
    std::vector<std::uint8_t> data(static_cast<std::size_t>(4 * channels));
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::uint8_t>(i * i % 253);
    }
    const ConstView view = hwc(data.data(), 2, 2, channels);
    for (const Normalization mode : kModes) {
      Options loop;
      loop.candidate = "loop";
      Options bitwise;
      bitwise.exactness = Exactness::bitwise;
      CHECK(values_of(normalize_per_image(view, mode, false, bitwise)) ==
            values_of(normalize_per_image(view, mode, false, loop)));
    }
  }
}

TEST_CASE("f32 images are normalised in place; what cannot be is an error") {
  std::vector<float> data(7 * 9 * 3);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<float>(i % 17);
  }
  const View image = hwc(data.data(), 7, 9, 3);
  const std::vector<float> expected =
      values_of(normalize_per_image(image, Normalization::min_max_per_channel));
  normalize_per_image(image, Normalization::min_max_per_channel, image);
  CHECK(data == expected);
  const View shifted = hwc(data.data() + 1, 7, 8, 3);
  CHECK_THROWS_AS(normalize_per_image(crop(image, 0, 0, 7, 8), Normalization::image, shifted),
                  Error);

  std::vector<std::uint16_t> words(12);
  CHECK_THROWS_WITH(normalize_per_image(hwc(words.data(), 2, 2, 3), Normalization::image),
                    Catch::Contains("normalize_per_image") && Catch::Contains("u16"));
  CHECK_THROWS_AS(normalize_per_image(image, Normalization::image, hwc(data.data(), 7, 9, 1)),
                  Error);
  CHECK(normalize_per_image(crop(image, 0, 0, 0, 9), Normalization::image).view().empty());
}

} // namespace
