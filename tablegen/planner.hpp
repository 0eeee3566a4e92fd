// Divides a class along size and chooses an alternative for every part, with the reason why each
// other one is not it: steps 3 and 4 of the policy (policy.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tablegen/classes.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {

// Why an alternative does not serve where another one does. The ties are with the one that the part
// was made for, and were lost by the rules of ties.hpp.
enum class Verdict : std::uint8_t {
  chosen,
  tie_incumbent,    // another one is the incumbent, or at more sizes
  tie_stale,        // its rows are stale, the chosen one's are not
  tie_memory,       // it holds more heap memory
  tie_preference,   // it comes later in the order of preference
  slower,           // proven, over all cells of the part together or in one of them
  slower_at_a_size, // proven at one size of the part, where the best one is not beaten
  not_everywhere,   // not measured at every size of the part
};

constexpr std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"chosen",           "tie_incumbent",  "tie_stale",
                                         "tie_memory",       "tie_preference", "slower",
                                         "slower_at_a_size", "not_everywhere"};
  return kNames[static_cast<int>(verdict)];
}

// A part of a class's sizes and who serves it.
struct Choice {
  Segment segment;               // with the chosen alternative
  std::size_t best = 0;          // whom the part was made for, before ties were decided
  std::vector<Verdict> verdicts; // by alternative
};

// Adjoining parts, by size; neighbours may have chosen the same.
[[nodiscard]] std::vector<Choice> choose_routes(const ClassData &data, const Regrets &regrets,
                                                const Incumbents &incumbents, Exactness demand);

// Their segments, neighbours of one alternative joined.
[[nodiscard]] std::vector<Segment> segments_of(const std::vector<Choice> &choices);

} // namespace switchyard::tablegen
