#include "bench/verify/score.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace switchyard::verify {
namespace {

// Every second time, from `first` on.
std::vector<double> every_second(std::span<const double> times, std::size_t first) {
  std::vector<double> result;
  for (std::size_t round = first; round < times.size(); round += 2) {
    result.push_back(times[round]);
  }
  return result;
}

std::vector<double> odd_rounds(std::span<const double> times) {
  return every_second(times, 1);
}

// Paired ratio a / b on even rounds.
evidence::Interval scored_ratio(std::span<const double> a, std::span<const double> b) {
  return evidence::paired_ratio(every_second(a, 0), every_second(b, 0));
}

// The times that the routed alternative has by itself.
const ContenderTimes &taken_by(const CellTimes &cell) {
  return cell.alternatives[std::min(cell.taken, cell.alternatives.size() - 1)];
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The best on odd rounds among the alternatives that `accept` lets through, or kNone. Times of
// different rounds do not compare, so that one that left early counts with its rounds alone: it
// left because it was far behind.
template <class Accept> std::size_t best_among(const CellTimes &cell, const Accept &accept) {
  std::size_t best = kNone;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cell.alternatives.size(); ++i) {
    const std::vector<double> odd = odd_rounds(cell.alternatives[i].times);
    if (!odd.empty() && accept(cell.alternatives[i]) && evidence::median(odd) < least) {
      least = evidence::median(odd);
      best = i;
    }
  }
  return best;
}

std::size_t slowest(const CellTimes &cell, std::size_t best) {
  std::size_t result = best;
  double most = 0;
  for (std::size_t i = 0; i < cell.alternatives.size(); ++i) {
    const double ratio =
        scored_ratio(cell.alternatives[i].times, cell.alternatives[best].times).estimate;
    if (ratio > most) {
      most = ratio;
      result = i;
    }
  }
  return result;
}

// What the backend has to offer in a cell.
std::size_t entry_of(std::string_view backend, const CellTimes &cell, std::size_t best) {
  for (const std::string_view name : {backend, kFloorBackend}) {
    const std::size_t own = best_among(
        cell, [&](const ContenderTimes &alternative) { return alternative.backend == name; });
    if (own != kNone) {
      return own;
    }
  }
  return slowest(cell, best);
}

// The routed call's times ÷ the best one's, on all rounds that did not choose the latter.
evidence::Interval routed_ratio(const CellTimes &cell, std::size_t best) {
  std::vector<double> routed = every_second(cell.routed, 0);
  std::vector<double> other = every_second(cell.alternatives[best].times, 0);
  // Rounds pair by their place: a contender that left early has none behind its last one.
  const std::size_t rounds = std::min(routed.size(), other.size());
  routed.resize(rounds);
  other.resize(rounds);
  routed.insert(routed.end(), cell.more_routed.begin(), cell.more_routed.end());
  other.insert(other.end(), cell.more_best.begin(), cell.more_best.end());
  return evidence::paired_ratio(routed, other);
}

double log_ratio(std::span<const double> a, std::span<const double> b) {
  return std::log(scored_ratio(a, b).estimate);
}

// Cells in which a caller who always asks for one backend makes the same choice: of one variant and
// dtype, with as many threads to grant.
struct SameChoice {
  std::string_view variant;
  std::string_view dtype;
  int threads = 1;
  friend bool operator<(const SameChoice &a, const SameChoice &b) {
    return std::tie(a.variant, a.dtype, a.threads) < std::tie(b.variant, b.dtype, b.threads);
  }
};

SameChoice same_choice(const CellTimes &cell) {
  SameChoice result{cell.variant, cell.dtype, 1};
  for (const ContenderTimes &alternative : cell.alternatives) {
    result.threads = std::max(result.threads, alternative.threads);
  }
  return result;
}

using Named = std::pair<std::string_view, int>; // candidate and threads

// What a backend counts with in every cell: one of its candidates and one number of threads for
// all cells of the same choice, those of the least mean. A different one in each cell would be
// what a table chooses, and no single best.
class BackendEntries {
public:
  BackendEntries(std::string_view backend, std::span<const CellTimes> cells,
                 std::span<const CellScore> scores)
      : backend_(backend) {
    std::map<SameChoice, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      alike[same_choice(cells[i])].push_back(i);
    }
    for (const auto &[choice, places] : alike) {
      double least = std::numeric_limits<double>::infinity();
      for (const Named &named : all_named(cells, places)) {
        double sum = 0;
        for (const std::size_t i : places) {
          const auto &all = cells[i].alternatives;
          const std::size_t own = entry(named, cells[i], scores[i].best);
          sum += log_ratio(all[own].times, all[scores[i].best].times);
        }
        if (sum < least) {
          least = sum;
          fixed_[choice] = named;
        }
      }
    }
  }

