#include "tablegen/diff.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "evidence/unpaired.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/diff_parts.hpp"
#include "tablegen/profile_set.hpp"
#include "tablegen/races.hpp"
#include "tablegen/ranking.hpp"
#include "tablegen/stability.hpp"
#include "tablegen/ties.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Interval;
using evidence::Row;

constexpr Exactness kDemands[] = {Exactness::faithful, Exactness::bitwise};

// A side with all that follows from it. ClassData points into the tuning's profile.
struct Planned {
  Planned(const Tuning &tuning, const CandidateSet &build, std::vector<std::string> &notes)
      : profile(tuning.profile), set(set_of_profile(build, profile, notes)),
        plan(plan_routes(profile, set, tuning.incumbents)) {
    std::vector<std::string> ignored; // those of the plan are the same
    data = gather(profile, set, ignored);
  }

  [[nodiscard]] const ClassData *find(const ClassKey &key) const {
    const auto found = std::find_if(data.begin(), data.end(),
                                    [&](const ClassData &each) { return each.key == key; });
    return found == data.end() ? nullptr : &*found;
  }

  const evidence::Profile &profile;
  CandidateSet set;
  Plan plan;
  std::vector<ClassData> data;
};

const Alternative &winner_of(const Region &region, Exactness demand) {
  if (demand == Exactness::faithful) {
    return region.ranking.front();
  }
  return region.bitwise ? *region.bitwise : region.ranking.back();
}

const Region &region_at(const ClassPlan &plan, std::int64_t size) {
  return *std::find_if(plan.regions.begin(), plan.regions.end(),
                       [size](const Region &region) { return size < region.to; });
}

// Sizes that one alternative serves, neighbouring regions of one winner taken together.
struct Stretch {
  std::int64_t from = 0;
  std::int64_t to = kUnbounded;
  Alternative winner;
};

std::vector<Stretch> stretches_of(const ClassPlan &plan, Exactness demand) {
  std::vector<Stretch> stretches;
  for (const Region &region : plan.regions) {
    const Alternative &winner = winner_of(region, demand);
    if (!stretches.empty() && stretches.back().winner == winner) {
      stretches.back().to = region.to;
    } else {
      stretches.push_back({region.from, region.to, winner});
    }
  }
  return stretches;
}

bool same_order(const std::vector<Stretch> &a, const std::vector<Stretch> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Stretch &x, const Stretch &y) { return x.winner == y.winner; });
}

// The points of a class with sizes in [from, to), served by `alternative`; nullopt where there are
// none or it was not measured.
std::optional<Segment> segment_of(const ClassData &data, std::int64_t from, std::int64_t to,
                                  const Alternative &alternative) {
  const auto place = std::find(data.alternatives.begin(), data.alternatives.end(), alternative);
  Segment segment{data.points.size(), 0,
                  static_cast<std::size_t>(place - data.alternatives.begin())};
  for (std::size_t p = 0; p < data.points.size(); ++p) {
    if (data.points[p].size >= from && data.points[p].size < to) {
      segment.first = std::min(segment.first, p);
      segment.last = p + 1;
    }
  }
  return place == data.alternatives.end() || segment.first >= segment.last ? std::nullopt
                                                                           : std::optional(segment);
}

// How the old alternative fares beside the new one at sizes [from, to), by the new measurements.
struct Judgement {
  Verdict verdict = Verdict::unknown;
  std::optional<Interval> regret;
};

Judgement judge(const ClassData *data, std::int64_t from, std::int64_t to,
                const Alternative &before, const Alternative &after) {
  if (data == nullptr) {
    return {};
  }
  const auto was = segment_of(*data, from, to, before);
  const auto is = segment_of(*data, from, to, after);
  if (!was || !is || shared_cells(*data, *is, was->alternative, is->alternative).empty()) {
    return {};
  }
  Judgement judgement{Verdict::open, time_over_winner(*data, *is, was->alternative)};
  const bool better = proven_slower(*data, *was, is->alternative, 1 + kTieBand);
  const bool worse = proven_slower(*data, *is, was->alternative, 1 + kTieBand);
  if (better != worse) { // cells of one segment may prove opposite things
    judgement.verdict = better ? Verdict::better : Verdict::worse;
  }
  return judgement;
}

// Compares the routes of one class.
class ClassComparison {
public:
  ClassComparison(const ClassPlan &before, const ClassPlan &after, const ClassData *data,
                  ProfileDiff &diff)
      : before_(before), after_(after), data_(data), diff_(diff) {}

  void run() {
    for (const Exactness demand : kDemands) {
      const std::vector<Stretch> was = stretches_of(before_, demand);
      const std::vector<Stretch> is = stretches_of(after_, demand);
      if (same_order(was, is)) {
        compare_boundaries(demand, was, is);
      } else {
        compare_winners(demand);
      }
    }
  }

private:
  void compare_boundaries(Exactness demand, const std::vector<Stretch> &was,
                          const std::vector<Stretch> &is) {
    for (std::size_t i = 0; i + 1 < was.size(); ++i) {
      if (was[i].to == is[i].to || said_for_all(demand, was[i].to, is[i].to)) {
        continue;
      }
      const bool up = is[i].to > was[i].to; // then the lower one serves what the upper one did
      const Alternative &now = up ? is[i].winner : is[i + 1].winner;
      const Alternative &then = up ? is[i + 1].winner : is[i].winner;
      const auto [from, to] = std::minmax(was[i].to, is[i].to);
      diff_.boundaries.push_back({before_.key, demand, is[i].winner, is[i + 1].winner, was[i].to,
                                  is[i].to, judge(data_, from, to, then, now).regret});
    }
  }

