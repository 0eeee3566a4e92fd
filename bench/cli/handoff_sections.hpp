// The sections of a hand-off, each from what it is about. Internal to handoff*.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cli/handoff.hpp"
#include "bench/cli/handoff_side.hpp"
#include "bench/measure/campaign_plan.hpp"
#include "tablegen/diff.hpp"

namespace switchyard::cli {

using HandoffPairs = std::vector<HandoffPair>; // by profile
using Entries = std::vector<measure::Entry>;

// What git says of the revision that is compared with.
struct HandoffSources {
  std::string root;       // of the repository, or of the build's sources; empty: neither is there
  std::string repository; // that has the commit
  std::string commit;     // empty: the baseline is no revision
};

// handoff_routes.cpp
[[nodiscard]] HandoffSection routes_section(const HandoffPairs &pairs);
[[nodiscard]] HandoffSection work_section(const HandoffPairs &pairs);
[[nodiscard]] HandoffSection in_place_section(const HandoffPairs &pairs, const Entries &entries);
// handoff_candidates.cpp
[[nodiscard]] HandoffSection candidates_section(const HandoffPairs &pairs, const Entries &entries);
[[nodiscard]] HandoffSection ideas_section(const HandoffPairs &pairs, const Entries &entries);
[[nodiscard]] HandoffSection rejected_section(const HandoffPairs &pairs, const Entries &entries,
                                              const HandoffSources &sources);
// handoff_evidence.cpp
[[nodiscard]] HandoffSection matrix_section(const HandoffPairs &pairs);
[[nodiscard]] HandoffSection correctness_section(const HandoffPairs &pairs);
// `diffs` are of whole profiles; their verdict lines are `regression`'s.
[[nodiscard]] HandoffSection regressions_section(const std::vector<tablegen::ProfileDiff> &diffs,
                                                 bool compared);
[[nodiscard]] HandoffSection follow_ups_section(const HandoffPairs &pairs, const Entries &entries);
// handoff_sources.cpp
[[nodiscard]] HandoffSection moved_section(const HandoffPairs &pairs, const Entries &entries,
                                           const HandoffSources &sources);
[[nodiscard]] HandoffSection gaps_section(const Entries &entries, const HandoffSources &sources);
[[nodiscard]] HandoffSection compatibility_section(const HandoffPairs &pairs,
                                                   const Entries &entries,
                                                   const HandoffSources &sources);

// The rows of the Markdown tables in a file whose cell in the column `Ops` names one of the ops
// (their names, comma-separated, or "all"): the texts of the other columns by the header's names,
// with "section": the heading above. nullopt: there is no such file.
[[nodiscard]] std::optional<std::vector<Json>> rows_about(const std::string &file,
                                                          const Entries &entries);

// What changes concern alone: the variants of `entries`.
[[nodiscard]] tablegen::ProfileDiff only(tablegen::ProfileDiff diff, const Entries &entries);

} // namespace switchyard::cli
