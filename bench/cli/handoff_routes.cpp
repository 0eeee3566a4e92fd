// Sections of a hand-off about what serves: routes, the work they make, and calls in place.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "bench/cli/handoff_sections.hpp"
#include "evidence/statistics.hpp"
#include "evidence/unpaired.hpp"
#include "tablegen/class_parts.hpp"
#include "tablegen/ranking.hpp"

namespace switchyard::cli {
namespace {

using tablegen::LanePair;

// The cell on the other side; nullptr without a baseline, or where that did not measure it.
const RoutedCell *before_of(const HandoffPair &pair, const RoutedCell &cell) {
  return pair.before == nullptr ? nullptr : pair.before->find(cell.key().variant, cell.cell->key);
}

std::string label_of(const RoutedCell *cell) {
  return cell == nullptr ? std::string() : tablegen::label_of(cell->alternative());
}

// ---- routes -------------------------------------------------------------------------------------

// Cells that both sides route alike.
struct RouteGroup {
  std::vector<std::pair<const RoutedCell *, const RoutedCell *>> cells; // before, after; by size

  void add(const RoutedCell *before, const RoutedCell *after) { cells.emplace_back(before, after); }

  // What keeping the old route would take, by the present measurements.
  [[nodiscard]] Json old_over_new() const {
    std::vector<LanePair> pairs;
    for (const auto &[before, after] : cells) {
      const std::size_t old = before == nullptr
                                  ? tablegen::kNone
                                  : tablegen::index_of(after->trace->data, before->alternative());
      if (old != tablegen::kNone && old != after->route && after->cell->measured(old)) {
        pairs.push_back({after->cell, old, after->route});
      }
    }
    return pairs.empty() ? Json() : json_of(tablegen::ratio_over(pairs));
  }

  // Geometric mean of the medians' ratios; the two sides share no rounds.
  [[nodiscard]] Json new_over_old() const {
    double logs = 0;
    for (const auto &[before, after] : cells) {
      logs += before == nullptr ? 0 : std::log(after->median_ns() / before->median_ns());
    }
    return cells.front().first == nullptr
               ? Json()
               : number(std::exp(logs / static_cast<double>(cells.size())));
  }
};

using RouteKey = std::tuple<std::string, std::string, std::string, int, std::string, std::string>;

std::map<RouteKey, RouteGroup> route_groups(const HandoffPair &pair) {
  std::map<RouteKey, RouteGroup> groups;
  for (const RoutedCell &cell : pair.after->cells()) {
    const tablegen::ClassKey &key = cell.key();
    const RoutedCell *before = before_of(pair, cell);
    groups[{key.variant, key.dtype, std::string(name_of(key.output)), key.thread_budget,
            label_of(before), label_of(&cell)}]
        .add(before, &cell);
  }
  return groups;
}

std::vector<Json> route_row(const std::string &profile, const RouteKey &key,
                            const RouteGroup &group) {
  const auto &[variant, dtype, output, budget, baseline, route] = key;
  const auto largest =
      std::max_element(group.cells.begin(), group.cells.end(), [](const auto &a, const auto &b) {
        return a.second->size < b.second->size;
      });
  return {profile,
          variant,
          dtype,
          output,
          budget,
          group.cells.size(),
          baseline.empty() ? Json() : Json(baseline),
          route,
          largest->second->cell->key,
          largest->first == nullptr ? Json() : number(largest->first->median_ns()),
          number(largest->second->median_ns()),
          group.new_over_old(),
          group.old_over_new()};
}

// ---- work ---------------------------------------------------------------------------------------

// The heap and memory use of one alternative's calls.
struct Work {
  std::size_t cells = 0;
  std::optional<evidence::Allocations> most; // of a call, each by itself

