// Views of cv::Mat, for counting what they cost.
#pragma once

#include <functional>
#include <string_view>

namespace switchyard {

// Calls `visit` with a name and a function that makes the view, for each kind of matrix; not at all
// in a build without OpenCV.
using VisitMat = std::function<void(std::string_view name, void (*make_view)())>;
void for_each_mat(const VisitMat &visit);

} // namespace switchyard
