#include "bench/cli/explain_reasons.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "evidence/evidence.hpp"

namespace switchyard::cli {
namespace {

using evidence::Row;
using evidence::Status;
using tablegen::RowFate;
using tablegen::RowUse;
using tablegen::Verdict;

std::string_view word_of(Status status) {
  constexpr std::string_view kWords[] = {"accepted", "dropped", "impossible", "rejected", "limit"};
  return kWords[static_cast<int>(status)];
}

std::string sentence_of(const RowFate &fate, int version_now) {
  const Row &row = *fate.row;
  switch (fate.use) {
  case RowUse::impossible:
    return fmt::format("faster than possible: {} in {}", row.mismatch, row.cell.key());
  case RowUse::other_version:
    return fmt::format("its rows are of version {}, this build has {}: measure again", row.version,
                       version_now);
  case RowUse::timeless:
    return "its rows have times that are none";
  case RowUse::too_many_threads:
    return "its rows used more threads than their cells allow";
  case RowUse::doubtful:
    return "its cells are passed over: their limit is in doubt";
  default:
    return "its rows share no race with the newest of their cells";
  }
}

std::vector<std::string> keys_of_region(const tablegen::ClassTrace &trace,
                                        const std::optional<tablegen::TracedPart> &part) {
  if (!part) {
    return trace.plan.regions.front().cells;
  }
  std::vector<std::string> keys;
  const tablegen::Segment &segment = part->choice->segment;
  for (std::size_t p = segment.first; p < segment.last; ++p) {
    for (const tablegen::CellRows &cell : part->data->points[p].cells) {
      keys.push_back(cell.key);
    }
  }
  return keys;
}

} // namespace

std::string sentence_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::chosen:
    return "";
  case Verdict::tie_incumbent:
    return "tied; the incumbent stays";
  case Verdict::tie_stale:
    return "tied; its rows are stale, the route's are not";
  case Verdict::tie_memory:
    return "tied; holds more heap memory";
  case Verdict::tie_preference:
    return "tied; comes later in the order of preference";
  case Verdict::slower:
    return "proven slower than the region's best";
  case Verdict::slower_at_a_size:
    return "proven slower than the region's best at one of its sizes";
  case Verdict::not_everywhere:
    return "not measured at every size of the region";
  }
  return "";
}

std::string_view word_of(RowUse use) {
  constexpr std::string_view kWords[] = {
      "used",       "limit",    "not_built",        "unsupported", "other_version", "rejected",
      "impossible", "timeless", "too_many_threads", "superseded",  "doubtful"};
  return kWords[static_cast<int>(use)];
}

bool left_early(const tablegen::TracedPart &part, std::size_t alternative) {
  const tablegen::Segment &segment = part.choice->segment;
  for (std::size_t p = segment.first; p < segment.last; ++p) {
    for (const tablegen::CellRows &cell : part.data->points[p].cells) {
      if (cell.measured(alternative) &&
          cell.lanes[alternative].newest().status == Status::dropped) {
        return true;
      }
    }
  }
  return false;
}

Reason why_without_time(const tablegen::ClassTrace &trace, const std::string &candidate,
                        const tablegen::CandidateSet &set) {
  const tablegen::ClassData &data = trace.data;
  if (const auto rejected = data.rejected.find(candidate); rejected != data.rejected.end()) {
    const Row &row = *rejected->second;
    return {std::string(word_of(RowUse::rejected)),
            fmt::format("broke the contract: {} in {}", row.mismatch, row.cell.key())};
  }
  for (const RowFate &fate : data.rows) {
    if (fate.row->candidate == candidate && fate.use != RowUse::used) {
      const int version = set.find(data.key.variant)->find(candidate)->version;
      return {std::string(word_of(fate.use)), sentence_of(fate, version)};
    }
  }
  return {"not_measured", "not measured in this region"};
}

std::vector<UsedCell> cells_of_region(const Traced &traced,
                                      const std::optional<tablegen::TracedPart> &part) {
  const tablegen::ClassTrace &trace = *traced.trace;
  const std::vector<Row> &rows = traced.profile.variants.at(trace.data.key.variant).rows;
  std::map<std::string, std::vector<UsedRow>> by_cell;
  for (const RowFate &fate : trace.data.rows) {
    const Row &row = *fate.row;
    by_cell[row.cell.key()].push_back(
        {static_cast<std::size_t>(fate.row - rows.data()), row.candidate, row.threads, row.race,
         std::string(word_of(row.status)), std::string(word_of(fate.use))});
  }
  std::vector<UsedCell> cells;
  for (const std::string &key : keys_of_region(trace, part)) {
    std::vector<UsedRow> &used = by_cell[key];
    std::sort(used.begin(), used.end(),
              [](const UsedRow &a, const UsedRow &b) { return a.index < b.index; });
    cells.push_back({key, std::move(used)});
  }
  return cells;
}

} // namespace switchyard::cli
