// Scores of routed calls beside a peer: pure functions of times.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::peers {

// A routed call is slower only where all of its interval lies below this speed-up.
inline constexpr double kSlowerBelow = 0.97;

// One peer in one cell.
struct PeerTimes {
  std::string peer;
  std::string variant; // "add/scalar"
  evidence::Cell cell;
  std::string expression;     // the one that stands for the peer
  std::vector<double> routed; // time per call in each round, > 0
  std::vector<double> times;  // the same of the peer; ends early where it left, hopelessly slower
};

// "add" of "add/scalar".
[[nodiscard]] std::string_view op_of(std::string_view variant);

// pointwise, conversion, statistics, matrix or geometry, the order in which they are reported; of
// an op that is in none of the others: geometry.
[[nodiscard]] std::span<const std::string_view> families();
[[nodiscard]] std::string_view family_of(std::string_view variant);

// What a cell counts in a weighted mean: how often callers pass such a problem.
[[nodiscard]] double weight_of(const evidence::Cell &cell);

struct GroupScore {
  std::size_t cells = 0;
  double geomean_speedup = 0;  // peer's time / routed time
  double weighted_speedup = 0; // exp(sum w log s / sum w)
  double min_speedup = 0;
};

struct SlowerCell {
  std::string variant;
  evidence::Cell cell;
  evidence::Interval speedup; // all of it below kSlowerBelow
};

struct PeerScore {
  std::size_t cells = 0;
  // Whose interval excludes nothing: too few rounds to call them slower, were they so. Cells that
  // the peer left early because it was many times slower are decided.
  std::size_t undecided_cells = 0;
  std::map<std::string, GroupScore, std::less<>> families; // those that have cells
  std::map<std::string, GroupScore, std::less<>> ops;
  std::vector<SlowerCell> slower; // the slowest first
};

// Speed-up of one cell, with an interval that holds for `comparisons` cells together.
[[nodiscard]] evidence::Interval speedup(const PeerTimes &cell, int comparisons);

// Of all cells of one peer, which are the comparisons that hold together.
[[nodiscard]] PeerScore score(std::span<const PeerTimes> cells);

// Rounds after which an interval for so many comparisons leaves out the extreme ratio on either
// side, so that one disturbed round doesn't decide.
[[nodiscard]] int rounds_for(int comparisons);

} // namespace switchyard::peers
