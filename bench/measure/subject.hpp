// A cell's problem in memory, ready to be run and timed in its output mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/conformance/problem.hpp"
#include "bench/measure/clock.hpp"
#include "bench/measure/matrix.hpp"
#include "bench/measure/rotation.hpp"

namespace switchyard::measure {

// Runs a candidate on up to `threads` threads and returns how many parts the call was divided
// into, as the router does it.
using Executor = int (*)(const Candidate &candidate, const Call &call, int threads);

// The executor for one thread alone.
int run_whole(const Candidate &candidate, const Call &call, int threads);

// Buffers for results of fresh calls; what the allocating form of an op costs depends on them.
[[nodiscard]] void *allocate_aligned(std::size_t bytes);
void release_aligned(void *memory, std::size_t bytes);

// What the engine needs from outside.
struct Hooks {
  Clock now = steady_now;
  Executor execute = run_whole;
  void *(*allocate)(std::size_t bytes) = allocate_aligned;
  void (*release)(void *memory, std::size_t bytes) = release_aligned;
  // Bytes that are used between two uses of a buffer in cold cells; 0: twice the last-level cache.
  std::int64_t cold_bytes = 0;
};

// What competes in a cell.
struct Alternative {
  const Candidate *candidate = nullptr;
  int threads = 1;
};

// The arrays of one cell, shared by all its alternatives, so that they meet the same addresses.
//
// Output modes: `into` calls again and again on the same views. `fresh` allocates every output
// inside the timed part and releases it there. `in_place` changes its own input, so that a series
// of calls would soon compute something else: values saturate, or decay to subnormals, which slow
// many CPUs down a hundredfold. There, after at most safe_repeats() calls the input is restored
// outside the timed part.
//
// Cache states: `hot` uses the same buffers in every call. `cold` takes turns on copies of them
// that together exceed the last-level cache, all alternatives on the same ring. `chained` reads the
// outputs after every call, as the next op would: samples include that reader, which is the same
// for all, so that a result left in the caches counts for the one who left it there. The last two
// are for calls into given buffers.
class Subject {
public:
  // Throws std::invalid_argument for a problem that the contract does not allow, or whose output
  // mode the cache state does not have.
  Subject(const Variant &variant, const VariantContract &contract,
          const conformance::ProblemSpec &spec, const Hooks &hooks,
          CacheState cache = CacheState::hot);

  [[nodiscard]] const Call &call() const { return problem_.call(); }
  [[nodiscard]] std::int64_t bytes() const;

  // Moves the buffers to the page offsets of this round.
  void start_round(int round);

  // Runs the alternative once in the cell's output mode and cache state; in place on whatever the
  // buffer holds. Returns the executor's answer.
  int execute(const Alternative &alternative);
  // As execute(), in place on the input that was drawn.
  int run_once(const Alternative &alternative);

  // Duration of `iterations` calls in ns. What is not the call itself is not timed.
  [[nodiscard]] double time(const Alternative &alternative, std::int64_t iterations);

  // Starts from what was drawn, runs the alternative once and checks its results, those of large
  // problems against `proven` and samples of the oracle where it is given. Empty: correct.
  [[nodiscard]] std::string verify(const Alternative &alternative, const Candidate *proven);

  // In place: consecutive calls that keep every value as finite and normal as one call does, at
  // least 1 and at most 8. Other modes repeat without end: 0.
  [[nodiscard]] int safe_repeats() const { return safe_repeats_; }

  // Gives an in-place problem the input that was drawn.
  void restore();

private:
  int execute_fresh(const Alternative &alternative);
  double time_series(const Alternative &alternative, std::int64_t iterations);
  void save();
  int find_safe_repeats(const Candidate &reference);

  const VariantContract *contract_;
  Hooks hooks_;
  CacheState cache_;
  conformance::Problem problem_;
  std::unique_ptr<Rotation> rotation_; // cold alone
  std::vector<std::byte> saved_;       // in place: the bytes of the output's memory as drawn
  int safe_repeats_ = 0;
};

} // namespace switchyard::measure
