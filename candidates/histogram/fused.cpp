// histogram in one read of the image, or one per 64 channels, through several small tables.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "candidates/common/read_runs.hpp"
#include "candidates/histogram/adapters.hpp"
#include "kernels/histogram/histogram.hpp"

namespace switchyard::candidates::histogram {
namespace {

constexpr std::int64_t kTables = kernels::kCountTables;
// Channels that one walk over the image counts, in groups of kTables within a block of pixels: a
// cache line of them is fetched once, and a group's tables stay near while the block is counted.
constexpr std::int64_t kMaxChannels = 64;
constexpr std::int64_t kBlock = 1024;

// The counters of up to kMaxChannels channels.
class Tables {
public:
  Tables(const View &result, bool per_channel, std::int64_t first, std::int64_t channels)
      : result_(result), per_channel_(per_channel), first_(first), channels_(channels),
        groups_((channels + kTables - 1) / kTables) {
    clear();
  }
  Tables(const Tables &) = delete;
  Tables &operator=(const Tables &) = delete;

  // A row of pixels, whose data is that of channel `first`.
  void count(kernels::PixelRow row) {
    const std::int64_t pixels = row.pixels;
    const std::int64_t block = groups_ > 1 ? kBlock : kernels::kMaxPerFlush;
    for (std::int64_t done = 0; done < pixels; done += block) {
      row.pixels = std::min(block, pixels - done);
      if (pending_ + row.pixels > kernels::kMaxPerFlush) {
        flush();
        clear();
      }
      pending_ += row.pixels;
      for (std::int64_t group = 0; group < groups_; ++group) {
        kernels::PixelRow part = row;
        part.data += group * kTables * row.channel_stride;
        kernels::count_row(part, static_cast<std::size_t>(channels_of(group)),
                           counts_ + group * kTables);
      }
      row.data += row.pixels * row.stride;
      row.mask += row.mask == nullptr ? 0 : row.pixels * row.mask_stride;
    }
  }

  // Adds the tables to the result.
  void flush() const {
    for (std::int64_t c = 0; c < channels_; ++c) {
      std::array<std::uint64_t, kLevels> sums{};
      const std::int64_t group = c / kTables;
      const std::int64_t end = group * kTables + tables_of(group);
      for (std::int64_t table = c; table < end; table += channels_of(group)) {
        const std::uint32_t *counts = counts_[table];
        for (std::size_t level = 0; level < sums.size(); ++level) {
          sums[level] += counts[level];
        }
      }
      for (std::int64_t level = 0; level < kLevels; ++level) {
        add_count(result_, level, result_channel(per_channel_, first_ + c),
                  sums[static_cast<std::size_t>(level)]);
      }
    }
  }

private:
  [[nodiscard]] std::int64_t channels_of(std::int64_t group) const {
    return std::min(kTables, channels_ - group * kTables);
  }
  [[nodiscard]] std::int64_t tables_of(std::int64_t group) const {
    const auto channels = static_cast<std::size_t>(channels_of(group));
    return static_cast<std::int64_t>(kernels::tables_of(channels));
  }
  void clear() {
    for (std::int64_t group = 0; group < groups_; ++group) {
      std::fill_n(counts_[group * kTables], tables_of(group) * kLevels, 0U);
    }
    pending_ = 0;
  }

  const View &result_;
  bool per_channel_;
  std::int64_t first_;
  std::int64_t channels_;
  std::int64_t groups_;
  std::int64_t pending_ = 0; // pixels counted since the last flush
  alignas(64) kernels::LevelCounts counts_[kMaxChannels];
};

// Calls body(row) for every row of pixels of the views, which have one channel each.
template <std::size_t V, class Body>
void for_each_row(const std::array<const ConstView *, V> &views, Body &&body) {
  const RunPlan<V> plan = plan_runs<V>(views);
  const auto &[outer, middle, next, inner] = plan.axes;
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    for (std::int64_t j = 0; j < middle.extent; ++j) {
      for (std::int64_t k = 0; k < next.extent; ++k) {
        std::array<const std::uint8_t *, V> at;
        for (std::size_t v = 0; v < V; ++v) {
          at[v] = static_cast<const std::uint8_t *>(views[v]->data) + i * outer.strides[v] +
                  j * middle.strides[v] + k * next.strides[v];
        }
        kernels::PixelRow row{at[0], inner.strides[0], 0, inner.extent, nullptr, 0};
        if constexpr (V > 1) {
          row.mask = at[1];
          row.mask_stride = inner.strides[1];
        }
        body(row);
      }
    }
  }
}

// The same bytes as one channel, where pixels follow each other without a gap.
ConstView join_channels(ConstView image) {
  const std::int64_t channels = image.channels();
  if (channels > 1 && (image.shape[kW] == 1 || image.strides[kW] == channels * image.strides[kC])) {
    image.shape[kW] *= channels;
    image.strides[kW] = image.strides[kC];
    image.shape[kC] = 1;
  }
  return image;
}

// Channels lie further apart than pixels.
bool is_planar(const ConstView &image) {
  const std::int64_t across = std::abs(image.strides[kC]);
  return image.channels() > 1 && ((image.shape[kW] > 1 && std::abs(image.strides[kW]) < across) ||
                                  (image.shape[kH] > 1 && std::abs(image.strides[kH]) < across));
}

} // namespace

void run_fused(const Call &call, bool per_channel) {
  const ConstView *mask = call.in[1];
  const View &result = *call.out[0];
  clear_counts(result);
  if (call.in[0]->empty()) {
    return;
  }
  const bool joins = mask == nullptr && !per_channel;
  const ConstView image = joins ? join_channels(forward(*call.in[0], false)) : *call.in[0];
  const std::int64_t most = is_planar(image) ? 1 : kMaxChannels;
  for (std::int64_t first = 0; first < image.channels(); first += most) {
    Tables tables(result, per_channel, first, std::min(most, image.channels() - first));
    const ConstView pixels = channel(image, first);
    const auto count = [&](kernels::PixelRow row) {
      row.channel_stride = image.strides[kC];
      tables.count(row);
    };
    mask == nullptr ? for_each_row<1>({&pixels}, count) : for_each_row<2>({&pixels, mask}, count);
    tables.flush();
  }
}

} // namespace switchyard::candidates::histogram
