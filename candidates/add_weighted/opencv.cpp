// add_weighted through cv::addWeighted, which rounds half to even.
//
// Its vector body fuses one product into the sum and the rest of a row may fuse the other, so that
// for f32 neither product may overflow.
#include <cmath>

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
  if (const char *reason = refuses_fusing(call)) {
    return reason;
  }
  if (call.in[0]->dtype == Dtype::f32 && std::fabs(order_terms(call).rounded.weight) > 1) {
    return "a weight exceeds 1: a fused product could hide an overflow";
  }
  return nullptr;
}

void run_opencv(const Call &call) {
  const auto &params = call.params_as<AddWeightedParams>();
  const auto weight_a = static_cast<double>(static_cast<float>(params.weight_a));
  const auto weight_b = static_cast<double>(static_cast<float>(params.weight_b));
  for_each_mat<3>({call.in[0], call.in[1], call.out[0]}, 1,
                  [&](const cv::Mat &a, const cv::Mat &b, cv::Mat &out) {
                    cv::addWeighted(a, weight_a, b, weight_b, 0, out);
                  });
}

} // namespace switchyard::candidates::add_weighted
