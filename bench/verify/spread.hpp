// Cells of many groups within a time budget, so that whatever is left out is spread evenly.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/campaign.hpp"

namespace switchyard::verify {

// Cells that belong together: usually of one variant and dtype.
struct CellGroup {
  std::size_t entry = 0; // index of the variant
  std::vector<evidence::Cell> cells;
};

// The points' cells in groups of one variant and dtype, in the order of the entries.
using PointsOf = std::function<std::vector<measure::MatrixPoint>(const measure::Entry &entry)>;
[[nodiscard]] std::vector<CellGroup> groups_of(std::span<const measure::Entry> entries,
                                               const PointsOf &points,
                                               std::span<const int> thread_budgets);

// One cell's turn.
struct SpreadCell {
  std::size_t entry = 0;
  std::size_t place = 0; // among the cells of all groups
  const evidence::Cell &cell;
  double budget_ns = std::numeric_limits<double>::infinity(); // for all of the cell
  std::int64_t deadline_ns = std::numeric_limits<std::int64_t>::max();
};

struct CellTime {
  double elapsed_ns = 0;
  double least_ns = 0;  // with no more rounds than needed
  bool complete = true; // false: there was no time for it
};

struct SpreadOptions {
  double budget_s = 0; // 0: none
  measure::Clock now = measure::steady_now;
  const std::atomic<bool> *stop = nullptr;
  std::function<void(const measure::Progress &)> progress;
};

struct Spread {
  std::size_t skipped = 0; // given up for lack of time
  double elapsed_s = 0;
  bool interrupted = false;
  std::vector<std::string> notes; // cells that threw, then how many were left out, a line each
};

// Gives every cell its turn, one of every group after the other. An exception of a cell becomes a
// note; the others still count.
[[nodiscard]] Spread spread(std::span<const measure::Entry> entries,
                            std::span<const CellGroup> groups, const SpreadOptions &options,
                            const std::function<CellTime(const SpreadCell &)> &measure);

// What a cell would have taken with no more rounds than needed.
[[nodiscard]] double least_ns(double elapsed_ns, double race_ns, int rounds, int least_rounds);

} // namespace switchyard::verify
