// mean_std as NumPy evaluates it, a pass for the mean and a pass for the deviations, and the
// contract's reference.
#include <algorithm>
#include <vector>

#include "candidates/common/sequence.hpp"
#include "candidates/mean_std/moments.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::mean_std {
namespace {

// Calls body(const T *, pixels) for every block of pixels of `channels` values, in order.
template <class T, class Body>
void for_each_block(const ConstView &image, std::int64_t channels, Body &&body) {
  const Sequence values(image);
  const std::int64_t pixels = values.size() / channels;
  std::vector<T> block(static_cast<std::size_t>(std::min(kBlock, pixels) * channels));
  for (std::int64_t done = 0; done < pixels; done += kBlock) {
    const std::int64_t n = std::min(kBlock, pixels - done);
    values.read(done * channels, n * channels, block.data());
    body(block.data(), n);
  }
}

void run_u8(const Call &call, std::int64_t channels) {
  std::vector<ByteSums> sums(static_cast<std::size_t>(channels));
  const auto add = [&](const std::uint8_t *x, std::int64_t pixels) {
    for (std::int64_t k = 0; k < pixels; ++k) {
      for (ByteSums &channel : sums) {
        const std::uint32_t value = *x++;
        channel.sum += value;
        channel.squares += value * value;
      }
    }
  };
  for_each_block<std::uint8_t>(*call.in[0], channels, add);
  const std::int64_t n = call.in[0]->elements() / channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    store(call, c, sums[static_cast<std::size_t>(c)].result(n));
  }
}

// Sums of term(value, channel) over a block's pixels, by the lanes and the tree of the contract.
template <class Term>
void block_sums(const float *x, std::int64_t pixels, std::int64_t channels, double *sums,
                std::vector<double> &lanes, Term term) {
  std::fill(lanes.begin(), lanes.end(), 0.0);
  for (std::int64_t k = 0; k < pixels; ++k) {
    double *lane = lanes.data() + k % kLanes * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      lane[c] += term(static_cast<double>(*x++), c);
    }
  }
  for (std::int64_t half = kLanes / 2 * channels; half >= channels; half /= 2) {
    for (std::int64_t k = 0; k < half; ++k) {
      lanes[static_cast<std::size_t>(k)] += lanes[static_cast<std::size_t>(half + k)];
    }
  }
  std::copy_n(lanes.begin(), channels, sums);
}

void run_f32(const Call &call, std::int64_t channels) {
  const ConstView &image = *call.in[0];
  const std::int64_t pixels = image.elements() / channels;
  const std::int64_t blocks = (pixels + kBlock - 1) / kBlock;
  std::vector<double> lanes(static_cast<std::size_t>(kLanes * channels));
  std::vector<double> sums(static_cast<std::size_t>(blocks * channels));
  double *sum = sums.data();
  for_each_block<float>(image, channels, [&](const float *x, std::int64_t n) {
    block_sums(x, n, channels, sum, lanes, [](double value, std::int64_t) { return value; });
    sum += channels;
  });
  std::vector<double> means(static_cast<std::size_t>(channels));
  std::vector<double> squares(static_cast<std::size_t>(channels));
  std::vector<Moments> moments(static_cast<std::size_t>(channels));
  sum = sums.data();
  for_each_block<float>(image, channels, [&](const float *x, std::int64_t n) {
    std::transform(sum, sum + channels, means.begin(),
                   [&](double of_block) { return of_block / static_cast<double>(n); });
    block_sums(x, n, channels, squares.data(), lanes, [&](double value, std::int64_t c) {
      const double deviation = value - means[static_cast<std::size_t>(c)];
      return deviation * deviation;
    });
    for (std::size_t c = 0; c < moments.size(); ++c) {
      moments[c].add(n, *sum++, squares[c]);
    }
  });
  for (std::int64_t c = 0; c < channels; ++c) {
    store(call, c, moments[static_cast<std::size_t>(c)].result());
  }
}

void run(const Call &call, std::int64_t channels) {
  call.in[0]->dtype == Dtype::u8 ? run_u8(call, channels) : run_f32(call, channels);
}

} // namespace

void run_global_loop(const Call &call) {
  run(call, 1);
}

void run_per_channel_loop(const Call &call) {
  run(call, call.in[0]->channels());
}

} // namespace switchyard::candidates::mean_std
