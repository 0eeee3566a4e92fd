// Verifying routes on many cells, within a time budget that is spread evenly over the variants.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/campaign.hpp"
#include "bench/verify/cell.hpp"
#include "bench/verify/routing.hpp"
#include "bench/verify/unseen.hpp"

namespace switchyard::verify {

struct VerifyOptions {
  std::vector<measure::MatrixPoint> points; // unseen_points(), or points_of()
  // Ops that are not on images are judged at their contract's unseen shapes, else at those of
  // `points` that are one matrix.
  bool unseen_of_contract = true;
  std::vector<int> thread_budgets{1};
  double budget_s = 0; // 0: none
  CellOptions cell;
  const std::atomic<bool> *stop = nullptr;
  std::function<void(const measure::Progress &)> progress;
};

struct Verification {
  std::vector<CellOutcome> cells; // those that can be scored, in the order of entries and dtypes
  std::size_t skipped = 0;        // given up for lack of time
  double elapsed_s = 0;
  bool interrupted = false;
  std::vector<std::string> notes; // what was left out or went wrong and why, one line each

  [[nodiscard]] Summary summary() const;
  // Fraction of the cells whose call executed what the table says; 1 of none.
  [[nodiscard]] double replay_fidelity() const;
  // Cells in which the copy of the routed alternative seems to differ from it.
  [[nodiscard]] std::size_t duplicate_wins() const;
  // Cells in which the routed call computed something wrong.
  [[nodiscard]] std::size_t mismatches() const;
};

[[nodiscard]] Verification verify(std::span<const measure::Entry> entries, const Routing &routing,
                                  const VerifyOptions &options);

} // namespace switchyard::verify