  [[nodiscard]] std::size_t in(const CellTimes &cell, std::size_t best) const {
    const auto fixed = fixed_.find(same_choice(cell));
    return fixed == fixed_.end() ? entry_of(backend_, cell, best)
                                 : entry(fixed->second, cell, best);
  }

private:
  // The backend's alternatives in these cells, in the order in which they appear.
  [[nodiscard]] std::vector<Named> all_named(std::span<const CellTimes> cells,
                                             const std::vector<std::size_t> &places) const {
    std::vector<Named> result;
    for (const std::size_t i : places) {
      for (const ContenderTimes &each : cells[i].alternatives) {
        const Named named{each.candidate, each.threads};
        if (each.backend == backend_ &&
            std::find(result.begin(), result.end(), named) == result.end()) {
          result.push_back(named);
        }
      }
    }
    return result;
  }

  // Where the choice does not run: the same candidate otherwise, else what the backend has.
  [[nodiscard]] std::size_t entry(const Named &named, const CellTimes &cell,
                                  std::size_t best) const {
    const auto is = [&](const ContenderTimes &each) {
      return each.backend == backend_ && each.candidate == named.first;
    };
    const std::size_t exact = best_among(
        cell, [&](const ContenderTimes &each) { return is(each) && each.threads == named.second; });
    const std::size_t same = exact == kNone ? best_among(cell, is) : exact;
    return same == kNone ? entry_of(backend_, cell, best) : same;
  }

  std::string_view backend_;
  std::map<SameChoice, Named> fixed_;
};

struct SingleBest {
  std::string backend;
  double mean_log = 0; // of its time ÷ the virtual best's
};

// Relative to each cell's best alternative, so that times of different cells never meet: cells are
// minutes apart.
SingleBest find_single_best(std::span<const CellTimes> cells, std::span<const CellScore> scores) {
  std::map<std::string, double, std::less<>> sums;
  for (const CellTimes &cell : cells) {
    for (const ContenderTimes &alternative : cell.alternatives) {
      sums.emplace(alternative.backend, 0.0);
    }
  }
  SingleBest result{"", std::numeric_limits<double>::infinity()};
  for (auto &[backend, sum] : sums) {
    const BackendEntries entries(backend, cells, scores);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto &all = cells[i].alternatives;
      const std::size_t own = entries.in(cells[i], scores[i].best);
      sum += log_ratio(all[own].times, all[scores[i].best].times);
    }
    const double mean = sum / static_cast<double>(cells.size());
    if (mean < result.mean_log) {
      result = {backend, mean};
    }
  }
  return result;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Standard error of the mean; 0 for fewer than two values.
double standard_error(std::span<const double> values) {
  if (values.size() < 2) {
    return 0;
  }
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1) / n);
}

// Logs of one group's cells.
struct GroupLogs {
  GroupScore group;
  std::vector<double> regrets;        // log(1 + regret)
  std::vector<double> to_single_best; // log(routed ÷ single best)
};

GroupScore finish(GroupLogs logs) {
  GroupScore group = std::move(logs.group);
  group.cells = logs.regrets.size();
  group.geomean = std::expm1(mean_of(logs.regrets));
  group.max = std::expm1(*std::max_element(logs.regrets.begin(), logs.regrets.end()));
  const double mean = mean_of(logs.to_single_best);
  group.to_single_best = std::expm1(mean);
  group.worse_than_single_best =
      group.to_single_best > kTieBand && mean > 2 * standard_error(logs.to_single_best);
  return group;
}

