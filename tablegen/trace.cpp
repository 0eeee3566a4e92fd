#include "tablegen/trace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tablegen/races.hpp"
#include "tablegen/regions.hpp"

namespace switchyard::tablegen {
namespace {

// How far apart two sizes are, whichever is larger.
double apart(std::int64_t a, std::int64_t b) {
  return std::fabs(std::log(static_cast<double>(std::max<std::int64_t>(a, 1)) /
                            static_cast<double>(std::max<std::int64_t>(b, 1))));
}

} // namespace

std::optional<TracedPart> part_at(const ClassTrace &trace, Exactness demand, std::int64_t size) {
  const bool apart = demand == Exactness::bitwise && trace.bitwise_part;
  const ClassData &data = apart ? trace.bitwise_part->data : trace.data;
  const std::vector<Choice> &choices = apart ? trace.bitwise : trace.choices;
  const bool none = demand == Exactness::bitwise && data.bitwise.empty();
  if (choices.empty() || none) {
    return std::nullopt;
  }
  const auto ends_after = [&](const Choice &choice) {
    const std::size_t last = choice.segment.last;
    return last == data.points.size() ||
           size < boundary(data.points[last - 1].largest, data.points[last].size);
  };
  const auto found = std::find_if(choices.begin(), choices.end(), ends_after);
  return TracedPart{&data, &*found, data.points[found->segment.first].size,
                    data.points[found->segment.last - 1].largest};
}

std::size_t index_of(const ClassData &data, const Alternative &alternative) {
  const auto found = std::find(data.alternatives.begin(), data.alternatives.end(), alternative);
  return found == data.alternatives.end()
             ? kNone
             : static_cast<std::size_t>(found - data.alternatives.begin());
}

const CellRows *nearest_cell(const TracedPart &part, std::size_t alternative, std::int64_t size) {
  const CellRows *nearest = nullptr;
  double least = HUGE_VAL;
  for (std::size_t p = part.choice->segment.first; p < part.choice->segment.last; ++p) {
    const Point &point = part.data->points[p];
    for (const CellRows &cell : point.cells) {
      if (cell.measured(alternative) && apart(point.size, size) < least) {
        least = apart(point.size, size);
        nearest = &cell;
      }
    }
  }
  return nearest;
}

std::optional<OverLimit> over_limit(const CellRows &cell, std::size_t alternative) {
  std::optional<OverLimit> found;
  double fastest = HUGE_VAL;
  for (const Lane &lane : cell.bridges) {
    const auto rows = shared_race(cell.lanes[alternative], lane);
    if (!rows || rows->second->status != evidence::Status::limit ||
        rows->second->threads != rows->first->threads) {
      continue;
    }
    const double median = evidence::median(rows->second->samples_ns);
    if (median < fastest) {
      fastest = median;
      found = OverLimit{rows->second->candidate,
                        evidence::paired_ratio(rows->first->samples_ns, rows->second->samples_ns)};
    }
  }
  return found;
}

} // namespace switchyard::tablegen
