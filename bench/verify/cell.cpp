#include "bench/verify/cell.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/measure/measure.hpp"

namespace switchyard::verify {
namespace {

// What the subject runs: a candidate, or the routed call in the shape of one.
struct Contestant : Candidate {
  const Candidate *real = nullptr; // nullptr: the routed call
  measure::Executor direct = nullptr;
  const Routing *routing = nullptr;
  int variant = 0;
  OutputMode output = OutputMode::into;
};

// Every candidate that meets this executor is a Contestant. Alternatives pass through it as well,
// so that the routed call has no indirection that they lack, but for its own lookup.
int execute_contestant(const Candidate &candidate, const Call &call, int threads) {
  const auto &self = static_cast<const Contestant &>(candidate);
  if (self.real != nullptr) {
    return self.direct(*self.real, call, threads);
  }
  self.routing->run(self.variant, call, self.output, threads);
  return 1;
}

measure::Hooks hooks_of(const CellOptions &options) {
  measure::Hooks hooks = options.hooks;
  hooks.execute = execute_contestant;
  return hooks;
}

class CellRun {
public:
  CellRun(const measure::Entry &entry, const evidence::Cell &cell, const Routing &routing,
          const CellOptions &options, measure::Gate &gate)
      : variant_(*entry.variant), contract_(*entry.contract), routing_(routing), options_(options),
        gate_(gate), spec_(measure::problem_of(variant_, contract_, cell)),
        start_(options.hooks.now()), subject_(variant_, contract_, spec_, hooks_of(options)) {
    outcome_.cell = cell;
    outcome_.times.variant = variant_.name;
    outcome_.times.dtype = cell.dtype;
  }

  CellOutcome run() {
    admit_candidates();
    find_route();
    const std::size_t alternatives = field_.size();
    field_.push_back(routed());
    warmed_up(field_.back());
    if (options_.duplicates) {
      const measure::Alternative copy = field_[outcome_.routed_alternative];
      field_.push_back(copy);
    }
    iterations_ = measure::iterations_for(fastest_ns_, slice_ns());
    const measure::RaceResult result = race_all();
    outcome_.race_ns = result.elapsed_ns;
    outcome_.rounds = result.rounds;
    outcome_.complete = result.complete;
    note_times(result, alternatives);
    if (outcome_.complete) {
      run_further(alternatives);
    }
    check_routed();
    outcome_.elapsed_ns = since_start();
    return std::move(outcome_);
  }

private:
  [[nodiscard]] double since_start() const {
    return static_cast<double>(options_.hooks.now() - start_);
  }

  [[nodiscard]] int budget() const { return outcome_.cell.thread_budget; }

  // Where the memory comes from, as an op's edge says it.
  [[nodiscard]] OutputMode output() const {
    return spec_.output == OutputMode::fresh ? OutputMode::fresh : OutputMode::into;
  }

  const Contestant &contestant_for(const Candidate &candidate) {
    Contestant contestant;
    static_cast<Candidate &>(contestant) = candidate;
    contestant.real = &candidate;
    contestant.direct = options_.hooks.execute;
    contestants_.push_back(contestant);
    return contestants_.back();
  }

  void admit_candidates() {
    for (const Candidate &candidate : variant_.candidates) {
      if (candidate.refuses(subject_.call()) == nullptr &&
          gate_.verdict(variant_, contract_, candidate, spec_).empty()) {
        admit(candidate);
      }
    }
    if (field_.empty()) {
      throw std::runtime_error("no candidate passes the proof");
    }
  }

  // The alternatives of one candidate, warmed up.
  void admit(const Candidate &candidate) {
    const Contestant &contestant = contestant_for(candidate);
    const measure::Alternative alone{&contestant, 1};
    const double alone_ns = warmed_up(alone);
    field_.push_back(alone);
    for (const int threads : measure::thread_counts(budget())) {
      const measure::Alternative split{&contestant, threads};
      // The executor says whether this shape can be divided at all.
      if (candidate.split != Split::none && alone_ns >= options_.split_from_ns &&
          subject_.run_once(split) > 1) {
        warmed_up(split);
        field_.push_back(split);
      }
    }
  }

  [[nodiscard]] double slice_ns() const {
    return std::max(options_.slice_ns, options_.clock_error_ns * measure::kSliceOverClockError);
  }

  double warmed_up(const measure::Alternative &contender) {
    subject_.run_once(contender);
    const double time = measure::warm_up(
        [&](std::int64_t calls) { return subject_.time(contender, calls); }, slice_ns() / 2);
    fastest_ns_ = std::min(fastest_ns_, time);
    return time;
  }

  measure::Alternative routed() {
    Contestant contestant;
    contestant.id = "routed";
    contestant.exactness = field_[outcome_.routed_alternative].candidate->exactness;
    contestant.routing = &routing_;
    contestant.variant = routing_.index_of(variant_);
    contestant.output = output();
    contestants_.push_back(contestant);
    return {&contestants_.back(), budget()};
  }

  // Asks the table, and finds the alternative that it names in the field. A route may use a number
  // of threads that is none of those tried by themselves.
  void find_route() {
    outcome_.chosen =
        routing_.chosen(routing_.index_of(variant_), subject_.call(), output(), budget());
    std::size_t at = find(outcome_.chosen.candidate, outcome_.chosen.threads);
    if (at == field_.size()) {
      const std::size_t alone = find(outcome_.chosen.candidate, 1);
      if (alone == field_.size()) {
        throw std::runtime_error(fmt::format("the route takes {}, which does not pass the proof",
                                             outcome_.chosen.candidate));
      }
      const measure::Alternative split{field_[alone].candidate, outcome_.chosen.threads};
      parts_ = subject_.run_once(split);
      at = parts_ > 1 ? field_.size() : alone;
      if (parts_ > 1) {
        warmed_up(split);
        field_.push_back(split);
      }
    } else {
      parts_ = subject_.run_once(field_[at]);
    }
    outcome_.routed_alternative = at;
  }

