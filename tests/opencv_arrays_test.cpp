// What OpenCV's own arithmetic of u8 images and arrays makes of a rule that ours keeps.
#include <catch2/catch.hpp>

#include <opencv2/core.hpp>

#include "switchyard/opencv.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

// Every candidate gives `expected` in all elements, or refuses.
template <class Compute>
void every_candidate_gives(std::string_view variant, int expected, Compute &&compute) {
  for (const std::string_view id : candidates_of(variant)) {
    Options options;
    options.candidate = id;
    INFO(id);
    try {
      const Image out = compute(options);
      for (std::int64_t i = 0; i < out.view().elements(); ++i) {
        REQUIRE(int{out.data<std::uint8_t>()[i]} == expected);
      }
    } catch (const Error &error) {
      REQUIRE(error.argument() == "candidate");
    }
  }
}

} // namespace

TEST_CASE(
    "OpenCV rounds the sum and the product of u8 and f32 to nearest; add and multiply do not") {
  const cv::Mat image(3, 50, CV_8UC1, cv::Scalar(100));
  const cv::Mat operand(3, 50, CV_32FC1, cv::Scalar(1.9));
  cv::Mat raw;
  cv::add(image, operand, raw, cv::noArray(), CV_8U);
  CHECK(int{raw.at<std::uint8_t>(1, 1)} == 102);
  every_candidate_gives("add/array", 101, [&](const Options &options) {
    return add(view_of(image), view_of(operand), options);
  });
  const cv::Mat factor(3, 50, CV_32FC1, cv::Scalar(1.019));
  cv::multiply(image, factor, raw, 1, CV_8U);
  CHECK(int{raw.at<std::uint8_t>(1, 1)} == 102);
  every_candidate_gives("multiply/array", 101, [&](const Options &options) {
    return multiply(view_of(image), view_of(factor), options);
  });
}

TEST_CASE("OpenCV makes 0 of a product beyond int; multiply saturates") {
  const cv::Mat image(3, 50, CV_8UC1, cv::Scalar(100));
  const cv::Mat factor(3, 50, CV_32FC1, cv::Scalar(1e30));
  cv::Mat raw;
  cv::multiply(image, factor, raw, 1, CV_8U);
  CHECK(int{raw.at<std::uint8_t>(1, 1)} == 0);
  every_candidate_gives("multiply/array", 255, [&](const Options &options) {
    return multiply(view_of(image), view_of(factor), options);
  });
}

TEST_CASE("OpenCV sums an f64 array in f64; add narrows it to f32 first") {
  const cv::Mat image(1, 50, CV_32FC1, cv::Scalar(16777216));
  const cv::Mat operand(1, 50, CV_64FC1, cv::Scalar(1.000000001));
  cv::Mat raw;
  cv::add(image, operand, raw, cv::noArray(), CV_32F);
  CHECK(raw.at<float>(0, 7) == 16777218.0F);
  for (const std::string_view id : candidates_of("add/array")) {
    Options options;
    options.candidate = id;
    INFO(id);
    try {
      const Image out = add(view_of(image), view_of(operand), options);
      CHECK(out.data<float>()[7] == 16777216.0F);
    } catch (const Error &error) {
      REQUIRE(error.argument() == "candidate");
    }
  }
}

TEST_CASE("OpenCV repeats no operand along channels; its candidate leaves that to others") {
  const cv::Mat image(3, 50, CV_8UC3, cv::Scalar::all(7));
  const cv::Mat mask(3, 50, CV_8UC1, cv::Scalar(2));
  cv::Mat raw;
  CHECK_THROWS_AS(cv::multiply(image, mask, raw), cv::Exception);
  Options options;
  options.candidate = "opencv";
  CHECK_THROWS_AS(multiply(view_of(image), view_of(mask), options), Error);
  every_candidate_gives("multiply/array", 14, [&](const Options &o) {
    return multiply(view_of(image), view_of(mask), o);
  });
}
