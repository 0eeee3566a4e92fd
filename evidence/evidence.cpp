#include "evidence/evidence.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "evidence/rows.hpp"

namespace switchyard::evidence {

namespace {

// Whether other rows can be compared with this one.
bool comparable(const Row &row) {
  return row.status == Status::accepted || row.status == Status::dropped;
}

// Whether two contexts make times comparable. Worse conditions widen intervals; they change no
// code, and a bridge over them is one.
bool comparable(Context a, const Context &b) {
  a.quality = b.quality;
  return a == b;
}

// Joins `newer` rows of a cell to `older` ones as a further race.
class Joint {
public:
  Joint(const VariantEvidence &older, const VariantEvidence &newer)
      : older_(older), newer_(newer) {}

  [[nodiscard]] std::vector<Row> join(const std::vector<Row> &older, std::vector<Row> newer) const {
    std::map<int, std::vector<Row>> races; // what stays of each
    std::set<int> others;                  // races that have more to say than their bridges
    bool bridged = false;
    for (const Row &row : older) {
      const Fate fate = fate_of(row, newer);
      if (fate != Fate::replaced) {
        races[row.race].push_back(row);
        bridged = bridged || fate == Fate::bridge;
      }
      if (fate == Fate::kept) {
        others.insert(row.race);
      }
    }
    if (!bridged || others.empty()) {
      return newer;
    }
    std::vector<Row> joined;
    const int race = races.rbegin()->first + 1;
    for (auto &[number, rows] : races) {
      if (others.contains(number)) {
        std::move(rows.begin(), rows.end(), std::back_inserter(joined));
      }
    }
    for (Row &row : newer) {
      row.race = race;
      joined.push_back(std::move(row));
    }
    return joined;
  }

private:
  // A companion stays as long as its race does.
  enum class Fate : std::uint8_t { kept, bridge, companion, replaced };

  [[nodiscard]] Fate fate_of(const Row &row, const std::vector<Row> &newer) const {
    if (row.status == Status::limit) {
      return Fate::companion;
    }
    Fate fate = Fate::kept;
    for (const Row &again : newer) {
      if (again.candidate != row.candidate) {
        continue;
      }
      if (again.version != row.version ||
          !comparable(older_.contexts.at(row.context), newer_.contexts.at(again.context))) {
        return Fate::replaced; // whatever its threads: this code is no more
      }
      if (again.threads == row.threads) {
        fate = comparable(row) && comparable(again) ? Fate::bridge : Fate::replaced;
      }
    }
    return fate;
  }

  const VariantEvidence &older_;
  const VariantEvidence &newer_;
};

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
  const Joint joint(older, newer);
  Cells cells = by_cell(older.rows);
  for (auto &[key, rows] : by_cell(newer.rows)) {
    std::vector<Row> &cell = cells[key];
    cell = how == Merge::cells ? rows : joint.join(cell, rows);
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
