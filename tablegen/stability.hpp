// How well the routes of one tuning hold in the measurements of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

// A cell that the two tunings route differently.
struct Flip {
  std::string cell;   // "<variant>#<cell key>"
  Alternative theirs; // of the routes that are scored
  Alternative own;    // of the measurements' own routes
  // Theirs' time / own's as measured, family-wise; [0, HUGE_VAL] where too few rounds tell.
  evidence::Interval ratio{1, 1, 1};
  // The interval lies outside the tie band, on either side, or theirs was dropped from the race.
  bool proven = false;
};

struct Stability {
  std::size_t cells = 0; // measured ones of classes that both have routes for
  std::vector<Flip> flips;
  // Theirs' time / the best alternative's − 1, over all cells. The best is chosen on odd rounds and
  // compared on even ones, so that luck in choosing counts for neither: it can be below 0.
  double geomean = 0;
  double p95 = 0;
};

// Scores the routes `theirs` by the measurements of `profile`, whose own routes are `own`. A route
// is the first of its ranking that the cell has measured, as the router takes the first that
// accepts the call.
[[nodiscard]] Stability score_routes(const Plan &theirs, const Plan &own,
                                     const evidence::Profile &profile, const CandidateSet &set);

// nullptr where the plan has no such class.
[[nodiscard]] const ClassPlan *find_class(const Plan &plan, const ClassKey &key);

// Index, in `data`, of the alternative that the routes of `plan` give a cell of this size: the
// first of the ranking that the cell has measured. kNone where none of it was measured there.
[[nodiscard]] std::size_t routed(const ClassPlan &plan, std::int64_t size, const ClassData &data,
                                 const CellRows &cell);

} // namespace switchyard::tablegen
