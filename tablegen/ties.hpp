// Who is chosen among alternatives that measurement cannot tell apart: plain facts, no times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace switchyard::tablegen {

// Peaks of heap memory that differ by no more are equal: allocators round, and a library's first
// call may keep a little.
inline constexpr std::int64_t kPage = 4096;

struct Contender {
  std::ptrdiff_t incumbent_points = 0; // sizes of the region where it is the incumbent
  bool stale = false;
  std::optional<std::int64_t> peak; // bytes of heap live at once in one call; nullopt: not counted
};

// What decides between two that are tied.
enum class TieRule : std::uint8_t { incumbent, present, memory, preference };

struct TieBreak {
  std::size_t winner = 0;
  // By contender: the rule by which it lost; nullopt for the winner.
  std::vector<std::optional<TieRule>> lost_by;
};

// The one that is chosen and what the others lost by, in this order of rules: the incumbent of the
// most sizes; what was measured under present conditions before what is stale; the smaller peak,
// where it was counted for all that are left; the first. `contenders` are in order of preference;
// one or more.
[[nodiscard]] TieBreak break_tie_with_reasons(std::span<const Contender> contenders);

// Its winner alone.
[[nodiscard]] std::size_t break_tie(std::span<const Contender> contenders);

} // namespace switchyard::tablegen
