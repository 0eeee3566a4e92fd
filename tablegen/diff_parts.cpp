#include "tablegen/diff_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "evidence/context.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::Row;
using evidence::Status;

// Names a row within its profile.
struct RowKey {
  std::string variant;
  std::string cell;
  std::string candidate;
  int threads = 1;
  int race = 1;

  friend bool operator<(const RowKey &a, const RowKey &b) {
    const auto order = [](const RowKey &key) {
      return std::tie(key.variant, key.cell, key.candidate, key.threads, key.race);
    };
    return order(a) < order(b);
  }
};

using Rows = std::map<RowKey, const Row *>;

Rows rows_of(const evidence::Profile &profile) {
  Rows rows;
  for (const auto &[name, file] : profile.variants) {
    for (const Row &row : file.rows) {
      rows.emplace(RowKey{name, row.cell.key(), row.candidate, row.threads, row.race}, &row);
    }
  }
  return rows;
}

bool same(const Row &a, const Row &b) {
  const auto content = [](const Row &row) {
    return std::tie(row.version, row.status, row.context, row.samples_ns, row.mismatch);
  };
  return content(a) == content(b) && a.allocations == b.allocations;
}

std::optional<double> median_of(const Row *row) {
  return row == nullptr || row->samples_ns.empty()
             ? std::nullopt
             : std::optional(evidence::median(row->samples_ns));
}

const Row *find(const Rows &rows, const RowKey &key) {
  const auto found = rows.find(key);
  return found == rows.end() ? nullptr : found->second;
}

RowChange change_of(const RowKey &key, const Row *before, const Row *after) {
  return {key.variant,       key.cell,         key.candidate,     key.threads,     key.race,
          median_of(before), median_of(after), before != nullptr, after != nullptr};
}

using CellNames = std::set<std::pair<std::string, std::string>>;

CellNames cells_of(const Rows &rows) {
  CellNames cells;
  for (const auto &[key, row] : rows) {
    cells.emplace(key.variant, key.cell);
  }
  return cells;
}

// Refusals by what they are about, of all rows that candidates have in a profile.
using Refusals = std::map<std::tuple<std::string, std::string, std::string, Status>, Refusal>;

Refusals refusals_of(const evidence::Profile &profile) {
  Refusals refusals;
  for (const auto &[name, file] : profile.variants) {
    for (const Row &row : file.rows) {
      if (row.status != Status::rejected && row.status != Status::impossible) {
        continue;
      }
      Refusal &refusal = refusals[{name, row.cell.dtype, row.candidate, row.status}];
      if (refusal.cells++ == 0) {
        const std::size_t cells = refusal.cells;
        refusal = {name,  row.cell.dtype, row.candidate, row.status,
                   cells, row.cell.key(), row.mismatch};
      }
    }
  }
  return refusals;
}

using StaleCounts = std::map<std::tuple<std::string, std::string, std::string>, std::size_t>;

StaleCounts stale_in(const evidence::Profile &profile, const CandidateSet &set) {
  StaleCounts counts;
  if (profile.machine.facts.empty()) {
    return counts;
  }
  for (const auto &[name, file] : profile.variants) {
    const VariantInfo *variant = set.find(name);
    for (const Row &row : file.rows) {
      const CandidateInfo *candidate = variant == nullptr ? nullptr : variant->find(row.candidate);
      const auto context = file.contexts.find(row.context);
      if (candidate == nullptr || row.status == Status::limit || context == file.contexts.end()) {
        continue;
      }
      if (const auto reason = evidence::stale_reason(
              row, context->second, evidence::context_of(profile.machine, candidate->backend),
              candidate->version)) {
        ++counts[{name, row.candidate, *reason}];
      }
    }
  }
  return counts;
}

} // namespace

