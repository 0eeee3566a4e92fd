// Turns through cv::flip and cv::transpose.
#include "candidates/common/opencv_mat.hpp"
#include "candidates/turn/adapters.hpp"

namespace switchyard::candidates::turn {
namespace {

// Bytes of the pixels that cv::transpose has a function for; it throws for others.
bool transposes(std::int64_t bytes) {
  switch (bytes) {
  case 1:
  case 2:
  case 3:
  case 4:
  case 6:
  case 8:
  case 12:
  case 16:
  case 24:
  case 32:
    return true;
  default:
    return false;
  }
}

// cv::flip's name for the reversed axes of a mat: rows, columns or both.
int flip_code(bool rows, bool columns) {
  return rows && columns ? -1 : rows ? 0 : 1;
}

void run_mat(const cv::Mat &in, cv::Mat &out, const Turn &turn) {
  const bool flips = turn.reverse_h || turn.reverse_w;
  if (turn.swap) {
    cv::transpose(in, out);
    if (flips) { // the axes have changed places by now
      cv::flip(out, out, flip_code(turn.reverse_w, turn.reverse_h));
    }
  } else if (flips) {
    cv::flip(in, out, flip_code(turn.reverse_h, turn.reverse_w));
  } else {
    in.copyTo(out);
  }
}

} // namespace

const char *accepts_opencv(const Call &call, const Turn &turn) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view, view->channels())) {
      return reason;
    }
    if (view->shape[kW] * view->shape[kC] > INT_MAX / size_of(view->dtype)) {
      return "a row exceeds OpenCV's int"; // it counts the bytes
    }
  }
  const ConstView &in = *call.in[0];
  if (turn.swap && !transposes(in.channels() * size_of(in.dtype))) {
    return "a pixel size that cv::transpose does not have";
  }
  return nullptr;
}

void run_opencv(const Call &call, const Turn &turn) {
  const ConstView &in = *call.in[0];
  const View &out = *call.out[0];
  if (in.empty()) {
    return;
  }
  if (!turn.reverse_h && !turn.swap) { // rows stay in order: those of a batch can be joined
    for_each_mat<2>({&in, &out}, in.channels(),
                    [&](const cv::Mat &from, cv::Mat &to) { run_mat(from, to, turn); });
    return;
  }
  for (std::int64_t x = 0; x < in.shape[kX]; ++x) {
    cv::Mat to = mat_of(out, x, out.channels());
    run_mat(mat_of(in, x, in.channels()), to, turn);
  }
}

} // namespace switchyard::candidates::turn
