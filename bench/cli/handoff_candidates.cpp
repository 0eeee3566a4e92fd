// Sections of a hand-off about what was considered: candidates, ideas, and regions that were lost.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "bench/cli/availability.hpp"
#include "bench/cli/explain_reasons.hpp"
#include "bench/cli/handoff_sections.hpp"
#include "bench/conformance/problem.hpp"
#include "bench/measure/matrix.hpp"
#include "evidence/statistics.hpp"
#include "tablegen/class_parts.hpp"
#include "tablegen/ranking.hpp"

namespace switchyard::cli {
namespace {

using tablegen::kNone;
using tablegen::LanePair;
using tablegen::Verdict;

// Drawing a problem takes memory and time; domains are asked about smaller kin of larger cells.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;

// The candidate's fastest lane in the cell; kNone where it was not measured.
std::size_t lane_of(const RoutedCell &cell, const std::string &candidate) {
  const auto &alternatives = cell.trace->data.alternatives;
  std::size_t best = kNone;
  double least = 0;
  for (std::size_t a = 0; a < alternatives.size(); ++a) {
    if (alternatives[a].candidate != candidate || !cell.cell->measured(a)) {
      continue;
    }
    const double median = evidence::median(cell.cell->lanes[a].newest().samples_ns);
    if (best == kNone || median < least) {
      best = a;
      least = median;
    }
  }
  return best;
}

// Reasons with the number of cells, as {"reason", "detail", "cells"}.
class Reasons {
public:
  void add(const std::string &word, const std::string &detail, std::size_t cells = 1) {
    cells_[{word, detail}] += cells;
  }
  [[nodiscard]] Json json() const {
    Json list = Json::array();
    for (const auto &[reason, cells] : cells_) {
      list.push_back({{"reason", reason.first}, {"detail", reason.second}, {"cells", cells}});
    }
    return list;
  }

private:
  std::map<std::pair<std::string, std::string>, std::size_t> cells_;
};

// ---- candidates ---------------------------------------------------------------------------------

// One candidate over the cells of a dtype.
struct Standing {
  std::size_t routed = 0;
  std::size_t lost = 0;
  std::vector<LanePair> pairs; // where it lost, beside the route
  Reasons reasons;
};

// Asks domains about the problems of one variant's cells.
class Domains {
public:
  explicit Domains(const measure::Entry &entry) : entry_(entry) {}

  // Why the candidate refuses the cell's problem; empty: it accepts it, or it is too large to ask.
  // Problems that differ in size alone are asked about once, by the first.
  std::string refusal(const RoutedCell &cell, const Candidate &candidate) {
    const evidence::Cell &of = cell.row().cell;
    const auto kind = kind_of(of, cell.key().channels);
    auto found = problems_.find(kind);
    if (found == problems_.end() && of.elements() > kMostElements) {
      return {};
    }
    if (found == problems_.end()) {
      const auto spec = measure::problem_of(*entry_.variant, *entry_.contract, of);
      found = problems_.emplace(kind, conformance::Problem(*entry_.variant, *entry_.contract, spec))
                  .first;
    }
    return asked(found->second, candidate);
  }

private:
  using Kind =
      std::tuple<std::string, std::int64_t, std::size_t, std::string, std::string, std::string>;

  static Kind kind_of(const evidence::Cell &cell, std::int64_t channels) {
    return {cell.dtype, channels, cell.shape.size(), cell.layout, cell.output, cell.params};
  }
  static std::string asked(const conformance::Problem &problem, const Candidate &candidate) {
    const char *reason = candidate.refuses(problem.call());
    return reason == nullptr ? std::string() : reason;
  }

