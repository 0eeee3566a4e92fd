// normalize_per_image through OpenCV: meanStdDev or minMaxLoc, then subtract, divide, min and max.
//
// cv::normalize(NORM_MINMAX) is one multiplication and one addition: its minimum is not exactly 0.
// minMaxLoc passes over NaN, and cv::min and cv::max take a NaN for the other operand: what is not
// finite goes the plain way.
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "candidates/common/opencv_mat.hpp"
#include "candidates/normalize_per_image/adapters.hpp"

namespace switchyard::candidates::normalize_per_image {
namespace {

constexpr std::int64_t kMaxChannels = 4; // of a cv::Scalar

const Moments &moments_by_opencv(bool per_channel) {
  static const Moments global("opencv", false);
  static const Moments channels("opencv", true);
  return per_channel ? channels : global;
}

// Means and deviations of f32 are E[x²] − mean²; where that loses more digits than the tolerance
// has, the kernels take over.
void find_moments(const ConstView &image, Mode mode, std::span<Scale> scales) {
  constexpr float kSafeRatio = 0.03F;
  std::array<double, 2 * kMaxChannels> values;
  moments_by_opencv(is_per_channel(mode))(image, values, scales);
  const bool safe = std::all_of(scales.begin(), scales.end(), [](const Scale &scale) {
    return scale.divisor - static_cast<float>(kEps) >= kSafeRatio * std::fabs(scale.offset);
  });
  if (image.dtype == Dtype::f32 && !safe) {
    find_scales(image, mode, scales);
  }
}

// False where something is not finite. Widens lows[c] … highs[c] by each channel of a Mat.
bool add_extremes(const cv::Mat &mat, std::span<double> lows, std::span<double> highs) {
  if (mat.depth() == CV_32F && !cv::checkRange(mat, true, nullptr, -DBL_MAX, DBL_MAX)) {
    return false;
  }
  cv::Mat plane;
  for (int c = 0; c < mat.channels(); ++c) {
    if (mat.channels() > 1) {
      cv::extractChannel(mat, plane, c);
    }
    double low = 0;
    double high = 0;
    cv::minMaxLoc(mat.channels() > 1 ? plane : mat, &low, &high);
    const auto at = static_cast<std::size_t>(c);
    lows[at] = std::min(lows[at], low);
    highs[at] = std::max(highs[at], high);
  }
  return true;
}

void find_range(const ConstView &image, std::span<Scale> scales) {
  std::array<double, kMaxChannels> lows;
  std::array<double, kMaxChannels> highs;
  lows.fill(DBL_MAX);
  highs.fill(-DBL_MAX);
  bool finite = true;
  for_each_mat<1>({&image}, static_cast<std::int64_t>(scales.size()),
                  [&](const cv::Mat &mat) { finite = finite && add_extremes(mat, lows, highs); });
  std::array<float, kMaxChannels> narrow_lows;
  std::array<float, kMaxChannels> narrow_highs;
  if (finite) {
    std::transform(lows.begin(), lows.end(), narrow_lows.begin(),
                   [](double x) { return static_cast<float>(x); });
    std::transform(highs.begin(), highs.end(), narrow_highs.begin(),
                   [](double x) { return static_cast<float>(x); });
  } else {
    extremes_plainly(image, std::span(narrow_lows).first(scales.size()),
                     std::span(narrow_highs).first(scales.size()));
  }
  for (std::size_t c = 0; c < scales.size(); ++c) {
    scales[c] = Scale::range(narrow_lows[c], narrow_highs[c]);
  }
}

void normalize(const ConstView &image, const View &result, std::span<const Scale> scales,
               Mode mode) {
  cv::Scalar offset;
  cv::Scalar divisor;
  for (std::size_t c = 0; c < scales.size(); ++c) {
    offset[static_cast<int>(c)] = static_cast<double>(scales[c].offset);
    divisor[static_cast<int>(c)] = static_cast<double>(scales[c].divisor);
  }
  for_each_mat<2>({&image, &result}, static_cast<std::int64_t>(scales.size()),
                  [&](const cv::Mat &in, cv::Mat &out) {
                    cv::subtract(in, offset, out, cv::noArray(), CV_32F);
                    cv::divide(out, divisor, out, 1, CV_32F);
                    if (!is_range(mode)) {
                      cv::max(out, cv::Scalar::all(-kLimit), out);
                      cv::min(out, cv::Scalar::all(kLimit), out);
                    }
                  });
}

} // namespace

const char *accepts_opencv(const Call &call, Mode mode) {
  const std::int64_t channels = scale_count(*call.in[0], mode);
  if (channels > kMaxChannels) {
    return "a cv::Scalar holds four channels";
  }
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view, channels)) {
      return reason;
    }
  }
  return is_range(mode) || call.in[0]->empty()
             ? nullptr
             : moments_by_opencv(is_per_channel(mode)).refuses(first_item(call));
}

void run_opencv(const Call &call, Mode mode) {
  std::array<Scale, kMaxChannels> storage;
  const std::span<Scale> scales(storage.data(),
                                static_cast<std::size_t>(scale_count(*call.in[0], mode)));
  for_each_item(call, [&](const ConstView &image, const View &result) {
    is_range(mode) ? find_range(image, scales) : find_moments(image, mode, scales);
    if (any_halved(scales) || !all_finite(scales)) {
      normalize_plainly(image, result, scales, mode);
    } else {
      normalize(image, result, scales, mode);
    }
  });
}

} // namespace switchyard::candidates::normalize_per_image
