// exp, log, square root and power through OpenCV.
//
// Its f32 exp, log and pow are up to 86 units off, and what they make of zeros, infinities and NaN
// is arbitrary. Its f64 ones, within the range of ordinary values, have relative errors of 2^-41.7,
// 2^-44.7 and (for exponents up to 64) 2^-41.7: rows pass through them in blocks, as proposals. The
// few values that a proposal does not settle, and blocks that hold anything else, go element by
// element. Its square root is the machine's.
#include <algorithm>
#include <cmath>

#include "candidates/common/opencv_mat.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

constexpr int kBlock = 1024; // elements; the proposals stay in the first-level cache

constexpr double kMostExponent = 64;

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

void propose(const cv::Mat &in, cv::Mat &work, Form form, double exponent) {
  in.convertTo(work, CV_64F);
  switch (form) {
  case Form::exp:
    return cv::exp(work, work);
  case Form::log:
    return cv::log(work, work);
  default:
    return cv::pow(work, exponent, work);
  }
}

float evaluate_one(Form form, float x, float exponent) {
  return evaluate(form, x, exponent, 0.0F);
}

// `out` may be `in`.
void settle(const float *in, const double *proposals, float *out, int n, Form form,
            float exponent) {
  constexpr double kError = 0x1p-38; // a dozen times what OpenCV's functions have
  for (int k = 0; k < n; ++k) {
    float result = 0;
    const bool settled = kernels::correct::settles(proposals[k], kError, result);
    out[k] = settled ? result : evaluate_one(form, in[k], exponent);
  }
}

void run_block(const cv::Mat &in, cv::Mat &out, Form form, float exponent, const Range &range) {
  const auto *x = in.ptr<float>();
  auto *y = out.ptr<float>();
  if (!cv::checkRange(in, true, nullptr, range.low, range.high)) {
    std::transform(x, x + in.cols, y, [&](float v) { return evaluate_one(form, v, exponent); });
    return;
  }
  alignas(64) double buffer[kBlock];
  cv::Mat work(1, in.cols, CV_64F, buffer);
  propose(in, work, form, static_cast<double>(exponent));
  settle(x, buffer, y, in.cols, form, exponent);
}

void in_blocks(const cv::Mat &in, cv::Mat &out, const Expression &expression) {
  const auto exponent = static_cast<float>(expression.a[0]);
  const Range range = range_of(expression, static_cast<double>(exponent));
  for (int row = 0; row < in.rows; ++row) {
    for (int first = 0; first < in.cols; first += kBlock) {
      const cv::Rect part(first, row, std::min(kBlock, in.cols - first), 1);
      const cv::Mat x = in(part);
      cv::Mat y = out(part);
      run_block(x, y, expression.form, exponent, range);
    }
  }
}

} // namespace

const char *accepts_opencv_function(const Call &call, const Expression &expression) {
  if (!expression.scalar()) {
    return "OpenCV has one exponent for all channels";
  }
  if (!(std::fabs(expression.a[0]) <= kMostExponent)) {
    return "OpenCV loses digits by large exponents";
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
