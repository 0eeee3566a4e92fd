#include "bench/measure/subject.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>

#include "bench/measure/limits.hpp"
#include "bench/measure/twin.hpp"

namespace switchyard::measure {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr int kMostRepeats = 8;
constexpr std::int64_t kMostColdBytes = std::int64_t{512} << 20;

template <class T> bool has_abnormal_as(const ConstView &view) {
  const Extents &n = view.shape;
  for (std::int64_t x = 0; x < n[kX]; ++x) {
    for (std::int64_t h = 0; h < n[kH]; ++h) {
      for (std::int64_t w = 0; w < n[kW]; ++w) {
        for (std::int64_t c = 0; c < n[kC]; ++c) {
          T value;
          std::memcpy(&value, view.at(x, h, w, c), sizeof value);
          if (value != 0 && !std::isnormal(value)) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

// True where an element is infinite, NaN or subnormal: values that change how long a call takes.
bool has_abnormal(const ConstView &view) {
  switch (view.dtype) {
  case Dtype::f32:
    return has_abnormal_as<float>(view);
  case Dtype::f64:
    return has_abnormal_as<double>(view);
  default:
    return false;
  }
}

// Not used by anyone; but what it stands for cannot be left out.
void keep(bool value) {
  asm volatile("" : : "r"(value) : "memory");
}

// Outputs of a call in memory of their own, contiguous.
class FreshOutputs {
public:
  FreshOutputs(const Call &call, int outputs, const Hooks &hooks)
      : hooks_(&hooks), outputs_(static_cast<std::size_t>(outputs)), call_(call) {
    for (std::size_t i = 0; i < outputs_; ++i) {
      const View &given = *call.out[i];
      const std::int64_t size = size_of(given.dtype);
      bytes_[i] = static_cast<std::size_t>(given.elements() * size);
      views_[i] = View(hooks.allocate(bytes_[i]), given.shape,
                       contiguous_strides(given.shape, size), given.dtype, given.rank);
      call_.out[i] = &views_[i];
    }
  }
  ~FreshOutputs() {
    for (std::size_t i = 0; i < outputs_; ++i) {
      hooks_->release(views_[i].mutable_data(), bytes_[i]);
    }
  }
  FreshOutputs(const FreshOutputs &) = delete;
  FreshOutputs &operator=(const FreshOutputs &) = delete;

  [[nodiscard]] const Call &call() const { return call_; }

private:
  const Hooks *hooks_;
  std::size_t outputs_;
  Call call_;
  std::array<View, 2> views_;
  std::array<std::size_t, 2> bytes_{};
};

} // namespace

int run_whole(const Candidate &candidate, const Call &call, int /*threads*/) {
  candidate.run(call);
  return 1;
}

void *allocate_aligned(std::size_t bytes) {
  return ::operator new(bytes, kAlignment);
}

void release_aligned(void *memory, std::size_t /*bytes*/) {
  ::operator delete(memory, kAlignment);
}

Subject::Subject(const Variant &variant, const VariantContract &contract,
                 const conformance::ProblemSpec &spec, const Hooks &hooks, CacheState cache)
    : contract_(&contract), hooks_(hooks), cache_(cache), problem_(variant, contract, spec) {
  if (cache != CacheState::hot && spec.output != OutputMode::into) {
    throw std::invalid_argument("cold and chained are for calls into given buffers");
  }
  problem_.reset();
  if (cache == CacheState::cold) {
    const std::int64_t least =
        hooks.cold_bytes > 0 ? hooks.cold_bytes : 2 * last_level_bytes(memory_levels());
    rotation_ = std::make_unique<Rotation>(call(), least, kMostColdBytes);
  }
  if (spec.output == OutputMode::in_place) {
    save();
    safe_repeats_ = find_safe_repeats(variant.candidates.back());
  }
}

std::int64_t Subject::bytes() const {
  return bytes_of(*contract_, call());
}

void Subject::start_round(int round) {
  // Both the inputs' offset and its distance to the outputs' change by an odd number of lines a
  // round, and so take all 64 values before one repeats.
  constexpr std::int64_t kLine = 64;
  constexpr std::int64_t kLines = 64;
  const std::int64_t output_offset = kLine * ((round * 22 + 11) % kLines);
  if (rotation_ != nullptr) { // the problem's own buffers are not what is timed
    rotation_->set_output_offset(output_offset);
    return;
  }
  problem_.set_page_offsets(kLine * (round * 37 % kLines), output_offset);
  problem_.reset();
  if (problem_.spec().output == OutputMode::in_place) {
    save();
  }
}

int Subject::execute(const Alternative &alternative) {
  if (problem_.spec().output == OutputMode::fresh) {
    return execute_fresh(alternative);
  }
  const Call &next = rotation_ != nullptr ? rotation_->next() : call();
  const int parts = hooks_.execute(*alternative.candidate, next, alternative.threads);
  if (cache_ == CacheState::chained) {
    keep(read_outputs(next));
  }
  return parts;
}

int Subject::execute_fresh(const Alternative &alternative) {
  const FreshOutputs outputs(call(), contract_->outputs, hooks_);
  return hooks_.execute(*alternative.candidate, outputs.call(), alternative.threads);
}

int Subject::run_once(const Alternative &alternative) {
  restore();
  return execute(alternative);
}

double Subject::time(const Alternative &alternative, std::int64_t iterations) {
  if (safe_repeats_ == 0) {
    return time_series(alternative, iterations);
  }
  double total = 0;
  for (std::int64_t left = iterations; left > 0; left -= safe_repeats_) {
    restore();
    total += time_series(alternative, std::min<std::int64_t>(left, safe_repeats_));
  }
  return total;
}

double Subject::time_series(const Alternative &alternative, std::int64_t iterations) {
  const std::int64_t start = hooks_.now();
  for (std::int64_t i = 0; i < iterations; ++i) {
    execute(alternative);
  }
  return static_cast<double>(hooks_.now() - start);
}

std::string Subject::verify(const Alternative &alternative, const Candidate *proven) {
  problem_.reset();
  hooks_.execute(*alternative.candidate, call(), alternative.threads);
  const Exactness exactness = alternative.candidate->exactness[call().dtype_case];
  return proven != nullptr ? problem_.check_large(exactness, *proven) : problem_.check(exactness);
}

void Subject::save() {
  saved_.clear();
  for (int i = 0; i < contract_->outputs; ++i) {
    const std::span<std::byte> memory = memory_of(*call().out[static_cast<std::size_t>(i)]);
    saved_.insert(saved_.end(), memory.begin(), memory.end());
  }
}

void Subject::restore() {
  if (saved_.empty()) {
    return;
  }
  const std::byte *from = saved_.data();
  for (int i = 0; i < contract_->outputs; ++i) {
    const std::span<std::byte> memory = memory_of(*call().out[static_cast<std::size_t>(i)]);
    std::memcpy(memory.data(), from, memory.size());
    from += memory.size();
  }
}

int Subject::find_safe_repeats(const Candidate &reference) {
  restore();
  int repeats = 0;
  while (repeats < kMostRepeats) {
    reference.run(call());
    if (has_abnormal(*call().out[0])) {
      break;
    }
    ++repeats;
  }
  restore();
  return std::max(repeats, 1);
}

} // namespace switchyard::measure
