// Physical limits of this machine, measured: what no route can beat.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/clock.hpp"

namespace switchyard::measure {

// A cache level as the operating system describes it, or main memory.
struct MemoryLevel {
  std::string name;       // "L1", "L2", "L3", "DRAM"
  std::int64_t bytes = 0; // capacity; DRAM: 0
};

struct Bandwidth {
  std::string level;
  std::int64_t working_set = 0; // bytes of source and destination together
  double gigabytes_per_s = 0;   // 10⁹ bytes read plus written, one thread
};

// Data caches of the first CPU from smallest to largest, then DRAM. Assumed sizes where the
// operating system gives none.
[[nodiscard]] std::vector<MemoryLevel> memory_levels();

// Size of the largest cache; 0 where only main memory is listed.
[[nodiscard]] std::int64_t last_level_bytes(std::span<const MemoryLevel> levels);

// Copies with the C library's memcpy, with source and destination together filling half of a
// level, main memory with four times the last cache but at most half a gigabyte. About 50 ms a
// level.
[[nodiscard]] std::vector<Bandwidth> copy_bandwidths(const std::vector<MemoryLevel> &levels,
                                                     Clock now);

// Median time in ns from waking a thread that has slept for a while to its first instruction.
[[nodiscard]] double wake_up_latency_ns(Clock now);

// How far below a limit a time may lie.
struct LimitRules {
  // A part of the limit: its loop is good, but not proven to be the best that there is.
  double tolerance = 0.15;
  // Besides, in ns: what a call costs before the first byte moves, to the limit as to a candidate.
  // In problems of a microsecond that is a large part of both.
  double overhead_ns = 150;
};

// Why `times` cannot be real beside those of a limit from the same rounds: the interval of their
// paired ratio, which holds for `comparisons` such ratios together, lies below all that the rules
// allow. "0.31 times …"; empty: nothing against them, or too few rounds to tell.
[[nodiscard]] std::string beyond_limit(std::span<const double> times, std::span<const double> limit,
                                       int comparisons = 1, const LimitRules &rules = {});

} // namespace switchyard::measure
