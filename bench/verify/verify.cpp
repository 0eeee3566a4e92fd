#include "bench/verify/verify.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bench/verify/spread.hpp"

namespace switchyard::verify {
namespace {

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

SpreadOptions spread_options(const VerifyOptions &options) {
  return {options.budget_s, options.cell.hooks.now, options.stop, options.progress};
}

// Verifies cells as their turns come and gathers what comes of it.
class Run {
public:
  Run(std::span<const measure::Entry> entries, const Routing &routing, const VerifyOptions &options)
      : entries_(entries), routing_(routing), options_(options) {}

  Verification run() {
    const auto points = [&](const measure::Entry &entry) {
      return points_for(*entry.contract, options_);
    };
    const std::vector<CellGroup> groups = groups_of(entries_, points, options_.thread_budgets);
    Spread done = spread(entries_, groups, spread_options(options_),
                         [&](const SpreadCell &turn) { return measure(turn); });
    for (auto &[place, outcome] : outcomes_) {
      report_.cells.push_back(std::move(outcome));
    }
    report_.skipped = done.skipped;
    report_.elapsed_s = done.elapsed_s;
    report_.interrupted = done.interrupted;
    report_.notes.insert(report_.notes.end(), done.notes.begin(), done.notes.end());
    return std::move(report_);
  }

private:
  CellTime measure(const SpreadCell &turn) {
    CellOptions options = options_.cell;
    options.rules.stop = options_.stop;
    options.rules.deadline_ns = turn.deadline_ns;
    options.cell_budget_ns = turn.budget_ns;
    const measure::Entry &entry = entries_[turn.entry];
    CellOutcome outcome = verify_cell(entry, turn.cell, routing_, options, gate_);
    const CellTime time{outcome.elapsed_ns,
                        outcome.further_ns + least_ns(outcome.elapsed_ns - outcome.further_ns,
                                                      outcome.race_ns, outcome.rounds,
                                                      options.rules.least_rounds),
                        outcome.complete};
    if (!outcome.mismatch.empty()) {
      report_.notes.push_back(fmt::format("{} {}: the routed call is wrong: {}",
                                          entry.variant->name, turn.cell.key(), outcome.mismatch));
    }
    if (outcome.complete) {
      outcomes_.emplace(turn.place, std::move(outcome));
    }
    return time;
  }

  std::span<const measure::Entry> entries_;
  const Routing &routing_;
  const VerifyOptions &options_;
  measure::Gate gate_;
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