  void add(const evidence::Row &row) {
    ++cells;
    if (row.allocations) {
      evidence::Allocations &all = most ? *most : most.emplace();
      all.count = std::max(all.count, row.allocations->count);
      all.bytes = std::max(all.bytes, row.allocations->bytes);
      all.peak = std::max(all.peak, row.allocations->peak);
    }
  }
};

// Variant, dtype, output, side, candidate.
using WorkKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

void add_work(std::map<WorkKey, Work> &works, const char *side, const RoutedCell &cell) {
  const tablegen::ClassKey &key = cell.key();
  works[{key.variant, key.dtype, std::string(name_of(key.output)), side,
         cell.alternative().candidate}]
      .add(cell.row());
}

// The passes that this build's table declares; nullopt for what it does not know.
std::optional<Traffic> traffic_of(const std::string &variant, const std::string &dtype,
                                  const std::string &id, const tablegen::CandidateSet &set) {
  const Candidate *candidate = find_candidate(variant, id);
  const int dtype_case = set.find(variant)->dtype_case(dtype);
  return candidate == nullptr || dtype_case < 0
             ? std::nullopt
             : std::optional(candidate->traffic[static_cast<std::size_t>(dtype_case)]);
}

std::vector<Json> work_row(const HandoffSide &side, const WorkKey &key, const Work &work) {
  const auto &[variant, dtype, output, who, candidate] = key;
  const auto traffic = traffic_of(variant, dtype, candidate, side.set());
  return {side.name(),
          variant,
          dtype,
          output,
          who,
          candidate,
          work.cells,
          traffic ? Json(traffic->reads) : Json(),
          traffic ? Json(traffic->writes) : Json(),
          work.most ? Json(work.most->count) : Json(),
          work.most ? Json(work.most->bytes) : Json(),
          work.most ? Json(work.most->peak) : Json()};
}

// Sums over the cells that both sides measured, one call each.
struct Sums {
  std::size_t cells = 0;
  std::int64_t passes = 0;
  std::int64_t allocations = 0;
  std::int64_t bytes = 0;

