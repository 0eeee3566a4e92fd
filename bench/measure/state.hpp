// What else the machine did while it measured, and how far that puts the figures in doubt.
//
// Nothing here refuses a measurement: conditions that can shift times lower the quality that its
// rows are labelled with, and are told in plain words.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.hpp"

namespace switchyard::measure {

// CPU time since the machine started, summed over its CPUs, in clock ticks.
struct CpuTicks {
  std::int64_t busy = 0;   // all processes', the kernel's and interrupts'
  std::int64_t idle = 0;   // waiting for devices included
  std::int64_t stolen = 0; // a CPU was wanted and the hypervisor ran someone else
  int cpus = 0;
};

// Parsers of the kernel's texts; nullopt where a text is not what the kernel writes.
[[nodiscard]] std::optional<CpuTicks> parse_stat(std::string_view proc_stat);
// Average number of runnable processes over the last minute.
[[nodiscard]] std::optional<double> parse_load(std::string_view proc_loadavg);
// Pages moved to and from swap since the machine started.
[[nodiscard]] std::optional<std::int64_t> parse_swapped(std::string_view proc_vmstat);
// The word in brackets: "always [madvise] never" gives "madvise"; empty: there is none.
[[nodiscard]] std::string parse_choice(std::string_view text);

// One reading of the counters; what the machine does not tell is empty.
struct StateSample {
  double at_s = 0;          // by a steady clock
  double own_s = 0;         // CPU time of this process, all threads
  double ticks_per_s = 100; // unit of `cpu`
  std::optional<CpuTicks> cpu;
  std::optional<double> load;
  std::optional<std::int64_t> swapped;   // pages
  std::optional<std::int64_t> throttled; // times that a core was slowed down for its temperature
  std::string governor;                  // how the first CPU's clock is chosen
};

[[nodiscard]] StateSample read_state();

// The time between two samples.
struct Conditions {
  evidence::Quality quality = evidence::Quality::good;
  std::vector<std::string> reasons; // why not good: "other processes used 0.9 CPUs"
  std::optional<double> stolen;     // share of the CPU time that was wanted
  std::optional<double> others;     // CPUs that other processes used on average
};

// From which amount on something lowers the quality to fair, and to poor.
struct Limits {
  double fair = 0;
  double poor = 0;
};

// Stolen time comes in pieces of milliseconds, each of which spoils the slice that it hits. One
// slice in twenty moves no median; from one in five on, a race of a dozen rounds has two or three
// bad ones on either side of a ratio.
inline constexpr Limits kStolenShare{0.05, 0.2};
// In CPUs. An idle machine's own services stay well below a tenth, and the kernel's accounting by
// ticks is off by some hundredths in a second. Others share the caches and the memory's bandwidth
// at once, but only from half of the machine on must alternatives of several threads wait for them.
inline constexpr double kFairOthers = 0.2;
inline constexpr Limits kOthersShare{0.05, 0.5}; // of all CPUs; fair: at least kFairOthers
// Pages a second. A page that comes from swap takes about as long as a slice, and a second holds
// some thousands of those.
inline constexpr Limits kSwappedPages{50, 1000};

// Of the time from `before` to `after`. What is not known counts as good. A clock that follows the
// load, or was throttled, is fair: alternatives that run in turns mostly share what it does.
[[nodiscard]] Conditions conditions_between(const StateSample &before, const StateSample &after);

// Says again and again how the time since the last question was.
class StateWatch {
public:
  explicit StateWatch(std::function<StateSample()> read = read_state);

  // Of the time since this was last asked. Where that is less than a second, which the kernel's
  // ticks are too coarse for, of the last second or a little more; good where less than that
  // has passed since the beginning.
  evidence::Quality quality();

  // "warning: …" where some answers were not good: how many, then a line for each reason of the
  // worst. No newline at the end. Else empty.
  [[nodiscard]] std::string warning() const;

  // The whole time since the beginning as facts of the machine: load_average, stolen_time,
  // other_processes, quality, and reasons where there are any.
  [[nodiscard]] std::map<std::string, std::string> facts() const;

private:
  std::function<StateSample()> read_;
  StateSample first_;
  std::deque<StateSample> recent_; // the last answer's sample is the last one
  std::size_t answers_ = 0;
  std::size_t doubtful_ = 0; // answers that were not good
  Conditions worst_;
};

} // namespace switchyard::measure
