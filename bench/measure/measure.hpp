// Measuring one cell: proof, warm-up, race, second proof, rows of evidence.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/gate.hpp"
#include "bench/measure/matrix.hpp"
#include "bench/measure/race.hpp"
#include "bench/measure/subject.hpp"
#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::measure {

// Raised with every change of the engine that can alter what a time means.
inline constexpr int kHarnessVersion = 5;

// See MeasureOptions::split_from_ns. Verifying tries more threads from the same time on, or it
// would miss routes that measuring can find.
inline constexpr double kSplitFromNs = 10e3;

// Alternatives of a cell by candidate and threads; 0 threads: whatever numbers are worth trying.
using Only = std::set<std::pair<std::string, int>>;

struct MeasureOptions {
  Hooks hooks;
  RaceRules rules; // `now` is taken from the hooks
  // A slice of the fastest alternative lasts at least this long, and at least a thousand times
  // `clock_error_ns`; the others make equally many calls.
  double slice_ns = 50e3;
  double clock_error_ns = 0;
  // More than one thread is tried where one takes at least this long. A worker that has just been
  // used is awake within a microsecond or two: two threads were seen to halve calls of 20 us.
  double split_from_ns = kSplitFromNs;
  // Candidates that are proven with the others, and that large results are compared with, but that
  // do not race; empty: all race.
  std::function<bool(const Candidate &)> spectates;
  // What rows are labelled with; describe_machine() gives it.
  evidence::Machine machine;
  evidence::Quality quality = evidence::Quality::good;
  // Asked once a cell, when it has been measured: how good the conditions were since it was last
  // asked. Rows get the worse of this and `quality`. Empty: nothing is known against them.
  std::function<evidence::Quality()> quality_since_asked;
  // All of the cell, from the proof to the last round; RaceRules::budget_ns bounds the race alone.
  double cell_budget_ns = std::numeric_limits<double>::infinity();
  Only only;          // the alternatives to measure; empty: all
  bool limits = true; // whether the traffic twins race as well
};

// For this machine's steady clock, whose error is measured.
[[nodiscard]] MeasureOptions options_for(Mode mode);

struct CellResult {
  // What was rejected or impossible, then the others in the order of the variant's candidates and
  // threads, then the limits.
  std::vector<evidence::Row> rows;
  std::map<std::string, evidence::Context> contexts; // of the rows, by id
  int rounds = 0;
  bool complete = true;  // false: stopped before there were enough rounds; no rows
  bool noisy = false;    // by the best accepted row; see evidence::noisy()
  double elapsed_ns = 0; // all of it
  double race_ns = 0;    // of this, timed rounds
  // What it would have taken with no more rounds than needed.
  [[nodiscard]] double least_ns(int least_rounds) const;
};

// Measures every built candidate that accepts the cell's problem, with each number of threads
// within the cell's budget that is worth trying: 1, 2, 4, … and the budget itself. Candidates
// outside their domain have no row. Those that fail the proof, before or after timing, have a row
// of status rejected with the first mismatch and without times. Samples are rounded to four
// digits.
//
// The problem's traffic twins (twin.hpp) race beside them with every number of threads that
// competes; their rows have status limit. A row that lies below the better twin of its number of
// threads by more than beyond_limit() allows keeps its samples, and its status is impossible. The
// others then race again, as race 1: what it had spoiled is a race of its own.
//
// Throws std::invalid_argument for a cell that the variant or its contract does not have, and
// ClockError where times are not usable.
[[nodiscard]] CellResult measure_cell(const Variant &variant, const VariantContract &contract,
                                      const evidence::Cell &cell, const MeasureOptions &options,
                                      Gate &gate);

// How many times slower a second copy of the cell's fastest candidate seems to be than the
// candidate itself, when both race beside all others on one thread: 1 but for what the measuring
// itself adds. [0, HUGE_VAL] where the race had too few rounds.
[[nodiscard]] evidence::Interval duplicate_ratio(const Variant &variant,
                                                 const VariantContract &contract,
                                                 const evidence::Cell &cell,
                                                 const MeasureOptions &options, Gate &gate);

// Thread counts above 1 to try within a budget: 2, 4, … and the budget.
[[nodiscard]] std::vector<int> thread_counts(int budget);

} // namespace switchyard::measure
