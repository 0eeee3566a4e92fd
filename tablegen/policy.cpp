#include "tablegen/policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "tablegen/classes.hpp"
#include "tablegen/exactness.hpp"
#include "tablegen/ranking.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"
#include "tablegen/ties.hpp"

namespace switchyard::tablegen {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What leaving an incumbent costs at a size where it is not proven slower: more than the two
// regions that keeping it can add.
constexpr double kLeaveIncumbent = 3 * kRegionPenalty;

void join_equal(std::vector<Segment> &segments) {
  std::vector<Segment> joined;
  for (const Segment &segment : segments) {
    if (!joined.empty() && joined.back().alternative == segment.alternative) {
      joined.back().last = segment.last;
    } else {
      joined.push_back(segment);
    }
  }
  segments = std::move(joined);
}

// Divides one class into segments and chooses their alternatives.
class Planner {
public:
  Planner(const ClassData &data, const Regrets &regrets, const Incumbents &incumbents,
          Exactness demand)
      : data_(data), regrets_(regrets) {
    for (std::size_t p = 0; p < data_.points.size(); ++p) {
      incumbents_.push_back(measured_incumbent(p, incumbents, demand));
    }
    for (std::size_t p = 0; p < data_.points.size(); ++p) {
      costs_.push_back(costs_at(p));
    }
  }

  [[nodiscard]] std::vector<Segment> segments() const {
    std::vector<Segment> segments = place_regions(costs_, kRegionPenalty);
    while (absorb_one(segments)) {
      join_equal(segments);
    }
    for (Segment &segment : segments) {
      segment.alternative = choose(segment);
    }
    join_equal(segments);
    return segments;
  }

private:
  // Index of the incumbent if it was measured at this point, else kNone.
  [[nodiscard]] std::size_t measured_incumbent(std::size_t p, const Incumbents &incumbents,
                                               Exactness demand) const {
    const auto found = incumbent_at(incumbents, data_.key, demand, data_.points[p].size);
    if (!found) {
      return kNone;
    }
    const auto &all = data_.alternatives;
    const auto a =
        static_cast<std::size_t>(std::find(all.begin(), all.end(), *found) - all.begin());
    return a < all.size() && !std::isnan(regrets_[p][a]) ? a : kNone;
  }

  // Expected regret; what was not measured is not chosen.
  [[nodiscard]] std::vector<double> costs_at(std::size_t p) const {
    std::vector<double> costs(data_.alternatives.size());
    for (std::size_t a = 0; a < costs.size(); ++a) {
      costs[a] = std::isnan(regrets_[p][a]) ? kInfinity : regrets_[p][a];
    }
    const std::size_t incumbent = incumbents_[p];
    const auto best =
        static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    if (incumbent != kNone && tied({p, p + 1, incumbent}, best)) {
      for (std::size_t a = 0; a < costs.size(); ++a) {
        costs[a] = a == incumbent ? 0 : costs[a] + kLeaveIncumbent;
      }
    }
    return costs;
  }

  [[nodiscard]] bool measured_throughout(const Segment &segment) const {
    for (std::size_t p = segment.first; p < segment.last; ++p) {
      if (std::isnan(regrets_[p][segment.alternative])) {
        return false;
      }
    }
    return true;
  }

  // At how many points of the segment its alternative is the incumbent.
  [[nodiscard]] std::ptrdiff_t incumbent_points(const Segment &segment) const {
    const auto first = incumbents_.begin() + static_cast<std::ptrdiff_t>(segment.first);
    const auto last = incumbents_.begin() + static_cast<std::ptrdiff_t>(segment.last);
    return std::count(first, last, segment.alternative);
  }

  // Whether the segment's alternative cannot be told from `best` over the segment. An incumbent
  // is told apart only when the interval leaves the whole tie band.
  [[nodiscard]] bool tied(const Segment &segment, std::size_t best) const {
    const double limit = incumbent_points(segment) > 0 ? 1 + kTieBand : 1;
    return segment.alternative == best ||
           (measured_throughout(segment) && !proven_slower(data_, segment, best, limit));
  }

  [[nodiscard]] bool can_absorb(const Segment &taken, const Segment &taker) const {
    return incumbent_points(taken) == 0 &&
           tied({taken.first, taken.last, taker.alternative}, taken.alternative);
  }

  // Gives a segment whose advantage over a neighbour's alternative is not proven to that
  // neighbour: the one with the least loss. False when there is none.
  [[nodiscard]] bool absorb_one(std::vector<Segment> &segments) const {
    Segment *taken = nullptr;
    std::size_t alternative = kNone;
    double least = kInfinity;
    for (std::size_t i = 1; i < segments.size(); ++i) {
      const std::array pairs{std::pair{&segments[i], &segments[i - 1]},
                             std::pair{&segments[i - 1], &segments[i]}};
      for (const auto &[from, to] : pairs) {
        const double loss = segment_cost(costs_, from->first, from->last, to->alternative) -
                            segment_cost(costs_, from->first, from->last, from->alternative);
        if (loss < least && can_absorb(*from, *to)) {
          least = loss;
          taken = from;
          alternative = to->alternative;
        }
      }
    }
    if (taken != nullptr) {
      taken->alternative = alternative;
    }
    return taken != nullptr;
  }

  // The most heap memory that a call of the segment's alternative held; nullopt unless it was
  // counted in every cell.
  [[nodiscard]] std::optional<std::int64_t> peak(const Segment &segment) const {
    std::int64_t most = 0;
    for (std::size_t p = segment.first; p < segment.last; ++p) {
      for (const CellRows &cell : data_.points[p].cells) {
        if (!cell.measured(segment.alternative)) {
          continue;
        }
        const auto &counted = cell.lanes[segment.alternative].newest().allocations;
        if (!counted) {
          return std::nullopt;
        }
        most = std::max(most, counted->peak);
      }
    }
    return most;
  }

