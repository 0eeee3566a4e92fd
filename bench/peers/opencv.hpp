// What the OpenCV expressions share. Included by opencv*.cpp alone.
#pragma once

#include <opencv2/core.hpp>

#include "bench/peers/peer.hpp"

namespace switchyard::peers::opencv {

// The view as a user's matrix: rows of dense pixels, a batch as one tall image. An empty matrix
// where it isn't that.
[[nodiscard]] cv::Mat mat_of(const ConstView &view);

// The first input and the output.
struct Mats {
  cv::Mat x, y;
  explicit Mats(const Call &call) : x(mat_of(*call.in[0])), y(mat_of(*call.out[0])) {}
  [[nodiscard]] bool usable() const { return !x.empty() && !y.empty(); }
};

// The expressions by kind of op.
[[nodiscard]] std::span<const Expression> pointwise();
[[nodiscard]] std::span<const Expression> statistics();

} // namespace switchyard::peers::opencv
