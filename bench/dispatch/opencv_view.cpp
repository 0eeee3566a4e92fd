// A view of a cv::Mat, made anew in every call.
#include <opencv2/core.hpp>

#include "bench/dispatch/cases.hpp"
#include "switchyard/opencv.hpp"

namespace switchyard::dispatch_cases {
namespace {

const cv::Mat *image() {
  static const cv::Mat kImage(4, 8, CV_8UC3);
  return &kImage;
}
const cv::Mat *mat = nullptr;

void make_view() {
  const View view = view_of(*mat);
  asm volatile("" : : "r"(&view) : "memory"); // all of it is wanted
}

} // namespace

Body *view_of_mat() {
  mat = image();
  return make_view;
}

} // namespace switchyard::dispatch_cases
