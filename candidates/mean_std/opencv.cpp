// mean_std through cv::meanStdDev, tile by tile.
//
// It computes E[x²] − mean² in f64. Of u8, a tile's results give back its exact integer sums. Of
// f32, tiles whose deviation is small beside their mean get a pass over their deviations.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "candidates/common/domain.hpp"
#include "candidates/common/opencv_mat.hpp"
#include "candidates/common/read_runs.hpp"
#include "candidates/mean_std/moments.hpp"
#include "candidates/mean_std/pieces.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::mean_std {
namespace {

// Sums of squares of so many u8 values survive the rounding of their mean and deviation.
constexpr std::int64_t kByteTile = std::int64_t{1} << 22;

// Rows of dense pixels. The first of their channels is channel `first` of the image.
struct Tile {
  const std::byte *data;
  std::int64_t rows;
  std::int64_t row_stride; // bytes
  std::int64_t columns;    // pixels
  std::int64_t first;
};

struct Tiling {
  RunPlan<1> plan;
  std::int64_t channels = 1; // that a tile interleaves
  bool has_rows = false;     // axis 2 can be the rows of a tile

  Tiling(const ConstView &view, bool per_channel) : plan(plan_runs<1>({&view})) {
    const auto &rows = plan.axes[2];
    const auto &inner = plan.inner();
    channels = per_channel && inner.has_channels ? plan.channels : 1;
    has_rows = !(per_channel && rows.has_channels) &&
               rows.strides[0] >= inner.extent * size_of(view.dtype);
  }
};

// Calls body(tile) over tiles of at most `limit` pixels.
template <class Body>
void for_each_tile(const ConstView &view, const Tiling &tiling, std::int64_t limit, Body &&body) {
  const auto &[outer, middle, next, inner] = tiling.plan.axes;
  const std::int64_t pixels = inner.extent / tiling.channels;
  const std::int64_t columns = std::min(pixels, limit);
  const std::int64_t rows = tiling.has_rows ? std::max<std::int64_t>(1, limit / columns) : 1;
  const std::int64_t pixel_size = tiling.channels * size_of(view.dtype);
  const auto *first = static_cast<const std::byte *>(view.data);
  std::int64_t channel = 0;
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    channel = outer.has_channels ? i : channel;
    for (std::int64_t j = 0; j < middle.extent; ++j) {
      channel = middle.has_channels ? j : channel;
      for (std::int64_t k = 0; k < next.extent; k += rows) {
        channel = next.has_channels ? k : channel;
        const std::byte *row =
            first + i * outer.strides[0] + j * middle.strides[0] + k * next.strides[0];
        for (std::int64_t at = 0; at < pixels; at += columns) {
          body(Tile{row + at * pixel_size, std::min(rows, next.extent - k), next.strides[0],
                    std::min(columns, pixels - at), tiling.channels > 1 ? 0 : channel});
        }
      }
    }
  }
}

// cv::meanStdDev of each channel of a tile.
struct TileResult {
  std::array<double, CV_CN_MAX> means;
  std::array<double, CV_CN_MAX> deviations;

  void compute(const Tile &tile, Dtype dtype, std::int64_t channels) {
    const int type = CV_MAKETYPE(cv_depth(dtype), static_cast<int>(channels));
    const std::int64_t dense = tile.columns * channels * size_of(dtype);
    const cv::Mat mat(static_cast<int>(tile.rows), static_cast<int>(tile.columns), type,
                      const_cast<std::byte *>(tile.data),
                      static_cast<std::size_t>(tile.rows > 1 ? tile.row_stride : dense));
    const cv::Mat mean(static_cast<int>(channels), 1, CV_64F, means.data());
    const cv::Mat deviation(static_cast<int>(channels), 1, CV_64F, deviations.data());
    cv::meanStdDev(mat, mean, deviation);
  }
};

void add_bytes(const TileResult &tile, std::int64_t pixels, std::int64_t channels, ByteSums *sums) {
  const auto n = static_cast<double>(pixels);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const double mean = tile.means[c];
    const double variance = tile.deviations[c] * tile.deviations[c];
    sums[c].sum += static_cast<std::uint64_t>(std::llround(mean * n));
    sums[c].squares += static_cast<std::uint64_t>(std::llround((variance + mean * mean) * n));
  }
}

void add_floats(const TileResult &result, const Tile &tile, std::int64_t channels,
                Moments *moments) {
  constexpr std::int64_t kSize = sizeof(float);
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const StridedFloats values{tile.data + c * kSize, tile.rows, tile.row_stride, tile.columns,
                               channels * kSize};
    add_guarded(moments[c], values, result.means[i], result.deviations[i] * result.deviations[i]);
  }
}

const char *accepts(const Call &call, bool per_channel) {
  const ConstView image = forward(*call.in[0], per_channel);
  const Tiling tiling(image, per_channel);
  const auto &inner = tiling.plan.inner();
  if (!is_aligned(image) || (inner.extent > 1 && inner.strides[0] != size_of(image.dtype))) {
    return "no dense and aligned rows";
  }
  return tiling.channels > CV_CN_MAX ? "more channels than OpenCV has" : nullptr;
}

void run(const Call &call, bool per_channel) {
  const ConstView image = forward(*call.in[0], per_channel);
  const Tiling tiling(image, per_channel);
  const std::int64_t channels = per_channel ? image.channels() : 1;
  const bool bytes = image.dtype == Dtype::u8;
  std::vector<ByteSums> sums(static_cast<std::size_t>(channels));
  std::vector<Moments> moments(static_cast<std::size_t>(channels));
  TileResult result;
  for_each_tile(image, tiling, bytes ? kByteTile : kSafeTerms, [&](const Tile &tile) {
    const std::int64_t first = per_channel ? tile.first : 0;
    result.compute(tile, image.dtype, tiling.channels);
    bytes ? add_bytes(result, tile.rows * tile.columns, tiling.channels, &sums[first])
          : add_floats(result, tile, tiling.channels, &moments[first]);
  });
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto i = static_cast<std::size_t>(c);
    store(call, c, bytes ? sums[i].result(image.elements() / channels) : moments[i].result());
  }
}

} // namespace

const char *accepts_global_opencv(const Call &call) {
  return accepts(call, false);
}
const char *accepts_per_channel_opencv(const Call &call) {
  return accepts(call, true);
}
void run_global_opencv(const Call &call) {
  run(call, false);
}
void run_per_channel_opencv(const Call &call) {
  run(call, true);
}

} // namespace switchyard::candidates::mean_std
