// Memory traffic as a simulated cache counts it, beside what candidates declare.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/contract.hpp"

namespace switchyard::measure {

// Lines that the simulated last-level cache exchanged with memory.
struct LineCounts {
  std::int64_t read = 0;    // fetched because they were read
  std::int64_t written = 0; // written back

  friend bool operator==(const LineCounts &, const LineCounts &) = default;
};

// The totals of a file that callgrind wrote with --cache-sim=yes --simulate-wb=yes. Throws
// std::invalid_argument that says what the text lacks.
[[nodiscard]] LineCounts parse_callgrind(std::string_view text);

// Instructions executed, of a file that callgrind wrote. Throws as parse_callgrind().
[[nodiscard]] std::int64_t parse_instructions(std::string_view text);

// The text of callgrind's file number `number`, counted from 1, where its files have this name.
// Throws std::runtime_error where it wrote none.
[[nodiscard]] std::string read_dump(const std::string &name, int number);

struct CountedTraffic {
  double reads = 0; // passes, as Traffic defines them
  double writes = 0;
};

inline constexpr std::int64_t kCacheLine = 64; // bytes

[[nodiscard]] CountedTraffic passes_of(const LineCounts &lines, const Call &call);

// Whether counted traffic is the declared one: within half a pass, or 5 % where that is more.
[[nodiscard]] bool agrees(const Traffic &declared, const CountedTraffic &counted);

} // namespace switchyard::measure