  [[nodiscard]] bool stale(const Segment &segment) const {
    for (std::size_t p = segment.first; p < segment.last; ++p) {
      for (const CellRows &cell : data_.points[p].cells) {
        if (cell.lanes[segment.alternative].stale) {
          return true;
        }
      }
    }
    return false;
  }

  // Of the alternatives tied with the segment's; see ties.hpp.
  [[nodiscard]] std::size_t choose(const Segment &segment) const {
    std::vector<std::size_t> tied_ones;
    std::vector<Contender> contenders;
    for (std::size_t a = 0; a < data_.alternatives.size(); ++a) {
      const Segment other{segment.first, segment.last, a};
      if (tied(other, segment.alternative)) {
        tied_ones.push_back(a);
        contenders.push_back({incumbent_points(other), stale(other), peak(other)});
      }
    }
    return tied_ones[break_tie(contenders)];
  }

  const ClassData &data_;
  const Regrets &regrets_;
  std::vector<std::size_t> incumbents_; // [point]: index of the alternative, or kNone
  Costs costs_;
};

std::vector<Region> regions_of(const ClassData &data, const Regrets &regrets,
                               const Incumbents &incumbents, Exactness demand) {
  std::vector<Region> regions;
  for (const Segment &segment : Planner(data, regrets, incumbents, demand).segments()) {
    regions.push_back(region_of(data, regrets, segment));
  }
  return regions;
}

// The floor for all sizes.
Region floor_region(const ClassData &data) {
  Region region;
  region.ranking = {{data.floor, 1}};
  for (const Point &point : data.points) {
    for (const CellRows &cell : point.cells) {
      region.cells.push_back(cell.key);
    }
  }
  return region;
}

ClassPlan plan_class(const ClassData &data, const Incumbents &incumbents) {
  ClassPlan plan{data.key, {}, {}};
  for (const Point &point : data.points) {
    plan.sizes.push_back(point.size);
  }
  if (data.alternatives.empty()) {
    plan.regions.push_back(floor_region(data));
    return plan;
  }
  const Regrets regrets = regrets_of(data);
  std::vector<Region> bitwise;
  if (const auto part = bitwise_part(data, regrets)) {
    bitwise = regions_of(part->data, part->regrets, incumbents, Exactness::bitwise);
  }
  plan.regions =
      with_bitwise(data, regions_of(data, regrets, incumbents, Exactness::faithful), bitwise);
  return plan;
}

// Adds an incumbent unless the one before it in the class is the same.
class IncumbentLine {
public:
  IncumbentLine(Incumbents &incumbents, Exactness demand)
      : incumbents_(incumbents), demand_(demand) {}

  void add(const ClassKey &key, std::int64_t from, const Alternative &alternative) {
    if (before_ != alternative) {
      incumbents_[{key, from, demand_}] = alternative;
      before_ = alternative;
    }
  }

private:
  Incumbents &incumbents_;
  Exactness demand_;
  std::optional<Alternative> before_;
};

} // namespace

Plan plan_routes(const evidence::Profile &profile, const CandidateSet &set,
                 const Incumbents &incumbents) {
  Plan plan{profile.machine.profile, {}, {}};
  for (const ClassData &data : gather(profile, set, plan.warnings)) {
    plan.classes.push_back(plan_class(data, incumbents));
  }
  return plan;
}

std::optional<Alternative> incumbent_at(const Incumbents &incumbents, const ClassKey &of_class,
                                        Exactness demand, std::int64_t size) {
  const auto in_force = [&](Exactness asked) -> const Alternative * {
    const auto after = incumbents.upper_bound({of_class, size, asked});
    if (after == incumbents.begin()) {
      return nullptr;
    }
    const auto &[key, alternative] = *std::prev(after);
    return key.of_class == of_class && key.demand == asked ? &alternative : nullptr;
  };
  const Alternative *found = in_force(demand);
  if (found == nullptr && demand == Exactness::bitwise) {
    found = in_force(Exactness::faithful);
  }
  return found == nullptr ? std::nullopt : std::optional(*found);
}

Incumbents incumbents_of(const Plan &plan) {
  Incumbents incumbents;
  for (const ClassPlan &plan_of_class : plan.classes) {
    const bool apart = std::any_of(
        plan_of_class.regions.begin(), plan_of_class.regions.end(),
        [](const Region &region) { return region.bitwise && region.bitwise != region.ranking[0]; });
    IncumbentLine faithful(incumbents, Exactness::faithful);
    IncumbentLine bitwise(incumbents, Exactness::bitwise);
    for (const Region &region : plan_of_class.regions) {
      faithful.add(plan_of_class.key, region.from, region.ranking.front());
      if (apart && region.bitwise) {
        bitwise.add(plan_of_class.key, region.from, *region.bitwise);
      }
    }
  }
  return incumbents;
}

int preference(std::string_view backend) {
  constexpr std::array<std::string_view, 6> kOrder = {"fused",   "lut",    "stringzilla",
                                                      "numkong", "opencv", "aten"};
  constexpr int kOther = static_cast<int>(kOrder.size());
  const auto found = std::find(kOrder.begin(), kOrder.end(), backend);
  return backend == "loop" ? kOther + 1 : static_cast<int>(found - kOrder.begin());
}

} // namespace switchyard::tablegen
