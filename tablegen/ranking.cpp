#include "tablegen/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "evidence/statistics.hpp"

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

// runner-up / winner − 1; the geometric mean over the cells of estimate, low and high.
Interval margin(const ClassData &data, const Segment &segment, std::size_t runner_up) {
  Interval logs{0, 0, 0};
  const auto cells = shared_cells(data, segment, runner_up, segment.alternative);
  if (cells.empty()) {
    return {0, -1, HUGE_VAL}; // measured, but nowhere side by side
  }
  for (const CellRows *cell : cells) {
    const Interval ratio =
        evidence::paired_ratio(cell->rows[runner_up]->samples_ns,
                               cell->rows[segment.alternative]->samples_ns, comparisons_in(*cell));
    logs.estimate += std::log(ratio.estimate);
    logs.low += std::log(ratio.low); // log(0) is −Inf, which gives back 0
    logs.high += std::log(ratio.high);
  }
  const auto count = static_cast<double>(cells.size());
  return {std::exp(logs.estimate / count) - 1, std::exp(logs.low / count) - 1,
          std::exp(logs.high / count) - 1};
}

} // namespace

Region region_of(const ClassData &data, const Regrets &regrets, const Segment &segment) {
  Region region;
  if (segment.first > 0) {
    region.from = boundary(data.points[segment.first - 1].size, data.points[segment.first].size);
  }
  if (segment.last < data.points.size()) {
    region.to = boundary(data.points[segment.last - 1].size, data.points[segment.last].size);
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
    region.margin = margin(data, segment, order[1]);
  }
  return region;
}

} // namespace switchyard::tablegen
