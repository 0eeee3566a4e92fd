// What a report shows of a profile, as plain JSON: evidence and the routes that follow from it.
#pragma once

#include <nlohmann/json.hpp>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::report {

// {"schema": 1, "profile": …, "machine": facts, "candidate_set": hash, "tie_band": …,
//  "warnings": […], "keys": ["dtype", …], "backends": {candidate: backend}, "variants": [
//   {"op", "name", "alternatives": [[candidate, threads], …],
//    "series": [{"keys": […], "cells": [
//      {"shape", "elements", "best": alternative, "distance": interval,
//       "twins": [[id, threads, median, low, high], …],
//       "rows": [[alternative, dropped, median, low, high, ratio, low, high,
//                 allocations, bytes, peak], …]}, …]}, …],
//    "classes": [{"keys": […], "routes": [[from, to, alternative, runner-up,
//                                          margin, low, high], …]}, …],
//    "disagreements": […], "refused": […]}, …]}
//
// A series has the cells that differ in their shape alone; its "keys" are in the order of the
// document's. A class has null for what its routes do not depend on. Times are ns a call; `low` and
// `high` are 95 % intervals, null where too few rounds were measured. "ratio" is an alternative's
// time / that of the cell's best one, "distance" the best one's / that of the traffic twin with as
// many threads, both paired by rounds. A row is of the newest race that its alternative was timed
// in. Sizes are in elements, and a null "to" has no end.
//
// Rows of other versions than the set's are left out: "warnings" counts them. The same bytes for
// the same arguments, whatever the order of rows.
[[nodiscard]] nlohmann::ordered_json data_of(const evidence::Profile &profile,
                                             const tablegen::CandidateSet &set,
                                             const tablegen::Plan &plan);

} // namespace switchyard::report
