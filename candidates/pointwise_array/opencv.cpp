// Pointwise ops with arrays through OpenCV: add and multiply, one call per operation.
//
// Results of u8 images are served where they are whole numbers: OpenCV rounds to nearest. An
// operand may serve all items of a batch, which are one call each; OpenCV repeats nothing along the
// axes of a matrix.
#include "candidates/common/domain.hpp"
#include "candidates/common/opencv_mat.hpp"
#include "candidates/pointwise_array/adapters.hpp"

namespace switchyard::candidates::pointwise_array {
namespace {

bool is_real(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f64;
}

const char *refuses_operand(const Call &call, const ConstView &operand) {
  if (call.out[0]->dtype == Dtype::u8 && is_real(operand.dtype)) {
    return "OpenCV rounds half to even";
  }
  for (const Axis axis : {kH, kW, kC}) {
    if (operand.shape[axis] != call.in[0]->shape[axis]) {
      return "OpenCV does not repeat operands";
    }
  }
  return refuses_mat(operand);
}

// f64 as f32, which the arithmetic is to see; others as they are.
cv::Mat narrowed(const cv::Mat &operand) {
  if (operand.depth() != CV_64F) {
    return operand;
  }
  cv::Mat narrow;
  operand.convertTo(narrow, CV_32F);
  return narrow;
}

void multiply_add(const cv::Mat &in, const cv::Mat &factor, const cv::Mat &value, cv::Mat &out) {
  // Products of integers are whole numbers that f32 holds; sums of u8 images saturate at their end.
  // The output may be the operand that is still to be added.
  cv::Mat product;
  if (out.depth() == CV_32F && out.data != value.data) {
    product = out;
  }
  cv::multiply(in, narrowed(factor), product, 1, CV_32F);
  cv::add(product, narrowed(value), out, cv::noArray(), out.depth());
}

} // namespace

const char *accepts_opencv(const Call &call, const Expression &expression) {
  for (int i = 1; i <= expression.operands(); ++i) {
    if (const char *reason = refuses_operand(call, *call.in[static_cast<std::size_t>(i)])) {
      return reason;
    }
  }
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view)) {
      return reason;
    }
  }
  return refuses_wide(call);
}

void run_opencv(const Call &call, const Expression &expression) {
  const View &result = *call.out[0];
  if (result.empty()) { // which OpenCV takes for operands of unequal sizes
    return;
  }
  const ConstView a = repeated(*call.in[1], result.shape);
  if (expression.operands() == 2) {
    const ConstView b = repeated(*call.in[2], result.shape);
    return for_each_mat<4>({call.in[0], &a, &b, &result}, 1,
                           [](const cv::Mat &in, const cv::Mat &factor, const cv::Mat &value,
                              cv::Mat &out) { multiply_add(in, factor, value, out); });
  }
  for_each_mat<3>({call.in[0], &a, &result}, 1,
                  [&](const cv::Mat &in, const cv::Mat &operand, cv::Mat &out) {
                    if (expression.form == Form::add) {
                      cv::add(in, narrowed(operand), out, cv::noArray(), out.depth());
                    } else {
                      cv::multiply(in, narrowed(operand), out, 1, out.depth());
                    }
                  });
}

} // namespace switchyard::candidates::pointwise_array
