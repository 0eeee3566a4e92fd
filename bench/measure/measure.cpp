#include "bench/measure/measure.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/measure/allocations.hpp"
#include "bench/measure/limits.hpp"
#include "bench/measure/twin.hpp"
#include "evidence/context.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::measure {
namespace {

using evidence::Row;
using evidence::Status;

// One cell while it is being measured.
class CellRun {
public:
  CellRun(const Variant &variant, const VariantContract &contract, const evidence::Cell &cell,
          const MeasureOptions &options, Gate &gate)
      : variant_(variant), contract_(contract), cell_(cell), options_(options), gate_(gate),
        spec_(problem_of(variant, contract, cell)), start_(options.hooks.now()),
        subject_(variant, contract, spec_, options.hooks, cache_of(cell)) {}

  CellResult measure() {
    admit_candidates();
    add_threads();
    add_limits();
    const RaceResult result = race_believable();
    outcome_.race_ns = result.elapsed_ns;
    outcome_.rounds = result.rounds;
    outcome_.complete = result.complete || alternatives_.empty();
    if (outcome_.complete) {
      append_timed(result);
    } else {
      outcome_.rows.clear();
    }
    label_quality();
    outcome_.elapsed_ns = since_start();
    return std::move(outcome_);
  }

  evidence::Interval race_duplicate() {
    admit_candidates();
    std::size_t fastest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < alternatives_.size(); ++i) {
      const double time = warmed_up(alternatives_[i]);
      if (time < least) {
        least = time;
        fastest = i;
      }
    }
    if (alternatives_.empty()) {
      return {1, 0, HUGE_VAL};
    }
    iterations_ = iterations_for(least, slice_ns());
    const Alternative copy = alternatives_[fastest];
    alternatives_.push_back(copy);
    add_limits(); // as in any cell
    const RaceResult result = race_alternatives();
    return evidence::paired_ratio(result.times[alternatives_.size() - 1], result.times[fastest]);
  }

private:
  [[nodiscard]] double since_start() const {
    return static_cast<double>(options_.hooks.now() - start_);
  }

  Row row_of(const Alternative &alternative) {
    Row row;
    const evidence::Context context =
        evidence::context_of(options_.machine, alternative.candidate->backend, options_.quality);
    row.context = context.id();
    outcome_.contexts.emplace(row.context, context);
    row.cell = cell_;
    row.candidate = alternative.candidate->id;
    row.version = alternative.candidate->version;
    row.threads = alternative.threads;
    return row;
  }

  // Under which conditions a cell was measured is known at its end only.
  void label_quality() {
    if (!options_.quality_since_asked) {
      return;
    }
    const evidence::Quality since = options_.quality_since_asked();
    std::map<std::string, evidence::Context> contexts;
    for (Row &row : outcome_.rows) {
      evidence::Context context = outcome_.contexts.at(row.context);
      context.quality = std::max(context.quality, since);
      row.context = context.id();
      contexts.emplace(row.context, context);
    }
    outcome_.contexts = std::move(contexts);
  }

  void reject(const Alternative &alternative, const std::string &mismatch) {
    Row row = row_of(alternative);
    row.status = Status::rejected;
    row.mismatch = mismatch;
    outcome_.rows.push_back(std::move(row));
  }

  [[nodiscard]] bool wanted(const Alternative &alternative) const {
    const std::string id(alternative.candidate->id);
    return options_.only.empty() || options_.only.contains({id, 0}) ||
           options_.only.contains({id, alternative.threads});
  }

  // Whether the candidate is wanted with any number of threads.
  [[nodiscard]] bool wanted(const Candidate &candidate) const {
    if (options_.spectates && options_.spectates(candidate)) {
      return false;
    }
    const auto first = options_.only.lower_bound({std::string(candidate.id), 0});
    return options_.only.empty() || (first != options_.only.end() && first->first == candidate.id);
  }

  void admit_candidates() {
    for (const Candidate &candidate : variant_.candidates) {
      if (!wanted(candidate) || candidate.refuses(subject_.call()) != nullptr) {
        continue;
      }
      const std::string &mismatch = gate_.verdict(variant_, contract_, candidate, spec_);
      if (mismatch.empty()) {
        alternatives_.push_back({&candidate, 1});
      } else {
        reject({&candidate, 1}, mismatch);
      }
    }
  }

  [[nodiscard]] double slice_ns() const {
    return std::max(options_.slice_ns, options_.clock_error_ns * kSliceOverClockError);
  }

