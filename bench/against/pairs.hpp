// Old and new candidates as variants that the engine can race.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/against/module.hpp"
#include "bench/measure/campaign.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::against {

// A candidate and its counterpart of the other revision: a variant of these two and the floor.
// Every pair is a race of its own. In one race of all, whoever is far behind the fastest would be
// dropped before it could be told from its counterpart.
struct Pair {
  std::string name;    // of the merged variant: "multiply_add/scalar:fused"
  std::string variant; // "multiply_add/scalar"
  std::string id;      // the new candidate's: "fused"
  std::string old_id;  // "fused@HEAD~1"
  // The pair and, last, the floor, which is the new `loop`.
  std::vector<Candidate> candidates;
  Variant merged; // views of the above
  VariantContract contract;
  // Proven with the pair and its reference, but not raced; nullptr where the floor is the new
  // candidate itself.
  const Candidate *spectator = nullptr;

  Pair() = default;
  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;
};

struct Pairs {
  std::vector<std::unique_ptr<Pair>> all;
  std::vector<std::string> notes; // what has no counterpart, one line each

  [[nodiscard]] std::vector<measure::Entry> entries() const;
  [[nodiscard]] const Pair *find(std::string_view name) const;
  [[nodiscard]] bool spectates(const Candidate &candidate) const;
};

// Pairs every built candidate of the entries with the module's of the same variant and id, in the
// entries' order. `label` names the other revision. A dtype case that the module's variant does
// not have under the same number is one that its candidate does not support.
[[nodiscard]] Pairs pair_up(std::span<const measure::Entry> entries,
                            std::span<const ModuleCandidate> old, std::string_view label);

// Adapts the rules of races to pairs: the spectators stay out, nobody is dropped, and there are
// rounds enough for the intervals of many comparisons to hold together. `pairs` must outlive the
// options.
void race_pairs(const Pairs &pairs, measure::MeasureOptions &options);

} // namespace switchyard::against
