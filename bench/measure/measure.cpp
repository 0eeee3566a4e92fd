#include "bench/measure/measure.hpp"

#include <algorithm>
#include <cmath>

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
        subject_(variant, contract, spec_, options.hooks) {}

  CellResult measure() {
    admit_candidates();
    add_threads();
    const RaceResult result = race_alternatives();
    outcome_.race_ns = result.elapsed_ns;
    outcome_.rounds = result.rounds;
    outcome_.complete = result.complete || alternatives_.empty();
    if (outcome_.complete) {
      append_timed(result);
    } else {
      outcome_.rows.clear();
    }
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
    const RaceResult result = race_alternatives();
    return evidence::paired_ratio(result.times.back(), result.times[fastest]);
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

  void reject(const Alternative &alternative, const std::string &mismatch) {
    Row row = row_of(alternative);
    row.status = Status::rejected;
    row.mismatch = mismatch;
    outcome_.rows.push_back(std::move(row));
  }

  void admit_candidates() {
    for (const Candidate &candidate : variant_.candidates) {
      if (candidate.refuses(subject_.call()) != nullptr ||
          (options_.spectates && options_.spectates(candidate))) {
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
      fastest = std::min(fastest, alone);
      more.push_back(alternative);
      for (const int threads : thread_counts(cell_.thread_budget)) {
        const Alternative split{alternative.candidate, threads};
        // The executor says whether this shape can be divided at all.
        if (alternative.candidate->split != Split::none && alone >= options_.split_from_ns &&
            subject_.run_once(split) > 1) {
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

  RaceResult race_alternatives() {
    RaceRules rules = options_.rules;
    rules.now = options_.hooks.now;
    rules.budget_ns =
        std::min(rules.budget_ns, std::max(options_.cell_budget_ns - since_start(), 0.0));
    Track track;
    track.alternatives = alternatives_.size();
    track.start_round = [&](int round) { subject_.start_round(round); };
    track.time_per_call = [&](std::size_t i) {
      // Brings back the caches, branch histories and library state that the previous alternative
      // replaced.
      subject_.run_once(alternatives_[i]);
      return subject_.time(alternatives_[i], iterations_) / static_cast<double>(iterations_);
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
      Row row = row_of(alternatives_[i]);
      row.status = result.dropped[i] ? Status::dropped : Status::accepted;
      for (const double time : result.times[i]) {
        row.samples_ns.push_back(evidence::round_to_four_digits(time));
      }
      outcome_.rows.push_back(std::move(row));
    }
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