  double warmed_up(const Alternative &alternative) {
    subject_.run_once(alternative);
    return warm_up([&](std::int64_t calls) { return subject_.time(alternative, calls); },
                   slice_ns() / 2);
  }

  // Warms up, chooses the calls per slice and adds the alternatives of several threads.
  void add_threads() {
    double fastest = std::numeric_limits<double>::infinity();
    std::vector<Alternative> more;
    for (const Alternative &alternative : alternatives_) {
      const double alone = warmed_up(alternative);
      if (wanted(alternative)) {
        fastest = std::min(fastest, alone);
        more.push_back(alternative);
      }
      for (const int threads : thread_counts(cell_.thread_budget)) {
        const Alternative split{alternative.candidate, threads};
        // The executor says whether this shape can be divided at all.
        if (wanted(split) && alternative.candidate->split != Split::none &&
            alone >= options_.split_from_ns && subject_.run_once(split) > 1) {
          fastest = std::min(fastest, warmed_up(split));
          more.push_back(split);
        }
      }
    }
    alternatives_ = std::move(more);
    if (!alternatives_.empty()) {
      iterations_ = iterations_for(fastest, slice_ns());
    }
  }

  // The twins, with the numbers of threads that compete.
  void add_limits() {
    if (!options_.limits) {
      return;
    }
    std::set<int> threads;
    for (const Alternative &alternative : alternatives_) {
      threads.insert(alternative.threads);
    }
    for (const int count : threads) {
      for (const Candidate &twin : twins_of(subject_.call())) {
        limits_.push_back({&twin, count});
      }
    }
  }

  // What is timed at this place of the race.
  [[nodiscard]] const Alternative &at(std::size_t i) const {
    return i < alternatives_.size() ? alternatives_[i] : limits_[i - alternatives_.size()];
  }

  RaceResult race_alternatives() {
    RaceRules rules = options_.rules;
    rules.now = options_.hooks.now;
    rules.budget_ns =
        std::min(rules.budget_ns, std::max(options_.cell_budget_ns - since_start(), 0.0));
    Track track;
    track.alternatives = alternatives_.size() + limits_.size();
    track.limits = limits_.size();
    track.start_round = [&](int round) { subject_.start_round(round); };
    track.time_per_call = [&](std::size_t i) {
      // Brings back the caches, branch histories and library state that the previous alternative
      // replaced.
      subject_.run_once(at(i));
      return subject_.time(at(i), iterations_) / static_cast<double>(iterations_);
    };
    return race(track, rules);
  }

  // Rows of what was timed, unless its results turn out wrong after all.
  void append_timed(const RaceResult &result) {
    for (std::size_t i = 0; i < alternatives_.size(); ++i) {
      const std::string mismatch = verify(alternatives_[i]);
      if (!mismatch.empty()) {
        reject(alternatives_[i], "after timing: " + mismatch);
        continue;
      }
      Row row = timed_row(i, result);
      row.status = result.dropped[i] ? Status::dropped : Status::accepted;
      row.allocations = allocations_of(alternatives_[i]);
      outcome_.rows.push_back(std::move(row));
    }
    outcome_.noisy = evidence::noisy(times_of_best());
    append_limits(result, 1);
  }

  void append_limits(const RaceResult &result, int race) {
    for (std::size_t i = alternatives_.size(); i < result.times.size(); ++i) {
      Row row = timed_row(i, result);
      row.status = Status::limit;
      row.race = race;
      outcome_.rows.push_back(std::move(row));
    }
  }

  // What cannot be real has made others leave early. They race again without it; the race that it
  // spoiled stays on file as one of its own, with the twins that convict it.
  RaceResult race_believable() {
    RaceResult result = race_alternatives();
    for (int spoiled = 2;
         options_.limits && result.complete && set_impossible_aside(result, spoiled); ++spoiled) {
      result = alternatives_.empty() ? RaceResult{} : race_alternatives();
    }
    return result;
  }