std::vector<GroupScore> groups_of(std::span<const CellTimes> cells,
                                  std::span<const CellScore> scores, std::string_view single_best) {
  std::vector<GroupLogs> groups;
  const BackendEntries entries(single_best, cells, scores);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellTimes &cell = cells[i];
    auto group = std::find_if(groups.begin(), groups.end(), [&](const GroupLogs &known) {
      return known.group.variant == cell.variant && known.group.dtype == cell.dtype;
    });
    if (group == groups.end()) {
      groups.emplace_back();
      group = std::prev(groups.end());
      group->group.variant = cell.variant;
      group->group.dtype = cell.dtype;
    }
    const std::size_t single = entries.in(cell, scores[i].best);
    group->regrets.push_back(std::log1p(scores[i].regret));
    group->to_single_best.push_back(
        log_ratio(taken_by(cell).times, cell.alternatives[single].times));
  }
  std::vector<GroupScore> result;
  result.reserve(groups.size());
  for (GroupLogs &group : groups) {
    result.push_back(finish(std::move(group)));
  }
  return result;
}

} // namespace

std::size_t best_alternative(const CellTimes &cell) {
  const std::size_t best = best_among(cell, [](const ContenderTimes &) { return true; });
  if (best == kNone || cell.routed.size() < 2) {
    throw std::invalid_argument("a cell's score takes an alternative and two rounds");
  }
  return best;
}

CellScore score(const CellTimes &cell) {
  CellScore result;
  result.best = best_alternative(cell);
  const evidence::Interval ratio = routed_ratio(cell, result.best);
  result.regret = ratio.estimate - 1;
  result.interval = {ratio.estimate - 1, ratio.low - 1, ratio.high - 1};
  return result;
}

bool settled(const CellScore &score) {
  constexpr double kLimits[] = {0.02, 0.08, 0.1}; // see the targets in docs/measuring.md
  const evidence::Interval &regret = score.interval;
  return regret.high - regret.low <= 2 * kTieBand ||
         std::all_of(std::begin(kLimits), std::end(kLimits),
                     [&](double limit) { return regret.low > limit || regret.high < limit; });
}

Summary summarize(std::span<const CellTimes> cells) {
  Summary summary;
  summary.cells = cells.size();
  if (cells.empty()) {
    return summary;
  }
  std::vector<CellScore> scores;
  std::vector<double> regrets;
  std::vector<double> logs;
  for (const CellTimes &cell : cells) {
    scores.push_back(score(cell));
    regrets.push_back(scores.back().regret);
    logs.push_back(std::log1p(scores.back().regret));
    summary.over_10_percent += scores.back().regret > 0.1 ? 1 : 0;
  }
  summary.over_10_percent /= static_cast<double>(cells.size());
  summary.geomean = std::expm1(mean_of(logs));
  summary.p95 = evidence::quantile(regrets, 0.95);
  summary.max = *std::max_element(regrets.begin(), regrets.end());
  std::vector<double> taken; // logs of its time ÷ the virtual best's
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const ContenderTimes &best = cells[i].alternatives[scores[i].best];
    taken.push_back(log_ratio(taken_by(cells[i]).times, best.times));
  }
  const SingleBest single = find_single_best(cells, scores);
  summary.single_best = single.backend;
  // The virtual best's mean log is 0 by definition. A gap too small to measure is closed, unless
  // the routes lie beyond the tie band of both.
  const double least = std::log1p(kLeastGap);
  if (single.mean_log > least || mean_of(taken) > single.mean_log + std::log1p(kTieBand)) {
    summary.gap_closed = (single.mean_log - mean_of(taken)) / std::max(single.mean_log, least);
  }
  summary.groups = groups_of(cells, scores, summary.single_best);
  return summary;
}

bool differs_from_copy(std::span<const double> candidate, std::span<const double> copy) {
  const evidence::Interval ratio = evidence::paired_ratio(copy, candidate);
  return (ratio.low > 1 && ratio.estimate > 1 + kTieBand) ||
         (ratio.high < 1 && ratio.estimate < 1 / (1 + kTieBand));
}

} // namespace switchyard::verify
