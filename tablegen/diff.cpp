#include "tablegen/diff.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tablegen/classes.hpp"
#include "tablegen/diff_parts.hpp"
#include "tablegen/ranking.hpp"
#include "tablegen/stability.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Interval;

constexpr Exactness kDemands[] = {Exactness::faithful, Exactness::bitwise};

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
    std::vector<RouteChange> changes;
    bool open = false; // whether the last one reaches up to the cut
    for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
      const std::int64_t to = std::next(cut) == cuts.end() ? kUnbounded : *std::next(cut);
      const Region &was = region_at(before_, *cut);
      const Region &is = region_at(after_, *cut);
      const Alternative &then = winner_of(was, demand);
      const Alternative &now = winner_of(is, demand);
      if (open && changes.back().before == then && changes.back().after == now) {
        changes.back().to = to;
        continue;
      }
      // Where callers of any demand get the same, the change is told once.
      const bool told =
          demand == Exactness::bitwise && then == was.ranking.front() && now == is.ranking.front();
      open = then != now && !told;
      if (open) {
        changes.push_back(
            {before_.key, demand, *cut, to, then, now, Verdict::unknown, {}, is.margin});
      }
    }
    add(std::move(changes));
  }

  void add(std::vector<RouteChange> changes) {
    for (RouteChange &change : changes) {
      const Judgement judgement = judge(data_, change.from, change.to, change.before, change.after);
      change.verdict = judgement.verdict;
      change.regret = judgement.regret;
      diff_.routes.push_back(std::move(change));
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
  compare_cells(was, is, diff);
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
