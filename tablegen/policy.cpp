#include "tablegen/policy.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "tablegen/classes.hpp"
#include "tablegen/exactness.hpp"
#include "tablegen/planner.hpp"
#include "tablegen/ranking.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"
#include "tablegen/trace.hpp"

namespace switchyard::tablegen {
namespace {

std::vector<Region> regions_of(const ClassData &data, const Regrets &regrets,
                               const std::vector<Choice> &choices) {
  std::vector<Region> regions;
  for (const Segment &segment : segments_of(choices)) {
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

ClassTrace trace_class(ClassData data, const Incumbents &incumbents) {
  ClassTrace trace;
  trace.plan.key = data.key;
  for (const Point &point : data.points) {
    if (!point.inherited) {
      trace.plan.sizes.push_back(point.size);
    }
    if (!point.inherited && point.largest != point.size) {
      trace.plan.sizes.push_back(point.largest);
    }
  }
  if (data.alternatives.empty()) {
    trace.plan.regions.push_back(floor_region(data));
    trace.data = std::move(data);
    return trace;
  }
  trace.regrets = regrets_of(data);
  trace.bitwise_part = bitwise_part(data, trace.regrets);
  std::vector<Region> bitwise;
  if (const auto &part = trace.bitwise_part) {
    trace.bitwise = choose_routes(part->data, part->regrets, incumbents, Exactness::bitwise);
    bitwise = regions_of(part->data, part->regrets, trace.bitwise);
  }
  trace.choices = choose_routes(data, trace.regrets, incumbents, Exactness::faithful);
  trace.plan.regions = with_bitwise(data, regions_of(data, trace.regrets, trace.choices), bitwise);
  trace.data = std::move(data);
  return trace;
}

Plan plan_routes(const evidence::Profile &profile, const CandidateSet &set,
                 const Incumbents &incumbents) {
  Plan plan{profile.machine.profile, {}, {}};
  for (ClassData &data : gather(profile, set, plan.warnings)) {
    plan.classes.push_back(trace_class(std::move(data), incumbents).plan);
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
