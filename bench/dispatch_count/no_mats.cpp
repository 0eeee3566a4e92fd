// In place of opencv_mats.cpp in builds without OpenCV.
#include "bench/dispatch_count/mats.hpp"

namespace switchyard {

void for_each_mat(const VisitMat & /*visit*/) {}

} // namespace switchyard