  // Whether a boundary of bitwise routes is one of all routes, which has been told already.
  [[nodiscard]] bool said_for_all(Exactness demand, std::int64_t was, std::int64_t is) const {
    return demand == Exactness::bitwise &&
           std::any_of(
               diff_.boundaries.begin(), diff_.boundaries.end(), [&](const BoundaryMove &move) {
                 return move.of_class == before_.key && move.before == was && move.after == is;
               });
  }

  void compare_winners(Exactness demand) {
    std::set<std::int64_t> cuts;
    for (const ClassPlan *plan : {&before_, &after_}) {
      for (const Region &region : plan->regions) {
        cuts.insert(region.from);
      }
    }
    std::optional<RouteChange> open;
    for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
      const std::int64_t to = std::next(cut) == cuts.end() ? kUnbounded : *std::next(cut);
      const Region &was = region_at(before_, *cut);
      const Region &is = region_at(after_, *cut);
      const Alternative &then = winner_of(was, demand);
      const Alternative &now = winner_of(is, demand);
      if (open && open->before == then && open->after == now) {
        open->to = to;
        continue;
      }
      close(open);
      // Where callers of any demand get the same, the change is told once.
      const bool told =
          demand == Exactness::bitwise && then == was.ranking.front() && now == is.ranking.front();
      if (then != now && !told) {
        open =
            RouteChange{before_.key, demand, *cut, to, then, now, Verdict::unknown, {}, is.margin};
      }
    }
    close(open);
  }

  void close(std::optional<RouteChange> &open) {
    if (open) {
      const Judgement judgement = judge(data_, open->from, open->to, open->before, open->after);
      open->verdict = judgement.verdict;
      open->regret = judgement.regret;
      diff_.routes.push_back(std::move(*open));
      open.reset();
    }
  }

  const ClassPlan &before_;
  const ClassPlan &after_;
  const ClassData *data_;
  ProfileDiff &diff_;
};

void compare_routes(const Planned &before, const Planned &after, ProfileDiff &diff) {
  for (const ClassPlan &plan : after.plan.classes) {
    const ClassPlan *was = find_class(before.plan, plan.key);
    if (was == nullptr) {
      diff.covered.push_back(plan.key);
    } else {
      ClassComparison(*was, plan, after.find(plan.key), diff).run();
    }
  }
  for (const ClassPlan &plan : before.plan.classes) {
    if (find_class(after.plan, plan.key) == nullptr) {
      diff.uncovered.push_back(plan.key);
    }
  }
  // The dearest first: what keeping the old route would cost, or what the new one costs.
  std::stable_sort(diff.routes.begin(), diff.routes.end(),
                   [](const RouteChange &a, const RouteChange &b) {
                     const auto weight = [](const RouteChange &change) {
                       return change.regret ? std::fabs(std::log1p(change.regret->estimate)) : 0;
                     };
                     return std::pair(a.verdict != Verdict::worse, -weight(a)) <
                            std::pair(b.verdict != Verdict::worse, -weight(b));
                   });
}

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
        for (const CellRows &cell : point.cells) {
          compare(*was, data, point.size, cell);
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
    const auto point = std::find_if(was.points.begin(), was.points.end(),
                                    [&](const Point &each) { return each.size == size; });
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

void score(const Planned &before, const Planned &after, ProfileDiff &diff) {
  const Stability of_old = score_routes(before.plan, after.plan, after.profile, after.set);
  if (of_old.cells > 0) {
    diff.regret_of_old = of_old.geomean;
    diff.regret_of_new = score_routes(after.plan, after.plan, after.profile, after.set).geomean;
  }
}

ProfileDiff one_sided(const Tuning &side, const CandidateSet &build,
                      std::vector<ClassKey> ProfileDiff::*classes,
                      std::size_t ProfileDiff::*cells) {
  ProfileDiff diff;
  diff.profile = side.profile.machine.profile;
  const Planned planned(side, build, diff.notes);
  for (const ClassPlan &plan : planned.plan.classes) {
    (diff.*classes).push_back(plan.key);
  }
  ProfileDiff counted;
  compare_rows({}, side.profile, counted);
  diff.*cells = counted.cells_added;
  return diff;
}

} // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"better", "open", "worse", "unknown"};
  return kNames[static_cast<std::size_t>(verdict)];
}

bool ProfileDiff::regression() const {
  return !slower.empty() || std::any_of(routes.begin(), routes.end(), [](const RouteChange &each) {
    return each.verdict == Verdict::worse;
  });
}

ProfileDiff diff_profiles(const Tuning &before, const Tuning &after, const CandidateSet &build) {
  ProfileDiff diff;
  diff.profile = after.profile.machine.profile;
  std::vector<std::string> of_before; // the old side's gaps are no news
  const Planned was(before, build, of_before);
  const Planned is(after, build, diff.notes);
  diff.facts = fact_changes(before.profile.machine, after.profile.machine);
  compare_rows(before.profile, after.profile, diff);
  diff.stale = newly_stale(before.profile, was.set, after.profile, is.set);
  diff.refused = newly_refused(before.profile, after.profile);
  diff.drift = drift_of(before.profile, after.profile);
  compare_routes(was, is, diff);
  CellComparison(was, is, diff).run();
  score(was, is, diff);
  return diff;
}

ProfileDiff diff_added(const Tuning &after, const CandidateSet &build) {
  ProfileDiff diff = one_sided(after, build, &ProfileDiff::covered, &ProfileDiff::cells_added);
  diff.added = true;
  return diff;
}

ProfileDiff diff_removed(const Tuning &before, const CandidateSet &build) {
  ProfileDiff diff = one_sided(before, build, &ProfileDiff::uncovered, &ProfileDiff::cells_removed);
  diff.removed = true;
  return diff;
}

} // namespace switchyard::tablegen
