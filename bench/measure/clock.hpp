// Time: the clock, how well it resolves, and how many calls a slice needs.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "evidence/statistics.hpp"

namespace switchyard::measure {

// Nanoseconds since some fixed point. A plain function, so that tests pass one of their own.
using Clock = std::int64_t (*)();

[[nodiscard]] std::int64_t steady_now();

// Thrown where a clock gives no usable times.
class ClockError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ClockQuality {
  double resolution_ns = 0; // the smallest step seen between two readings
  double reading_ns = 0;    // what one reading costs: the least mean over several runs
  // How far a slice's time can be off because of its two readings.
  [[nodiscard]] double error_ns() const { return resolution_ns + reading_ns; }
};

// Throws ClockError for a clock that stands still.
[[nodiscard]] ClockQuality examine_clock(Clock now);

// A slice's clock error stays below a thousandth of it.
inline constexpr double kSliceOverClockError = 1000;

// Calls per slice such that a slice of the fastest alternative lasts at least `slice_ns`; ≥ 1.
[[nodiscard]] std::int64_t iterations_for(double fastest_call_ns, double slice_ns);

// Times `iterations` consecutive calls, in ns.
using Slice = std::function<double(std::int64_t iterations)>;

// Runs slices until their time per call is stable, and returns that time in ns: doubles the calls
// until a slice lasts `enough_ns`, then goes on until the best two slices agree within 2 % or
// eight slices were timed. Calls longer than `enough_ns` are slow enough to be timed once or
// twice. Throws ClockError where slices take no time however many calls they hold.
[[nodiscard]] double warm_up(const Slice &slice, double enough_ns);

// The least slice length at which a candidate and a second copy of it, timed as if they were two,
// show no difference: `ratio_at` gives the interval of their paired ratio. Starts at `slice_ns`
// and doubles it while the interval excludes everything within 1 % of equality, three times at
// most.
[[nodiscard]] double
settle_slice(double slice_ns, const std::function<evidence::Interval(double slice_ns)> &ratio_at);

} // namespace switchyard::measure
