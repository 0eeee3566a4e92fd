// bincount of u8 and u16 labels through cv::calcHist, a bin per label.
//
// Its counters are int and its results f32: exact up to 2^24 labels. A label beyond its range,
// which only an ignored one can be, counts nowhere.
#include <array>

#include <opencv2/imgproc.hpp>

#include "candidates/bincount/adapters.hpp"
#include "candidates/common/opencv_mat.hpp"

namespace switchyard::candidates::bincount {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 24;
constexpr std::int64_t kMaxBins = 65536;

} // namespace

const char *accepts_counts_opencv(const Call &call) {
  if (call.params_as<BincountParams>().bins > kMaxBins) {
    return "more than 65536 bins";
  }
  if (call.in[0]->elements() > kMaxCount) {
    return "counts beyond what f32 holds exactly";
  }
  return refuses_mat(*call.in[0]);
}

void run_counts_opencv(const Call &call) {
  const auto &params = call.params_as<BincountParams>();
  const auto bins = static_cast<int>(params.bins);
  for (int bin = 0; bin < bins; ++bin) {
    store(call, bin, std::uint64_t{0});
  }
  if (call.in[0]->empty() || bins == 0) {
    return;
  }
  const std::array<float, 2> range{0, static_cast<float>(bins)};
  const float *ranges = range.data();
  const int channel = 0;
  cv::Mat counts(bins, 1, CV_32F);
  for_each_mat<1>({call.in[0]}, 1, [&](const cv::Mat &labels) {
    cv::calcHist(&labels, 1, &channel, cv::Mat(), counts, 1, &bins, &ranges);
    for (int bin = 0; bin < bins; ++bin) {
      std::uint64_t sum = 0;
      std::memcpy(&sum, call.out[0]->at(0, 0, bin, 0), sizeof sum);
      store(call, bin, sum + static_cast<std::uint64_t>(counts.at<float>(bin)));
    }
  });
  const std::int64_t ignored = Ignored<std::int64_t>(params).bin;
  if (ignored >= 0) {
    store(call, ignored, std::uint64_t{0});
  }
}

} // namespace switchyard::candidates::bincount
