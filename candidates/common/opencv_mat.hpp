// Views as cv::Mat headers over the same memory. Included by opencv*.cpp alone.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <utility>

#include <opencv2/core.hpp>

#include "candidates/common/domain.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates {

inline int cv_depth(Dtype dtype) {
  switch (dtype) {
  case Dtype::u8:
    return CV_8U;
  case Dtype::i8:
    return CV_8S;
  case Dtype::u16:
    return CV_16U;
  case Dtype::i16:
    return CV_16S;
  case Dtype::i32:
    return CV_32S;
  case Dtype::f32:
    return CV_32F;
  default:
    return CV_64F;
  }
}

// A Mat needs rows of dense pixels at falling addresses no further than int can count. `channels`
// is the number of channels that the call to OpenCV will see.
inline const char *refuses_mat(const ConstView &view, std::int64_t channels = 1) {
  if (!has_dense_rows(view) || !is_aligned(view)) {
    return "rows are not dense and aligned";
  }
  if (view.shape[kH] > 1 &&
      view.strides[kH] < size_of(view.dtype) * view.shape[kW] * view.shape[kC]) {
    return "rows overlap or run backwards";
  }
  if (channels < 1) {
    return "no channels";
  }
  if (channels > CV_CN_MAX) {
    return "more channels than OpenCV has";
  }
  if (view.shape[kW] * view.shape[kC] > INT_MAX || view.shape[kX] * view.shape[kH] > INT_MAX) {
    return "a side exceeds OpenCV's int";
  }
  return nullptr;
}

// The H rows at index x of a view as H × (W·C / channels) elements of `channels` channels.
inline cv::Mat mat_of(const ConstView &view, std::int64_t x, std::int64_t channels) {
  const std::int64_t rows = view.shape[kH];
  const std::int64_t columns = view.shape[kW] * view.shape[kC] / channels;
  const std::int64_t dense = columns * channels * size_of(view.dtype);
  const std::size_t step = static_cast<std::size_t>(rows > 1 ? view.strides[kH] : dense);
  auto *data = const_cast<std::byte *>(view.at(x, 0, 0, 0));
  return {static_cast<int>(rows), static_cast<int>(columns),
          CV_MAKETYPE(cv_depth(view.dtype), static_cast<int>(channels)), data, step};
}

// Joins X and H where that leaves equal steps of at least a row: one call for a whole batch.
inline ConstView join_rows(const ConstView &view) {
  ConstView joined = view;
  if (view.shape[kX] == 1) {
    return joined;
  }
  if (view.shape[kH] == 1) {
    if (view.strides[kX] < size_of(view.dtype) * view.shape[kW] * view.shape[kC]) {
      return joined;
    }
    joined.strides[kH] = view.strides[kX];
  } else if (view.strides[kX] != view.strides[kH] * view.shape[kH]) {
    return joined;
  }
  joined.shape[kH] *= view.shape[kX];
  joined.shape[kX] = 1;
  return joined;
}

// Calls body(mat, …) for every X, with one header a view, last the output. OpenCV must not
// reallocate the output: its size and type already are those of the result.
template <std::size_t V, class Body>
void for_each_mat(const std::array<const ConstView *, V> &views, std::int64_t channels,
                  Body &&body) {
  std::array<ConstView, V> joined;
  bool all = true;
  for (std::size_t v = 0; v < V; ++v) {
    joined[v] = join_rows(*views[v]);
    all = all && joined[v].shape[kX] == 1;
  }
  if (!all) {
    for (std::size_t v = 0; v < V; ++v) {
      joined[v] = *views[v];
    }
  }
  for (std::int64_t x = 0; x < joined[0].shape[kX]; ++x) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::array<cv::Mat, V> mats{mat_of(joined[I], x, channels)...};
      body(mats[I]...);
    }
    (std::make_index_sequence<V>{});
  }
}

} // namespace switchyard::candidates
