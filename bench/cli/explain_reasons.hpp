// Why a candidate is not the route, in words, and the rows that a region rests on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cli/explain_source.hpp"
#include "bench/cli/explanation.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/planner.hpp"
#include "tablegen/trace.hpp"

namespace switchyard::cli {

struct Reason {
  std::string word;     // for programs
  std::string sentence; // for people
};

[[nodiscard]] std::string sentence_of(tablegen::Verdict verdict);
[[nodiscard]] std::string_view word_of(tablegen::RowUse use);

// Whether the alternative was dropped from the race of a cell of the part.
[[nodiscard]] bool left_early(const tablegen::TracedPart &part, std::size_t alternative);

// Why a candidate of this build that computes the dtype has no time in the region.
[[nodiscard]] Reason why_without_time(const tablegen::ClassTrace &trace,
                                      const std::string &candidate,
                                      const tablegen::CandidateSet &set);

// The part's cells with all their rows, in the order of sizes; without a part, those of the class.
// `traced` has a trace.
[[nodiscard]] std::vector<UsedCell>
cells_of_region(const Traced &traced, const std::optional<tablegen::TracedPart> &part);

} // namespace switchyard::cli
