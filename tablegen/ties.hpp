// Who is chosen among alternatives that measurement cannot tell apart: plain facts, no times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace switchyard::tablegen {

// Peaks of heap memory that differ by no more are equal: allocators round, and a library's first
// call may keep a little.
inline constexpr std::int64_t kPage = 4096;

struct Contender {
  std::ptrdiff_t incumbent_points = 0; // sizes of the region where it is the incumbent
  bool stale = false;
  std::optional<std::int64_t> peak; // bytes of heap live at once in one call; nullopt: not counted
};

// Index of the one that is chosen, in this order of reasons: the incumbent of the most sizes; what
// was measured under present conditions before what is stale; the smaller peak, where it was
// counted for all that are left; the first. `contenders` are in order of preference; one or more.
[[nodiscard]] std::size_t break_tie(std::span<const Contender> contenders);

} // namespace switchyard::tablegen
