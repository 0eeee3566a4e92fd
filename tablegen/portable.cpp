#include "tablegen/portable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "switchyard/core/route_table.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/exactness.hpp"
#include "tablegen/ranking.hpp"
#include "tablegen/regions.hpp"
#include "tablegen/regrets.hpp"

namespace switchyard::tablegen {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// One profile's part of a class.
struct Source {
  ClassData data;
  Regrets regrets;
};

// One profile's log-regrets at a size, by its own alternatives; empty outside its measured sizes.
std::vector<double> regrets_at(const Source &source, std::int64_t size) {
  const std::vector<Point> &points = source.data.points;
  const auto after = std::find_if(points.begin(), points.end(),
                                  [size](const Point &point) { return point.size >= size; });
  if (after == points.end() || (after == points.begin() && after->size != size)) {
    return {};
  }
  const auto right = static_cast<std::size_t>(after - points.begin());
  if (after->size == size) {
    return source.regrets[right];
  }
  const auto log = [](std::int64_t elements) { return std::log(static_cast<double>(elements)); };
  const double span = log(after->size) - log(points[right - 1].size);
  const double share = (log(size) - log(points[right - 1].size)) / span;
  std::vector<double> regrets;
  for (std::size_t a = 0; a < source.data.alternatives.size(); ++a) {
    regrets.push_back((1 - share) * source.regrets[right - 1][a] +
                      share * source.regrets[right][a]);
  }
  return regrets;
}

// What is left for unmeasured alternatives: the slowest measured one, and a tie band slower.
double unmeasured_regret(const std::vector<double> &regrets) {
  double worst = 0;
  for (const double regret : regrets) {
    worst = std::isnan(regret) ? worst : std::max(worst, regret);
  }
  return worst + std::log1p(kTieBand);
}

// One class over all profiles.
class Merged {
public:
  Merged(const std::vector<const Source *> &sources, const VariantInfo &variant,
         const std::vector<std::string> &allowed)
      : sources_(sources), data_(merged_data(sources, variant, allowed)) {
    for (const Point &point : data_.points) {
      costs_.push_back(costs_at(point.size));
    }
  }

  [[nodiscard]] ClassPlan plan() const {
    ClassPlan plan{data_.key, {}, {}};
    for (const Point &point : data_.points) {
      plan.sizes.push_back(point.size);
    }
    std::vector<Region> bitwise;
    if (const auto part = bitwise_part(data_, costs_)) {
      bitwise = regions(part->data, part->regrets);
    }
    plan.regions = with_bitwise(data_, regions(data_, costs_), bitwise);
    return plan;
  }

  [[nodiscard]] bool empty() const { return data_.alternatives.empty(); }

private:
  static ClassData merged_data(const std::vector<const Source *> &sources,
                               const VariantInfo &variant,
                               const std::vector<std::string> &allowed) {
    ClassData data = {sources.front()->data.key, {}, {}, allowed, {}, {}};
    std::set<Alternative> alternatives;
    std::map<std::int64_t, std::set<std::string>> cells;
    for (const Source *source : sources) {
      for (const Alternative &alternative : source->data.alternatives) {
        if (std::find(allowed.begin(), allowed.end(), alternative.candidate) != allowed.end()) {
          alternatives.insert(alternative);
        }
      }
      for (const Point &point : source->data.points) {
        for (const CellRows &cell : point.cells) {
          cells[point.size].insert(cell.key);
        }
      }
    }
    data.alternatives.assign(alternatives.begin(), alternatives.end());
    sort_by_preference(data.alternatives, variant);
    data.bitwise = bitwise_among(allowed, variant, data.key.dtype);
    for (const auto &[size, keys] : cells) {
      data.points.push_back({size, {}, size});
      for (const std::string &key : keys) {
        data.points.back().cells.push_back({key, std::vector<Lane>(data.alternatives.size()), {}});
      }
    }
    const std::string &floor = variant.candidates.back().id;
    data.floor = std::find(allowed.begin(), allowed.end(), floor) != allowed.end() ? floor : "";
    return data;
  }

  // Of one profile, by the merged alternatives; empty where it did not measure around this size.
  [[nodiscard]] std::vector<double> costs_of(const Source &source, std::int64_t size) const {
    const std::vector<double> regrets = regrets_at(source, size);
    std::vector<double> costs;
    if (regrets.empty()) {
      return costs;
    }
    const auto &own = source.data.alternatives;
    for (const Alternative &alternative : data_.alternatives) {
      const auto place = std::find(own.begin(), own.end(), alternative);
      const double regret =
          place == own.end() ? kNaN : regrets[static_cast<std::size_t>(place - own.begin())];
      costs.push_back(std::isnan(regret) ? unmeasured_regret(regrets) : regret);
    }
    return costs;
  }

