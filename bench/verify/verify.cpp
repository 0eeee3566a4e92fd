#include "bench/verify/verify.hpp"

#include <algorithm>
#include <exception>
#include <map>

#include <fmt/format.h>

#include "bench/measure/budget.hpp"

namespace switchyard::verify {
namespace {

struct Step {
  std::size_t entry = 0;
  std::size_t place = 0; // in the report
  evidence::Cell cell;
  measure::PlannedCell plan;
};

// The cells of one variant and dtype.
struct Group {
  std::size_t entry = 0;
  std::vector<evidence::Cell> cells;
};

std::vector<measure::MatrixPoint> points_for(const VariantContract &contract,
                                             const VerifyOptions &options) {
  if (contract.shapes.empty()) {
    return options.points;
  }
  if (options.unseen_of_contract) {
    return measure::points_of(contract, {Use::unseen});
  }
  std::vector<measure::MatrixPoint> points = options.points;
  std::erase_if(points, [](const measure::MatrixPoint &point) {
    return point.shape[kX] != 1 || point.shape[kC] != 1;
  });
  return points;
}

std::vector<Group> groups_of(std::span<const measure::Entry> entries,
                             const VerifyOptions &options) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t first = groups.size();
    for (measure::MatrixCell &planned :
         measure::cells_at(points_for(*entries[i].contract, options), *entries[i].variant,
                           *entries[i].contract, options.thread_budgets)) {
      if (groups.size() == first || groups.back().cells.front().dtype != planned.cell.dtype) {
        groups.push_back({i, {}});
      }
      groups.back().cells.push_back(std::move(planned.cell));
    }
  }
  return groups;
}

std::vector<Step> steps_of(std::span<const Group> groups) {
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> first{0};
  for (const Group &group : groups) {
    sizes.push_back(group.cells.size());
    first.push_back(first.back() + group.cells.size());
  }
  std::vector<Step> steps;
  for (const Turn &turn : even_order(sizes)) {
    const Group &group = groups[turn.group];
    const evidence::Cell &cell = group.cells[turn.cell];
    // Of one priority: what does not fit is given up from the end of the order.
    steps.push_back({group.entry,
                     first[turn.group] + turn.cell,
                     cell,
                     {measure::weight_of(cell), measure::Priority::detail}});
  }
  return steps;
}

class Run {
public:
  Run(std::span<const measure::Entry> entries, const Routing &routing, const VerifyOptions &options)
      : entries_(entries), routing_(routing), options_(options), budget_(options.budget_s),
        start_(options.cell.hooks.now()), steps_(steps_of(groups_of(entries, options))) {}

  Verification run() {
    for (; next_ < steps_.size() && !stopped(); ++next_) {
      const bool fits = plan();
      announce();
      if (fits) {
        measure_next();
      } else {
        skip();
      }
    }
    for (auto &[place, outcome] : outcomes_) {
      report_.cells.push_back(std::move(outcome));
    }
    report_.interrupted = stopped();
    report_.elapsed_s = elapsed_s();
    for (const auto &[variant, cells] : skipped_) {
      report_.notes.push_back(
          fmt::format("{}: {} cells left out: the time budget does not hold them", variant, cells));
    }
    if (options_.progress) {
      options_.progress({next_, steps_.size(), elapsed_s(), 0, {}, {}});
    }
    return std::move(report_);
  }

private:
  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  [[nodiscard]] double elapsed_s() const {
    return static_cast<double>(options_.cell.hooks.now() - start_) / 1e9;
  }

  [[nodiscard]] std::string_view variant() const {
    return entries_[steps_[next_].entry].variant->name;
  }

