// What OpenCV's own reductions do to values that the contract is strict about, and that the
// candidates built on them do not.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <opencv2/core.hpp>

#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

Options by_opencv() {
  Options options;
  options.candidate = "opencv";
  return options;
}

} // namespace

TEST_CASE("cv::sum adds f32 in f32, the candidate in f64") {
  int off = 0; // lengths at which the raw call breaks the contract
  std::mt19937 random(3);
  std::vector<float> values;
  long double exact = 0;
  for (int n = 1; n <= 64; ++n) {
    values.push_back(std::ldexp(static_cast<float>(random() >> 8), -24));
    exact += static_cast<long double>(values.back());
    const double raw = cv::sum(cv::Mat(1, n, CV_32F, values.data()))[0];
    off += std::fabs(static_cast<long double>(raw) - exact) > 1e-12L * exact ? 1 : 0;
    const Image sum = reduce_sum(hwc(values.data(), 1, n, 1), Over::global, by_opencv());
    CHECK(std::fabs(static_cast<long double>(*sum.data<double>()) - exact) <= 1e-12L * exact);
  }
  CHECK(off > 0);
}

TEST_CASE("cv::minMaxIdx passes a NaN over that the candidate reports") {
  std::vector<float> values(40, 2.0F);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[5] = 7.0F;
  double low = 0;
  double high = 0;
  cv::minMaxIdx(cv::Mat(1, 40, CV_32F, values.data()), &low, &high);
  CHECK(!(std::isnan(low) && std::isnan(high)));
  const MinMax range = min_max(hwc(values.data(), 1, 40, 1), Over::global, by_opencv());
  CHECK(std::isnan(*range.min.data<float>()));
  CHECK(std::isnan(*range.max.data<float>()));
}

TEST_CASE("cv::reduce forgets a NaN by where it is, the candidate does not") {
  constexpr int kRows = 9;
  int forgotten = 0;
  for (int row = 0; row < kRows; ++row) {
    std::vector<float> values(kRows * 3, 1.0F);
    values[static_cast<std::size_t>(row * 3 + 1)] = std::numeric_limits<float>::quiet_NaN();
    cv::Mat low;
    cv::Mat high;
    const cv::Mat mat(kRows, 3, CV_32F, values.data());
    cv::reduce(mat, low, 0, cv::REDUCE_MIN);
    cv::reduce(mat, high, 0, cv::REDUCE_MAX);
    forgotten += std::isnan(low.at<float>(1)) && std::isnan(high.at<float>(1)) ? 0 : 1;
    const MinMax range = min_max(hwc(values.data(), kRows, 1, 3), Over::per_channel, by_opencv());
    CHECK(std::isnan(range.min.data<float>()[1]));
    CHECK(std::isnan(range.max.data<float>()[1]));
    CHECK(range.min.data<float>()[0] == 1.0F);
  }
  CHECK(forgotten > 0);
}
