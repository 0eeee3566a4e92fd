// Routed calls beside their peers in many cells, within a time budget.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/campaign.hpp"
#include "bench/peers/cell.hpp"

namespace switchyard::peers {

// The problems that peers are compared on: one thread, hot, into a given buffer. Sizes with three
// channels, one, four and nine channels, a crop, and one channel of three.
[[nodiscard]] std::span<const measure::MatrixPoint> peer_points();

struct RunOptions {
  std::vector<measure::MatrixPoint> points; // peer_points(), or some of one's own
  double budget_s = 0;                      // 0: none
  CellOptions cell;
  Foreign *foreign = nullptr;
  const Public *(*find)(std::string_view variant) = find_public;
  const std::atomic<bool> *stop = nullptr;
  std::function<void(const measure::Progress &)> progress;
};

struct Comparison {
  std::size_t cells = 0;            // raced
  std::vector<PeerTimes> times;     // in the order of entries, dtypes and cells
  std::vector<std::string> missing; // "variant dtype" with no cell at all
  std::size_t skipped = 0;          // given up for lack of time
  std::size_t mismatches = 0;       // cells in which the routed call was wrong
  double elapsed_s = 0;
  bool interrupted = false;
  std::vector<std::string> notes; // a line each

  // The peers' names, in the order of their first appearance.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<PeerTimes> of(std::string_view peer) const;
};

// How many cells there are to race, and so how many comparisons hold together at most.
[[nodiscard]] std::size_t cells_in(std::span<const measure::Entry> entries,
                                   const RunOptions &options);

[[nodiscard]] Comparison compare(std::span<const measure::Entry> entries,
                                 std::span<const Peer> peers, const RunOptions &options);

} // namespace switchyard::peers
