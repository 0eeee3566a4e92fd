#include "tablegen/regrets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "evidence/statistics.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Interval;
using evidence::Row;
using evidence::Status;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Keeps dropped rows in the order of their own samples after they were lifted behind the
// accepted ones.
constexpr double kKeepOrder = 1e-6;

// A cell's best row: the least median time among accepted ones; among dropped ones when there are
// no others. The first in order of preference of equal ones.
const Row &best_of(const CellRows &cell) {
  const Row *best = nullptr;
  std::pair<Status, double> least{};
  for (const Row *row : cell.rows) {
    if (row == nullptr) {
      continue;
    }
    const std::pair rank{row->status, evidence::median(row->samples_ns)};
    if (best == nullptr || rank < least) {
      best = row;
      least = rank;
    }
  }
  return *best;
}

// log(time / the best's) of every alternative of a cell, at least 0; NaN where not measured.
// A dropped row comes after the accepted ones and outside the tie band, but need not come after
// the floor, which is measured in every round however slow it is.
std::vector<double> cell_regrets(const ClassData &data, const CellRows &cell) {
  std::vector<double> regrets(cell.rows.size(), kNaN);
  const Row &best = best_of(cell);
  const Alternative floor{data.floor, 1};
  double slowest_accepted = 0;
  for (std::size_t a = 0; a < cell.rows.size(); ++a) {
    const Row *row = cell.rows[a];
    if (row == nullptr) {
      continue;
    }
    const double ratio = evidence::paired_ratio(row->samples_ns, best.samples_ns).estimate;
    regrets[a] = std::max(0.0, std::log(ratio));
    if (row->status == Status::accepted && data.alternatives[a] != floor) {
      slowest_accepted = std::max(slowest_accepted, regrets[a]);
    }
  }
  for (std::size_t a = 0; a < cell.rows.size(); ++a) {
    if (cell.rows[a] != nullptr && cell.rows[a]->status == Status::dropped &&
        best.status == Status::accepted) {
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
      if (cell.rows[a] != nullptr && cell.rows[b] != nullptr) {
        cells.push_back(&cell);
      }
    }
  }
  return cells;
}

int comparisons_in(const CellRows &cell) {
  const auto accepted = std::count_if(cell.rows.begin(), cell.rows.end(), [](const Row *row) {
    return row != nullptr && row->status == Status::accepted;
  });
  return std::max(1, static_cast<int>(accepted) - 1);
}

bool proven_slower(const ClassData &data, const Segment &segment, std::size_t rival, double limit) {
  const auto proven = [limit](std::span<const double> times, std::span<const double> rival_times,
                              int comparisons) {
    const Interval ratio = evidence::paired_ratio(times, rival_times, comparisons);
    return ratio.low > limit && ratio.estimate > 1 + kTieBand;
  };
  std::vector<double> times;
  std::vector<double> rival_times;
  int comparisons = 1;
  for (const CellRows *cell : shared_cells(data, segment, segment.alternative, rival)) {
    const Row &row = *cell->rows[segment.alternative];
    const Row &other = *cell->rows[rival];
    const std::size_t rounds = std::min(row.samples_ns.size(), other.samples_ns.size());
    const std::span own = first_rounds(row, rounds);
    const std::span others = first_rounds(other, rounds);
    if (row.status > other.status || proven(own, others, comparisons_in(*cell))) {
      return true;
    }
    times.insert(times.end(), own.begin(), own.end());
    rival_times.insert(rival_times.end(), others.begin(), others.end());
    comparisons = std::max(comparisons, comparisons_in(*cell));
  }
  return proven(times, rival_times, comparisons);
}

} // namespace switchyard::tablegen
