// The route policy: from one profile's evidence and a candidate set to ranked routes.
//
// Pure functions of their arguments: same evidence and candidates, same plan, whatever the order
// of rows or candidates, the locale or the hash seed.
//
//  1. Rows of hot cells are grouped by class; a class's cells lie along size (elements). A row
//     counts if its candidate is built, computes the dtype, has the row's version and was not
//     rejected in any cell of that variant and dtype, and if it used no more threads than the
//     class allows. Limits and impossible rows never count; an impossible row is a warning, and
//     its candidate competes wherever else it was measured.
//  2. In a cell the best alternative is the accepted one of the least median time; an
//     alternative's regret is log(its time / the best's), paired by rounds, or over a bridge where
//     the two were timed in different races (races.hpp). A dropped row comes after the accepted
//     ones. Cells of one size are averaged, that is, the geometric mean of their ratios.
//  3. Regions along size minimise the sum of regret over the measured sizes plus a penalty for
//     every further region. A region whose advantage over its neighbour's alternative is not
//     proven is given to that neighbour.
//  4. Among the alternatives that cannot be told from the region's best, the incumbent stays;
//     without one, what was measured under present conditions comes before what is stale, then
//     the smaller peak of heap memory, then a fixed order of preference (ties.hpp).
//  5. Where a faithful alternative wins, regions are divided so that the first bitwise one of
//     each ranking is the choice of the same policy among bitwise ones (exactness.hpp).
//
// Stale rows count. What was measured before a library changed is still the best guess at what it
// takes now, and a route that was three times faster rarely stops being the fastest; but in a
// tie the guess yields to a measurement. A row of another version is not even a guess.
//
// A class where present candidates have rows, but none that may be used, gets the floor.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"
#include "switchyard/core/route_table.hpp"
#include "tablegen/candidate_set.hpp"

namespace switchyard::tablegen {

// Times closer than this ratio are equal: repeated measurements of one alternative differ as much.
inline constexpr double kTieBand = 0.03;

// An incumbent that is slower by no more than this stays. Intervals hold what one tuning's rounds
// scatter; between two tunings of one machine ratios shift by a few per cent more, with where
// memory happens to lie and what the processor does, and that must not unseat anyone.
inline constexpr double kOfficeBand = 2 * kTieBand;

// What a further region has to save, as a sum of log-regret over the measured sizes: at least a
// step out of the tie band at one of them.
inline constexpr double kRegionPenalty = 0.03;

// A candidate × threads used.
struct Alternative {
  std::string candidate;
  int threads = 1;
  // NOLINTNEXTLINE(modernize-use-nullptr): a defaulted <=> compares with 0, which is no pointer
  friend auto operator<=>(const Alternative &, const Alternative &) = default;
};

// What a call must equal, besides its size, for a route to fit it.
struct ClassKey {
  std::string variant;
  std::string dtype;
  std::int64_t channels = 0;
  LayoutClass layout = LayoutClass::contiguous;
  OutputMode output = OutputMode::into;
  int thread_budget = 1;
  std::string op_class{}; // one of the variant's own; empty where it has none
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const ClassKey &, const ClassKey &) = default;
};

// Where an incumbent's reign begins, along the sizes of a class.
struct IncumbentKey {
  ClassKey of_class;
  std::int64_t from = 0;
  Exactness demand = Exactness::faithful; // or bitwise: the first bitwise one of the ranking

  friend bool operator<(const IncumbentKey &a, const IncumbentKey &b) {
    return std::tie(a.of_class, a.demand, a.from) < std::tie(b.of_class, b.demand, b.from);
  }
};

// The alternatives in force before, each from its size up to the next one's of the same class and
// demand: so that a size that was not measured then has an incumbent, too. A class without any for
// bitwise demands has the same ones for both.
using Incumbents = std::map<IncumbentKey, Alternative>;

// nullopt where nothing was in force.
[[nodiscard]] std::optional<Alternative> incumbent_at(const Incumbents &incumbents,
                                                      const ClassKey &of_class, Exactness demand,
                                                      std::int64_t size);

// The ranking for sizes [from, to).
struct Region {
  std::int64_t from = 0;
  std::int64_t to = kUnbounded;
  // The winner, then the others by regret, then candidates that were not measured here in order of
  // preference, last the variant's floor with one thread. Alternatives slower than the floor are
  // left out: it accepts every problem, so they could never be reached.
  std::vector<Alternative> ranking;
  std::optional<Alternative> runner_up; // of the measured ones
  // Runner-up's time / winner's − 1: the geometric mean over the cells, and its interval from the
  // rounds of all cells together; family-wise over the alternatives that stayed to the end where
  // the rounds suffice for that, else for this comparison alone, else [−1, HUGE_VAL]. Below 0
  // where preference or the incumbent decided a tie. All 0 without a runner-up.
  evidence::Interval margin{0, 0, 0};
  std::vector<std::string> cells;     // keys of the measured cells inside, by size
  std::optional<Alternative> bitwise; // the first bitwise one of the ranking that was measured
};

struct ClassPlan {
  ClassKey key;
  std::vector<std::int64_t> sizes; // measured ones, ascending, in elements
  std::vector<Region> regions;     // ascending and adjoining, from 0 to kUnbounded
};

struct Plan {
  std::string profile;
  std::vector<ClassPlan> classes;    // ascending by key; none for what has no evidence
  std::vector<std::string> warnings; // rows that could not be used, one line per cause
};

// Rows of variants, candidates or dtype cases that `set` does not know at all are passed over;
// see unknown.hpp.
[[nodiscard]] Plan plan_routes(const evidence::Profile &profile, const CandidateSet &set,
                               const Incumbents &incumbents = {});

// The winners of a plan, for the next one to keep in near-ties.
[[nodiscard]] Incumbents incumbents_of(const Plan &plan);

// Rank in the fixed order of preference, fewer dependencies first: own code (fused, lut), then
// libraries from the smallest to the largest (stringzilla, numkong, opencv, aten), then any other
// backend. loop has the fewest, yet comes last: it is the floor that every ranking ends with, so
// that a tie given to it gains nothing, while between and beyond the measured sizes, where a tie
// of small images may end, plain loops are the slowest.
[[nodiscard]] int preference(std::string_view backend);

} // namespace switchyard::tablegen
