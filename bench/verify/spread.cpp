#include "bench/verify/spread.hpp"

#include <algorithm>
#include <exception>
#include <map>

#include <fmt/format.h>

#include "bench/measure/budget.hpp"
#include "bench/verify/unseen.hpp"

namespace switchyard::verify {
namespace {

struct Step {
  std::size_t entry = 0;
  std::size_t place = 0;
  const evidence::Cell *cell = nullptr;
  measure::PlannedCell plan;
};

std::vector<Step> steps_of(std::span<const CellGroup> groups) {
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> first{0};
  for (const CellGroup &group : groups) {
    sizes.push_back(group.cells.size());
    first.push_back(first.back() + group.cells.size());
  }
  std::vector<Step> steps;
  for (const Turn &turn : even_order(sizes)) {
    const CellGroup &group = groups[turn.group];
    const evidence::Cell &cell = group.cells[turn.cell];
    // Of one priority: what does not fit is given up from the end of the order.
    steps.push_back({group.entry,
                     first[turn.group] + turn.cell,
                     &cell,
                     {measure::weight_of(cell), measure::Priority::detail}});
  }
  return steps;
}

class Run {
public:
  Run(std::span<const measure::Entry> entries, std::span<const CellGroup> groups,
      const SpreadOptions &options, const std::function<CellTime(const SpreadCell &)> &measure)
      : entries_(entries), options_(options), measure_(measure), budget_(options.budget_s),
        start_(options.now()), steps_(steps_of(groups)) {}

  Spread run() {
    for (; next_ < steps_.size() && !stopped(); ++next_) {
      const bool fits = plan();
      announce();
      if (fits) {
        measure_next();
      } else {
        skip();
      }
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
    return static_cast<double>(options_.now() - start_) / 1e9;
  }

  [[nodiscard]] std::string_view variant() const {
    return entries_[steps_[next_].entry].variant->name;
  }

  // Whether the next step can be afforded.
  bool plan() {
    const auto [first, weight] =
        budget_.fit_plans(std::span<const Step>(steps_).subspan(next_), elapsed_s());
    remaining_weight_ = weight;
    return first;
  }

  void announce() const {
    if (options_.progress) {
      const double elapsed = elapsed_s();
      options_.progress({next_, steps_.size(), elapsed, budget_.eta_s(remaining_weight_, elapsed),
                         variant(), steps_[next_].cell->key()});
    }
  }

  void skip() {
    ++skipped_[variant()];
    ++report_.skipped;
  }

  [[nodiscard]] SpreadCell turn_of(const Step &step) const {
    // A cell ends a little late rather than early; see Campaign.
    constexpr double kGrace = 1.05;
    SpreadCell turn{step.entry, step.place, *step.cell};
    if (budget_.limited()) {
      turn.budget_ns = budget_.share_s(step.plan.weight, remaining_weight_, elapsed_s()) * 1e9;
      turn.deadline_ns = start_ + static_cast<std::int64_t>(options_.budget_s * kGrace * 1e9);
    }
    return turn;
  }

  void measure_next() {
    const Step &step = steps_[next_];
    try {
      const CellTime time = measure_(turn_of(step));
      budget_.record(step.plan.weight, time.elapsed_ns / 1e9, time.least_ns / 1e9);
      if (!time.complete && !stopped()) {
        skip();
      }
    } catch (const std::exception &error) { // of the cell or of a library: others still count
      report_.notes.push_back(
          fmt::format("{} {}: not measured: {}", variant(), step.cell->key(), error.what()));
    }
  }

  std::span<const measure::Entry> entries_;
  const SpreadOptions &options_;
  const std::function<CellTime(const SpreadCell &)> &measure_;
  measure::Budget budget_;
  std::int64_t start_;
  std::vector<Step> steps_;
  std::size_t next_ = 0;        // of steps_
  double remaining_weight_ = 0; // of the steps that are expected to be measured from here on
  std::map<std::string_view, std::size_t> skipped_;
  Spread report_;
};

} // namespace

std::vector<CellGroup> groups_of(std::span<const measure::Entry> entries, const PointsOf &points,
                                 std::span<const int> thread_budgets) {
  std::vector<CellGroup> groups;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t first = groups.size();
    for (measure::MatrixCell &planned : measure::cells_at(points(entries[i]), *entries[i].variant,
                                                          *entries[i].contract, thread_budgets)) {
      if (groups.size() == first || groups.back().cells.front().dtype != planned.cell.dtype) {
        groups.push_back({i, {}});
      }
      groups.back().cells.push_back(std::move(planned.cell));
    }
  }
  return groups;
}

Spread spread(std::span<const measure::Entry> entries, std::span<const CellGroup> groups,
              const SpreadOptions &options,
              const std::function<CellTime(const SpreadCell &)> &measure) {
  return Run(entries, groups, options, measure).run();
}

double least_ns(double elapsed_ns, double race_ns, int rounds, int least_rounds) {
  const double kept = rounds > 0 ? std::min(1.0, static_cast<double>(least_rounds) / rounds) : 1.0;
  return elapsed_ns - race_ns * (1 - kept);
}

} // namespace switchyard::verify
