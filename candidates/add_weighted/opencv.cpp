// add_weighted through cv::addWeighted, which rounds half to even and may fuse the first product.
#include "candidates/add_weighted/terms.hpp"
#include "candidates/common/opencv_mat.hpp"

namespace switchyard::candidates::add_weighted {

const char *accepts_opencv(const Call &call) {
  for (const ConstView *view :
       {call.in[0], call.in[1], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view)) {
      return reason;
    }
  }
  return refuses_fusing(call);
}

void run_opencv(const Call &call) {
  const auto [rounded, fused] = order_terms(call);
  const double first = static_cast<double>(fused.weight);
  const double second = static_cast<double>(rounded.weight);
  for_each_mat<3>({fused.image, rounded.image, call.out[0]}, 1,
                  [&](const cv::Mat &a, const cv::Mat &b, cv::Mat &out) {
                    cv::addWeighted(a, first, b, second, 0, out);
                  });
}

} // namespace switchyard::candidates::add_weighted
