// Sections of a hand-off about the evidence itself: what is measured, proven, worse, and missing.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/cli/diff_sections.hpp"
#include "bench/cli/handoff_sections.hpp"
#include "bench/measure/matrix.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::cli {
namespace {

using evidence::Row;
using evidence::Status;

// ---- matrix -------------------------------------------------------------------------------------

// The cells of one dtype, axis by axis.
struct Axes {
  std::set<std::string> cells;
  std::size_t rows = 0;
  std::set<std::int64_t> channels;
  std::set<std::string> layouts;
  std::set<std::string> outputs;
  std::set<std::string> caches;
  std::set<int> threads;
  std::set<std::string> params;
  std::set<std::int64_t> elements;

  void add(const Row &row) {
    ++rows;
    if (cells.insert(row.cell.key()).second) {
      channels.insert(row.cell.channels());
      layouts.insert(row.cell.layout);
      outputs.insert(row.cell.output);
      caches.insert(row.cell.cache);
      threads.insert(row.cell.thread_budget);
      params.insert(row.cell.params);
      elements.insert(row.cell.elements());
    }
  }
};

// Calls `visit(variant, row)` with every row of a side, limits included.
template <class Visit> void for_rows(const HandoffSide &side, const Visit &visit) {
  for (const auto &[variant, file] : side.profile().variants) {
    for (const Row &row : file.rows) {
      visit(variant, row);
    }
  }
}

// ---- correctness --------------------------------------------------------------------------------

struct Proof {
  std::size_t accepted = 0;
  std::size_t dropped = 0;
  std::size_t rejected = 0;
  std::size_t impossible = 0;
  std::optional<std::int64_t> peak;
  std::string mismatch;

  void add(const Row &row) {
    accepted += row.status == Status::accepted ? 1 : 0;
    dropped += row.status == Status::dropped ? 1 : 0;
    rejected += row.status == Status::rejected ? 1 : 0;
    impossible += row.status == Status::impossible ? 1 : 0;
    if (row.allocations) {
      peak = std::max(peak.value_or(0), row.allocations->peak);
    }
    if (mismatch.empty()) {
      mismatch = row.mismatch;
    }
  }
};

Json exactness_of(const HandoffSide &side, const std::string &variant, const std::string &dtype,
                  const std::string &candidate) {
  const tablegen::VariantInfo *info = side.set().find(variant);
  const tablegen::CandidateInfo *known = info->find(candidate);
  const int dtype_case = info->dtype_case(dtype);
  return known == nullptr || dtype_case < 0
             ? Json()
             : Json(name_of(known->exactness[static_cast<std::size_t>(dtype_case)]));
}

// ---- follow-ups ---------------------------------------------------------------------------------

// Cells of the benchmark matrix, at the profile's thread budgets, that have no row.
std::size_t missing_cells(const HandoffSide &side, const measure::Entry &entry,
                          measure::Mode mode) {
  std::set<std::string> measured;
  std::set<int> budgets{1};
  const auto file = side.profile().variants.find(std::string(entry.variant->name));
  if (file != side.profile().variants.end()) {
    for (const Row &row : file->second.rows) {
      measured.insert(row.cell.key());
      budgets.insert(row.cell.thread_budget);
    }
  }
  const std::vector<int> list(budgets.begin(), budgets.end());
  const auto cells = measure::matrix(*entry.variant, *entry.contract, mode, list);
  return static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [&](const measure::MatrixCell &each) {
        return !measured.contains(each.cell.key());
      }));
}

void add_missing(HandoffSection &section, const HandoffSide &side, const measure::Entry &entry) {
  constexpr std::pair<measure::Mode, const char *> kModes[] = {{measure::Mode::quick, "quick"},
                                                               {measure::Mode::full, "full"}};
  for (const auto &[mode, name] : kModes) {
    if (const std::size_t missing = missing_cells(side, entry, mode); missing > 0) {
      section.table.rows.push_back(
          {side.name(), "missing cells", entry.variant->name,
           fmt::format("{} cells of the {} matrix have no row: switchyard bench --{} --ops '{}'",
                       missing, name, name, entry.variant->name)});
    }
  }
}

// Every alternative of which a cell's best row is noisy says little in a near-tie.
std::size_t noisy_cells(const HandoffSide &side) {
  return static_cast<std::size_t>(
      std::count_if(side.cells().begin(), side.cells().end(),
                    [](const RoutedCell &cell) { return evidence::noisy(cell.row().samples_ns); }));
}

std::size_t unrouted_cells(const HandoffSide &side) {
  std::set<std::pair<std::string, std::string>> cells;
  for_rows(side, [&](const std::string &variant, const Row &row) {
    cells.emplace(variant, row.cell.key());
  });
  return cells.size() - side.cells().size();
}

template <class Item, class Variant>
void keep(std::vector<Item> &items, const std::set<std::string> &variants,
          const Variant &variant_of) {
  std::erase_if(items, [&](const Item &item) { return !variants.contains(variant_of(item)); });
}

} // namespace

tablegen::ProfileDiff only(tablegen::ProfileDiff diff, const Entries &entries) {
  std::set<std::string> names;
  for (const measure::Entry &entry : entries) {
    names.emplace(entry.variant->name);
  }
  const auto by_class = [](const auto &item) -> const std::string & {
    return item.of_class.variant;
  };
  const auto by_variant = [](const auto &item) -> const std::string & { return item.variant; };
  keep(diff.routes, names, by_class);
  keep(diff.boundaries, names, by_class);
  keep(diff.slower, names, by_class);
  keep(diff.faster, names, by_class);
  keep(diff.memory, names, by_class);
  keep(diff.covered, names, by_variant);
  keep(diff.uncovered, names, by_variant);
  keep(diff.rows, names, by_variant);
  keep(diff.stale, names, by_variant);
  keep(diff.refused, names, by_variant);
  return diff;
}

