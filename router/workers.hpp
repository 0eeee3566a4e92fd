// Threads that help callers through long calls.
#pragma once

#include <cstdint>

namespace switchyard {

// The most threads that a call can use: as many as the process had processors when it was asked
// first.
[[nodiscard]] int most_threads();

// Work on the indices [0, extent).
struct Work {
  void (*run)(const void *context, std::int64_t from, std::int64_t to);
  const void *context;
  std::int64_t extent;
  std::int64_t unit;  // parts begin at multiples of it
  std::int64_t grain; // least length of a part
};

// Runs the work in parts of falling length, each of them once, on up to `threads` threads, the
// caller's included. Whoever is free takes the next part: a thread that wakes late or is held up
// does less. Returns when all is done; what a part throws, it throws.
//
// The helpers are shared by all callers of the process, and come into being with the first call
// that wants them. They take no signals. After a call they listen for the next one for some
// microseconds before they sleep. The caller waits for none that has not begun, so that a child of
// fork(), which has no threads but one, does the work itself, until it has helpers of its own.
void share_work(const Work &work, int threads);

} // namespace switchyard
