#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "evidence/statistics.hpp"
#include "evidence/unpaired.hpp"
#include "tablegen/diff_parts.hpp"
#include "tablegen/profile_set.hpp"
#include "tablegen/races.hpp"
#include "tablegen/stability.hpp"
#include "tablegen/ties.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Interval;
using evidence::Row;

// What serves a cell on one side.
struct Served {
  const CellRows *cell = nullptr;
  const Lane *lane = nullptr;
  const Row *row = nullptr; // the lane's newest
  Alternative alternative;
};

Served served(const Planned &side, const ClassData &data, std::int64_t size, const CellRows &cell) {
  const ClassPlan *plan = find_class(side.plan, data.key);
  const std::size_t a = plan == nullptr ? kNone : routed(*plan, size, data, cell);
  if (a == kNone) {
    return {};
  }
  return {&cell, &cell.lanes[a], &cell.lanes[a].newest(), data.alternatives[a]};
}

// The route's time / a limit's in the cell, in rounds that they share. As every link of a way over
// bridges, it is widened for the number of links, two.
std::optional<Interval> over_limit(const Served &side, const Lane &limit) {
  const auto rows = shared_race(*side.lane, limit);
  return rows ? std::optional(
                    evidence::paired_ratio(rows->first->samples_ns, rows->second->samples_ns, 2))
              : std::nullopt;
}

bool same_limit(const Lane &a, const Lane &b) {
  const auto is_limit = [](const Lane &lane) {
    return lane.measured() && lane.newest().status == evidence::Status::limit;
  };
  return is_limit(a) && is_limit(b) && a.newest().candidate == b.newest().candidate &&
         a.newest().threads == b.newest().threads && a.newest().version == b.newest().version;
}

// See TimeChange::beside_limit.
std::optional<Interval> beside_limit(const Served &then, const Served &now) {
  double logs = 0;
  int limits = 0;
  Interval all{1, HUGE_VAL, 0};
  for (const Lane &limit : now.cell->bridges) {
    for (const Lane &other : then.cell->bridges) {
      const auto is = same_limit(limit, other) ? over_limit(now, limit) : std::nullopt;
      const auto was = is ? over_limit(then, other) : std::nullopt;
      if (!was) {
        continue;
      }
      logs += std::log(is->estimate / was->estimate);
      all.low = std::min(all.low, is->low / was->high);
      all.high = std::max(all.high, was->low > 0 ? is->high / was->low : HUGE_VAL);
      ++limits;
    }
  }
  if (limits == 0) {
    return std::nullopt;
  }
  all.estimate = std::exp(logs / limits);
  return all;
}

int percent_beyond(double low_of_ratio) {
  for (const int percent : kSlowerPercents) {
    if (low_of_ratio > 1 + percent / 100.0) {
      return percent;
    }
  }
  return 0;
}

// Compares what serves each cell on both sides.
class CellComparison {
public:
  CellComparison(const Planned &before, const Planned &after, ProfileDiff &diff)
      : before_(before), after_(after), diff_(diff),
        // A machine that is slower as a whole explains as much of any cell's change.
        slower_machine_(std::max(1.0, diff.drift.ratio)),
        faster_machine_(std::max(1.0, 1 / diff.drift.ratio)) {}

  void run() {
    for (const ClassData &data : after_.data) {
      const ClassData *was = before_.find(data.key);
      if (was == nullptr) {
        continue;
      }
      for (const Point &point : data.points) {
        for (std::size_t c = 0; !point.inherited && c < point.cells.size(); ++c) {
          const CellRows &cell = point.cells[c];
          compare(*was, data, evidence::Cell::parse(cell.key).elements(), cell);
        }
      }
    }
    const auto by_ratio = [](bool worst_first) {
      return [worst_first](const TimeChange &a, const TimeChange &b) {
        return worst_first ? a.ratio.estimate > b.ratio.estimate
                           : a.ratio.estimate < b.ratio.estimate;
      };
    };
    std::stable_sort(diff_.slower.begin(), diff_.slower.end(), by_ratio(true));
    std::stable_sort(diff_.faster.begin(), diff_.faster.end(), by_ratio(false));
    std::stable_sort(diff_.memory.begin(), diff_.memory.end(),
                     [](const MemoryChange &a, const MemoryChange &b) {
                       return a.after_bytes - a.before_bytes > b.after_bytes - b.before_bytes;
                     });
  }

private:
  void compare(const ClassData &was, const ClassData &is, std::int64_t size, const CellRows &cell) {
    const auto point = std::find_if(was.points.begin(), was.points.end(), [&](const Point &each) {
      return !each.inherited && each.size <= size && size <= each.largest;
    });
    if (point == was.points.end()) {
      return;
    }
    const auto place = std::find_if(point->cells.begin(), point->cells.end(),
                                    [&](const CellRows &each) { return each.key == cell.key; });
    if (place == point->cells.end()) {
      return;
    }
    const Served then = served(before_, was, size, *place);
    const Served now = served(after_, is, size, cell);
    if (then.row != nullptr && now.row != nullptr) {
      ++diff_.compared;
      compare_times(is.key, cell.key, then, now);
      compare_memory(is.key, cell.key, then, now);
    }
  }

  void compare_times(const ClassKey &key, const std::string &cell, const Served &then,
                     const Served &now) {
    if (then.row->samples_ns == now.row->samples_ns) {
      return;
    }
    TimeChange change{key,
                      cell,
                      then.alternative,
                      now.alternative,
                      evidence::median(then.row->samples_ns),
                      evidence::median(now.row->samples_ns),
                      evidence::unpaired_ratio(now.row->samples_ns, then.row->samples_ns),
                      beside_limit(then, now),
                      0};
    const Interval beside = change.beside_limit.value_or(Interval{1, HUGE_VAL, 0});
    change.percent = percent_beyond(std::min(change.ratio.low / slower_machine_, beside.low));
    if (change.percent > 0) {
      diff_.slower.push_back(std::move(change));
      return;
    }
    change.percent = percent_beyond(1 / std::max(change.ratio.high * faster_machine_, beside.high));
    if (change.percent > 0) {
      diff_.faster.push_back(std::move(change));
    }
  }

  void compare_memory(const ClassKey &key, const std::string &cell, const Served &then,
                      const Served &now) {
    if (then.row->allocations && now.row->allocations &&
        now.row->allocations->peak > then.row->allocations->peak + kPage) {
      diff_.memory.push_back({key, cell, then.alternative, now.alternative,
                              then.row->allocations->peak, now.row->allocations->peak});
    }
  }

  const Planned &before_;
  const Planned &after_;
  ProfileDiff &diff_;
  double slower_machine_;
  double faster_machine_;
};

} // namespace

Planned::Planned(const Tuning &tuning, const CandidateSet &build, std::vector<std::string> &notes)
    : profile(tuning.profile), set(set_of_profile(build, profile, notes)),
      plan(plan_routes(profile, set, tuning.incumbents)) {
  std::vector<std::string> ignored; // those of the plan are the same
  data = gather(profile, set, ignored);
}

const ClassData *Planned::find(const ClassKey &key) const {
  const auto found = std::find_if(data.begin(), data.end(),
                                  [&](const ClassData &each) { return each.key == key; });
  return found == data.end() ? nullptr : &*found;
}

void compare_cells(const Planned &before, const Planned &after, ProfileDiff &diff) {
  CellComparison(before, after, diff).run();
}

} // namespace switchyard::tablegen
