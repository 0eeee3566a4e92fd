// The race of a cell's alternatives: rounds, order, who leaves early and when to stop.
//
// It knows nothing of candidates or memory: what a time is comes from the caller, so that its
// decisions are tested on times with known answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "bench/measure/clock.hpp"

namespace switchyard::measure {

struct RaceRules {
  int most_rounds = 11;
  int least_rounds = 7;
  // Successive rounds that share an order. 2 where odd and even rounds are looked at apart: each
  // half then has the whole balanced design.
  int rounds_per_row = 1;
  // From here on the race ends as soon as it is decided; 0: it runs to most_rounds. A race is
  // decided when every rival of the best is either inside the tie band by its median, or slower
  // by an interval, corrected for their number, that excludes 1. More rounds for the others keep
  // a preference among ties from serving an alternative that is merely badly measured.
  int usual_rounds = 0;
  double tie_band = 0.03;
  // An alternative leaves when the interval of its paired ratio to the current best lies above
  // this. Too wide to lose a rival by chance, narrow enough to save most of the time.
  double drop_ratio = 1.3;
  // … or when it was this many times slower in each of the first rounds: no interval is needed.
  double hopeless_ratio = 10;
  int hopeless_rounds = 3;
  // After `least_rounds`, no round begins that would end beyond this.
  double budget_ns = std::numeric_limits<double>::infinity();
  // A point in time at which the race ends in any case, after the round that it falls into.
  std::int64_t deadline_ns = std::numeric_limits<std::int64_t>::max();
  Clock now = steady_now;
  const std::atomic<bool> *stop = nullptr; // set from outside: end after the current round
};

// What happens in a round.
struct Track {
  std::size_t alternatives = 0;
  std::function<void(int round)> start_round;                   // untimed preparation
  std::function<double(std::size_t alternative)> time_per_call; // ns
  // The last so many alternatives don't compete: they are timed in every round, at places of the
  // same balanced order, and are nobody's rivals.
  std::size_t limits = 0;
};

struct RaceResult {
  std::vector<std::vector<double>> times; // by alternative, then round
  std::vector<bool> dropped;
  int rounds = 0;
  bool complete = false; // least_rounds were reached
  double elapsed_ns = 0;
};

// Throws ClockError where an alternative's time stays 0, negative or not a number when repeated:
// such a time would win everything.
[[nodiscard]] RaceResult race(const Track &track, const RaceRules &rules);

// The alternatives that leave, given the times so far; never the one of the least median.
[[nodiscard]] std::vector<std::size_t> losers(const std::vector<std::vector<double>> &times,
                                              const std::vector<std::size_t> &running,
                                              const RaceRules &rules);

// Whether every rival of the best alternative is tied with it or proven to be slower.
[[nodiscard]] bool decided(const std::vector<std::vector<double>> &times,
                           const std::vector<std::size_t> &running, const RaceRules &rules);

} // namespace switchyard::measure