  [[nodiscard]] std::vector<double> costs_at(std::int64_t size) const {
    std::vector<double> mean(data_.alternatives.size(), 0);
    int profiles = 0;
    for (const Source *source : sources_) {
      const std::vector<double> costs = costs_of(*source, size);
      for (std::size_t a = 0; a < costs.size(); ++a) {
        mean[a] += costs[a];
      }
      profiles += costs.empty() ? 0 : 1;
    }
    for (double &cost : mean) {
      cost /= std::max(profiles, 1);
    }
    return mean;
  }

  // `costs` of the points and alternatives of `data`, which is all of the class or its bitwise
  // part.
  [[nodiscard]] std::vector<Region> regions(const ClassData &data, const Regrets &costs) const {
    std::vector<Segment> segments;
    for (Segment segment : place_regions(costs, kRegionPenalty)) {
      segment.alternative = preferred(costs, segment);
      if (!segments.empty() && segments.back().alternative == segment.alternative) {
        segments.back().last = segment.last;
      } else {
        segments.push_back(segment);
      }
    }
    std::vector<Region> regions;
    for (const Segment &segment : segments) {
      Region region = region_of(data, costs, segment);
      if (region.runner_up) {
        region.margin = margin(data, segment, region);
      }
      regions.push_back(std::move(region));
    }
    return regions;
  }

  // The first in order of preference of those within the tie band of the best.
  static std::size_t preferred(const Costs &costs, const Segment &segment) {
    const double least = mean_regret(costs, segment, segment.alternative);
    std::size_t a = 0;
    while (a != segment.alternative &&
           mean_regret(costs, segment, a) - least > std::log1p(kTieBand)) {
      ++a;
    }
    return a;
  }

  [[nodiscard]] evidence::Interval margin(const ClassData &data, const Segment &segment,
                                          const Region &region) const {
    const auto index = [&](const Alternative &alternative) {
      const auto &all = data_.alternatives;
      return static_cast<std::size_t>(std::find(all.begin(), all.end(), alternative) - all.begin());
    };
    const std::size_t winner = index(region.ranking.front());
    const std::size_t other = index(*region.runner_up);
    double least = HUGE_VAL;
    double most = -HUGE_VAL;
    double sum = 0;
    int profiles = 0;
    for (const Source *source : sources_) {
      double logs = 0;
      int sizes = 0;
      for (std::size_t p = segment.first; p < segment.last; ++p) {
        const std::vector<double> costs = costs_of(*source, data.points[p].size);
        if (!costs.empty()) {
          logs += costs[other] - costs[winner];
          ++sizes;
        }
      }
      if (sizes > 0) {
        least = std::min(least, logs / sizes);
        most = std::max(most, logs / sizes);
        sum += logs / sizes;
        ++profiles;
      }
    }
    return {std::expm1(sum / profiles), std::expm1(least), std::expm1(most)};
  }

  std::vector<const Source *> sources_;
  ClassData data_;
  Costs costs_;
};

using Classes = std::map<ClassKey, std::vector<const Source *>>;

// Candidates that may be routed for the class's variant and dtype wherever that was measured.
std::vector<std::string> allowed_for(const ClassKey &key, const std::vector<Source> &all) {
  std::vector<std::string> allowed;
  bool first = true;
  for (const Source &source : all) {
    if (source.data.key.variant != key.variant || source.data.key.dtype != key.dtype) {
      continue;
    }
    if (first) {
      allowed = source.data.candidates;
      first = false;
    }
    std::erase_if(allowed, [&](const std::string &id) {
      const auto &here = source.data.candidates;
      return std::find(here.begin(), here.end(), id) == here.end();
    });
  }
  return allowed;
}

} // namespace

Plan plan_portable(std::span<const evidence::Profile> profiles, const CandidateSet &set) {
  std::vector<const evidence::Profile *> sorted;
  for (const evidence::Profile &profile : profiles) {
    sorted.push_back(&profile);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto *a, const auto *b) {
    return a->machine.profile < b->machine.profile; // sums of doubles depend on their order
  });
  std::vector<Source> sources;
  for (const evidence::Profile *profile : sorted) {
    std::vector<std::string> ignored;
    for (ClassData &data : gather(*profile, set, ignored)) {
      if (!data.alternatives.empty()) {
        Regrets regrets = regrets_of(data);
        sources.push_back({std::move(data), std::move(regrets)});
      }
    }
  }
  Classes classes;
  for (const Source &source : sources) {
    classes[source.data.key].push_back(&source);
  }
  Plan plan{std::string(kPortableProfile), {}, {}};
  for (const auto &[key, of_class] : classes) {
    const Merged merged(of_class, *set.find(key.variant), allowed_for(key, sources));
    if (!merged.empty()) {
      plan.classes.push_back(merged.plan());
    }
  }
  return plan;
}

} // namespace switchyard::tablegen
