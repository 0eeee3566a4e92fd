#include <opencv2/core.hpp>

#include "bench/dispatch_count/mats.hpp"
#include "switchyard/opencv.hpp"

namespace switchyard {
namespace {

// The view is made in full, though nobody reads it.
void keep(const View &view) {
  asm volatile("" : : "g"(&view) : "memory");
}

const cv::Mat &image() {
  static const cv::Mat mat(24, 32, CV_8UC3, cv::Scalar::all(1));
  return mat;
}
const cv::Mat &volume() {
  static const std::array<int, 3> sizes{4, 24, 32};
  static const cv::Mat mat(3, sizes.data(), CV_32FC1, cv::Scalar::all(1));
  return mat;
}

} // namespace

void for_each_mat(const VisitMat &visit) {
  visit("a view of a cv::Mat", [] { keep(view_of(image())); });
  visit("a view of a cv::Mat of 3 dimensions", [] { keep(view_of(volume())); });
}

} // namespace switchyard