std::vector<FactChange> fact_changes(const evidence::Machine &before,
                                     const evidence::Machine &after) {
  std::map<std::pair<std::string, std::string>, FactChange> facts;
  if (before.profile != after.profile) {
    facts[{"", "profile"}] = {"", "profile", before.profile, after.profile};
  }
  const auto collect = [&](const evidence::Machine &machine, auto member) {
    for (const auto &[group, values] : machine.facts) {
      if (group == "limits" || group == "state") {
        continue;
      }
      for (const auto &[name, value] : values) {
        FactChange &fact = facts[{group, name}];
        fact.group = group;
        fact.name = name;
        fact.*member = value;
      }
    }
  };
  collect(before, &FactChange::before);
  collect(after, &FactChange::after);
  std::vector<FactChange> changes;
  for (const auto &[key, fact] : facts) {
    if (fact.before != fact.after) {
      changes.push_back(fact);
    }
  }
  return changes;
}

void compare_rows(const evidence::Profile &before, const evidence::Profile &after,
                  ProfileDiff &diff) {
  const Rows old_rows = rows_of(before);
  const Rows new_rows = rows_of(after);
  const CellNames old_cells = cells_of(old_rows);
  const CellNames new_cells = cells_of(new_rows);
  CellNames anew;
  Rows all = old_rows;
  all.insert(new_rows.begin(), new_rows.end());
  for (const auto &[key, ignored] : all) {
    const Row *was = find(old_rows, key);
    const Row *is = find(new_rows, key);
    if (was != nullptr && is != nullptr && same(*was, *is)) {
      continue;
    }
    diff.rows.push_back(change_of(key, was, is));
    const std::pair cell{key.variant, key.cell};
    if (old_cells.contains(cell) && new_cells.contains(cell)) {
      anew.insert(cell);
    }
  }
  diff.cells_measured_anew = anew.size();
  diff.cells_added = static_cast<std::size_t>(
      std::count_if(new_cells.begin(), new_cells.end(),
                    [&](const auto &cell) { return !old_cells.contains(cell); }));
  diff.cells_removed = old_cells.size() + diff.cells_added - new_cells.size();
}

Drift drift_of(const evidence::Profile &before, const evidence::Profile &after) {
  std::vector<double> logs;
  const Rows old_rows = rows_of(before);
  for (const auto &[key, is] : rows_of(after)) {
    const Row *was = find(old_rows, key);
    if (is->status == Status::limit && was != nullptr && was->status == Status::limit &&
        !same(*was, *is)) {
      logs.push_back(
          std::log(evidence::median(is->samples_ns) / evidence::median(was->samples_ns)));
    }
  }
  if (logs.empty()) {
    return {};
  }
  const double middle = evidence::median(logs);
  std::vector<double> distances;
  distances.reserve(logs.size());
  for (const double log : logs) {
    distances.push_back(std::fabs(log - middle));
  }
  constexpr double kNineInTen = 0.9;
  return {logs.size(), std::exp(middle), std::exp(evidence::quantile(distances, kNineInTen))};
}

std::vector<Refusal> newly_refused(const evidence::Profile &before,
                                   const evidence::Profile &after) {
  const Refusals old_refusals = refusals_of(before);
  std::vector<Refusal> result;
  for (const auto &[key, refusal] : refusals_of(after)) {
    if (!old_refusals.contains(key)) {
      result.push_back(refusal);
    }
  }
  return result;
}

std::vector<StaleRows> newly_stale(const evidence::Profile &before, const CandidateSet &set_before,
                                   const evidence::Profile &after, const CandidateSet &set_after) {
  const StaleCounts old_counts = stale_in(before, set_before);
  std::vector<StaleRows> result;
  for (const auto &[key, rows] : stale_in(after, set_after)) {
    const auto found = old_counts.find(key);
    const std::size_t had = found == old_counts.end() ? 0 : found->second;
    if (rows > had) {
      const auto &[variant, candidate, reason] = key;
      result.push_back({variant, candidate, reason, rows - had});
    }
  }
  return result;
}

} // namespace switchyard::tablegen
