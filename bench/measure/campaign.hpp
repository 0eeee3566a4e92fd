// Measuring many cells within a time budget, variant by variant.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/measure.hpp"

namespace switchyard::measure {

// A variant with its contract.
struct Entry {
  const Variant *variant = nullptr;
  const VariantContract *contract = nullptr;
};

// The registered variants whose name, or whose op's name, matches one of the comma-separated shell
// patterns ("*", "multiply_add", "normalize/*"), in the order of the registry. Throws
// std::invalid_argument for a pattern that matches nothing, and std::logic_error for a variant
// that has no contract.
[[nodiscard]] std::vector<Entry> select(std::string_view patterns);

struct Progress {
  std::size_t done = 0; // cells behind, skipped ones included
  std::size_t total = 0;
  double elapsed_s = 0;
  double eta_s = 0;
  std::string_view variant; // what comes next; empty at the end
  std::string cell;
};

struct CampaignOptions {
  Mode mode = Mode::quick;
  std::vector<int> thread_budgets{1};
  double budget_s = 0; // 0: none
  MeasureOptions measure;
  // The folder of the machine's profile; empty: nothing is written. Existing evidence of other
  // cells is kept.
  std::filesystem::path profile_folder;
  // Runs once existing evidence has been found readable, before anything is measured.
  std::function<void()> before_first_cell;
  const std::atomic<bool> *stop = nullptr; // set by a signal handler, say
  std::function<void(const Progress &)> progress;
};

struct CampaignReport {
  std::vector<evidence::VariantEvidence> measured; // this campaign's rows alone
  std::size_t cells = 0;                           // measured
  std::size_t skipped = 0;                         // given up for lack of time
  std::size_t rejected = 0;                        // rows
  double elapsed_s = 0;
  bool interrupted = false;
  std::vector<std::string>
      notes; // what was skipped or could not be measured and why, one line each
};

// Measures the entries' cells, with slices long enough that a candidate does not differ from a
// second copy of itself. A variant's evidence is merged into its file as soon as its last
// cell is done, so that an interruption loses the cell in hand alone. With a budget, the least
// important cells are given up when not all fit, and the report says so.
//
// Throws evidence::EvidenceError, before anything is measured where existing files cannot be read.
[[nodiscard]] CampaignReport run_campaign(std::span<const Entry> entries,
                                          const CampaignOptions &options);

} // namespace switchyard::measure
