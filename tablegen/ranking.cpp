#include "tablegen/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "evidence/statistics.hpp"
#include "tablegen/races.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Interval;

// The alternatives measured in a segment: its winner, then the others by mean regret.
std::vector<std::size_t> by_regret(const ClassData &data, const Regrets &regrets,
                                   const Segment &segment) {
  std::vector<std::pair<double, std::size_t>> others;
  for (std::size_t a = 0; a < data.alternatives.size(); ++a) {
    const double regret = mean_regret(regrets, segment, a);
    if (a != segment.alternative && !std::isnan(regret)) {
      others.emplace_back(regret, a);
    }
  }
  std::sort(others.begin(), others.end());
  std::vector<std::size_t> order{segment.alternative};
  for (const auto &[regret, a] : others) {
    order.push_back(a);
  }
  return order;
}

std::vector<Alternative> ranking(const ClassData &data, const std::vector<std::size_t> &order) {
  const Alternative floor{data.floor, 1};
  if (data.alternatives[order.front()] == floor) {
    return {floor};
  }
  std::vector<Alternative> result;
  for (const std::size_t a : order) {
    if (data.alternatives[a] == floor) {
      break;
    }
    result.push_back(data.alternatives[a]);
  }
  for (const std::string &candidate : data.candidates) {
    const bool measured = std::any_of(order.begin(), order.end(), [&](std::size_t a) {
      return data.alternatives[a].candidate == candidate;
    });
    if (!measured && candidate != data.floor) {
      result.push_back({candidate, 1});
    }
  }
  if (!data.floor.empty()) {
    result.push_back(floor);
  }
  return result;
}

// The rounds of the pairs that one race has, as one comparison. Those of each cell are scaled so
// that its ratio becomes `ratio`: what is left is how far rounds scatter, without the difference
// between cells.
Interval scatter(const std::vector<LanePair> &pairs, const std::vector<double> &ratios,
                 double ratio) {
  std::vector<double> times;
  std::vector<double> rival_times;
  int comparisons = 1;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const CellRows &cell = *pairs[p].cell;
    const auto rows = shared_race(cell.lanes[pairs[p].a], cell.lanes[pairs[p].b]);
    if (!rows) {
      continue;
    }
    const std::vector<double> &own = rows->first->samples_ns;
    const std::vector<double> &others = rows->second->samples_ns;
    for (std::size_t i = 0; i < std::min(own.size(), others.size()); ++i) {
      times.push_back(own[i] * ratio / ratios[p]);
      rival_times.push_back(others[i]);
    }
    comparisons = std::max(comparisons, comparisons_in(cell));
  }
  const Interval interval = evidence::paired_ratio(times, rival_times, comparisons);
  return std::isfinite(interval.high) ? interval : evidence::paired_ratio(times, rival_times);
}

// The same for pairs that are compared over bridges alone: the widest of their intervals, scaled
// likewise.
Interval scatter_over_bridges(const std::vector<LanePair> &pairs, const std::vector<double> &ratios,
                              double ratio) {
  Interval widest{ratio, ratio, ratio};
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto link =
        compare(*pairs[p].cell, pairs[p].a, pairs[p].b, comparisons_in(*pairs[p].cell));
    widest.low = std::min(widest.low, link->low * ratio / ratios[p]);
    widest.high = std::max(widest.high, link->high * ratio / ratios[p]);
  }
  return widest;
}

} // namespace

Interval ratio_over(const std::vector<LanePair> &pairs) {
  std::vector<double> ratios;
  double logs = 0;
  bool paired = false;
  for (const auto &[cell, a, b] : pairs) {
    ratios.push_back(compare(*cell, a, b)->estimate);
    logs += std::log(ratios.back());
    paired = paired || shared_race(cell->lanes[a], cell->lanes[b]).has_value();
  }
  const double ratio = std::exp(logs / static_cast<double>(pairs.size()));
  const Interval interval =
      paired ? scatter(pairs, ratios, ratio) : scatter_over_bridges(pairs, ratios, ratio);
  return {ratio, std::min(interval.low, ratio), std::max(interval.high, ratio)};
}

Interval time_over_winner(const ClassData &data, const Segment &segment, std::size_t alternative) {
  const std::size_t winner = segment.alternative;
  if (alternative == winner) {
    return {0, 0, 0};
  }
  std::vector<LanePair> pairs;
  for (const CellRows *cell : shared_cells(data, segment, alternative, winner)) {
    pairs.push_back({cell, alternative, winner});
  }
  if (pairs.empty()) {
    return {0, -1, HUGE_VAL}; // measured, but nowhere side by side
  }
  const Interval ratio = ratio_over(pairs);
  return {ratio.estimate - 1, ratio.low - 1, ratio.high - 1};
}

Region region_of(const ClassData &data, const Regrets &regrets, const Segment &segment) {
  Region region;
  if (segment.first > 0) {
    region.from = boundary(data.points[segment.first - 1].largest, data.points[segment.first].size);
  }
  if (segment.last < data.points.size()) {
    region.to = boundary(data.points[segment.last - 1].largest, data.points[segment.last].size);
  }
  for (std::size_t p = segment.first; p < segment.last; ++p) {
    for (const CellRows &cell : data.points[p].cells) {
      region.cells.push_back(cell.key);
    }
  }
  const std::vector<std::size_t> order = by_regret(data, regrets, segment);
  region.ranking = ranking(data, order);
  if (order.size() > 1) {
    region.runner_up = data.alternatives[order[1]];
    region.margin = time_over_winner(data, segment, order[1]);
  }
  return region;
}

} // namespace switchyard::tablegen
