#include "bench/measure/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace switchyard::measure {
namespace {

constexpr double kAgreement = 1.02;
constexpr int kMostSlices = 8;
constexpr std::int64_t kMostCalls = std::int64_t{1} << 30;

// Reads the clock until it moves; 0: it did not within any reasonable time.
std::int64_t next_step(Clock now) {
  constexpr int kReadings = 10'000'000;
  const std::int64_t start = now();
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t step = now() - start;
    if (step > 0) {
      return step;
    }
  }
  return 0;
}

// Slices of the same length until two agree: the machine has settled.
double settle(const Slice &slice, std::int64_t calls, double first, double enough_ns) {
  double best = first;
  double second = std::numeric_limits<double>::infinity();
  const int slices = first > enough_ns * 4 ? 1 : kMostSlices;
  for (int i = 0; i < slices && second > best * kAgreement; ++i) {
    const double time = slice(calls);
    second = std::min(std::max(best, time), second);
    best = std::min(best, time);
  }
  return best / static_cast<double>(calls);
}

} // namespace

std::int64_t steady_now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

ClockQuality examine_clock(Clock now) {
  constexpr int kSteps = 200;
  constexpr int kReadings = 1000;
  ClockQuality quality{std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity()};
  for (int i = 0; i < kSteps; ++i) {
    const std::int64_t step = next_step(now);
    if (step == 0) {
      throw ClockError("the clock stands still");
    }
    quality.resolution_ns = std::min(quality.resolution_ns, static_cast<double>(step));
  }
  for (int run = 0; run < 10; ++run) {
    const std::int64_t start = now();
    std::int64_t last = start;
    for (int i = 0; i < kReadings; ++i) {
      last = now();
    }
    quality.reading_ns =
        std::min(quality.reading_ns, static_cast<double>(last - start) / kReadings);
  }
  // Where a reading costs more than the clock's step, the smallest step seen is that cost.
  quality.resolution_ns = std::max(quality.resolution_ns - std::floor(quality.reading_ns), 1.0);
  return quality;
}

std::int64_t iterations_for(double fastest_call_ns, double slice_ns) {
  if (!(fastest_call_ns > 0)) { // also true of NaN
    throw ClockError("a call without duration");
  }
  const double calls = std::ceil(slice_ns / fastest_call_ns);
  return static_cast<std::int64_t>(std::clamp(calls, 1.0, static_cast<double>(kMostCalls)));
}

double warm_up(const Slice &slice, double enough_ns) {
  std::int64_t calls = 1;
  double time = slice(calls);
  while (!(time >= enough_ns)) {
    if (calls >= kMostCalls) {
      throw ClockError("calls without duration");
    }
    calls *= 2;
    time = slice(calls);
  }
  return settle(slice, calls, time, enough_ns);
}

double settle_slice(double slice_ns,
                    const std::function<evidence::Interval(double slice_ns)> &ratio_at) {
  constexpr int kMostDoublings = 3;
  constexpr double kEqual = 1.01;
  for (int doubling = 0; doubling < kMostDoublings; ++doubling) {
    const evidence::Interval ratio = ratio_at(slice_ns);
    if (ratio.low <= kEqual && ratio.high >= 1 / kEqual) {
      break;
    }
    slice_ns *= 2;
  }
  return slice_ns;
}

} // namespace switchyard::measure
