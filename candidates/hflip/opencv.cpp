// hflip through cv::flip.
#include "candidates/common/opencv_mat.hpp"

namespace switchyard::candidates::hflip {

const char *accepts_opencv(const Call &call) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view, view->channels())) {
      return reason;
    }
    if (view->shape[kW] * view->shape[kC] > INT_MAX / size_of(view->dtype)) {
      return "a row exceeds OpenCV's int"; // it counts the bytes
    }
  }
  return nullptr;
}

void run_opencv(const Call &call) {
  if (call.in[0]->empty()) {
    return;
  }
  constexpr int kHorizontal = 1;
  for_each_mat<2>({call.in[0], call.out[0]}, call.in[0]->channels(),
                  [](const cv::Mat &in, cv::Mat &out) { cv::flip(in, out, kHorizontal); });
}

} // namespace switchyard::candidates::hflip
