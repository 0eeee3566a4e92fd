#include "tablegen/stability.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tablegen/classes.hpp"
#include "tablegen/races.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Status;

// As compare() on half of the rounds, or on all where a half is empty.
double ratio_on(const CellRows &cell, std::size_t a, std::size_t b, Rounds rounds) {
  const double half = compare(cell, a, b, 1, rounds)->estimate;
  return std::isnan(half) ? compare(cell, a, b)->estimate : half;
}

// The best alternative of the odd rounds; accepted ones come before dropped ones.
std::size_t best_on_odd_rounds(const CellRows &cell, std::size_t reference) {
  std::size_t best = reference;
  for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
    if (!cell.measured(a)) {
      continue;
    }
    const Status status = cell.lanes[a].newest().status;
    const Status least = cell.lanes[best].newest().status;
    if (status < least || (status == least && ratio_on(cell, a, best, Rounds::odd) < 1)) {
      best = a;
    }
  }
  return best;
}

Flip flip_of(const ClassData &data, const CellRows &cell, std::size_t theirs, std::size_t own) {
  Flip flip{data.key.variant + "#" + cell.key, data.alternatives[theirs], data.alternatives[own],
            *compare(cell, theirs, own, comparisons_in(cell))};
  const bool dropped = cell.lanes[theirs].newest().status > cell.lanes[own].newest().status;
  flip.proven = dropped || flip.ratio.low > 1 + kTieBand || flip.ratio.high < 1 / (1 + kTieBand);
  return flip;
}

} // namespace

const ClassPlan *find_class(const Plan &plan, const ClassKey &key) {
  const auto found = std::find_if(plan.classes.begin(), plan.classes.end(),
                                  [&](const ClassPlan &each) { return each.key == key; });
  return found == plan.classes.end() ? nullptr : &*found;
}

std::size_t routed(const ClassPlan &plan, std::int64_t size, const ClassData &data,
                   const CellRows &cell) {
  const auto region =
      std::find_if(plan.regions.begin(), plan.regions.end(),
                   [size](const Region &each) { return size >= each.from && size < each.to; });
  if (region == plan.regions.end()) {
    return kNone;
  }
  for (const Alternative &alternative : region->ranking) {
    const auto place = std::find(data.alternatives.begin(), data.alternatives.end(), alternative);
    const auto a = static_cast<std::size_t>(place - data.alternatives.begin());
    if (a < data.alternatives.size() && cell.measured(a)) {
      return a;
    }
  }
  return kNone;
}

Stability score_routes(const Plan &theirs, const Plan &own, const evidence::Profile &profile,
                       const CandidateSet &set) {
  Stability result;
  std::vector<double> logs;
  std::vector<std::string> ignored;
  for (const ClassData &data : gather(profile, set, ignored)) {
    const ClassPlan *a = find_class(theirs, data.key);
    const ClassPlan *b = find_class(own, data.key);
    if (a == nullptr || b == nullptr) {
      continue;
    }
    for (const Point &point : data.points) {
      if (point.inherited) {
        continue; // a cell of the class that it was measured for
      }
      for (const CellRows &cell : point.cells) {
        const std::int64_t size = evidence::Cell::parse(cell.key).elements();
        const std::size_t scored = routed(*a, size, data, cell);
        const std::size_t present = routed(*b, size, data, cell);
        if (scored == kNone || present == kNone) {
          continue;
        }
        if (scored != present) {
          result.flips.push_back(flip_of(data, cell, scored, present));
        }
        const std::size_t best = best_on_odd_rounds(cell, present);
        logs.push_back(std::log(ratio_on(cell, scored, best, Rounds::even)));
      }
    }
  }
  result.cells = logs.size();
  double sum = 0;
  for (const double log : logs) {
    sum += log;
  }
  if (!logs.empty()) {
    result.geomean = std::expm1(sum / static_cast<double>(logs.size()));
    result.p95 = std::expm1(evidence::quantile(logs, 0.95));
  }
  return result;
}

} // namespace switchyard::tablegen
