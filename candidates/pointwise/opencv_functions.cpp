// exp, log, square root and power through OpenCV.
//
// Its f32 exp, log and pow are up to 86 units off, and what they make of zeros, infinities and NaN
// is arbitrary. Its f64 ones are good to a few units of f64 within the range of ordinary values:
// rows pass through them in blocks, and blocks that hold anything else go element by element. Its
// square root is the machine's.
#include <algorithm>
#include <cmath>

#include "candidates/common/opencv_mat.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

constexpr int kBlock = 1024; // elements; the f64 copy stays in the first-level cache

// Arguments in (low, high) that OpenCV's f64 function takes to normal numbers of f32.
struct Range {
  double low = 0;
  double high = 0;
};

Range range_of(const Expression &expression, double exponent) {
  constexpr double kSmallest = 0x1p-126;
  constexpr double kLargest = 0x1p127;
  switch (expression.form) {
  case Form::exp:
    return {-87, 88};
  case Form::log:
    return {kSmallest, kLargest};
  default: // |log2 x| <= 120 / |exponent|
    const double reach = std::exp2(std::min(120.0, 120 / std::fabs(exponent)));
    return {1 / reach, reach};
  }
}

void in_f64(const cv::Mat &in, cv::Mat &work, cv::Mat &out, Form form, double exponent) {
  in.convertTo(work, CV_64F);
  switch (form) {
  case Form::exp:
    cv::exp(work, work);
    break;
  case Form::log:
    cv::log(work, work);
    break;
  default:
    cv::pow(work, exponent, work);
    break;
  }
  work.convertTo(out, CV_32F);
}

void one_by_one(const cv::Mat &in, cv::Mat &out, Form form, float exponent) {
  const auto *x = in.ptr<float>();
  auto *y = out.ptr<float>();
  for (int k = 0; k < in.cols; ++k) {
    y[k] = evaluate(form, x[k], exponent, 0.0F);
  }
}

void in_blocks(const cv::Mat &in, cv::Mat &out, const Expression &expression) {
  const auto exponent = static_cast<float>(expression.a[0]);
  const Range range = range_of(expression, static_cast<double>(exponent));
  for (int row = 0; row < in.rows; ++row) {
    for (int first = 0; first < in.cols; first += kBlock) {
      const cv::Rect part(first, row, std::min(kBlock, in.cols - first), 1);
      const cv::Mat x = in(part);
      cv::Mat y = out(part);
      alignas(64) double buffer[kBlock];
      cv::Mat work(1, part.width, CV_64F, buffer);
      cv::checkRange(x, true, nullptr, range.low, range.high)
          ? in_f64(x, work, y, expression.form, static_cast<double>(exponent))
          : one_by_one(x, y, expression.form, exponent);
    }
  }
}

} // namespace

const char *accepts_opencv_function(const Call &call, const Expression &expression) {
  if (!expression.scalar()) {
    return "OpenCV has one exponent for all channels";
  }
  if (!expression.a.all_finite()) {
    return "the exponent is not finite";
  }
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view)) {
      return reason;
    }
  }
  return refuses_wide(call);
}

void run_opencv_function(const Call &call, const Expression &expression) {
  for_each_mat<2>({call.in[0], call.out[0]}, 1, [&](const cv::Mat &in, cv::Mat &out) {
    expression.form == Form::square_root ? cv::sqrt(in, out) : in_blocks(in, out, expression);
  });
}

} // namespace switchyard::candidates::pointwise
