// One cell verified: the routed call as one more contender beside every alternative.
#pragma once

#include <limits>
#include <string>

#include "bench/measure/campaign.hpp"
#include "bench/measure/gate.hpp"
#include "bench/measure/measure.hpp"
#include "bench/measure/race.hpp"
#include "bench/measure/subject.hpp"
#include "bench/verify/routing.hpp"
#include "bench/verify/score.hpp"

namespace switchyard::verify {

struct CellOptions {
  // `execute` runs the alternatives, as the router runs what it has chosen.
  measure::Hooks hooks;
  // Long, since half of the rounds choose and the other half score. Only the hopeless leave: for
  // the single best every backend needs a time.
  measure::RaceRules rules;
  double slice_ns = 100e3; // as in measure::MeasureOptions
  double clock_error_ns = 0;
  // As in measure::MeasureOptions.
  double split_from_ns = measure::kSplitFromNs;
  // Where the regret is not settled (score.hpp) after the race, the routed call and the best
  // alternative run further rounds, at most so many and for at most so long: times of problems
  // that live in main memory scatter by half of themselves.
  int most_further_rounds = 200;
  double further_ns = 1e9;
  double cell_budget_ns = std::numeric_limits<double>::infinity();
  // A second copy of the alternative that the route takes competes as well. It is no alternative.
  bool duplicates = false;
};

// For this machine's steady clock.
[[nodiscard]] CellOptions default_cell_options();

struct CellOutcome {
  evidence::Cell cell;
  CellTimes times;
  NamedRoute chosen;   // by the table
  NamedRoute executed; // by the call
  // Both are the same candidate in the same number of parts.
  bool replayed = false;
  std::size_t routed_alternative = 0; // of times.alternatives: what the route takes
  std::vector<double> copy;           // its copy's times, with duplicates
  std::string mismatch;               // of the routed call's results; empty: right
  int rounds = 0;
  bool complete = false; // false: stopped too early to be scored
  double elapsed_ns = 0; // all of it
  double race_ns = 0;    // of this, timed rounds of the race
  double further_ns = 0; // of this, the rounds after it
};

// Races every built candidate that accepts the problem and passes the proof, with every number of
// threads in the cell's budget that may pay, and the routed call with that budget. Throws
// std::invalid_argument as measure_cell() does, and std::runtime_error where no candidate passes.
[[nodiscard]] CellOutcome verify_cell(const measure::Entry &entry, const evidence::Cell &cell,
                                      const Routing &routing, const CellOptions &options,
                                      measure::Gate &gate);

} // namespace switchyard::verify
