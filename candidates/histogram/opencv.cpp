// histogram through cv::calcHist, a call per channel, or one of all bytes together.
//
// Its counters are int and its results f32: exact up to 2^24 pixels.
#include "candidates/histogram/adapters.hpp"

#include <array>

#include <opencv2/imgproc.hpp>

#include "candidates/common/opencv_mat.hpp"

namespace switchyard::candidates::histogram {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 24;

// Channels that the call to OpenCV sees.
std::int64_t seen_channels(const Call &call, bool per_channel) {
  return per_channel || call.in[1] != nullptr ? call.in[0]->channels() : 1;
}

void count(const cv::Mat &image, const cv::Mat &mask, bool per_channel, const View &result) {
  constexpr int kSize = kLevels;
  const std::array<float, 2> range{0, 256};
  const float *ranges = range.data();
  cv::Mat counts(kSize, 1, CV_32F);
  for (int c = 0; c < image.channels(); ++c) {
    cv::calcHist(&image, 1, &c, mask, counts, 1, &kSize, &ranges);
    for (int level = 0; level < kSize; ++level) {
      add_count(result, level, result_channel(per_channel, c),
                static_cast<std::uint64_t>(counts.at<float>(level)));
    }
  }
}

} // namespace

const char *accepts_opencv(const Call &call, bool per_channel) {
  const ConstView &image = *call.in[0];
  if (const char *reason = refuses_mat(image, seen_channels(call, per_channel))) {
    return reason;
  }
  if (call.in[1] != nullptr) {
    if (const char *reason = refuses_mat(*call.in[1])) {
      return reason;
    }
  }
  return image.elements() > kMaxCount ? "counts beyond what f32 holds exactly" : nullptr;
}

void run_opencv(const Call &call, bool per_channel) {
  const ConstView &image = *call.in[0];
  const ConstView *mask = call.in[1];
  const View &result = *call.out[0];
  clear_counts(result);
  if (image.empty()) {
    return;
  }
  const std::int64_t channels = seen_channels(call, per_channel);
  if (mask == nullptr) {
    return for_each_mat<1>({&image}, channels,
                           [&](const cv::Mat &mat) { count(mat, cv::Mat(), per_channel, result); });
  }
  for (std::int64_t x = 0; x < image.shape[kX]; ++x) {
    count(mat_of(image, x, channels), mat_of(*mask, x, 1), per_channel, result);
  }
}

} // namespace switchyard::candidates::histogram