  const measure::Entry &entry_;
  std::map<Kind, conformance::Problem> problems_;
};

void add_absent(Standing &standing, const HandoffSide &side, const RoutedCell &cell,
                const Candidate &candidate, Domains &domains) {
  if (!candidate.built()) {
    standing.reasons.add("not_built", why_not_built(candidate));
    return;
  }
  if (const std::string refusal = domains.refusal(cell, candidate); !refusal.empty()) {
    standing.reasons.add("domain", refusal);
    return;
  }
  const Reason reason = why_without_time(*cell.trace, std::string(candidate.id), side.set());
  const bool elsewhere = std::any_of(
      cell.trace->data.alternatives.begin(), cell.trace->data.alternatives.end(),
      [&](const tablegen::Alternative &each) { return each.candidate == candidate.id; });
  // Of a class where it has times, that is why not in this cell.
  standing.reasons.add(elsewhere ? "not_measured" : reason.word,
                       elsewhere ? "not measured in the cell" : reason.sentence);
}

void add_measured(Standing &standing, const RoutedCell &cell, std::size_t lane) {
  const tablegen::Choice &choice = cell.trace->choices[cell.choice];
  ++standing.lost;
  standing.pairs.push_back({cell.cell, lane, cell.route});
  const Verdict verdict = choice.verdicts[lane];
  if (verdict == Verdict::chosen) { // of the region, though the route is another one in this cell
    standing.reasons.add("not_everywhere", "the region's choice was not measured in the cell");
    return;
  }
  standing.reasons.add(std::string(name_of(verdict)), sentence_of(verdict));
}

Standing standing_of(const HandoffSide &side, const std::vector<const RoutedCell *> &cells,
                     const Candidate &candidate, Domains &domains) {
  Standing standing;
  for (const RoutedCell *cell : cells) {
    const std::string id(candidate.id);
    const std::size_t lane = lane_of(*cell, id);
    if (cell->alternative().candidate == id) {
      ++standing.routed;
    } else if (lane != kNone) {
      add_measured(standing, *cell, lane);
    } else {
      add_absent(standing, side, *cell, candidate, domains);
    }
  }
  return standing;
}

using ByDtype = std::map<std::string, std::vector<const RoutedCell *>>;

ByDtype cells_by_dtype(const HandoffSide &side, const measure::Entry &entry) {
  ByDtype cells;
  for (const RoutedCell &cell : side.cells()) {
    if (cell.key().variant == entry.variant->name) {
      cells[cell.key().dtype].push_back(&cell);
    }
  }
  return cells;
}

std::vector<Json> candidate_row(const HandoffSide &side, const measure::Entry &entry,
                                const std::string &dtype, const Candidate &candidate,
                                std::size_t dtype_case, const Standing &standing) {
  const Traffic &traffic = candidate.traffic[dtype_case];
  return {side.name(),
          entry.variant->name,
          dtype,
          candidate.id,
          candidate.version,
          name_of(candidate.exactness[dtype_case]),
          traffic.reads,
          traffic.writes,
          standing.routed,
          standing.lost,
          standing.pairs.empty() ? Json() : json_of(tablegen::ratio_over(standing.pairs)),
          standing.reasons.json()};
}

// Calls `visit` with each candidate that computes a measured dtype of a variant.
template <class Visit>
void for_candidates(const HandoffPairs &pairs, const Entries &entries, const Visit &visit) {
  for (const HandoffPair &pair : pairs) {
    for (const measure::Entry &entry : entries) {
      Domains domains(entry);
      for (const auto &[dtype, cells] : cells_by_dtype(*pair.after, entry)) {
        const int dtype_case = pair.after->set().find(entry.variant->name)->dtype_case(dtype);
        const auto at = static_cast<std::size_t>(dtype_case);
        for (const Candidate &candidate : entry.variant->candidates) {
          if (at < entry.variant->dtypes.size() &&
              candidate.exactness[at] != Exactness::unsupported) {
            visit(*pair.after, entry, dtype, at, candidate,
                  standing_of(*pair.after, cells, candidate, domains));
          }
        }
      }
    }
  }
}

// ---- ideas --------------------------------------------------------------------------------------

// What the candidates of one idea did together.
struct IdeaStanding {
  std::set<std::string> candidates;
  std::size_t routed = 0;
  std::size_t lost = 0;
};

bool is_table(const Candidate &candidate) {
  return candidate.backend == "lut" || candidate.backend == "stringzilla" ||
         candidate.id.find("lut") != std::string_view::npos ||
         candidate.id.find("tables") != std::string_view::npos;
}

bool is_library(const Candidate &candidate) {
  return candidate.backend != "fused" && candidate.backend != "lut" && candidate.backend != "loop";
}

struct Idea {
  const char *id;
  const char *title;
  bool (*embodied)(const Candidate &candidate, std::size_t dtype_case);
  const char *without; // what to say where no candidate embodies it
};

constexpr std::array<Idea, 4> kIdeas = {{
    {"vectorisation", "own kernel over vectors",
     [](const Candidate &candidate, std::size_t) { return candidate.backend == "fused"; },
     "why no vectorised kernel of our own"},
    {"lut", "table of 256 results",
     [](const Candidate &candidate, std::size_t) { return is_table(candidate); },
     "why no table (dtypes of more than 256 values have none)"},
    {"fused_operators", "one read, one write",
     [](const Candidate &candidate, std::size_t at) {
       return candidate.traffic[at].reads + candidate.traffic[at].writes <= 2;
     },
     "why no single pass"},
    {"library", "library calls",
     [](const Candidate &candidate, std::size_t) { return is_library(candidate); },
     "which library calls were looked for"},
}};

// Classes whose routes differ from those of the contiguous class that is alike otherwise.
std::vector<Json> layout_row(const HandoffSide &side) {
  std::set<std::string> layouts;
  std::size_t cells = 0;
  std::size_t differ = 0;
  for (const RoutedCell &cell : side.cells()) {
    evidence::Cell dense = cell.row().cell;
    layouts.insert(dense.layout);
    if (cell.key().layout == LayoutClass::contiguous) {
      continue;
    }
    dense.layout = name_of(LayoutClass::contiguous);
    const RoutedCell *other = side.find(cell.key().variant, dense.key());
    cells += other != nullptr ? 1 : 0;
    differ += other != nullptr && !(other->alternative() == cell.alternative()) ? 1 : 0;
  }
  return {side.name(),
          "layout",
          "layout and memory format",
          layouts,
          differ,
          cells - differ,
          fmt::format("of {} cells beside a contiguous one of their size, {} have a route of "
                      "their own",
                      cells, differ)};
}

std::vector<Json> in_place_idea(const HandoffSide &side) {
  std::set<std::string> candidates;
  std::size_t cells = 0;
  for (const RoutedCell &cell : side.cells()) {
    if (cell.row().cell.output == name_of(OutputMode::in_place)) {
      candidates.insert(cell.alternative().candidate);
      ++cells;
    }
  }
  return {side.name(), "in_place", "in place", candidates, cells, 0, "see In place"};
}

// ---- lost regions -------------------------------------------------------------------------------

// Whether the candidate is new since the baseline, or has another version.
bool changed(const HandoffPair &pair, const std::string &variant, const std::string &id) {
  const tablegen::VariantInfo *was = pair.before->set().find(variant);
  const tablegen::VariantInfo *is = pair.after->set().find(variant);
  const tablegen::CandidateInfo *before = was == nullptr ? nullptr : was->find(id);
  const tablegen::CandidateInfo *after = is->find(id);
  return before == nullptr || after == nullptr || before->version != after->version;
}

// Parts of classes where a changed candidate was measured and another one serves.
void add_lost(HandoffSection &section, const HandoffPair &pair) {
  for (const tablegen::ClassTrace &trace : pair.after->traces()) {
    for (const tablegen::Choice &choice : trace.choices) {
      const tablegen::Segment &segment = choice.segment;
      for (std::size_t a = 0; a < trace.data.alternatives.size(); ++a) {
        const tablegen::Alternative &alternative = trace.data.alternatives[a];
        if (a == segment.alternative ||
            !changed(pair, trace.data.key.variant, alternative.candidate) ||
            tablegen::shared_cells(trace.data, segment, a, segment.alternative).empty()) {
          continue;
        }
        const auto over = tablegen::time_over_winner(trace.data, segment, a);
        section.table.rows.push_back(
            {pair.after->name(), tablegen::label_of(trace.data.key),
             trace.data.points[segment.first].size, trace.data.points[segment.last - 1].size,
             tablegen::label_of(alternative),
             tablegen::label_of(trace.data.alternatives[segment.alternative]),
             json_of(evidence::Interval{1 + over.estimate, 1 + over.low, 1 + over.high}),
             sentence_of(choice.verdicts[a])});
      }
    }
  }
}

// Rows that broke the contract or beat a limit.
void add_refused(HandoffSection &section, const HandoffSide &side) {
  for (const auto &[variant, file] : side.profile().variants) {
    for (const evidence::Row &row : file.rows) {
      if (row.status == evidence::Status::rejected || row.status == evidence::Status::impossible) {
        section.table.rows.push_back(
            {side.name(), variant + "#" + row.cell.key(), row.cell.elements(), row.cell.elements(),
             fmt::format("{} t{}", row.candidate, row.threads), Json(), Json(),
             fmt::format("{}: {}",
                         row.status == evidence::Status::rejected ? "broke the contract"
                                                                  : "faster than possible",
                         row.mismatch)});
      }
    }
  }
}

} // namespace

HandoffSection candidates_section(const HandoffPairs &pairs, const Entries &entries) {
  HandoffSection section{"candidates", "Candidates considered, and where each lost"};
  section.table.columns = {"profile", "variant", "dtype",  "candidate", "version",    "exactness",
                           "reads",   "writes",  "routed", "lost",      "over_route", "reasons"};
  section.lines.emplace_back(
      "routed and lost count measured cells. over route: the time beside the route where it lost, "
      "in the same rounds: geometric mean over these cells, and the interval of their rounds "
      "together. Reasons are those of `switchyard explain`, with the number of cells.");
  for_candidates(pairs, entries,
                 [&](const HandoffSide &side, const measure::Entry &entry, const std::string &dtype,
                     std::size_t at, const Candidate &candidate, const Standing &standing) {
                   section.table.rows.push_back(
                       candidate_row(side, entry, dtype, candidate, at, standing));
                 });
  return section;
}

HandoffSection ideas_section(const HandoffPairs &pairs, const Entries &entries) {
  HandoffSection section{"ideas", "Ideas"};
  section.table.columns = {"profile", "idea", "what", "who", "routed", "lost", "note"};
  std::map<std::pair<std::string, std::size_t>, IdeaStanding> standings;
  for_candidates(pairs, entries,
                 [&](const HandoffSide &side, const measure::Entry &, const std::string &,
                     std::size_t at, const Candidate &candidate, const Standing &standing) {
                   for (std::size_t i = 0; i < kIdeas.size(); ++i) {
                     if (kIdeas[i].embodied(candidate, at)) {
                       IdeaStanding &idea = standings[{side.name(), i}];
                       idea.candidates.emplace(candidate.id);
                       idea.routed += standing.routed;
                       idea.lost += standing.lost;
                     }
                   }
                 });
  for (const HandoffPair &pair : pairs) {
    for (std::size_t i = 0; i < kIdeas.size(); ++i) {
      const IdeaStanding &idea = standings[{pair.after->name(), i}];
      section.table.rows.push_back({pair.after->name(), kIdeas[i].id, kIdeas[i].title,
                                    idea.candidates, idea.routed, idea.lost, ""});
      if (idea.candidates.empty()) {
        section.to_fill_in.emplace_back(kIdeas[i].without);
      }
    }
    section.table.rows.push_back(layout_row(*pair.after));
    section.table.rows.push_back(in_place_idea(*pair.after));
  }
  section.to_fill_in.emplace_back(
      "grouped reduction: how many accumulators, how they are combined, and what else was tried "
      "(or: this is no reduction)");
  return section;
}

HandoffSection rejected_section(const HandoffPairs &pairs, const Entries &entries,
                                const HandoffSources &sources) {
  HandoffSection section{"rejected_regions", "Rejected regions"};
  section.table.columns = {"profile",   "where", "measured_from", "measured_to",
                           "candidate", "route", "over_route",    "why"};
  bool compared = false;
  for (const HandoffPair &pair : pairs) {
    if (pair.before != nullptr) {
      add_lost(section, pair);
      compared = true;
    }
    add_refused(section, *pair.after);
  }
  section.lines.emplace_back(
      compared ? "Regions where a candidate that is new, or has another version than in the "
                 "baseline's evidence, was measured and does not serve; and rows that broke the "
                 "contract or beat a physical limit. Sizes are elements."
               : "Rows that broke the contract or beat a physical limit. With --against, also the "
                 "regions where changed candidates lost.");
  if (const auto lost = rows_about(sources.root + "/docs/rejected.md", entries)) {
    for (const Json &row : *lost) {
      std::string line = "docs/rejected.md:";
      for (const auto &[name, text] : row.items()) {
        line +=
            text.get<std::string>().empty() || name == "section"
                ? ""
                : fmt::format(" {}{};", name.empty() ? "" : name + ": ", text.get<std::string>());
      }
      section.lines.push_back(std::move(line));
    }
  }
  section.to_fill_in.emplace_back(
      "ideas that never became a candidate, and why (each with a line in docs/rejected.md)");
  return section;
}

} // namespace switchyard::cli
