// bincount as NumPy evaluates it, and the contract's reference: element by element in the order
// X, H, W, C.
#include <algorithm>
#include <array>

#include "candidates/bincount/adapters.hpp"
#include "candidates/common/sequence.hpp"

namespace switchyard::candidates::bincount {
namespace {

constexpr std::int64_t kChunk = 1024;

// result[label] += amount(k) for every element k that is not ignored.
template <class Sum, class Amount> void accumulate(const Call &call, Amount &&amount) {
  const auto &params = call.params_as<BincountParams>();
  for (std::int64_t bin = 0; bin < params.bins; ++bin) {
    store(call, bin, Sum{});
  }
  if (call.in[0]->empty()) {
    return;
  }
  with_labels(call.in[0]->dtype, [&]<class T>(T) {
    const Sequence labels(*call.in[0]);
    std::array<T, kChunk> chunk;
    for (std::int64_t done = 0; done < labels.size(); done += kChunk) {
      const std::int64_t n = std::min(kChunk, labels.size() - done);
      labels.read(done, n, chunk.data());
      for (std::int64_t k = 0; k < n; ++k) {
        const auto label = static_cast<std::int64_t>(chunk[static_cast<std::size_t>(k)]);
        if (params.ignores && label == params.ignored) {
          continue;
        }
        Sum sum{};
        std::memcpy(&sum, call.out[0]->at(0, 0, label, 0), sizeof sum);
        store(call, label, sum + amount(done + k));
      }
    }
  });
}

template <class Weight> void add_weights(const Call &call) {
  const Sequence weights(*call.in[1]);
  std::array<Weight, kChunk> chunk;
  std::int64_t first = 0;
  std::int64_t end = 0;
  accumulate<double>(call, [&](std::int64_t k) {
    if (k >= end) {
      first = k / kChunk * kChunk;
      end = std::min(first + kChunk, weights.size());
      weights.read(first, end - first, chunk.data());
    }
    return static_cast<double>(chunk[static_cast<std::size_t>(k - first)]);
  });
}

} // namespace

void run_counts_loop(const Call &call) {
  accumulate<std::uint64_t>(call, [](std::int64_t) { return std::uint64_t{1}; });
}

void run_weights_loop(const Call &call) {
  if (call.in[1]->dtype == Dtype::f32) {
    add_weights<float>(call);
  } else {
    add_weights<double>(call);
  }
}

} // namespace switchyard::candidates::bincount
