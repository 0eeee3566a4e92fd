// What OpenCV's own exp, log and pow make of f32, beside the candidates that call OpenCV.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>

#include "switchyard/switchyard.hpp"

namespace switchyard {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

cv::Mat mat_of(std::vector<float> &values) {
  return {1, static_cast<int>(values.size()), CV_32F, values.data()};
}

// The largest distance from the exact values, in units in the last place.
template <class Exact>
double units_off(const std::vector<float> &in, const float *out, Exact &&exact) {
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double value = exact(static_cast<double>(in[i]));
    int exponent = 0;
    static_cast<void>(std::frexp(value, &exponent));
    const double off = std::fabs(static_cast<double>(out[i]) - value);
    worst = std::max(worst, off / std::ldexp(1.0, exponent - 24));
  }
  return worst;
}

std::vector<float> arguments(float low, float high) {
  std::vector<float> values(20'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(values.size());
  }
  return values;
}

Options opencv() {
  Options options;
  options.candidate = "opencv";
  return options;
}

} // namespace

TEST_CASE("OpenCV's f32 functions miss by more than 4 units, the candidates by half of one") {
  cv::Mat raw;
  std::vector<float> in = arguments(-80, 80);
  const auto exact_exp = [](double x) { return std::exp(x); };
  cv::exp(mat_of(in), raw);
  CHECK(units_off(in, raw.ptr<float>(), exact_exp) > 4);
  const auto image = [&] { return array_1d(std::as_const(in).data(), 20'000); };
  CHECK(units_off(in, exp(image(), opencv()).data<float>(), exact_exp) <= 0.5001);

  in = arguments(0.9F, 1.1F);
  const auto exact_log = [](double x) { return std::log(x); };
  in[10'000] = 1.0000001F; // 1 itself has no units to count
  cv::log(mat_of(in), raw);
  CHECK(units_off(in, raw.ptr<float>(), exact_log) > 4);
  CHECK(units_off(in, log(image(), opencv()).data<float>(), exact_log) <= 0.5001);

  in = arguments(1e-6F, 1e6F);
  const auto exact_power = [](double x) { return std::pow(x, static_cast<double>(2.2F)); };
  cv::pow(mat_of(in), static_cast<double>(2.2F), raw);
  CHECK(units_off(in, raw.ptr<float>(), exact_power) > 4);
  CHECK(units_off(in, power(image(), 2.2, opencv()).data<float>(), exact_power) <= 0.5001);
}

TEST_CASE("OpenCV's log makes numbers of zero, infinity and NaN, the candidate does not") {
  std::vector<float> in{-1, 0, kInf, kNan, 1};
  cv::Mat raw;
  cv::log(mat_of(in), raw);
  CHECK(std::isfinite(raw.at<float>(1)));
  CHECK(std::isfinite(raw.at<float>(3)));
  const Image out = log(array_1d(in.data(), 5), opencv());
  const float *values = out.data<float>();
  CHECK(std::isnan(values[0]));
  CHECK(values[1] == -kInf);
  CHECK(values[2] == kInf);
  CHECK(std::isnan(values[3]));
  CHECK(values[4] == 0);
}

TEST_CASE("OpenCV's square root is the machine's") {
  std::vector<float> in{0, -0.0F, 2, 1e-40F, 1e-45F, 3e38F, kInf};
  cv::Mat raw;
  cv::sqrt(mat_of(in), raw);
  for (std::size_t i = 0; i < in.size(); ++i) {
    CHECK(raw.at<float>(static_cast<int>(i)) == std::sqrt(in[i]));
  }
}

TEST_CASE("OpenCV's pow takes a root of 1/2 as sqrt, which differs at negative infinity") {
  std::vector<float> in{-kInf, -0.0F, 4};
  cv::Mat raw;
  cv::pow(mat_of(in), 0.5, raw);
  CHECK(raw.at<float>(0) != kInf);
  const Image out = power(array_1d(in.data(), 3), 0.5, opencv());
  CHECK(out.data<float>()[0] == kInf);
  CHECK(!std::signbit(out.data<float>()[1]));
  CHECK(out.data<float>()[2] == 2);
}

} // namespace switchyard
