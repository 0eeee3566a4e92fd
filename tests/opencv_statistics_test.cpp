// Why the OpenCV candidates of per-image statistics are not a call each: what the raw calls do.
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

Options pinned() {
  Options options;
  options.candidate = "opencv";
  return options;
}

// One row of values, as OpenCV and as a view.
struct Row {
  std::vector<float> values;
  [[nodiscard]] cv::Mat mat() {
    return {1, static_cast<int>(values.size()), CV_32F, values.data()};
  }
  [[nodiscard]] ConstView view() const {
    return array_1d(values.data(), static_cast<std::int64_t>(values.size()));
  }
};

TEST_CASE("cv::normalize(NORM_MINMAX) misses the ends of its range; the candidate does not") {
  Row row;
  int missed = 0;
  for (int i = 0; i < 200; ++i) {
    row.values = {0.1F + 0.013F * static_cast<float>(i), 0.7F, 3.3F + 0.7F * static_cast<float>(i)};
    const float low = std::min(row.values[0], row.values[1]);
    const std::size_t at = row.values[0] == low ? 0 : 1;
    cv::Mat raw;
    cv::normalize(row.mat(), raw, 0, 1, cv::NORM_MINMAX, CV_32F);
    missed += raw.at<float>(static_cast<int>(at)) != 0 || raw.at<float>(2) != 1 ? 1 : 0;
    const Image result = normalize_per_image(row.view(), Normalization::min_max, false, pinned());
    CHECK(result.data<float>()[at] == 0);
    CHECK(result.data<float>()[2] == 1);
  }
  CHECK(missed > 0);
}

TEST_CASE("NRM-03: cv::minMaxLoc passes over a NaN; the candidate does not") {
  Row row{{0, 1, std::numeric_limits<float>::quiet_NaN(), 4, 2, 3, 1, 2, 0.5F}};
  double low = -1;
  double high = -1;
  cv::minMaxLoc(row.mat(), &low, &high);
  CHECK(low == 0);
  CHECK(high == 4);
  const Image result = normalize_per_image(row.view(), Normalization::min_max, false, pinned());
  for (std::int64_t i = 0; i < 9; ++i) {
    CHECK(std::isnan(result.data<float>()[i]));
  }
}

TEST_CASE("cv::meanStdDev loses the deviation beside a large mean; the candidate does not") {
  Row row;
  for (int i = 0; i < 4096; ++i) {
    row.values.push_back(1e6F + (i % 2 == 0 ? -0.0625F : 0.0625F)); // mean 10^6, deviation 1/16
  }
  cv::Scalar mean;
  cv::Scalar deviation;
  cv::meanStdDev(row.mat(), mean, deviation);
  CHECK(std::fabs(deviation[0] * 16 - 1) > 1e-7);
  const Image result = normalize_per_image(row.view(), Normalization::image, false, pinned());
  const double expected = (1.0 / 16) / (1.0 / 16 + 1e-4);
  CHECK(result.data<float>()[1] == Approx(expected).epsilon(3e-7));
}

TEST_CASE("cv::calcHist counts in f32, which ends at 2^24; the candidate refuses such images") {
  const int rows = 4097;
  const cv::Mat image(rows, 4097, CV_8U, cv::Scalar(5)); // 2^24 + 8193 pixels
  const int channel = 0;
  const int size = 256;
  const float range[] = {0, 256};
  const float *ranges = range;
  cv::Mat counts;
  cv::calcHist(&image, 1, &channel, cv::Mat(), counts, 1, &size, &ranges);
  CHECK(static_cast<std::int64_t>(counts.at<float>(5)) != std::int64_t{rows} * rows);
  const ConstView view = hwc(image.data, rows, rows, 1);
  CHECK_THROWS_WITH(histogram(view, Over::global, pinned()), Catch::Contains("f32"));
  CHECK(histogram(view, Over::global).data<std::uint64_t>()[5] ==
        std::uint64_t{rows} * std::uint64_t{rows});
}

} // namespace
