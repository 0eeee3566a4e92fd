// pairwise_distances_squared through cv::batchDistance, which takes differences in f32.
//
// It adds its squares one after the other: up to some 100 coordinates that cannot lose 1e-5. It has
// no f64, and divides large problems among OpenCV's threads.
#include <opencv2/core.hpp>

#include "candidates/common/opencv_mat.hpp"
#include "candidates/pairwise_distances_squared/adapters.hpp"

namespace switchyard::candidates::pairwise_distances_squared {
namespace {

constexpr std::int64_t kMostCoordinates = 128;

} // namespace

const char *accepts_opencv(const Call &call) {
  for (const ConstView *view :
       {call.in[0], call.in[1], static_cast<const ConstView *>(call.out[0])}) {
    if (view->empty()) {
      return "an empty matrix";
    }
    if (const char *reason = refuses_mat(*view)) {
      return reason;
    }
  }
  return call.in[0]->shape[kW] > kMostCoordinates ? "more than 128 coordinates" : nullptr;
}

void run_opencv(const Call &call) {
  const cv::Mat a = mat_of(*call.in[0], 0, 1);
  const cv::Mat b = mat_of(*call.in[1], 0, 1);
  cv::Mat out = mat_of(*call.out[0], 0, 1);
  // One row at a time: OpenCV divides rows among its threads, a single one to nobody.
  for (int n = 0; n < a.rows; ++n) {
    cv::Mat distances = out.row(n);
    cv::batchDistance(a.row(n), b, distances, CV_32F, cv::noArray(), cv::NORM_L2SQR);
  }
}

} // namespace switchyard::candidates::pairwise_distances_squared
