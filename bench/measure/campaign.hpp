// Measuring many cells within a time budget, variant by variant.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure/campaign_plan.hpp"
#include "bench/measure/campaign_stale.hpp"
#include "bench/measure/journal.hpp"
#include "bench/measure/measure.hpp"

namespace switchyard::measure {

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
  // Not the matrix, but what of the existing evidence is stale.
  bool stale = false;
  std::function<bool(const evidence::Cell &)> wanted; // leaves cells out; nullptr: wants all
  Shard shard;                                        // of the matrix or of what is stale
  // The folder of the machine's profile; empty: nothing is written. Existing evidence of other
  // cells is kept.
  std::filesystem::path profile_folder;
  // Goes on with the interrupted campaign of that folder, which had the same request.
  bool resume = false;
  // What was asked for, to know it again. The machine's contexts are added to it.
  Request request;
  // Finished cells are merged into the evidence this often, and as a variant's last one is done.
  // Until then a journal keeps them.
  double merge_every_s = 1;
  // More cells, once the matrix is measured and its evidence written: variant and cell, the most
  // important first. Not asked for shards, which have no evidence of their own to judge by.
  std::function<std::vector<std::pair<std::string, evidence::Cell>>()> more_cells;
  // Runs once existing evidence has been found readable, before anything is measured.
  std::function<void()> before_first_cell;
  const std::atomic<bool> *stop = nullptr; // set by a signal handler, say
  std::function<void(const Progress &)> progress;
};

struct CampaignReport {
  std::vector<evidence::VariantEvidence> measured; // this campaign's rows alone
  std::size_t cells = 0;                           // measured
  std::size_t resumed = 0;                         // measured before the interruption
  std::size_t skipped = 0;                         // given up for lack of time
  std::size_t rejected = 0;                        // rows
  double elapsed_s = 0;
  bool interrupted = false;
  bool resumable = false; // interrupted, and its journal says where
  std::vector<std::string>
      notes; // what was skipped or could not be measured and why, one line each
};

// What run_campaign would measure.
struct CampaignPlan {
  std::vector<Step> steps;
  std::vector<StaleCandidate> stale; // of a campaign for what is stale
  std::vector<std::string> notes;
  // About how long it takes: from the existing evidence of these cells, or else of others.
  double estimate_s = 0;
};

// Throws evidence::EvidenceError for existing evidence that cannot be read.
[[nodiscard]] CampaignPlan plan_campaign(std::span<const Entry> entries,
                                         const CampaignOptions &options);

// Measures the entries' cells, with slices long enough that a candidate does not differ from a
// second copy of itself. An interruption, even by SIGKILL, loses the cell in hand alone: the others
// are in the evidence, or in the journal from which the next campaign merges them. With a budget,
// the least important cells are given up when not all fit, and the report says so.
//
// Throws evidence::EvidenceError, before anything is measured where existing files cannot be read,
// and std::invalid_argument where there is nothing to resume or the request is another one.
[[nodiscard]] CampaignReport run_campaign(std::span<const Entry> entries,
                                          const CampaignOptions &options);

} // namespace switchyard::measure
