#include "bench/measure/race.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/measure/williams.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::measure {
namespace {

double valid_time(const Track &track, std::size_t alternative) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double time = track.time_per_call(alternative);
    if (time > 0 && std::isfinite(time)) {
      return time;
    }
  }
  throw ClockError("an alternative's calls took no time");
}

bool stopped(const RaceRules &rules) {
  return (rules.stop != nullptr && rules.stop->load(std::memory_order_relaxed)) ||
         rules.now() >= rules.deadline_ns;
}

bool hopeless(const std::vector<double> &times, const std::vector<double> &best,
              const RaceRules &rules) {
  if (static_cast<int>(times.size()) < rules.hopeless_rounds) {
    return false;
  }
  for (std::size_t round = 0; round < times.size(); ++round) {
    if (times[round] < best[round] * rules.hopeless_ratio) {
      return false;
    }
  }
  return true;
}

// Times every running alternative and every limit once, in the round's order.
void run_round(const Track &track, const std::vector<std::size_t> &running, const RaceRules &rules,
               RaceResult &result) {
  std::vector<std::size_t> timed = running;
  for (std::size_t i = track.alternatives - track.limits; i < track.alternatives; ++i) {
    timed.push_back(i);
  }
  track.start_round(result.rounds);
  const int row = result.rounds / std::max(rules.rounds_per_row, 1);
  for (const std::size_t place : williams_row(timed.size(), static_cast<std::size_t>(row))) {
    const std::size_t alternative = timed[place];
    result.times[alternative].push_back(valid_time(track, alternative));
  }
  ++result.rounds;
}

} // namespace

namespace {

std::size_t best_of(const std::vector<std::vector<double>> &times,
                    const std::vector<std::size_t> &running) {
  const auto median = [&](std::size_t i) { return evidence::median(times[i]); };
  return *std::min_element(running.begin(), running.end(),
                           [&](std::size_t a, std::size_t b) { return median(a) < median(b); });
}

} // namespace

bool decided(const std::vector<std::vector<double>> &times, const std::vector<std::size_t> &running,
             const RaceRules &rules) {
  const std::size_t best = best_of(times, running);
  const int rivals = static_cast<int>(running.size()) - 1;
  return std::all_of(running.begin(), running.end(), [&](std::size_t i) {
    if (i == best) {
      return true;
    }
    const evidence::Interval ratio = evidence::paired_ratio(times[i], times[best], rivals);
    return ratio.low > 1 || ratio.estimate < 1 + rules.tie_band;
  });
}

std::vector<std::size_t> losers(const std::vector<std::vector<double>> &times,
                                const std::vector<std::size_t> &running, const RaceRules &rules) {
  const std::size_t best = best_of(times, running);
  std::vector<std::size_t> result;
  for (const std::size_t i : running) {
    if (i != best && (hopeless(times[i], times[best], rules) ||
                      evidence::paired_ratio(times[i], times[best]).low > rules.drop_ratio)) {
      result.push_back(i);
    }
  }
  return result;
}

RaceResult race(const Track &track, const RaceRules &rules) {
  RaceResult result;
  result.times.resize(track.alternatives);
  result.dropped.resize(track.alternatives);
  std::vector<std::size_t> running(track.alternatives - track.limits);
  std::iota(running.begin(), running.end(), std::size_t{0});
  const std::int64_t start = rules.now();
  double round_ns = 0;
  while (!running.empty() && result.rounds < rules.most_rounds && !stopped(rules)) {
    const bool enough = result.rounds >= rules.least_rounds;
    if (enough && result.elapsed_ns + round_ns > rules.budget_ns) {
      break;
    }
    if (rules.usual_rounds > 0 && result.rounds >= rules.usual_rounds &&
        decided(result.times, running, rules)) {
      break;
    }
    run_round(track, running, rules, result);
    // A lone alternative has nobody to lose to; losers() would find none.
    for (const std::size_t loser : losers(result.times, running, rules)) {
      result.dropped[loser] = true;
      std::erase(running, loser);
    }
    const auto elapsed = static_cast<double>(rules.now() - start);
    round_ns = elapsed - result.elapsed_ns;
    result.elapsed_ns = elapsed;
  }
  result.complete = result.rounds >= std::min(rules.least_rounds, rules.most_rounds);
  return result;
}

} // namespace switchyard::measure
