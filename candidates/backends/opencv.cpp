// What OpenCV says of itself.
#include <string>

#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>

namespace switchyard::candidates::opencv {

std::string version() {
  return CV_VERSION;
}

// The CPU features that this build of OpenCV uses here; it marks those it lacks with '?'.
std::string capability() {
  return cv::getCPUFeaturesLine();
}

std::string threads() {
  return std::to_string(cv::getNumThreads());
}

} // namespace switchyard::candidates::opencv
