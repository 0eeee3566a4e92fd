#include "evidence/evidence.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "evidence/rows.hpp"

namespace switchyard::evidence {

VariantEvidence merge(const VariantEvidence &older, const VariantEvidence &newer) {
  if (older.variant != newer.variant) {
    throw std::invalid_argument(fmt::format("evidence of \"{}\" cannot be merged into \"{}\"",
                                            newer.variant, older.variant));
  }
  std::set<std::string> measured;
  for (const Row &row : newer.rows) {
    measured.insert(row.cell.key());
  }
  VariantEvidence merged = newer;
  for (const Row &row : older.rows) {
    if (!measured.contains(row.cell.key())) {
      merged.rows.push_back(row);
      // Labelled by its oldest rows: a newer number would claim what they were not measured with.
      merged.harness = std::min(older.harness, newer.harness);
    }
  }
  std::vector<Row> rows;
  rows.reserve(merged.rows.size());
  for (const std::size_t i : canonical_order(merged.rows)) {
    rows.push_back(std::move(merged.rows[i]));
  }
  merged.rows = std::move(rows);
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
