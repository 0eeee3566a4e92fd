#include "tablegen/class_points.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "evidence/statistics.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Status;

std::size_t index_in(const std::vector<Alternative> &all, const Alternative &alternative) {
  const auto found = std::find(all.begin(), all.end(), alternative);
  return found == all.end() ? kNone : static_cast<std::size_t>(found - all.begin());
}

double median_of(const Lane &lane) {
  return evidence::median(lane.newest().samples_ns);
}

// Whether the alternative is accepted in the cell and within the tie band of the least time there.
bool best_in(const CellRows &cell, std::size_t alternative) {
  if (!cell.measured(alternative) || cell.lanes[alternative].newest().status != Status::accepted) {
    return false;
  }
  const double own = median_of(cell.lanes[alternative]);
  return std::all_of(cell.lanes.begin(), cell.lanes.end(), [&](const Lane &lane) {
    return !lane.measured() || lane.newest().status != Status::accepted ||
           own <= median_of(lane) * (1 + kTieBand);
  });
}

bool best_at(const Point &point, std::size_t alternative) {
  return std::all_of(point.cells.begin(), point.cells.end(),
                     [&](const CellRows &cell) { return best_in(cell, alternative); });
}

bool in_doubt(const ClassData &data, std::size_t p, const CellRows &cell) {
  if (p == 0 || p + 1 == data.points.size()) {
    return false;
  }
  return std::any_of(cell.impossible.begin(), cell.impossible.end(), [&](const Alternative &each) {
    const std::size_t a = index_in(data.alternatives, each);
    return a != kNone && best_at(data.points[p - 1], a) && best_at(data.points[p + 1], a);
  });
}

// The cell's lanes in the order of other alternatives, which include all of them.
CellRows with_alternatives(const CellRows &cell, const std::vector<Alternative> &before,
                           const std::vector<Alternative> &after) {
  CellRows result = cell;
  result.lanes.assign(after.size(), {});
  for (std::size_t a = 0; a < before.size(); ++a) {
    result.lanes[index_in(after, before[a])] = cell.lanes[a];
  }
  return result;
}

void set_alternatives(ClassData &data, const std::vector<Alternative> &alternatives) {
  for (Point &point : data.points) {
    for (CellRows &cell : point.cells) {
      cell = with_alternatives(cell, data.alternatives, alternatives);
    }
  }
  data.alternatives = alternatives;
}

} // namespace

void add_cell(std::vector<Point> &points, std::int64_t size, CellRows cell) {
  const bool another = points.empty() || static_cast<double>(size) >
                                             kSameSize * static_cast<double>(points.back().size);
  if (another) {
    points.push_back({size, {}, size});
  }
  points.back().largest = size;
  points.back().cells.push_back(std::move(cell));
}

std::vector<std::string> take_out_doubtful(ClassData &data) {
  std::vector<std::string> keys;
  for (std::size_t p = 0; p < data.points.size(); ++p) {
    for (const CellRows &cell : data.points[p].cells) {
      if (in_doubt(data, p, cell)) {
        keys.push_back(cell.key);
      }
    }
  }
  for (Point &point : data.points) {
    std::erase_if(point.cells, [&](const CellRows &cell) {
      return std::find(keys.begin(), keys.end(), cell.key) != keys.end();
    });
  }
  std::erase_if(data.points, [](const Point &point) { return point.cells.empty(); });
  return keys;
}

void inherit_smaller(ClassData &data, const ClassData &fewer, const VariantInfo &variant) {
  if (data.points.empty() || data.alternatives.empty()) {
    return;
  }
  std::vector<Point> smaller;
  for (const Point &point : fewer.points) {
    if (static_cast<double>(point.largest) * kSameSize <
        static_cast<double>(data.points.front().size)) {
      smaller.push_back(point);
      smaller.back().inherited = true;
    }
  }
  if (smaller.empty()) {
    return;
  }
  std::set<Alternative> unique(data.alternatives.begin(), data.alternatives.end());
  unique.insert(fewer.alternatives.begin(), fewer.alternatives.end());
  std::vector<Alternative> alternatives(unique.begin(), unique.end());
  sort_by_preference(alternatives, variant);
  set_alternatives(data, alternatives);
  std::set<std::string> keys;
  for (Point &point : smaller) {
    for (CellRows &cell : point.cells) {
      cell = with_alternatives(cell, fewer.alternatives, alternatives);
      keys.insert(cell.key);
    }
  }
  data.points.insert(data.points.begin(), std::make_move_iterator(smaller.begin()),
                     std::make_move_iterator(smaller.end()));
  for (const RowFate &fate : fewer.rows) {
    if (keys.contains(fate.row->cell.key())) {
      data.rows.push_back(fate);
    }
  }
}

} // namespace switchyard::tablegen
