// Physical limits of this machine, measured: what no route can beat.
#pragma once

#include <cstdint>
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

// Copies with the C library's memcpy, with source and destination together filling half of a
// level, main memory with four times the last cache but at most half a gigabyte. About 50 ms a
// level.
[[nodiscard]] std::vector<Bandwidth> copy_bandwidths(const std::vector<MemoryLevel> &levels,
                                                     Clock now);

// Median time in ns from waking a thread that has slept for a while to its first instruction.
[[nodiscard]] double wake_up_latency_ns(Clock now);

} // namespace switchyard::measure
