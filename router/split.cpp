#include "router/split.hpp"

#include <algorithm>
#include <array>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "router/fp_environment.hpp"

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

} // namespace

int band_count(const Candidate &candidate, const Call &call, int threads) {
  if (candidate.split == Split::none) {
    return 1;
  }
  // More bands than threads would only cost; asking for more threads than the process may have
  // makes the pool complain on the caller's stderr.
  const auto most = static_cast<std::int64_t>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  const std::int64_t extent = call.out[0]->shape[split_axis(call)];
  return std::max(static_cast<int>(std::min({std::int64_t{threads}, extent, most})), 1);
}

int run_split(const Candidate &candidate, const Call &call, int threads) {
  const int bands = band_count(candidate, call, threads);
  if (bands == 1) {
    const DefaultFpEnvironment environment;
    candidate.run(call);
    return 1;
  }
  const Axis axis = split_axis(call);
  const std::int64_t extent = call.out[0]->shape[axis];
  // An arena of its own bounds this call's threads; workers come from the process-wide pool, so
  // that several callers together never run more workers than there are cores.
  tbb::task_arena arena(bands);
  arena.execute([&] {
    tbb::parallel_for(
        0, bands,
        [&](int band) {
          const DefaultFpEnvironment environment;
          const Band part(candidate, call, axis, extent * band / bands,
                          extent * (band + 1) / bands);
          candidate.run(part.call());
        },
        tbb::static_partitioner());
  });
  return bands;
}

} // namespace switchyard
