// OpenCV's statistics as a user writes them. Results of a few numbers are read where the library
// leaves them and stored as the op's dtype.
#include <array>
#include <cstring>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "bench/peers/opencv.hpp"
#include "candidates/bincount/params.hpp"
#include "candidates/reduction/params.hpp"

namespace switchyard::peers::opencv {
namespace {

constexpr int kSlots = 4; // of a cv::Scalar

// Stores a number as element `at` of a result that is contiguous.
void store(const View &out, std::int64_t at, double value) {
  auto *data = static_cast<std::byte *>(out.mutable_data()) + at * size_of(out.dtype);
  const auto put = [&](auto typed) { std::memcpy(data, &typed, sizeof typed); };
  switch (out.dtype) {
  case Dtype::u8:
    return put(static_cast<std::uint8_t>(value));
  case Dtype::u64:
    return put(static_cast<std::uint64_t>(value));
  case Dtype::f32:
    return put(static_cast<float>(value));
  default:
    return put(value);
  }
}

void store_scalar(const View &out, const cv::Scalar &values, int channels) {
  for (int c = 0; c < channels; ++c) {
    store(out, c, values[c]);
  }
}

// Results of a statistic, in the order of the outputs.
struct Asked {
  cv::Mat x;
  View first, second;
  double eps = 0;
  explicit Asked(const Call &call)
      : x(mat_of(*call.in[0])), first(*call.out[0]),
        second(call.out[1] != nullptr ? *call.out[1] : View()),
        eps(call.params_as<ReductionParams>().eps) {}
};

// All values of an image whose rows may lie apart as one channel.
cv::Mat flat(const cv::Mat &x) {
  return x.reshape(1);
}

// Whole images: what a user does not have one of is an item of a batch.
bool one_item(const Call &call) {
  return call.in[0]->shape[kX] == 1;
}

// ---- sum, mean, deviation ----------------------------------------------------------------------

enum class What : std::uint8_t { sum, mean, std, mean_std };

template <What kWhat> void store_moments(const Asked &a, const cv::Mat &x, int channels) {
  if constexpr (kWhat == What::sum) {
    store_scalar(a.first, cv::sum(x), channels);
  } else if constexpr (kWhat == What::mean) {
    store_scalar(a.first, cv::mean(x), channels);
  } else {
    cv::Scalar mean;
    cv::Scalar deviation;
    cv::meanStdDev(x, mean, deviation);
    for (int c = 0; c < channels; ++c) {
      deviation[c] += a.eps;
    }
    store_scalar(kWhat == What::std ? a.first : a.second, deviation, channels);
    if (kWhat == What::mean_std) {
      store_scalar(a.first, mean, channels);
    }
  }
}

template <What kWhat> Bound moments_global(const Call &call) {
  const Asked a(call);
  return a.x.empty() ? Bound() : Bound([a] { store_moments<kWhat>(a, flat(a.x), 1); });
}

template <What kWhat> Bound moments_per_item(const Call &call) {
  return one_item(call) ? moments_global<kWhat>(call) : Bound();
}

// A batch counts as one tall image.
template <What kWhat> Bound moments_per_channel(const Call &call) {
  const Asked a(call);
  if (a.x.empty() || a.x.channels() > kSlots) {
    return {};
  }
  return [a] { store_moments<kWhat>(a, a.x, a.x.channels()); };
}

// More channels than a Scalar has: a row per pixel, reduced to one.
template <What kWhat> Bound moments_reduced(const Call &call) {
  const Asked a(call);
  if (a.x.empty() || a.x.channels() <= kSlots || !a.x.isContinuous()) {
    return {};
  }
  const int code = kWhat == What::sum ? cv::REDUCE_SUM : cv::REDUCE_AVG;
  return [a, code] {
    cv::Mat row;
    cv::reduce(a.x.reshape(1, a.x.rows * a.x.cols), row, 0, code, CV_64F);
    for (int c = 0; c < row.cols; ++c) {
      store(a.first, c, row.at<double>(0, c));
    }
  };
}

// Along one axis of one image: H is a matrix's rows, C its columns once pixels are rows.
cv::Mat axis_matrix(const Call &call, int &dimension) {
  const AxisMask axes = call.params_as<ReductionParams>().axes;
  const cv::Mat x = mat_of(*call.in[0]);
  if (x.empty() || !one_item(call)) {
    return {};
  }
  if (axes == mask_of(kH)) {
    dimension = 0;
    return x.reshape(1);
  }
  dimension = 1;
  return axes == mask_of(kC) && x.isContinuous() ? x.reshape(1, x.rows * x.cols) : cv::Mat();
}

void store_all(const View &out, const cv::Mat &values) {
  const auto *from = values.ptr<double>();
  for (std::size_t i = 0; i < values.total(); ++i) {
    store(out, static_cast<std::int64_t>(i), from[i]);
  }
}

template <What kWhat> Bound moments_axes(const Call &call) {
  const Asked a(call);
  int dimension = 0;
  const cv::Mat x = axis_matrix(call, dimension);
  if (x.empty()) {
    return {};
  }
  const int code = kWhat == What::sum ? cv::REDUCE_SUM : cv::REDUCE_AVG;
  return [a, x, dimension, code, values = cv::Mat()]() mutable {
    cv::reduce(x, values, dimension, code, CV_64F);
    store_all(a.first, values);
  };
}

// Deviations through the mean of squares: OpenCV has no reduction for them.
template <What kWhat> Bound deviations_axes(const Call &call) {
  const Asked a(call);
  int dimension = 0;
  const cv::Mat x = axis_matrix(call, dimension);
  if (x.empty()) {
    return {};
  }
  return [a, x, dimension, wide = cv::Mat(), mean = cv::Mat(), square = cv::Mat()]() mutable {
    cv::reduce(x, mean, dimension, cv::REDUCE_AVG, CV_64F);
    x.convertTo(wide, CV_64F);
    cv::multiply(wide, wide, wide);
    cv::reduce(wide, square, dimension, cv::REDUCE_AVG, CV_64F);
    if (kWhat == What::mean_std) {
      store_all(a.first, mean);
    }
    cv::multiply(mean, mean, mean);
    cv::subtract(square, mean, square);
    cv::max(square, 0.0, square);
    cv::sqrt(square, square);
    cv::add(square, a.eps, square);
    store_all(kWhat == What::std ? a.first : a.second, square);
  };
}

// ---- smallest and largest ----------------------------------------------------------------------

Bound range_global(const Call &call) {
  const Asked a(call);
  if (a.x.empty()) {
    return {};
  }
  return [a] {
    double low = 0;
    double high = 0;
    cv::minMaxLoc(flat(a.x), &low, &high);
    store(a.first, 0, low);
    store(a.second, 0, high);
  };
}

Bound range_per_item(const Call &call) {
  return one_item(call) ? range_global(call) : Bound();
}

void store_row(const View &out, const cv::Mat &row) {
  std::memcpy(out.mutable_data(), row.data, row.total() * row.elemSize());
}

Bound range_reduced(const Asked &a, const cv::Mat &x, int dimension) {
  return [a, x, dimension, low = cv::Mat(), high = cv::Mat()]() mutable {
    cv::reduce(x, low, dimension, cv::REDUCE_MIN);
    cv::reduce(x, high, dimension, cv::REDUCE_MAX);
    store_row(a.first, low);
    store_row(a.second, high);
  };
}

Bound range_per_channel(const Call &call) {
  const Asked a(call);
  if (a.x.empty() || !a.x.isContinuous()) {
    return {};
  }
  return range_reduced(a, a.x.reshape(1, a.x.rows * a.x.cols), 0);
}

Bound range_axes(const Call &call) {
  int dimension = 0;
  const cv::Mat x = axis_matrix(call, dimension);
  return x.empty() ? Bound() : range_reduced(Asked(call), x, dimension);
}

// ---- normalisation by the image itself ---------------------------------------------------------

constexpr double kDeviationEps = 1e-4;

Bound normalize_image(const Call &call) {
  const Mats m(call);
  if (!m.usable()) {
    return {};
  }
  return [m] {
    cv::Scalar mean;
    cv::Scalar deviation;
    cv::meanStdDev(flat(m.x), mean, deviation);
    const double scale = 1 / (deviation[0] + kDeviationEps);
    m.x.convertTo(m.y, CV_32F, scale, -mean[0] * scale);
  };
}

Bound normalize_channels(const Call &call) {
  const Mats m(call);
  if (!m.usable() || m.x.channels() > kSlots) {
    return {};
  }
  return [m] {
    cv::Scalar mean;
    cv::Scalar deviation;
    cv::meanStdDev(m.x, mean, deviation);
    cv::subtract(m.x, mean, m.y, cv::noArray(), CV_32F);
    cv::divide(m.y, deviation + cv::Scalar::all(kDeviationEps), m.y);
  };
}

Bound normalize_range(const Call &call) {
  const Mats m(call);
  if (!m.usable()) {
    return {};
  }
  return [m] { cv::normalize(flat(m.x), flat(m.y), 0, 1, cv::NORM_MINMAX, CV_32F); };
}

Bound normalize_ranges(const Call &call) {
  const Mats m(call);
  if (!m.usable() || m.x.channels() > kSlots || !m.x.isContinuous()) {
    return {};
  }
  return [m, low = cv::Mat(), high = cv::Mat()]() mutable {
    const cv::Mat pixels = m.x.reshape(1, m.x.rows * m.x.cols);
    cv::reduce(pixels, low, 0, cv::REDUCE_MIN);
    cv::reduce(pixels, high, 0, cv::REDUCE_MAX);
    low.convertTo(low, CV_64F);
    high.convertTo(high, CV_64F);
    cv::Scalar least;
    cv::Scalar width;
    for (int c = 0; c < low.cols; ++c) {
      least[c] = low.at<double>(0, c);
      width[c] = high.at<double>(0, c) - least[c];
    }
    cv::subtract(m.x, least, m.y, cv::noArray(), CV_32F);
    cv::divide(m.y, width, m.y);
  };
}

// ---- counting ----------------------------------------------------------------------------------

cv::Mat histogram_of(const cv::Mat &x, int channel, const cv::Mat &mask, int bins) {
  const std::array<float, 2> range{0, static_cast<float>(bins)};
  const float *ranges = range.data();
  cv::Mat counts;
  cv::calcHist(&x, 1, &channel, mask, counts, 1, &bins, &ranges);
  return counts;
}

constexpr int kLevels = 256;

Bound histogram_together(const Call &call) {
  const cv::Mat x = mat_of(*call.in[0]);
  const View out = *call.out[0];
  if (x.empty()) {
    return {};
  }
  return [x, out] {
    const cv::Mat counts = histogram_of(flat(x), 0, cv::Mat(), kLevels);
    for (int v = 0; v < kLevels; ++v) {
      store(out, v, static_cast<double>(counts.at<float>(v)));
    }
  };
}

// With a mask, and per channel: one histogram of each channel, which "together" adds up.
template <bool kPerChannel> Bound histogram_channels(const Call &call) {
  const cv::Mat x = mat_of(*call.in[0]);
  const bool masked = call.in[1] != nullptr;
  const cv::Mat mask = masked ? mat_of(*call.in[1]) : cv::Mat();
  const View out = *call.out[0];
  if (x.empty() || (masked && mask.empty())) {
    return {};
  }
  return [x, mask, out] {
    cv::Mat sum;
    for (int c = 0; c < x.channels(); ++c) {
      const cv::Mat counts = histogram_of(x, c, mask, kLevels);
      for (int v = 0; v < kLevels && kPerChannel; ++v) {
        store(out, std::int64_t{v} * x.channels() + c, static_cast<double>(counts.at<float>(v)));
      }
      if (!kPerChannel) {
        sum = c == 0 ? counts : cv::Mat(sum + counts);
      }
    }
    for (int v = 0; v < kLevels && !kPerChannel; ++v) {
      store(out, v, static_cast<double>(sum.at<float>(v)));
    }
  };
}

Bound count_labels(const Call &call) {
  const cv::Mat x = mat_of(*call.in[0]);
  const auto &p = call.params_as<BincountParams>();
  const View out = *call.out[0];
  if (x.empty() || p.ignores ||
      x.depth() > CV_16U) { // calcHist has 8 and 16 bits unsigned, and f32
    return {};
  }
  const auto bins = static_cast<int>(p.bins);
  return [x, out, bins] {
    const cv::Mat counts = histogram_of(flat(x), 0, cv::Mat(), bins);
    for (int v = 0; v < bins; ++v) {
      store(out, v, static_cast<double>(counts.at<float>(v)));
    }
  };
}

constexpr std::string_view kAxesText = "cv::reduce(x.reshape(1), t, dim, …, CV_64F)";
constexpr std::string_view kSquaresText = "cv::reduce of x and of x · x; cv::sqrt";
constexpr std::string_view kPixelsText = "cv::reduce(x.reshape(1, H * W), t, 0, …)";
constexpr Expression kStatistics[] = {
    {"reduce_sum/global", "cv::sum(x.reshape(1))", moments_global<What::sum>},
    {"reduce_sum/per_item", "cv::sum(x.reshape(1))", moments_per_item<What::sum>},
    {"reduce_sum/per_channel", "cv::sum(x)", moments_per_channel<What::sum>},
    {"reduce_sum/per_channel", kPixelsText, moments_reduced<What::sum>},
    {"reduce_sum/axes", kAxesText, moments_axes<What::sum>},
    {"mean/global", "cv::mean(x.reshape(1))", moments_global<What::mean>},
    {"mean/per_item", "cv::mean(x.reshape(1))", moments_per_item<What::mean>},
    {"mean/per_channel", "cv::mean(x)", moments_per_channel<What::mean>},
    {"mean/per_channel", kPixelsText, moments_reduced<What::mean>},
    {"mean/axes", kAxesText, moments_axes<What::mean>},
    {"std/global", "cv::meanStdDev(x.reshape(1), m, s)", moments_global<What::std>},
    {"std/per_item", "cv::meanStdDev(x.reshape(1), m, s)", moments_per_item<What::std>},
    {"std/per_channel", "cv::meanStdDev(x, m, s)", moments_per_channel<What::std>},
    {"std/axes", kSquaresText, deviations_axes<What::std>},
    {"mean_std/global", "cv::meanStdDev(x.reshape(1), m, s)", moments_global<What::mean_std>},
    {"mean_std/per_item", "cv::meanStdDev(x.reshape(1), m, s)", moments_per_item<What::mean_std>},
    {"mean_std/per_channel", "cv::meanStdDev(x, m, s)", moments_per_channel<What::mean_std>},
    {"mean_std/axes", kSquaresText, deviations_axes<What::mean_std>},
    {"min_max/global", "cv::minMaxLoc(x.reshape(1), &low, &high)", range_global},
    {"min_max/per_item", "cv::minMaxLoc(x.reshape(1), &low, &high)", range_per_item},
    {"min_max/per_channel", kPixelsText, range_per_channel},
    {"min_max/axes", "cv::reduce(x.reshape(1), t, dim, REDUCE_MIN and REDUCE_MAX)", range_axes},
    {"normalize_per_image/image", "cv::meanStdDev; x.convertTo(y, CV_32F, 1 / s, -m / s)",
     normalize_image},
    {"normalize_per_image/image_per_channel", "cv::meanStdDev; cv::subtract; cv::divide",
     normalize_channels},
    {"normalize_per_image/min_max", "cv::normalize(x, y, 0, 1, NORM_MINMAX, CV_32F)",
     normalize_range},
    {"normalize_per_image/min_max_per_channel", "cv::reduce twice; cv::subtract; cv::divide",
     normalize_ranges},
    {"histogram/together", "cv::calcHist(x.reshape(1))", histogram_together},
    {"histogram/per_channel", "cv::calcHist of each channel", histogram_channels<true>},
    {"histogram/together_masked", "cv::calcHist of each channel, added", histogram_channels<false>},
    {"histogram/per_channel_masked", "cv::calcHist of each channel", histogram_channels<true>},
    {"bincount/counts", "cv::calcHist(x, bins)", count_labels},
};

} // namespace

std::span<const Expression> statistics() {
  return kStatistics;
}

} // namespace switchyard::peers::opencv
