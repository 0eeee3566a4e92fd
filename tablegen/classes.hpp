// A profile's usable rows, arranged by class and size: what the policy decides on.
#pragma once

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

// A cell's rows by the index of their alternative; nullptr where it was not measured.
struct CellRows {
  std::string key;
  std::vector<const evidence::Row *> rows;
};

// The cells of one size.
struct Point {
  std::int64_t size = 0;
  std::vector<CellRows> cells;
};

struct ClassData {
  ClassKey key;
  std::vector<Alternative> alternatives; // in order of preference
  std::vector<Point> points;             // by size
  // Candidates that may be routed for this variant and dtype, in order of preference.
  std::vector<std::string> candidates;
  std::string floor; // empty when the variant's floor may not be routed
};

// Rows point into `profile`. Causes why rows are not used are added to `warnings`.
[[nodiscard]] std::vector<ClassData> gather(const evidence::Profile &profile,
                                            const CandidateSet &set,
                                            std::vector<std::string> &warnings);

} // namespace switchyard::tablegen