  // Whether the next step can be afforded.
  bool plan() {
    std::vector<measure::PlannedCell> plans;
    for (std::size_t i = next_; i < steps_.size(); ++i) {
      plans.push_back(steps_[i].plan);
    }
    const std::vector<bool> kept = budget_.fit(plans, elapsed_s());
    remaining_weight_ = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      remaining_weight_ += kept[i] ? plans[i].weight : 0;
    }
    return kept.front();
  }

  void announce() const {
    if (options_.progress) {
      const double elapsed = elapsed_s();
      options_.progress({next_, steps_.size(), elapsed, budget_.eta_s(remaining_weight_, elapsed),
                         variant(), steps_[next_].cell.key()});
    }
  }

  void skip() {
    ++skipped_[variant()];
    ++report_.skipped;
  }

  [[nodiscard]] CellOptions cell_options() const {
    // A cell ends a little late rather than early; see Campaign.
    constexpr double kGrace = 1.05;
    CellOptions options = options_.cell;
    options.rules.stop = options_.stop;
    if (budget_.limited()) {
      options.cell_budget_ns =
          budget_.share_s(steps_[next_].plan.weight, remaining_weight_, elapsed_s()) * 1e9;
      options.rules.deadline_ns =
          start_ + static_cast<std::int64_t>(options_.budget_s * kGrace * 1e9);
    }
    return options;
  }

  void measure_next() {
    const Step &step = steps_[next_];
    const CellOptions options = cell_options();
    try {
      CellOutcome outcome = verify_cell(entries_[step.entry], step.cell, routing_, options, gate_);
      const double kept =
          outcome.rounds > 0
              ? std::min(1.0, static_cast<double>(options.rules.least_rounds) / outcome.rounds)
              : 1.0;
      budget_.record(step.plan.weight, outcome.elapsed_ns / 1e9,
                     (outcome.elapsed_ns - outcome.race_ns * (1 - kept)) / 1e9);
      if (!outcome.mismatch.empty()) {
        note(step, "the routed call is wrong: " + outcome.mismatch);
      }
      if (outcome.complete) {
        outcomes_.emplace(step.place, std::move(outcome));
      } else if (!stopped()) {
        skip();
      }
    } catch (const std::exception &error) { // of the cell or of a library: others still count
      note(step, std::string("not measured: ") + error.what());
    }
  }

  void note(const Step &step, std::string_view what) {
    report_.notes.push_back(fmt::format("{} {}: {}", variant(), step.cell.key(), what));
  }

  std::span<const measure::Entry> entries_;
  const Routing &routing_;
  const VerifyOptions &options_;
  measure::Budget budget_;
  measure::Gate gate_;
  std::int64_t start_;
  std::vector<Step> steps_;
  std::size_t next_ = 0;        // of steps_
  double remaining_weight_ = 0; // of the steps that are expected to be measured from here on
  std::map<std::string_view, std::size_t> skipped_;
  std::map<std::size_t, CellOutcome> outcomes_; // by place
  Verification report_;
};

template <class Has> std::size_t count(const Verification &verification, const Has &has) {
  return static_cast<std::size_t>(
      std::count_if(verification.cells.begin(), verification.cells.end(), has));
}

} // namespace

Summary Verification::summary() const {
  std::vector<CellTimes> times;
  times.reserve(cells.size());
  for (const CellOutcome &cell : cells) {
    times.push_back(cell.times);
  }
  return summarize(times);
}

double Verification::replay_fidelity() const {
  const std::size_t replayed = count(*this, [](const CellOutcome &cell) { return cell.replayed; });
  return cells.empty() ? 1 : static_cast<double>(replayed) / static_cast<double>(cells.size());
}

std::size_t Verification::duplicate_wins() const {
  return count(*this, [](const CellOutcome &cell) {
    return differs_from_copy(cell.times.alternatives[cell.routed_alternative].times, cell.copy);
  });
}

std::size_t Verification::mismatches() const {
  return count(*this, [](const CellOutcome &cell) { return !cell.mismatch.empty(); });
}

Verification verify(std::span<const measure::Entry> entries, const Routing &routing,
                    const VerifyOptions &options) {
  return Run(entries, routing, options).run();
}

} // namespace switchyard::verify
