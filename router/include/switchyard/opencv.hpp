// Views of cv::Mat.
#pragma once

#include <opencv2/core/mat.hpp>

#include "switchyard/core/error.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard {

// The element type of a matrix; throws Error for CV_16F.
inline Dtype dtype_of(const cv::Mat &mat) {
  switch (mat.depth()) {
  case CV_8U:
    return Dtype::u8;
  case CV_8S:
    return Dtype::i8;
  case CV_16U:
    return Dtype::u16;
  case CV_16S:
    return Dtype::i16;
  case CV_32S:
    return Dtype::i32;
  case CV_32F:
    return Dtype::f32;
  case CV_64F:
    return Dtype::f64;
  default:
    throw Error("view_of", "cv::Mat", "depth CV_16F",
                "CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, "
                "CV_32F, CV_64F");
  }
}

// The same memory as an H × W × C image, or D × H × W × C for a Mat of three dimensions. A region
// of interest is its own pixels. An empty Mat gives an empty view. The Mat must outlive the view.
inline View view_of(const cv::Mat &mat) {
  const Dtype dtype = dtype_of(mat);
  const auto size = static_cast<std::int64_t>(mat.elemSize1());
  const std::int64_t channels = mat.channels();
  if (mat.dims <= 2) {
    return {mat.data,
            {1, mat.rows, mat.cols, channels},
            {0, mat.dims == 0 ? 0 : static_cast<std::int64_t>(mat.step[0]), size * channels, size},
            dtype,
            3};
  }
  if (mat.dims != 3) {
    throw Error("view_of", "cv::Mat", std::to_string(mat.dims) + " dimensions", "up to 3");
  }
  return {mat.data,
          {mat.size[0], mat.size[1], mat.size[2], channels},
          {static_cast<std::int64_t>(mat.step[0]), static_cast<std::int64_t>(mat.step[1]),
           size * channels, size},
          dtype,
          4};
}

} // namespace switchyard
