// Scores of the routed call against its alternatives: pure functions of times.
//
// Rounds count from 0. What is best is chosen on odd rounds, and everything is scored on even ones.
// The least of several noisy times is too low in the rounds that chose it, so that a score taken
// from the same rounds would make every route look worse than it is, and more so the more
// alternatives there are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/statistics.hpp"

namespace switchyard::verify {

// The backend whose candidate accepts every problem, so that it stands in for others.
inline constexpr std::string_view kFloorBackend = "loop";

// Ratios inside count as equal; the same band as the route policy's.
inline constexpr double kTieBand = 0.03;

// A single best this close to the virtual best leaves no gap that can be measured.
inline constexpr double kLeastGap = 0.005;

struct ContenderTimes {
  std::string candidate;
  std::string backend;
  int threads = 1;
  // Time per call in each round, all finite and above 0. Ends early where the contender left.
  std::vector<double> times;
};

// One cell's race.
struct CellTimes {
  std::string variant;
  std::string dtype;
  std::vector<double> routed; // as ContenderTimes::times
  std::vector<ContenderTimes> alternatives;
  std::size_t taken = 0; // the alternative that the routed call executes
  // Further rounds of two alone, the routed call and the alternative that is best on odd rounds:
  // they were run after that choice, so that all of them score.
  std::vector<double> more_routed{};
  std::vector<double> more_best{};
};

struct CellScore {
  std::size_t best = 0; // index of the alternative that is best on odd rounds
  // Routed time ÷ that alternative's on even and further rounds, minus 1: the median of the paired
  // ratios.
  double regret = 0;
  evidence::Interval interval; // of the regret, 95 %
};

// The index of the alternative with the least median time on odd rounds, the first among equals.
// Throws std::invalid_argument for a cell without alternatives, or where the routed call or every
// alternative has fewer than two rounds.
[[nodiscard]] std::size_t best_alternative(const CellTimes &cell);

// Whether a cell's regret is known well enough: its interval is no wider than the tie band on
// either side, or lies on one side of every limit that regrets are judged by.
[[nodiscard]] bool settled(const CellScore &score);

[[nodiscard]] CellScore score(const CellTimes &cell);

// Cells of one variant and dtype.
struct GroupScore {
  std::string variant;
  std::string dtype;
  std::size_t cells = 0;
  double geomean = 0; // of the regret
  double max = 0;
  // Time of the alternative that the route takes ÷ the single best backend's, geometric mean over
  // the group's cells, minus 1.
  double to_single_best = 0;
  // to_single_best exceeds the tie band, and exceeds 0 by more than twice the standard error of
  // its mean log: neither ties that the policy decides otherwise nor one odd cell count.
  bool worse_than_single_best = false;
};

struct Summary {
  std::size_t cells = 0;
  double geomean = 0; // exp(mean log(1 + regret)) − 1
  double p95 = 0;     // linear interpolation between order statistics
  double max = 0;
  double over_10_percent = 0; // fraction of cells with a regret above 0.1
  // (log single best − log taken) / (log single best − log virtual best), in means over the cells.
  // `taken` is the time of the alternative that the route takes, measured as single best and
  // virtual best are: without the lookup, which a caller who always asks for one backend pays as
  // well. So equal choices are equal, exactly. 1 where single best and virtual best are less than
  // kLeastGap apart and the routes lie within the tie band of the former; beyond it such a gap
  // counts as kLeastGap wide.
  double gap_closed = 1;
  // The backend with the least geometric-mean time. Where it has several candidates or may use
  // several threads, it counts with one choice for all cells of a variant, dtype and number of
  // threads that could be granted, the best one. Where it has no alternative, it counts with the
  // floor's, and without one of these with the cell's slowest.
  std::string single_best;
  std::vector<GroupScore> groups; // in the order of the cells
};

// All zeros, and a gap_closed of 1, for no cells. Throws as score() does.
[[nodiscard]] Summary summarize(std::span<const CellTimes> cells);

// Whether a candidate and a second copy of it, timed as if they were two, seem to differ: the
// interval of their ratio excludes 1 and the estimate lies outside the tie band.
[[nodiscard]] bool differs_from_copy(std::span<const double> candidate,
                                     std::span<const double> copy);

} // namespace switchyard::verify
