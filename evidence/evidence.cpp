#include "evidence/evidence.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include "evidence/rows.hpp"

namespace switchyard::evidence {

namespace {

bool same_alternative(const Row &a, const Row &b) {
  return a.cell == b.cell && a.candidate == b.candidate && a.threads == b.threads;
}

bool timed(const Row &row) {
  return !row.samples_ns.empty();
}

// What a cell becomes when `newer` rows join it as a further race.
std::vector<Row> join_cell(const std::vector<Row> &older, std::vector<Row> newer) {
  std::vector<Row> kept;
  int race = 0;
  bool bridged = false;
  bool others = false;
  for (const Row &row : older) {
    const auto again = std::find_if(newer.begin(), newer.end(), [&](const Row &candidate) {
      return same_alternative(candidate, row);
    });
    const bool bridge = again != newer.end() && timed(row) && timed(*again) &&
                        again->version == row.version && again->context == row.context;
    if (again == newer.end() || bridge) {
      kept.push_back(row);
      race = std::max(race, row.race);
      bridged = bridged || bridge;
      others = others || again == newer.end();
    }
  }
  if (!bridged || !others) {
    return newer;
  }
  for (Row &row : newer) {
    row.race = race + 1;
    kept.push_back(std::move(row));
  }
  return kept;
}

using Cells = std::map<std::string, std::vector<Row>>;

Cells by_cell(const std::vector<Row> &rows) {
  Cells cells;
  for (const Row &row : rows) {
    cells[row.cell.key()].push_back(row);
  }
  return cells;
}

} // namespace

std::string Context::id() const {
  const std::string text = fmt::format("{}\n{}\n{}\n{}\n{}", harness, machine, compiler, library,
                                       static_cast<int>(quality));
  return hash_of(text).substr(0, 8);
}

std::string VariantEvidence::add(const Context &context) {
  std::string id = context.id();
  contexts.emplace(id, context);
  return id;
}

VariantEvidence merge(const VariantEvidence &older, const VariantEvidence &newer, Merge how) {
  if (older.variant != newer.variant) {
    throw std::invalid_argument(fmt::format("evidence of \"{}\" cannot be merged into \"{}\"",
                                            newer.variant, older.variant));
  }
  Cells cells = by_cell(older.rows);
  for (auto &[key, rows] : by_cell(newer.rows)) {
    std::vector<Row> &cell = cells[key];
    cell = how == Merge::cells ? rows : join_cell(cell, rows);
  }
  std::vector<Row> all;
  for (auto &[key, rows] : cells) {
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  VariantEvidence merged{older.variant, {}, {}};
  for (const std::size_t i : canonical_order(all)) {
    const std::string &id = all[i].context;
    const auto found = newer.contexts.find(id);
    merged.contexts.emplace(id,
                            found != newer.contexts.end() ? found->second : older.contexts.at(id));
    merged.rows.push_back(std::move(all[i]));
  }
  return merged;
}

std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a's offset basis and prime
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

std::string evidence_key(const VariantEvidence &evidence, const Cell &cell) {
  return evidence.variant + "#" + cell.key();
}

} // namespace switchyard::evidence
