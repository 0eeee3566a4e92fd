// What OpenCV's own calls refuse or get wrong about matrices and turns, and what its candidates do.
#include <cmath>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>

#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

Options with_opencv() {
  Options options;
  options.candidate = "opencv";
  return options;
}

// Runs a call that OpenCV rejects, without its message on stderr.
template <class Body> bool throws_quietly(Body &&body) {
  const auto silent = [](int, const char *, const char *, const char *, int, void *) { return 0; };
  cv::redirectError(silent);
  bool threw = false;
  try {
    body();
  } catch (const cv::Exception &) {
    threw = true;
  }
  cv::redirectError(nullptr);
  return threw;
}

} // namespace

TEST_CASE("cv::transpose has no function for pixels of 5 bytes; the candidate's domain says so") {
  std::vector<std::uint8_t> values(std::size_t{4} * 3 * 5);
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  const cv::Mat raw(4, 3, CV_8UC(5), values.data());
  cv::Mat turned;
  REQUIRE(throws_quietly([&] { cv::transpose(raw, turned); }));
  const ConstView image = hwc(std::as_const(values).data(), 4, 3, 5);
  CHECK_THROWS_WITH(transpose(image, with_opencv()), Catch::Contains("pixel size"));
  CHECK(*transpose(image).view().at(0, 2, 3, 4) == *image.at(0, 3, 2, 4));
}

TEST_CASE("cv::gemm has no product of bytes; the candidate's is an exact i32") {
  std::vector<std::uint8_t> values(4, 200);
  const cv::Mat raw(2, 2, CV_8U, values.data());
  cv::Mat product;
  REQUIRE(throws_quietly([&] { cv::gemm(raw, raw, 1, cv::noArray(), 0, product); }));
  const ConstView view = hwc(std::as_const(values).data(), 2, 2, 1);
  CHECK(*matmul(view, view, with_opencv()).data<std::int32_t>() == 80000);
}

TEST_CASE("cv::batchDistance adds long sums in f32; the candidate's domain ends before") {
  // Terms of very different sizes: what is added to a large sum is lost.
  constexpr std::int64_t kCoordinates = 1 << 20;
  std::vector<float> point(kCoordinates, 1);
  point[0] = 4096; // 4096² = 2^24: each 1 that is added to it on its own is rounded away
  std::vector<float> origin(kCoordinates, 0);
  const cv::Mat a(1, static_cast<int>(kCoordinates), CV_32F, point.data());
  const cv::Mat b(1, static_cast<int>(kCoordinates), CV_32F, origin.data());
  cv::Mat raw;
  cv::batchDistance(a, b, raw, CV_32F, cv::noArray(), cv::NORM_L2SQR);
  const double exact = 16777216.0 + static_cast<double>(kCoordinates - 1);
  REQUIRE(std::fabs(static_cast<double>(raw.at<float>(0, 0)) - exact) > 1e-5 * exact);
  const ConstView left = hwc(std::as_const(point).data(), 1, kCoordinates, 1);
  const ConstView right = hwc(std::as_const(origin).data(), 1, kCoordinates, 1);
  CHECK_THROWS_WITH(pairwise_distances_squared(left, right, with_opencv()),
                    Catch::Contains("128 coordinates"));
  const auto got = static_cast<double>(*pairwise_distances_squared(left, right).data<float>());
  CHECK(std::fabs(got - exact) <= 1e-5 * exact);
}