  std::size_t find(std::string_view candidate, int threads) {
    const auto found =
        std::find_if(field_.begin(), field_.end(), [&](const measure::Alternative &alternative) {
          return alternative.candidate->id == candidate && alternative.threads == threads;
        });
    return static_cast<std::size_t>(found - field_.begin());
  }

  measure::RaceResult race_all() {
    measure::RaceRules rules = options_.rules;
    rules.now = options_.hooks.now;
    rules.budget_ns =
        std::min(rules.budget_ns, std::max(options_.cell_budget_ns - since_start(), 0.0));
    measure::Track track;
    track.alternatives = field_.size();
    // The routed call and the copy, which come last, stay in every round however slow they are.
    track.limits = options_.duplicates ? 2 : 1;
    track.start_round = [&](int round) { subject_.start_round(round); };
    track.time_per_call = [&](std::size_t i) { return timed(i); };
    return measure::race(track, rules);
  }

  double timed(std::size_t i) {
    // Brings back what the previous contender replaced in the caches.
    subject_.run_once(field_[i]);
    return subject_.time(field_[i], iterations_) / static_cast<double>(iterations_);
  }

  [[nodiscard]] bool stopped() const {
    const measure::RaceRules &rules = options_.rules;
    return (rules.stop != nullptr && rules.stop->load(std::memory_order_relaxed)) ||
           options_.hooks.now() >= rules.deadline_ns;
  }

  // Rounds of the routed call and the best alternative alone, in turns first and second, until the
  // regret is settled.
  void run_further(std::size_t routed) {
    constexpr int kBetweenLooks = 10;
    const double began = since_start();
    // Where time is short, fewer cells that are known are better than more that say nothing.
    constexpr double kPart = 0.5;
    const double most =
        std::min(options_.further_ns, std::max(options_.cell_budget_ns - began, kPart * began));
    CellTimes &times = outcome_.times;
    const std::size_t best = best_alternative(times);
    for (int round = 0; round < options_.most_further_rounds && !stopped(); ++round) {
      if (round % kBetweenLooks == 0 && (settled(score(times)) || since_start() - began > most)) {
        break;
      }
      subject_.start_round(outcome_.rounds + round);
      const bool routed_first = round % 4 == 0 || round % 4 == 3;
      const double first = timed(routed_first ? routed : best);
      const double second = timed(routed_first ? best : routed);
      if (first > 0 && second > 0) { // no time is none
        times.more_routed.push_back(routed_first ? first : second);
        times.more_best.push_back(routed_first ? second : first);
      }
    }
    outcome_.further_ns = since_start() - began;
  }

  void note_times(const measure::RaceResult &result, std::size_t alternatives) {
    outcome_.times.taken = outcome_.routed_alternative;
    for (std::size_t i = 0; i < alternatives; ++i) {
      outcome_.times.alternatives.push_back({std::string(field_[i].candidate->id),
                                             std::string(field_[i].candidate->backend),
                                             field_[i].threads, result.times[i]});
    }
    outcome_.times.routed = result.times[alternatives];
    if (options_.duplicates) {
      outcome_.copy = result.times.back();
    }
  }

  // What the routed call computes, and which route it says that it took.
  void check_routed() {
    const Candidate *proven = nullptr;
    const auto exact = subject_.call().dtype_case;
    for (const Contestant &other : contestants_) {
      const bool fits = other.real != nullptr && other.id != outcome_.chosen.candidate &&
                        other.exactness[exact] == Exactness::bitwise;
      proven = fits ? other.real : proven;
    }
    const auto contender =
        std::find_if(field_.begin(), field_.end(), [](const measure::Alternative &alternative) {
          return static_cast<const Contestant *>(alternative.candidate)->real == nullptr;
        });
    outcome_.mismatch = subject_.verify(*contender, proven);
    outcome_.executed = routing_.executed();
    outcome_.replayed = outcome_.executed.candidate == outcome_.chosen.candidate &&
                        outcome_.executed.threads == parts_;
  }

  const Variant &variant_;
  const VariantContract &contract_;
  const Routing &routing_;
  const CellOptions &options_;
  measure::Gate &gate_;
  conformance::ProblemSpec spec_;
  std::int64_t start_;
  measure::Subject subject_;
  std::deque<Contestant> contestants_; // field_ points into it
  std::vector<measure::Alternative> field_;
  int parts_ = 1; // into which the table's choice divides the call
  double fastest_ns_ = std::numeric_limits<double>::infinity();
  std::int64_t iterations_ = 1;
  CellOutcome outcome_;
};

} // namespace

CellOptions default_cell_options() {
  CellOptions options;
  options.clock_error_ns = measure::examine_clock(measure::steady_now).error_ns();
  options.rules.most_rounds = 30;
  options.rules.least_rounds = 14;
  options.rules.rounds_per_row = 2;
  options.rules.budget_ns = 2e9;
  options.rules.drop_ratio = HUGE_VAL;
  options.rules.hopeless_ratio = 8;
  return options;
}

CellOutcome verify_cell(const measure::Entry &entry, const evidence::Cell &cell,
                        const Routing &routing, const CellOptions &options, measure::Gate &gate) {
  return CellRun(entry, cell, routing, options, gate).run();
}

} // namespace switchyard::verify