  void add(const HandoffSide &side, const RoutedCell &cell) {
    ++cells;
    const auto traffic =
        traffic_of(cell.key().variant, cell.key().dtype, cell.alternative().candidate, side.set());
    passes += traffic ? traffic->reads + traffic->writes : 0;
    if (cell.row().allocations) {
      allocations += cell.row().allocations->count;
      bytes += cell.row().allocations->bytes;
    }
  }
};

std::string removed(std::string_view what, std::int64_t before, std::int64_t after) {
  return before == after ? fmt::format("{} {} kept", after, what)
                         : fmt::format("{} {} → {} ({})", what, before, after,
                                       after < before ? "removed" : "ADDED");
}

std::string sums_line(const HandoffPair &pair) {
  Sums before;
  Sums after;
  for (const RoutedCell &cell : pair.after->cells()) {
    if (const RoutedCell *was = before_of(pair, cell)) {
      before.add(*pair.before, *was);
      after.add(*pair.after, cell);
    }
  }
  return fmt::format("{}: one call in each of the {} cells that both sides measured: {}; {}; {}.",
                     pair.after->name(), after.cells,
                     removed("full-array passes", before.passes, after.passes),
                     removed("allocations", before.allocations, after.allocations),
                     removed("allocated bytes", before.bytes, after.bytes));
}

// ---- in place -----------------------------------------------------------------------------------

const RoutedCell *into_of(const HandoffSide &side, const RoutedCell &cell) {
  evidence::Cell into = cell.row().cell;
  into.output = name_of(OutputMode::into);
  return side.find(cell.key().variant, into.key());
}

Json peak_of(const RoutedCell &cell) {
  return cell.row().allocations ? Json(cell.row().allocations->peak) : Json();
}

std::vector<Json> in_place_row(const HandoffSide &side, const RoutedCell &cell) {
  const RoutedCell *into = into_of(side, cell);
  std::string verdict = "taken; its into cell was not measured";
  Json ratio;
  if (into != nullptr) {
    const auto over = evidence::unpaired_ratio(cell.row().samples_ns, into->row().samples_ns);
    ratio = json_of(over);
    verdict = over.high < 1  ? "taken: faster than into"
              : over.low > 1 ? "taken: slower than into, but saves its buffer"
                             : "taken: not told from into";
  }
  return {side.name(),
          cell.key().variant,
          cell.cell->key,
          tablegen::label_of(cell.alternative()),
          number(cell.median_ns()),
          into == nullptr ? Json() : number(into->median_ns()),
          ratio,
          peak_of(cell),
          verdict};
}

// Why nothing of a variant was measured in place, if so.
void explain_absence(HandoffSection &section, const HandoffPairs &pairs,
                     const measure::Entry &entry) {
  const std::string variant(entry.variant->name);
  const bool measured = std::any_of(pairs.begin(), pairs.end(), [&](const HandoffPair &pair) {
    const auto &cells = pair.after->cells();
    return std::any_of(cells.begin(), cells.end(), [&](const RoutedCell &cell) {
      return cell.key().variant == variant && cell.row().cell.output == "in_place";
    });
  });
  if (!entry.contract->in_place) {
    section.lines.push_back(
        fmt::format("{}: rejected: its contract does not let the result be its input.", variant));
  } else if (!measured) {
    section.lines.push_back(
        fmt::format("{}: its contract allows it, and no cell has measured it.", variant));
    section.to_fill_in.push_back(fmt::format("{}: why in place is not measured", variant));
  }
}

} // namespace

HandoffSection routes_section(const HandoffPairs &pairs) {
  HandoffSection section{"routes", "Baseline and selected route"};
  section.table.columns = {"profile",  "variant",      "dtype",       "output", "threads",
                           "cells",    "baseline",     "route",       "cell",   "baseline_ns",
                           "route_ns", "new_over_old", "old_over_new"};
  section.lines.emplace_back(
      "A row is a set of measured cells that are routed alike: whole calls, with all that "
      "validation, conversion and allocation take. Times are of its largest cell. new over old: "
      "geometric mean of the two sides' medians, which share no rounds. old over new: the "
      "baseline's alternative beside the route in the same rounds of the new evidence.");
  for (const HandoffPair &pair : pairs) {
    for (const auto &[key, group] : route_groups(pair)) {
      section.table.rows.push_back(route_row(pair.after->name(), key, group));
    }
    if (pair.before == nullptr) {
      section.to_fill_in.push_back(
          fmt::format("{}: the baseline, by `switchyard handoff … --against REV`, or the full path "
                      "that callers took before",
                      pair.after->name()));
    }
  }
  return section;
}

HandoffSection work_section(const HandoffPairs &pairs) {
  HandoffSection section{"work", "Work, passes, copies and allocations"};
  section.table.columns = {"profile", "variant",     "dtype",           "output",
                           "side",    "route",       "cells",           "reads",
                           "writes",  "allocations", "allocated_bytes", "peak_bytes"};
  section.lines.emplace_back(
      "Reads and writes are the full-array passes that this build's tables declare, and that a "
      "simulated cache counts (scripts/check_traffic.sh); what goes beyond one of each is a "
      "temporary array, that is, a copy. Allocations were counted in the measured calls: the most "
      "of a call.");
  for (const HandoffPair &pair : pairs) {
    std::map<WorkKey, Work> works;
    for (const RoutedCell &cell : pair.after->cells()) {
      add_work(works, "route", cell);
      if (const RoutedCell *before = before_of(pair, cell)) {
        add_work(works, "baseline", *before);
      }
    }
    for (const auto &[key, work] : works) {
      section.table.rows.push_back(work_row(*pair.after, key, work));
    }
    if (pair.before != nullptr) {
      section.lines.push_back(sums_line(pair));
    }
  }
  return section;
}

HandoffSection in_place_section(const HandoffPairs &pairs, const Entries &entries) {
  HandoffSection section{"in_place", "In place"};
  section.table.columns = {"profile", "variant", "cell",       "route",  "in_place_ns",
                           "into_ns", "ratio",   "peak_bytes", "verdict"};
  for (const HandoffPair &pair : pairs) {
    for (const RoutedCell &cell : pair.after->cells()) {
      if (cell.row().cell.output == name_of(OutputMode::in_place)) {
        section.table.rows.push_back(in_place_row(*pair.after, cell));
      }
    }
  }
  for (const measure::Entry &entry : entries) {
    explain_absence(section, pairs, entry);
  }
  return section;
}

} // namespace switchyard::cli
