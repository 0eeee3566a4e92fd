#include "router/split.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "router/fp_environment.hpp"
#include "router/workers.hpp"

namespace switchyard {
namespace {

// The part [from, to) of a call along one axis: of its outputs and of the inputs that have rows of
// their own for them.
class Band {
public:
  Band(const Candidate &candidate, const Call &whole, Axis axis, std::int64_t from, std::int64_t to)
      : call_(whole) {
    for (std::size_t i = 0; i < whole.in.size(); ++i) {
      if (whole.in[i] == nullptr) {
        continue;
      }
      if (candidate.part != nullptr) {
        in_[i] = candidate.part(whole, static_cast<int>(i), axis, from, to);
        call_.in[i] = &in_[i];
      } else if (whole.in[i]->shape[axis] == whole.in[0]->shape[axis]) {
        in_[i] = slice(*whole.in[i], axis, from, to);
        call_.in[i] = &in_[i];
      }
    }
    for (std::size_t i = 0; i < whole.out.size(); ++i) {
      if (whole.out[i] != nullptr) {
        out_[i] = slice(*whole.out[i], axis, from, to);
        call_.out[i] = &out_[i];
      }
    }
  }
  Band(const Band &) = delete;
  Band &operator=(const Band &) = delete;
  [[nodiscard]] const Call &call() const { return call_; }

private:
  Call call_;
  std::array<ConstView, 3> in_;
  std::array<View, 2> out_;
};

Axis split_axis(const Call &call) {
  const Extents &shape = call.out[0]->shape;
  return shape[kX] >= shape[kH] ? kX : kH;
}

// What the parts of a divided call have in common.
struct Divided {
  const Candidate &candidate;
  const Call &call;
  Axis axis;
};

void run_part(const void *context, std::int64_t from, std::int64_t to) {
  const auto &whole = *static_cast<const Divided *>(context);
  const DefaultFpEnvironment environment;
  const Band band(whole.candidate, whole.call, whole.axis, from, to);
  whole.candidate.run(band.call());
}

// Parts of a call pay its fixed costs again: they have this many bytes of output at least.
constexpr std::int64_t kLeastBytes = 1 << 16;
constexpr std::int64_t kPartsPerThread = 8; // at most, about
constexpr std::int64_t kCacheLine = 64;

Work work_of(const Divided &whole, int threads) {
  const View &out = *whole.call.out[0];
  const std::int64_t extent = out.shape[whole.axis];
  const std::int64_t row =
      std::max<std::int64_t>(out.elements() * size_of(out.dtype) / extent, 1); // bytes
  const std::int64_t fair = std::max<std::int64_t>(extent / threads, 1);
  const std::int64_t least = std::min((kLeastBytes + row - 1) / row, fair);
  // Parts whose ends share a cache line would take it from each other.
  const std::int64_t stride = std::abs(out.strides[whole.axis]);
  const std::int64_t lines = kCacheLine / std::gcd(std::max<std::int64_t>(stride, 1), kCacheLine);
  return {.run = run_part,
          .context = &whole,
          .extent = extent,
          .unit = lines <= fair / 4 ? lines : 1,
          .grain = std::max(fair / kPartsPerThread, least)};
}

} // namespace

int thread_count(const Candidate &candidate, const Call &call, int threads) {
  if (candidate.split == Split::none) {
    return 1;
  }
  const std::int64_t extent = call.out[0]->shape[split_axis(call)];
  return std::max(static_cast<int>(std::min<std::int64_t>({threads, extent, most_threads()})), 1);
}

int run_split(const Candidate &candidate, const Call &call, int threads) {
  const int used = thread_count(candidate, call, threads);
  if (used == 1) {
    const DefaultFpEnvironment environment;
    candidate.run(call);
    return 1;
  }
  const Divided whole{candidate, call, split_axis(call)};
  share_work(work_of(whole, used), used);
  return used;
}

} // namespace switchyard