  // Returns whether there was anything impossible.
  bool set_impossible_aside(const RaceResult &result, int race) {
    std::vector<Alternative> believable;
    double fastest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < alternatives_.size(); ++i) {
      const std::string why =
          beyond_limit(result.times[i], limit_of(alternatives_[i].threads, result),
                       static_cast<int>(alternatives_.size()));
      if (why.empty()) {
        believable.push_back(alternatives_[i]);
        fastest = std::min(fastest, evidence::median(result.times[i]));
      } else {
        append_impossible(i, result, race, why);
      }
    }
    if (believable.size() == alternatives_.size()) {
      return false;
    }
    append_limits(result, race);
    alternatives_ = std::move(believable);
    limits_.clear();
    if (!alternatives_.empty()) {
      add_limits();
      iterations_ = iterations_for(fastest, slice_ns());
    }
    return true;
  }

  // A wrong result explains more than a time does.
  void append_impossible(std::size_t i, const RaceResult &result, int race,
                         const std::string &why) {
    if (const std::string mismatch = verify(alternatives_[i]); !mismatch.empty()) {
      reject(alternatives_[i], "after timing: " + mismatch);
      return;
    }
    Row row = timed_row(i, result);
    row.status = Status::impossible;
    row.mismatch = why;
    row.race = race;
    outcome_.rows.push_back(std::move(row));
  }

  Row timed_row(std::size_t i, const RaceResult &result) {
    Row row = row_of(at(i));
    for (const double time : result.times[i]) {
      row.samples_ns.push_back(evidence::round_to_four_digits(time));
    }
    return row;
  }

  // Times of the better twin with this number of threads.
  [[nodiscard]] const std::vector<double> &limit_of(int threads, const RaceResult &result) const {
    const std::vector<double> *best = nullptr;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const std::vector<double> &times = result.times[alternatives_.size() + i];
      if (limits_[i].threads == threads &&
          (best == nullptr || evidence::median(times) < evidence::median(*best))) {
        best = &times;
      }
    }
    return *best; // add_limits() has added one for every number of threads
  }

  // None where no row was accepted.
  [[nodiscard]] std::vector<double> times_of_best() const {
    std::vector<double> best;
    for (const Row &row : outcome_.rows) {
      if (row.status == Status::accepted &&
          (best.empty() || evidence::median(row.samples_ns) < evidence::median(best))) {
        best = row.samples_ns;
      }
    }
    return best;
  }

  // Of one call as it was timed, long after the first one. A fresh cell's output is part of it.
  std::optional<evidence::Allocations> allocations_of(const Alternative &alternative) {
    subject_.restore();
    return count_allocations([&] { subject_.execute(alternative); });
  }

  // Large results are compared with those of another alternative of this cell: all have passed
  // the gate on this very problem.
  std::string verify(const Alternative &alternative) {
    const Candidate *proven = nullptr;
    for (const Alternative &other : alternatives_) {
      const bool exact =
          other.candidate->exactness[subject_.call().dtype_case] == Exactness::bitwise;
      proven = exact && other.candidate != alternative.candidate ? other.candidate : proven;
    }
    return subject_.verify(alternative, proven);
  }

  const Variant &variant_;
  const VariantContract &contract_;
  const evidence::Cell &cell_;
  const MeasureOptions &options_;
  Gate &gate_;
  conformance::ProblemSpec spec_;
  std::int64_t start_;
  Subject subject_;
  std::vector<Alternative> alternatives_;
  std::vector<Alternative> limits_; // race after them
  std::int64_t iterations_ = 1;
  CellResult outcome_;
};

} // namespace

evidence::Interval duplicate_ratio(const Variant &variant, const VariantContract &contract,
                                   const evidence::Cell &cell, const MeasureOptions &options,
                                   Gate &gate) {
  return CellRun(variant, contract, cell, options, gate).race_duplicate();
}

MeasureOptions options_for(Mode mode) {
  MeasureOptions options;
  options.clock_error_ns = examine_clock(steady_now).error_ns();
  if (mode == Mode::quick) {
    options.rules.usual_rounds = 11;
    options.rules.most_rounds = 41;
    options.rules.drop_ratio = 1.3;
    options.rules.budget_ns = 1e9;
    options.slice_ns = 50e3;
  } else {
    options.rules.usual_rounds = 21;
    options.rules.most_rounds = 61;
    options.rules.drop_ratio = 1.5;
    options.rules.budget_ns = 4e9;
    options.slice_ns = 200e3;
  }
  return options;
}

double CellResult::least_ns(int least_rounds) const {
  const double kept = rounds > 0 ? std::min(1.0, static_cast<double>(least_rounds) / rounds) : 1.0;
  return elapsed_ns - race_ns * (1 - kept);
}

std::vector<int> thread_counts(int budget) {
  std::vector<int> counts;
  for (int threads = 2; threads < budget; threads *= 2) {
    counts.push_back(threads);
  }
  if (budget > 1) {
    counts.push_back(budget);
  }
  return counts;
}

CellResult measure_cell(const Variant &variant, const VariantContract &contract,
                        const evidence::Cell &cell, const MeasureOptions &options, Gate &gate) {
  return CellRun(variant, contract, cell, options, gate).measure();
}

} // namespace switchyard::measure
