// A profile's usable rows, arranged by class and size: what the policy decides on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// One alternative's rows in a cell.
struct Lane {
  std::vector<const evidence::Row *> rows; // the newest race first, one a race
  bool stale = false;                      // the newest is; see evidence::stale_reason

  [[nodiscard]] bool measured() const { return !rows.empty(); }
  [[nodiscard]] const evidence::Row &newest() const { return *rows.front(); }
};

// A cell's rows. Every lane that was measured can be compared with every other; see races.hpp.
struct CellRows {
  std::string key;
  std::vector<Lane> lanes; // by the index of their alternative
  // What was timed in several races but is not routed, and so can still link them: physical
  // limits, candidates that this build lacks, earlier versions.
  std::vector<Lane> bridges;

  [[nodiscard]] bool measured(std::size_t alternative) const {
    return lanes[alternative].measured();
  }
};

// The cells of one size.
struct Point {
  std::int64_t size = 0;
  std::vector<CellRows> cells;
};

struct ClassData {
  ClassKey key;
  std::vector<Alternative> alternatives; // in order of preference
  std::vector<bool> bitwise;             // whether that alternative's results are
  std::vector<Point> points;             // by size
  // Candidates that may be routed for this variant and dtype, in order of preference.
  std::vector<std::string> candidates;
  std::string floor; // empty when the variant's floor may not be routed
};

// Rows point into `profile`. Causes why rows are not used are added to `warnings`, and what went
// stale since `profile.machine` was written. A class where rows of present candidates exist, but
// none that may be used, has points without cells' lanes: no alternatives.
[[nodiscard]] std::vector<ClassData> gather(const evidence::Profile &profile,
                                            const CandidateSet &set,
                                            std::vector<std::string> &warnings);

// One line per variant and cause why rows of built candidates no longer tell what `now` would
// measure. Rows of other versions are not among them: those are not used at all.
[[nodiscard]] std::vector<std::string>
stale_rows(const evidence::Profile &profile, const CandidateSet &set, const evidence::Machine &now);

// Sorts by preference of the backend, then threads, then id.
void sort_by_preference(std::vector<Alternative> &alternatives, const VariantInfo &variant);

// Whether the candidate computes this dtype with the reference's bits.
[[nodiscard]] bool is_bitwise(const VariantInfo &variant, const std::string &candidate,
                              const std::string &dtype);

} // namespace switchyard::tablegen
