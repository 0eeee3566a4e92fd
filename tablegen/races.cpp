#include "tablegen/races.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::tablegen {
namespace {

using evidence::Interval;
using evidence::Row;

std::size_t lane_count(const CellRows &cell) {
  return cell.lanes.size() + cell.bridges.size();
}

const Lane &lane_at(const CellRows &cell, std::size_t i) {
  return i < cell.lanes.size() ? cell.lanes[i] : cell.bridges[i - cell.lanes.size()];
}

std::vector<double> samples_of(const Row &row, Rounds rounds) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < row.samples_ns.size(); ++i) {
    if (rounds == Rounds::all || (i % 2 == 0) == (rounds == Rounds::odd)) {
      samples.push_back(row.samples_ns[i]);
    }
  }
  return samples;
}

// How many links lead from every lane to `to`; kNone where none do.
std::vector<std::size_t> distances(const CellRows &cell, std::size_t to) {
  std::vector<std::size_t> distance(lane_count(cell), kNone);
  std::vector<std::size_t> reached{to};
  distance[to] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (std::size_t i = 0; i < distance.size(); ++i) {
      if (distance[i] == kNone &&
          shared_race(lane_at(cell, i), lane_at(cell, reached[next])).has_value()) {
        distance[i] = distance[reached[next]] + 1;
        reached.push_back(i);
      }
    }
  }
  return distance;
}

// Compares along the shortest ways to the lane at distance 0.
class Ways {
public:
  Ways(const CellRows &cell, const std::vector<std::size_t> &distance, int comparisons,
       Rounds rounds)
      : cell_(cell), distance_(distance), comparisons_(comparisons), rounds_(rounds) {}

  [[nodiscard]] Interval from(std::size_t a) const {
    double logs = 0;
    int ways = 0;
    Interval all{1, HUGE_VAL, 0};
    for (std::size_t i = 0; i < distance_.size(); ++i) {
      if (distance_[i] == kNone || distance_[i] + 1 != distance_[a]) {
        continue;
      }
      const auto rows = shared_race(lane_at(cell_, a), lane_at(cell_, i));
      if (!rows) {
        continue;
      }
      const Interval rest = distance_[i] == 0 ? Interval{1, 1, 1} : from(i);
      const Interval link = evidence::paired_ratio(
          samples_of(*rows->first, rounds_), samples_of(*rows->second, rounds_), comparisons_);
      logs += std::log(link.estimate) + std::log(rest.estimate);
      all.low = std::min(all.low, link.low * rest.low);
      all.high = std::max(all.high, link.high * rest.high);
      ++ways;
    }
    all.estimate = std::exp(logs / ways);
    return all;
  }

private:
  const CellRows &cell_;
  const std::vector<std::size_t> &distance_;
  int comparisons_;
  Rounds rounds_;
};

} // namespace

std::optional<std::pair<const Row *, const Row *>> shared_race(const Lane &a, const Lane &b) {
  for (const Row *row : a.rows) {
    const auto other = std::find_if(b.rows.begin(), b.rows.end(),
                                    [&](const Row *each) { return each->race == row->race; });
    if (other != b.rows.end()) {
      return std::pair(row, *other);
    }
  }
  return std::nullopt;
}

std::optional<Interval> compare(const CellRows &cell, std::size_t a, std::size_t b, int comparisons,
                                Rounds rounds) {
  if (!cell.measured(a) || !cell.measured(b)) {
    return std::nullopt;
  }
  if (a == b) {
    return Interval{1, 1, 1};
  }
  if (const auto rows = shared_race(cell.lanes[a], cell.lanes[b])) {
    return evidence::paired_ratio(samples_of(*rows->first, rounds),
                                  samples_of(*rows->second, rounds), comparisons);
  }
  const std::vector<std::size_t> distance = distances(cell, b);
  if (distance[a] == kNone) {
    return std::nullopt;
  }
  return Ways(cell, distance, comparisons * static_cast<int>(distance[a]), rounds).from(a);
}

std::vector<bool> linked_to(const CellRows &cell, std::size_t from) {
  std::vector<bool> linked;
  for (const std::size_t links : distances(cell, from)) {
    linked.push_back(links != kNone);
  }
  return linked;
}

} // namespace switchyard::tablegen
