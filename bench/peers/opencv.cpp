// OpenCV as a user calls it: conversions, tables, matrices and turns.
#include "bench/peers/opencv.hpp"

#include <vector>

#include "candidates/clip/params.hpp"
#include "candidates/from_float/params.hpp"
#include "candidates/lut/params.hpp"
#include "candidates/rot90/params.hpp"
#include "candidates/to_float/params.hpp"

namespace switchyard::peers {
namespace opencv {
namespace {

int depth_of(Dtype dtype) {
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
  case Dtype::f64:
    return CV_64F;
  default:
    return -1; // 64-bit integers
  }
}

Bound to_float(const Call &call) {
  const Mats m(call);
  if (!m.usable()) {
    return {};
  }
  if (m.x.depth() == CV_32F) {
    return [m] { m.x.copyTo(m.y); };
  }
  const double max_value = call.params_as<ToFloatParams>().max_value;
  return [m, max_value] { m.x.convertTo(m.y, CV_32F, 1 / max_value); };
}

Bound from_float(const Call &call) {
  const Mats m(call);
  if (!m.usable()) {
    return {};
  }
  if (m.y.depth() == CV_32F) {
    return [m] { m.x.copyTo(m.y); };
  }
  const double max_value = call.params_as<FromFloatParams>().max_value;
  return [m, max_value] { m.x.convertTo(m.y, m.y.depth(), max_value); };
}

Bound lut(const Call &call) {
  const Mats m(call);
  // Of one channel, or of as many as the image has, 256 entries long.
  ConstView entries = call.params_as<LutParams>().table;
  const cv::Mat table = mat_of(entries);
  if (!m.usable() || table.empty()) {
    return {};
  }
  return [m, table] { cv::LUT(m.x, table, m.y); };
}

// Matrices are single-channel images; a batch has no call.
Bound matmul(const Call &call) {
  const Mats m(call);
  const cv::Mat b = mat_of(*call.in[1]);
  if (!m.usable() || b.empty() || call.in[0]->shape[kX] != 1 || m.x.depth() < CV_32F) {
    return {};
  }
  return [m, b] { cv::gemm(m.x, b, 1, cv::noArray(), 0, m.y); };
}

Bound pairwise(const Call &call) {
  const Mats m(call);
  const cv::Mat b = mat_of(*call.in[1]);
  if (!m.usable() || b.empty() || call.in[0]->shape[kX] != 1 || m.x.depth() != CV_32F) {
    return {};
  }
  return [m, b] { cv::batchDistance(m.x, b, m.y, CV_32F, cv::noArray(), cv::NORM_L2SQR); };
}

template <class Turn> Bound turned(const Call &call, Turn turn) {
  const Mats m(call);
  if (!m.usable() || call.in[0]->shape[kX] != 1) {
    return {};
  }
  return [m, turn] { turn(m.x, m.y); };
}

Bound hflip(const Call &call) {
  return turned(call, [](const cv::Mat &x, const cv::Mat &y) { cv::flip(x, y, 1); });
}
Bound vflip(const Call &call) {
  return turned(call, [](const cv::Mat &x, const cv::Mat &y) { cv::flip(x, y, 0); });
}
Bound transpose(const Call &call) {
  return turned(call, [](const cv::Mat &x, const cv::Mat &y) { cv::transpose(x, y); });
}
Bound rot90(const Call &call) {
  const int k = call.params_as<candidates::Rot90Params>().quarter_turns;
  if (k == 0) {
    return {};
  }
  const int code = k == 1   ? cv::ROTATE_90_COUNTERCLOCKWISE
                   : k == 2 ? cv::ROTATE_180
                            : cv::ROTATE_90_CLOCKWISE;
  return turned(call, [code](const cv::Mat &x, const cv::Mat &y) { cv::rotate(x, y, code); });
}

constexpr Expression kOthers[] = {
    {"to_float", "x.convertTo(y, CV_32F, 1 / max_value)", to_float},
    {"from_float", "x.convertTo(y, depth, max_value)", from_float},
    {"lut/shared", "cv::LUT(x, table, y)", lut},
    {"lut/per_channel", "cv::LUT(x, table, y)", lut},
    {"matmul", "cv::gemm(a, b, 1, noArray(), 0, y)", matmul},
    {"pairwise_distances_squared", "cv::batchDistance(a, b, y, CV_32F, noArray(), NORM_L2SQR)",
     pairwise},
    {"hflip", "cv::flip(x, y, 1)", hflip},
    {"vflip", "cv::flip(x, y, 0)", vflip},
    {"transpose", "cv::transpose(x, y)", transpose},
    {"rot90", "cv::rotate(x, y, code)", rot90},
};

std::span<const Expression> all() {
  static const std::vector<Expression> kAll = joined({pointwise(), statistics(), kOthers});
  return kAll;
}

std::string version() {
  return CV_VERSION;
}

void one_thread() {
  cv::setNumThreads(1);
}

} // namespace

cv::Mat mat_of(const ConstView &view) {
  const std::int64_t size = size_of(view.dtype);
  const std::int64_t pixel = size * view.shape[kC];
  const std::int64_t row = pixel * view.shape[kW];
  const bool dense_rows = (view.shape[kC] == 1 || view.strides[kC] == size) &&
                          (view.shape[kW] == 1 || view.strides[kW] == pixel);
  const std::int64_t step = view.shape[kH] > 1 ? view.strides[kH] : row;
  const bool stacked = view.shape[kX] == 1 || view.strides[kX] == step * view.shape[kH];
  const int depth = depth_of(view.dtype);
  if (!dense_rows || !stacked || step < row || depth < 0 || view.empty() ||
      view.shape[kC] > CV_CN_MAX) {
    return {};
  }
  return {static_cast<int>(view.shape[kX] * view.shape[kH]), static_cast<int>(view.shape[kW]),
          CV_MAKETYPE(depth, static_cast<int>(view.shape[kC])), const_cast<void *>(view.data),
          static_cast<std::size_t>(step)};
}

} // namespace opencv

extern const Peer kOpencvPeer;
const Peer kOpencvPeer{"opencv", opencv::all(), opencv::version, opencv::one_thread};

} // namespace switchyard::peers
