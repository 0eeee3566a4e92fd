// mean_std in one read of the image: exact integer sums of u8, moments per block of f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/mean_std/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/stats/moments-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void SumBytes(const uint8_t *in, size_t n, uint64_t *sum, uint64_t *squares) {
  ByteMoments(in, n, sum, squares);
}
void SumByteChannels(const uint8_t *in, size_t n, size_t first, size_t channels, uint64_t *sum,
                     uint64_t *squares) {
  ByteChannelMoments(in, n, first, channels, sum, squares);
}
void MomentsF32(const float *in, size_t pixels, size_t channels, double *scratch, double *sums,
                double *squares) {
  BlockMoments(in, pixels, channels, scratch, sums, squares);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>

#include "candidates/common/read_runs.hpp"
#include "candidates/common/sequence.hpp"
#include "candidates/mean_std/moments.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::kernels {
HWY_EXPORT(SumBytes);
HWY_EXPORT(SumByteChannels);
HWY_EXPORT(MomentsF32);
} // namespace switchyard::kernels

namespace switchyard::candidates::mean_std {
namespace {

constexpr std::size_t kMaxChannels = 512;
// Blocks of up to so many channels are copied to be dense; others go channel by channel.
constexpr std::size_t kStagedChannels = 32;

void run_u8(const Call &call, bool per_channel) {
  using namespace kernels;
  const ConstView image = forward(*call.in[0], per_channel);
  const std::int64_t channels = per_channel ? image.channels() : 1;
  std::array<std::uint64_t, kMaxChannels> sums;
  std::array<std::uint64_t, kMaxChannels> squares;
  std::fill_n(sums.begin(), channels, 0);
  std::fill_n(squares.begin(), channels, 0);
  auto *const sum_bytes = HWY_DYNAMIC_DISPATCH(SumBytes);
  auto *const sum_channels = HWY_DYNAMIC_DISPATCH(SumByteChannels);
  ReadRuns<std::uint8_t>{image}([&](const std::uint8_t *in, std::int64_t n, RunChannels run) {
    const auto count = static_cast<std::size_t>(n);
    const auto first = static_cast<std::size_t>(per_channel ? run.first : 0);
    if (!per_channel || run.period == 1) {
      sum_bytes(in, count, &sums[first], &squares[first]);
    } else {
      sum_channels(in, count, first, static_cast<std::size_t>(run.period), sums.data(),
                   squares.data());
    }
  });
  const std::int64_t n = image.elements() / channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto at = static_cast<std::size_t>(c);
    store(call, c, ByteSums{sums[at], squares[at]}.result(n));
  }
}

// Moments of the channels of an image, a block after the other.
template <std::size_t kCapacity> class FloatMoments {
public:
  // Blocks of interleaved channels, dense or made so.
  void add_interleaved(const Sequence &values, std::int64_t channels) {
    const std::int64_t pixels = values.size() / channels;
    const float *dense = values.dense<float>();
    std::array<float, std::min<std::size_t>(kCapacity, kStagedChannels) * kBlock> staged;
    for (std::int64_t done = 0; done < pixels; done += kBlock) {
      const std::int64_t n = std::min(kBlock, pixels - done);
      if (dense == nullptr) {
        values.read(done * channels, n * channels, staged.data());
      }
      add_block(dense == nullptr ? staged.data() : dense + done * channels, n, 0, channels);
    }
  }

  // Channels that lie apart, or too many to copy: one after the other within each block.
  void add_separate(const ConstView &image) {
    const Sequence values(channel(image, 0));
    std::array<float, kBlock> staged;
    for (std::int64_t done = 0; done < values.size(); done += kBlock) {
      const std::int64_t n = std::min(kBlock, values.size() - done);
      for (std::int64_t c = 0; c < image.channels(); ++c) {
        const std::int64_t offset = c * image.strides[kC];
        const float *dense = values.dense<float>(offset);
        if (dense == nullptr) {
          values.read(done, n, staged.data(), offset);
        }
        add_block(dense == nullptr ? staged.data() : dense + done, n, c, 1);
      }
    }
  }

  void store_all(const Call &call, std::int64_t channels) const {
    for (std::int64_t c = 0; c < channels; ++c) {
      store(call, c, moments_[static_cast<std::size_t>(c)].result());
    }
  }

private:
  void add_block(const float *in, std::int64_t pixels, std::int64_t first, std::int64_t channels) {
    using namespace kernels;
    HWY_DYNAMIC_DISPATCH(MomentsF32)
    (in, static_cast<std::size_t>(pixels), static_cast<std::size_t>(channels), scratch_.data(),
     sums_.data(), squares_.data());
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto at = static_cast<std::size_t>(c);
      moments_[static_cast<std::size_t>(first) + at].add(pixels, sums_[at], squares_[at]);
    }
  }

  std::array<Moments, kCapacity> moments_;
  std::array<double, kCapacity> sums_;
  std::array<double, kCapacity> squares_;
  std::array<double, 2 * kLanes * kCapacity> scratch_;
};

template <std::size_t kCapacity> void run_f32_channels(const Call &call) {
  const ConstView &image = *call.in[0];
  const std::int64_t channels = image.channels();
  const Sequence values(image);
  const bool pixels_dense = channels == 1 || image.strides[kC] == sizeof(float);
  FloatMoments<kCapacity> moments;
  if (values.dense<float>() != nullptr ||
      (pixels_dense && channels <= static_cast<std::int64_t>(kStagedChannels))) {
    moments.add_interleaved(values, channels);
  } else {
    moments.add_separate(image);
  }
  moments.store_all(call, channels);
}

} // namespace

const char *accepts_per_channel_fused(const Call &call) {
  const bool many = call.in[0]->channels() > static_cast<std::int64_t>(kMaxChannels);
  return many ? "more than 512 channels" : nullptr;
}

void run_global_fused(const Call &call) {
  if (call.in[0]->dtype == Dtype::u8) {
    run_u8(call, false);
    return;
  }
  FloatMoments<1> moments;
  moments.add_interleaved(Sequence(*call.in[0]), 1);
  moments.store_all(call, 1);
}

void run_per_channel_fused(const Call &call) {
  constexpr std::size_t kFew = 4; // spares small images the set-up for many channels
  if (call.in[0]->dtype == Dtype::u8) {
    run_u8(call, true);
  } else if (call.in[0]->channels() <= static_cast<std::int64_t>(kFew)) {
    run_f32_channels<kFew>(call);
  } else {
    run_f32_channels<kMaxChannels>(call);
  }
}

} // namespace switchyard::candidates::mean_std
#endif
