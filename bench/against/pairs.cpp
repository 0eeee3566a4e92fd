#include "bench/against/pairs.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace switchyard::against {
namespace {

const ModuleCandidate *counterpart(std::span<const ModuleCandidate> old, const Variant &variant,
                                   const Candidate &candidate) {
  const auto found = std::find_if(old.begin(), old.end(), [&](const ModuleCandidate &row) {
    return row.variant == variant.name && row.id == candidate.id;
  });
  return found == old.end() ? nullptr : &*found;
}

// What the module does not tell, such as declared traffic, is taken to be as it is now.
Candidate old_candidate(const Variant &variant, const Candidate &now, const ModuleCandidate &old,
                        std::string_view id) {
  Candidate candidate = now;
  candidate.id = id;
  candidate.version = old.version;
  candidate.domain = old.domain;
  candidate.split = static_cast<Split>(old.split);
  candidate.run = old.run;
  candidate.exactness = {};
  const std::size_t cases =
      std::min({variant.dtypes.size(), kModuleDtypes, candidate.exactness.size()});
  for (std::size_t i = 0; i < cases; ++i) {
    if (old.dtypes[i] == variant.dtypes[i].name &&
        old.exactness[i] <= static_cast<std::uint8_t>(Exactness::bitwise)) {
      candidate.exactness[i] = static_cast<Exactness>(old.exactness[i]);
    }
  }
  return candidate;
}

std::unique_ptr<Pair> make_pair(const measure::Entry &entry, const Candidate &now,
                                const ModuleCandidate &old, std::string_view label) {
  const Variant &variant = *entry.variant;
  const Candidate &floor = variant.candidates.back();
  auto pair = std::make_unique<Pair>();
  pair->variant = variant.name;
  pair->id = now.id;
  pair->name = fmt::format("{}:{}", variant.name, now.id);
  pair->old_id = fmt::format("{}@{}", now.id, label);
  pair->candidates.push_back(old_candidate(variant, now, old, pair->old_id));
  pair->candidates.push_back(now);
  if (&now != &floor) {
    pair->candidates.push_back(floor);
    pair->spectator = &pair->candidates.back();
  }
  pair->merged = variant;
  pair->merged.name = pair->name;
  pair->merged.candidates = pair->candidates;
  pair->contract = *entry.contract;
  pair->contract.variant = pair->name;
  return pair;
}

void note_vanished(std::span<const measure::Entry> entries, std::span<const ModuleCandidate> old,
                   std::string_view label, std::vector<std::string> &notes) {
  for (const measure::Entry &entry : entries) {
    for (const ModuleCandidate &row : old) {
      const auto &now = entry.variant->candidates;
      const bool built = std::any_of(now.begin(), now.end(), [&](const Candidate &candidate) {
        return candidate.built() && candidate.id == row.id;
      });
      if (row.variant == entry.variant->name && !built) {
        notes.push_back(fmt::format("{} {}: only at {}", row.variant, row.id, label));
      }
    }
  }
}

} // namespace

std::vector<measure::Entry> Pairs::entries() const {
  std::vector<measure::Entry> result;
  for (const std::unique_ptr<Pair> &pair : all) {
    result.push_back({&pair->merged, &pair->contract});
  }
  return result;
}

const Pair *Pairs::find(std::string_view name) const {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto &pair) { return pair->name == name; });
  return found == all.end() ? nullptr : found->get();
}

bool Pairs::spectates(const Candidate &candidate) const {
  return std::any_of(all.begin(), all.end(),
                     [&](const auto &pair) { return pair->spectator == &candidate; });
}

Pairs pair_up(std::span<const measure::Entry> entries, std::span<const ModuleCandidate> old,
              std::string_view label) {
  Pairs pairs;
  for (const measure::Entry &entry : entries) {
    for (const Candidate &candidate : entry.variant->candidates) {
      if (!candidate.built()) {
        continue;
      }
      const ModuleCandidate *other = counterpart(old, *entry.variant, candidate);
      if (other != nullptr) {
        pairs.all.push_back(make_pair(entry, candidate, *other, label));
      } else {
        pairs.notes.push_back(
            fmt::format("{} {}: not at {}", entry.variant->name, candidate.id, label));
      }
    }
  }
  note_vanished(entries, old, label, pairs.notes);
  return pairs;
}

void race_pairs(const Pairs &pairs, measure::MeasureOptions &options) {
  constexpr int kUsualRounds = 25;
  measure::RaceRules &rules = options.rules;
  rules.usual_rounds = std::max(rules.usual_rounds, kUsualRounds);
  rules.most_rounds = std::max(rules.most_rounds, 2 * kUsualRounds);
  rules.drop_ratio = std::numeric_limits<double>::infinity();
  rules.hopeless_ratio = std::numeric_limits<double>::infinity();
  options.limits = false; // both of a pair have the same
  options.spectates = [&pairs](const Candidate &candidate) { return pairs.spectates(candidate); };
}

} // namespace switchyard::against
