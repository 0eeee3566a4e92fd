// Arithmetic of a campaign's time budget: which cells fit, how long each may take, what is left.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "bench/measure/matrix.hpp"

namespace switchyard::measure {

// A cell that is still to be measured. Its weight is what it costs relative to others: a constant
// for slices, which are as long for small problems, plus its elements for the proofs.
struct PlannedCell {
  double weight = 1;
  Priority priority = Priority::detail;
  // Where it stands among its variant's cells of this priority: the part of them before it, below
  // 1. Giving up what stands last takes the same part of every variant.
  double place = 0;
};

[[nodiscard]] double weight_of(const evidence::Cell &cell);

class Budget {
public:
  // `total_s` of 0: no limit.
  explicit Budget(double total_s) : total_s_(total_s) {}

  // Replaces the time limit.
  void set_total(double total_s) { total_s_ = total_s; }

  [[nodiscard]] bool limited() const { return total_s_ > 0; }

  // A cell of this weight took `elapsed_s`, and would have taken `least_s` with no more rounds
  // than needed.
  void record(double weight, double elapsed_s, double least_s);

  // Which of the remaining cells to keep: all, if what they need at least fits into the time
  // left; else those of the least important priorities are given up, evenly over the variants.
  [[nodiscard]] std::vector<bool> fit(std::span<const PlannedCell> remaining,
                                      double elapsed_s) const;

  // The same, of the first alone, and the weight of all that are kept.
  struct Fit {
    bool first = false;
    double weight = 0;
  };
  template <class Step>
  [[nodiscard]] Fit fit_plans(std::span<const Step> remaining, double elapsed_s) const {
    std::vector<PlannedCell> plans;
    plans.reserve(remaining.size());
    for (const Step &step : remaining) {
      plans.push_back(step.plan);
    }
    const std::vector<bool> kept = fit(plans, elapsed_s);
    Fit result{kept.front(), 0};
    for (std::size_t i = 0; i < plans.size(); ++i) {
      result.weight += kept[i] ? plans[i].weight : 0;
    }
    return result;
  }

  // The time that the next cell, one of the remaining, may take: what it needs at least and a part
  // of what is left beyond the needs of all; unlimited: infinity.
  [[nodiscard]] double share_s(double weight, double remaining_weight, double elapsed_s) const;

  // Expected time for cells of this total weight.
  [[nodiscard]] double eta_s(double remaining_weight, double elapsed_s) const;

  [[nodiscard]] double left_s(double elapsed_s) const {
    return limited() ? total_s_ - elapsed_s : std::numeric_limits<double>::infinity();
  }

private:
  double total_s_;
  double weight_ = 0;
  double elapsed_s_ = 0;
  double least_s_ = 0;
};

} // namespace switchyard::measure
