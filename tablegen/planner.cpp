#include "tablegen/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tablegen/ties.hpp"

namespace switchyard::tablegen {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What leaving an incumbent costs at a size where it is not proven slower: more than the two
// regions that keeping it can add.
constexpr double kLeaveIncumbent = 3 * kRegionPenalty;

Verdict verdict_of(TieRule rule) {
  switch (rule) {
  case TieRule::incumbent:
    return Verdict::tie_incumbent;
  case TieRule::present:
    return Verdict::tie_stale;
  case TieRule::memory:
    return Verdict::tie_memory;
  case TieRule::preference:
    break;
  }
  return Verdict::tie_preference;
}

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
      beaten_.push_back(beaten_at(p));
    }
    for (std::size_t p = 0; p < data_.points.size(); ++p) {
      costs_.push_back(costs_at(p));
    }
  }

  [[nodiscard]] std::vector<Choice> choices() const {
    std::vector<Segment> segments = place_regions(costs_, kRegionPenalty);
    while (absorb_one(segments)) {
      join_equal(segments);
    }
    std::vector<Choice> result;
    result.reserve(segments.size());
    for (const Segment &segment : segments) {
      result.push_back(choose(segment));
    }
    return result;
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

  // Which alternatives are slower than the best one at this point by an interval outside the tie
  // band, the incumbent outside that of its office.
  [[nodiscard]] std::vector<bool> beaten_at(std::size_t p) const {
    std::vector<double> regrets = regrets_[p];
    std::replace_if(
        regrets.begin(), regrets.end(), [](double regret) { return std::isnan(regret); },
        kInfinity);
    const auto best = static_cast<std::size_t>(std::min_element(regrets.begin(), regrets.end()) -
                                               regrets.begin());
    std::vector<bool> beaten;
    for (std::size_t a = 0; a < regrets.size(); ++a) {
      const double limit = a == incumbents_[p] ? 1 + kOfficeBand : 1 + kTieBand;
      beaten.push_back(a != best && proven_slower(data_, {p, p + 1, a}, best, limit));
    }
    return beaten;
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

  // Whether the segment's alternative is beaten at a point where `best` is not: a third one may
  // tell apart what cannot be told from each other.
  [[nodiscard]] bool beaten_elsewhere(const Segment &segment, std::size_t best) const {
    for (std::size_t p = segment.first; p < segment.last; ++p) {
      if (beaten_[p][segment.alternative] && !beaten_[p][best]) {
        return true;
      }
    }
    return false;
  }

  // Whether the segment's alternative is proven slower than `best` over the segment. An incumbent
  // is only when the interval leaves the band of its office.
  [[nodiscard]] bool slower(const Segment &segment, std::size_t best) const {
    const double limit = incumbent_points(segment) > 0 ? 1 + kOfficeBand : 1;
    return proven_slower(data_, segment, best, limit);
  }

  // What tells the segment's alternative from `best`; nullopt: nothing, they are tied.
  [[nodiscard]] std::optional<Verdict> told_apart(const Segment &segment, std::size_t best) const {
    if (segment.alternative == best) {
      return std::nullopt;
    }
    if (!measured_throughout(segment)) {
      return Verdict::not_everywhere;
    }
    if (beaten_elsewhere(segment, best)) {
      return Verdict::slower_at_a_size;
    }
    return slower(segment, best) ? std::optional(Verdict::slower) : std::nullopt;
  }

  [[nodiscard]] bool tied(const Segment &segment, std::size_t best) const {
    return !told_apart(segment, best);
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

  // What tells the others from the segment's alternative, and among those that nothing does, the
  // choice; see ties.hpp.
  [[nodiscard]] Choice choose(const Segment &segment) const {
    Choice choice{segment, segment.alternative, {}};
    std::vector<std::size_t> tied_ones;
    std::vector<Contender> contenders;
    for (std::size_t a = 0; a < data_.alternatives.size(); ++a) {
      const Segment other{segment.first, segment.last, a};
      const std::optional<Verdict> apart = told_apart(other, segment.alternative);
      choice.verdicts.push_back(apart.value_or(Verdict::chosen));
      if (!apart) {
        tied_ones.push_back(a);
        contenders.push_back({incumbent_points(other), stale(other), peak(other)});
      } else if (apart == Verdict::slower_at_a_size && slower(other, segment.alternative)) {
        choice.verdicts.back() = Verdict::slower; // by all sizes as well
      }
    }
    const TieBreak decided = break_tie_with_reasons(contenders);
    for (std::size_t i = 0; i < tied_ones.size(); ++i) {
      if (const auto rule = decided.lost_by[i]) {
        choice.verdicts[tied_ones[i]] = verdict_of(*rule);
      }
    }
    choice.segment.alternative = tied_ones[decided.winner];
    return choice;
  }

  const ClassData &data_;
  const Regrets &regrets_;
  std::vector<std::size_t> incumbents_;   // [point]: index of the alternative, or kNone
  std::vector<std::vector<bool>> beaten_; // [point][alternative]
  Costs costs_;
};

} // namespace

std::vector<Choice> choose_routes(const ClassData &data, const Regrets &regrets,
                                  const Incumbents &incumbents, Exactness demand) {
  return Planner(data, regrets, incumbents, demand).choices();
}

std::vector<Segment> segments_of(const std::vector<Choice> &choices) {
  std::vector<Segment> segments;
  segments.reserve(choices.size());
  for (const Choice &choice : choices) {
    segments.push_back(choice.segment);
  }
  join_equal(segments);
  return segments;
}

} // namespace switchyard::tablegen
