// What the sections of a hand-off are derived from: the evidence of the chosen variants, class by
// class and cell by cell, with the routes that follow from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/campaign_plan.hpp"
#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/diff.hpp"
#include "tablegen/trace.hpp"

namespace switchyard::cli {

// A measured cell and the alternative that serves it, an index into its class's alternatives.
struct RoutedCell {
  const tablegen::ClassTrace *trace = nullptr;
  const tablegen::CellRows *cell = nullptr;
  std::int64_t size = 0;
  std::size_t route = tablegen::kNone; // kNone: nothing of the ranking was measured here
  std::size_t choice = 0;              // the part of the class, an index into trace->choices

  [[nodiscard]] const tablegen::ClassKey &key() const { return trace->data.key; }
  [[nodiscard]] const tablegen::Alternative &alternative() const {
    return trace->data.alternatives[route];
  }
  [[nodiscard]] const evidence::Row &row() const { return cell->lanes[route].newest(); }
  [[nodiscard]] double median_ns() const;
};

// One profile of one side.
class HandoffSide {
public:
  // The rows of other variants are left out. What the build does not know, or would not use, is
  // among the notes.
  HandoffSide(const tablegen::Tuning &tuning, const tablegen::CandidateSet &build,
              const std::vector<measure::Entry> &entries);
  HandoffSide(const HandoffSide &) = delete;

  [[nodiscard]] const evidence::Profile &profile() const { return profile_; }
  [[nodiscard]] const std::string &name() const { return profile_.machine.profile; }
  [[nodiscard]] const tablegen::CandidateSet &set() const { return set_; }
  [[nodiscard]] const std::vector<tablegen::ClassTrace> &traces() const { return traces_; }
  // By class and size, those with a route.
  [[nodiscard]] const std::vector<RoutedCell> &cells() const { return cells_; }
  // nullptr where the cell was not measured or has no route.
  [[nodiscard]] const RoutedCell *find(const std::string &variant, const std::string &cell) const;
  [[nodiscard]] const std::vector<std::string> &notes() const { return notes_; }

private:
  void add_cells(const tablegen::ClassTrace &trace);

  evidence::Profile profile_;
  std::vector<std::string> notes_;
  tablegen::CandidateSet set_;
  std::vector<tablegen::ClassTrace> traces_;
  std::vector<RoutedCell> cells_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_; // into cells_
};

// The same profile on both sides; before is nullptr where there is no baseline.
struct HandoffPair {
  const HandoffSide *before = nullptr;
  const HandoffSide *after = nullptr;
};

// The candidate of this build; nullptr where it has none of this name.
[[nodiscard]] const Candidate *find_candidate(const std::string &variant, const std::string &id);

} // namespace switchyard::cli
