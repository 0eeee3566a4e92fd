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
  std::vector<Alternative> impossible = {}; // faster there than a limit allows: they have no lane

  [[nodiscard]] bool measured(std::size_t alternative) const {
    return lanes[alternative].measured();
  }
};

// The cells of about one size; see class_points.hpp.
struct Point {
  std::int64_t size = 0; // the smallest one's
  std::vector<CellRows> cells;
  std::int64_t largest = 0;
  bool inherited = false; // measured with a smaller thread budget than the class's
};

// What became of a row of a class.
enum class RowUse : std::uint8_t {
  used,             // compared with the others of its cell
  limit,            // a physical limit: compared, never routed
  not_built,        // its candidate is not in this build
  unsupported,      // its candidate does not compute the dtype
  other_version,    // of another version of its candidate
  rejected,         // its candidate broke the contract, here or in another cell of the dtype
  impossible,       // faster than a limit of its cell allows
  timeless,         // its times are none
  too_many_threads, // more than its cell's budget
  superseded,       // measured again since, or of a race that nothing links to the newest
  doubtful,         // of a cell whose limit is in doubt
};

struct RowFate {
  const evidence::Row *row = nullptr;
  RowUse use = RowUse::used;
};

struct ClassData {
  ClassKey key;
  std::vector<Alternative> alternatives; // in order of preference
  std::vector<Point> points;             // by size
  // Candidates that may be routed for this variant and dtype, in order of preference.
  std::vector<std::string> candidates;
  std::string floor;             // empty when the variant's floor may not be routed
  std::set<std::string> bitwise; // those of `candidates` whose results are
  // Every row of the class, in the order of cells, and by candidate the first row by which it broke
  // the contract in this dtype, of whatever class. For tools; the policy has no use for them.
  std::vector<RowFate> rows = {};
  std::map<std::string, const evidence::Row *> rejected = {};

  [[nodiscard]] bool is_bitwise(const Alternative &alternative) const {
    return bitwise.contains(alternative.candidate);
  }
};

// Rows point into `profile`. Causes why rows are not used are added to `warnings`, and what went
// stale since `profile.machine` was written. A class where present candidates have rows, but none
// that may be used, comes without alternatives: its points say which sizes the floor is to serve.
[[nodiscard]] std::vector<ClassData> gather(const evidence::Profile &profile,
                                            const CandidateSet &set,
                                            std::vector<std::string> &warnings);

// One line per variant and cause why rows of built candidates no longer tell what `now` would
// measure. Rows of other versions are not among them: those are not used at all.
[[nodiscard]] std::vector<std::string>
stale_rows(const evidence::Profile &profile, const CandidateSet &set, const evidence::Machine &now);

// Sorts by preference of the backend, then threads, then id.
void sort_by_preference(std::vector<Alternative> &alternatives, const VariantInfo &variant);

// Those of `candidates` that compute this dtype with the reference's bits.
[[nodiscard]] std::set<std::string> bitwise_among(const std::vector<std::string> &candidates,
                                                  const VariantInfo &variant,
                                                  const std::string &dtype);

} // namespace switchyard::tablegen
