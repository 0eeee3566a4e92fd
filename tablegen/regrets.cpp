#include "tablegen/regrets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "evidence/statistics.hpp"
#include "tablegen/races.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Interval;
using evidence::Row;
using evidence::Status;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Keeps dropped rows in the order of their own samples after they were lifted behind the
// accepted ones.
constexpr double kKeepOrder = 1e-6;

// A cell's best alternative: the least time among accepted ones; among dropped ones when there are
// no others. The first in order of preference of equal ones. Medians compare within the newest
// race; what was not in it compares with the best of it.
std::size_t best_of(const CellRows &cell) {
  int race = 0;
  for (const Lane &lane : cell.lanes) {
    race = lane.measured() ? std::max(race, lane.newest().race) : race;
  }
  std::size_t best = kNone;
  std::pair<Status, double> least{};
  for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
    if (!cell.measured(a) || cell.lanes[a].newest().race != race) {
      continue;
    }
    const Row &row = cell.lanes[a].newest();
    const std::pair rank{row.status, evidence::median(row.samples_ns)};
    if (best == kNone || rank < least) {
      best = a;
      least = rank;
    }
  }
  const std::size_t anchor = best;
  least.second = 1;
  for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
    if (!cell.measured(a) || cell.lanes[a].newest().race == race) {
      continue;
    }
    const auto ratio = compare(cell, a, anchor);
    const std::pair rank{cell.lanes[a].newest().status, ratio ? ratio->estimate : HUGE_VAL};
    if (rank < least) {
      best = a;
      least = rank;
    }
  }
  return best;
}

// log(time / the best's) of every alternative of a cell, at least 0; NaN where not measured.
// A dropped row comes after the accepted ones and outside the tie band, but need not come after
// the floor, which is measured in every round however slow it is.
std::vector<double> cell_regrets(const ClassData &data, const CellRows &cell) {
  std::vector<double> regrets(cell.lanes.size(), kNaN);
  const std::size_t best = best_of(cell);
  const Alternative floor{data.floor, 1};
  double slowest_accepted = 0;
  for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
    const auto ratio = compare(cell, a, best);
    if (!ratio) {
      continue;
    }
    regrets[a] = std::max(0.0, std::log(ratio->estimate));
    if (cell.lanes[a].newest().status == Status::accepted && data.alternatives[a] != floor) {
      slowest_accepted = std::max(slowest_accepted, regrets[a]);
    }
  }
  for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
    if (!std::isnan(regrets[a]) && cell.lanes[a].newest().status == Status::dropped &&
        cell.lanes[best].newest().status == Status::accepted) {
      regrets[a] = std::max({regrets[a], slowest_accepted, std::log1p(kTieBand)}) +
                   kKeepOrder * (1 + regrets[a]);
    }
  }
  return regrets;
}

std::vector<double> regrets_at(const ClassData &data, const Point &point) {
  std::vector<double> sum(data.alternatives.size(), 0);
  std::vector<int> count(data.alternatives.size(), 0);
  for (const CellRows &cell : point.cells) {
    const std::vector<double> regrets = cell_regrets(data, cell);
    for (std::size_t a = 0; a < regrets.size(); ++a) {
      if (!std::isnan(regrets[a])) {
        sum[a] += regrets[a];
        ++count[a];
      }
    }
  }
  for (std::size_t a = 0; a < sum.size(); ++a) {
    sum[a] = count[a] > 0 ? sum[a] / count[a] : kNaN;
  }
  return sum;
}

std::span<const double> first_rounds(const Row &row, std::size_t rounds) {
  return std::span(row.samples_ns).first(rounds);
}

} // namespace

Regrets regrets_of(const ClassData &data) {
  Regrets regrets;
  for (const Point &point : data.points) {
    regrets.push_back(regrets_at(data, point));
  }
  return regrets;
}

double mean_regret(const Regrets &regrets, const Segment &segment, std::size_t alternative) {
  double sum = 0;
  int count = 0;
  for (std::size_t p = segment.first; p < segment.last; ++p) {
    if (!std::isnan(regrets[p][alternative])) {
      sum += regrets[p][alternative];
      ++count;
    }
  }
  return count > 0 ? sum / count : kNaN;
}

std::vector<const CellRows *> shared_cells(const ClassData &data, const Segment &segment,
                                           std::size_t a, std::size_t b) {
  std::vector<const CellRows *> cells;
  for (std::size_t p = segment.first; p < segment.last; ++p) {
    for (const CellRows &cell : data.points[p].cells) {
      if (cell.measured(a) && cell.measured(b)) {
        cells.push_back(&cell);
      }
    }
  }
  return cells;
}

int comparisons_in(const CellRows &cell) {
  const auto accepted = std::count_if(cell.lanes.begin(), cell.lanes.end(), [](const Lane &lane) {
    return lane.measured() && lane.newest().status == Status::accepted;
  });
  return std::max(1, static_cast<int>(accepted) - 1);
}

bool proven_slower(const ClassData &data, const Segment &segment, std::size_t rival, double limit) {
  const auto proven = [limit](const Interval &ratio) {
    return ratio.low > limit && ratio.estimate > 1 + kTieBand;
  };
  std::vector<double> times;
  std::vector<double> rival_times;
  int comparisons = 1;
  for (const CellRows *cell : shared_cells(data, segment, segment.alternative, rival)) {
    const Lane &lane = cell->lanes[segment.alternative];
    const Lane &other = cell->lanes[rival];
    const auto ratio = compare(*cell, segment.alternative, rival, comparisons_in(*cell));
    if (lane.newest().status > other.newest().status || (ratio && proven(*ratio))) {
      return true;
    }
    if (const auto rows = shared_race(lane, other)) {
      const std::size_t rounds =
          std::min(rows->first->samples_ns.size(), rows->second->samples_ns.size());
      const std::span own = first_rounds(*rows->first, rounds);
      const std::span others = first_rounds(*rows->second, rounds);
      times.insert(times.end(), own.begin(), own.end());
      rival_times.insert(rival_times.end(), others.begin(), others.end());
      comparisons = std::max(comparisons, comparisons_in(*cell));
    }
  }
  return proven(evidence::paired_ratio(times, rival_times, comparisons));
}

} // namespace switchyard::tablegen