HandoffSection matrix_section(const HandoffPairs &pairs) {
  HandoffSection section{"matrix", "Thread and benchmark matrix"};
  section.table.columns = {"profile", "variant", "dtype",   "cells",  "rows", "channels", "layouts",
                           "outputs", "caches",  "threads", "params", "from", "to"};
  section.lines.emplace_back("What the cells cover. from and to are elements.");
  for (const HandoffPair &pair : pairs) {
    std::map<std::pair<std::string, std::string>, Axes> all;
    for_rows(*pair.after, [&](const std::string &variant, const Row &row) {
      all[{variant, row.cell.dtype}].add(row);
    });
    for (const auto &[key, axes] : all) {
      section.table.rows.push_back({pair.after->name(), key.first, key.second, axes.cells.size(),
                                    axes.rows, axes.channels, axes.layouts, axes.outputs,
                                    axes.caches, axes.threads, axes.params, *axes.elements.begin(),
                                    *axes.elements.rbegin()});
    }
  }
  return section;
}

HandoffSection correctness_section(const HandoffPairs &pairs) {
  HandoffSection section{"correctness", "Correctness and memory"};
  section.table.columns = {"profile",    "variant",    "dtype",   "candidate",
                           "exactness",  "accepted",   "dropped", "rejected",
                           "impossible", "peak_bytes", "mismatch"};
  section.lines.emplace_back(
      "Rows by what became of them. Every accepted and every dropped row passed the contract's "
      "oracle in the build that measured it, before it was timed: several seeds, special values, "
      "canaries around the outputs, inputs unchanged. peak bytes: the most heap that a call held.");
  section.to_fill_in.emplace_back(
      "what the tests of this revision say: `ctest --test-dir build -R conformance`, with the "
      "number of tests and of skips; the sanitizers' run");
  for (const HandoffPair &pair : pairs) {
    std::map<std::tuple<std::string, std::string, std::string>, Proof> proofs;
    for_rows(*pair.after, [&](const std::string &variant, const Row &row) {
      if (row.status != Status::limit) {
        proofs[{variant, row.cell.dtype, row.candidate}].add(row);
      }
    });
    for (const auto &[key, proof] : proofs) {
      const auto &[variant, dtype, candidate] = key;
      section.table.rows.push_back({pair.after->name(), variant, dtype, candidate,
                                    exactness_of(*pair.after, variant, dtype, candidate),
                                    proof.accepted, proof.dropped, proof.rejected, proof.impossible,
                                    proof.peak ? Json(*proof.peak) : Json(),
                                    proof.mismatch.empty() ? Json() : Json(proof.mismatch)});
    }
  }
  return section;
}

HandoffSection regressions_section(const std::vector<tablegen::ProfileDiff> &diffs, bool compared) {
  HandoffSection section{"regressions", "Regressions and other changes"};
  section.table.columns = {"profile", "change", "where", "what"};
  if (!compared) {
    section.to_fill_in.emplace_back(
        "what got slower: `switchyard handoff … --against REV` for the evidence, `switchyard bench "
        "--against REV` for both versions in the same rounds");
    return section;
  }
  section.lines.emplace_back(
      "What `switchyard diff` finds between the two sides, of these variants alone: cells slower "
      "beyond noise, refusals, routes that flipped, boundaries, memory, what went stale.");
  for (const tablegen::ProfileDiff &diff : diffs) {
    for (const DiffSection &part : sections_of(diff)) {
      for (const DiffEntry &entry : part.entries) {
        section.table.rows.push_back({diff.profile, part.title, entry.subject, entry.detail});
      }
    }
  }
  if (section.table.rows.empty()) {
    section.lines.emplace_back("Nothing differs.");
  }
  section.to_fill_in.emplace_back(
      "`switchyard bench --against REV` for these ops: both versions in the same rounds");
  return section;
}

HandoffSection follow_ups_section(const HandoffPairs &pairs, const Entries &entries) {
  HandoffSection section{"follow_ups", "Follow-ups"};
  section.table.columns = {"profile", "what", "where", "detail"};
  std::vector<std::string> names;
  for (const HandoffPair &pair : pairs) {
    names.push_back(pair.after->name());
    for (const std::string &note : pair.after->notes()) {
      section.table.rows.push_back({pair.after->name(), "stale or unused", "", note});
    }
    for (const measure::Entry &entry : entries) {
      add_missing(section, *pair.after, entry);
    }
    if (const std::size_t unrouted = unrouted_cells(*pair.after); unrouted > 0) {
      section.table.rows.push_back(
          {pair.after->name(), "no route", "",
           fmt::format("{} measured cells have no row that may be routed", unrouted)});
    }
    if (const std::size_t noisy = noisy_cells(*pair.after); noisy > 0) {
      section.table.rows.push_back(
          {pair.after->name(), "noise", "",
           fmt::format("{} of {} routed cells scatter by a tenth or more: near-ties say little "
                       "there",
                       noisy, pair.after->cells().size())});
    }
  }
  section.to_fill_in.emplace_back("profiler traces: of which call, and what they show");
  section.to_fill_in.push_back(
      fmt::format("other platforms: evidence is there for {} alone", fmt::join(names, ", ")));
  section.to_fill_in.emplace_back(
      "wider contracts: which of the refusals above a caller would want lifted");
  return section;
}

} // namespace switchyard::cli
