// cv::LUT on the calling thread alone. Included by opencv*.cpp alone.
#pragma once

#include <algorithm>

#include <opencv2/core.hpp>

namespace switchyard::candidates {

// out(p) = table(in(p)) for rows of 8-bit pixels; `out` has the result's size and type already.
//
// From 2^18 pixels on, cv::LUT divides its rows among OpenCV's threads. A candidate starts none,
// so it gets bands of rows below that; a single row is never divided.
inline void lut_on_this_thread(const cv::Mat &in, const cv::Mat &table, cv::Mat &out) {
  constexpr int kPixels = (1 << 18) - 1;
  const int band = std::max(1, kPixels / std::max(1, in.cols));
  for (int row = 0; row < in.rows; row += band) {
    const cv::Range rows(row, std::min(in.rows, row + band));
    cv::Mat part = out.rowRange(rows);
    cv::LUT(in.rowRange(rows), table, part);
  }
}

} // namespace switchyard::candidates
