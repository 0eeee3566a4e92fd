#include "evidence/cache_states.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "evidence/rows.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::evidence {
namespace {

// The rows of one race that were timed and may be believed.
using Race = std::vector<const Row *>;

bool competes(const Row &row) {
  return row.status == Status::accepted || row.status == Status::dropped;
}

bool same_alternative(const Row &a, const Row &b) {
  return a.candidate == b.candidate && a.threads == b.threads;
}

// The race of every cell that counts, in the order of files.
std::vector<Race> races_of(const VariantEvidence &evidence) {
  std::vector<Race> cells;
  Race race;
  const auto close_race = [&] {
    if (race.empty()) {
      return;
    }
    const bool same_cell = !cells.empty() && cells.back().front()->cell == race.front()->cell;
    if (!same_cell) {
      cells.push_back(race);
    } else if (race.size() >= cells.back().size()) {
      cells.back() = race;
    }
    race.clear();
  };
  for (const std::size_t i : canonical_order(evidence.rows)) {
    const Row &row = evidence.rows[i];
    if (!race.empty() && (race.front()->race != row.race || !(race.front()->cell == row.cell))) {
      close_race();
    }
    if (competes(row)) {
      race.push_back(&row);
    }
  }
  close_race();
  return cells;
}

const Row *winner_of(const Race &race) {
  const Row *best = nullptr;
  for (const Row *row : race) {
    if (row->status == Status::accepted &&
        (best == nullptr || median(row->samples_ns) < median(best->samples_ns))) {
      best = row;
    }
  }
  return best;
}

// How many times slower `alternative` is in a race than its winner; nullopt where that isn't sure.
std::optional<double> proven_loss(const Race &race, const Row &winner, const Row &alternative,
                                  double tie_band) {
  const auto found = std::find_if(race.begin(), race.end(), [&](const Row *row) {
    return same_alternative(*row, alternative);
  });
  if (found == race.end()) {
    return std::nullopt;
  }
  const Interval ratio = paired_ratio((*found)->samples_ns, winner.samples_ns);
  const bool sure = ratio.low > 1 || (*found)->status == Status::dropped;
  return sure && ratio.estimate > 1 + tie_band ? std::optional(ratio.estimate) : std::nullopt;
}

std::optional<Disagreement> compare(const Race &first, const Race &second, double tie_band) {
  const Row *winner = winner_of(first);
  const Row *other = winner_of(second);
  if (winner == nullptr || other == nullptr || same_alternative(*winner, *other)) {
    return std::nullopt;
  }
  const auto other_here = proven_loss(first, *winner, *other, tie_band);
  const auto winner_there = proven_loss(second, *other, *winner, tie_band);
  if (!other_here || !winner_there) {
    return std::nullopt;
  }
  return Disagreement{*winner, *other, *other_here, *winner_there};
}

std::string name_of(const Row &row) {
  return row.threads == 1 ? row.candidate : fmt::format("{} x{}", row.candidate, row.threads);
}

std::string state_text(const Row &winner, const Row &other, double loss) {
  return fmt::format("{}: {} ({} +{:.0f} %)", winner.cell.cache, name_of(winner), name_of(other),
                     (loss - 1) * 100);
}

} // namespace

std::vector<Disagreement> disagreements(const VariantEvidence &evidence, double tie_band) {
  const std::vector<Race> races = races_of(evidence);
  std::map<std::string, std::vector<const Race *>> states; // by the cell's key but for the cache
  std::vector<Disagreement> found;
  for (const Race &race : races) {
    Cell cell = race.front()->cell;
    cell.cache.clear();
    std::vector<const Race *> &others = states[cell.key()];
    for (const Race *other : others) {
      if (auto disagreement = compare(*other, race, tie_band)) {
        found.push_back(std::move(*disagreement));
      }
    }
    others.push_back(&race);
  }
  return found;
}

std::string text_of(const Disagreement &disagreement, std::string_view variant) {
  const auto &[first, second, second_in_first, first_in_second] = disagreement;
  std::string key = first.cell.key();
  const std::string word = first.cell.cache + " ";
  key.erase(key.find(" " + word) + 1, word.size());
  return fmt::format("{} {}\n  {}, {}", variant, key, state_text(first, second, second_in_first),
                     state_text(second, first, first_in_second));
}

} // namespace switchyard::evidence
