// Calls whose dispatch is timed: images so small that the call itself is most of the time.
#pragma once

#include <span>
#include <string_view>

namespace switchyard::dispatch_cases {

using Body = void();

// One problem, run in three ways, on views and parameters that exist already.
struct Case {
  std::string_view name;
  Body *direct = nullptr;    // the candidate that the route takes, called by its pointer
  Body *routed = nullptr;    // the public function
  Body *unchecked = nullptr; // the same of unchecked::
};

// Calls every case's public function and looks up its candidate for the direct form. Throws
// std::runtime_error where a route can't be called directly.
void prepare();

[[nodiscard]] std::span<const Case> cases();

// Makes a view of a cv::Mat; nullptr: this build has no OpenCV.
[[nodiscard]] Body *view_of_mat();

} // namespace switchyard::dispatch_cases
