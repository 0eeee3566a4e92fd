// What changes for callers and reviewers when one tuning takes the place of another.
//
// Routes are those that the policy makes of each side's evidence and incumbents, with the versions
// of candidates that each side's rows name. What a route is worth is judged by the *new* side's
// measurements, where both alternatives ran in the same rounds. Only times of the two sides
// themselves are compared across campaigns; see TimeChange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

// One side of a comparison.
struct Tuning {
  evidence::Profile profile;
  Incumbents incumbents;
};

enum class FlipVerdict : std::uint8_t {
  better,  // the new alternative is proven faster, by the new side's measurements
  open,    // neither is proven slower: a near-tie, or too few rounds
  worse,   // the old alternative is proven faster
  unknown, // the new side did not measure both
};
[[nodiscard]] std::string_view name_of(FlipVerdict verdict);

// Sizes [from, to) of a class that another alternative serves now.
struct RouteChange {
  ClassKey of_class;
  Exactness demand = Exactness::faithful;
  std::int64_t from = 0;
  std::int64_t to = kUnbounded;
  Alternative before;
  Alternative after;
  FlipVerdict verdict = FlipVerdict::unknown;
  // What keeping the old route would cost: its time / the new one's − 1, over the cells inside.
  std::optional<evidence::Interval> regret;
  evidence::Interval margin; // of the new route over its runner-up; see Region::margin
};

// A class whose alternatives follow each other as before, but hand over at another size.
struct BoundaryMove {
  ClassKey of_class;
  Exactness demand = Exactness::faithful;
  Alternative below;
  Alternative above;
  std::int64_t before = 0; // elements
  std::int64_t after = 0;
  std::optional<evidence::Interval> regret; // as RouteChange's, over the sizes between the two
};

// The routed time of a cell on both sides. The two campaigns share no rounds, so a change may be
// the machine's: it counts only where it shows in the times themselves, beyond the intervals of
// unpaired samples and beyond the `drift` of the whole comparison, and also beside the cell's
// physical limits, which ran in the same rounds as the route and are the same loops on both sides.
struct TimeChange {
  ClassKey of_class;
  std::string cell; // its key
  Alternative before;
  Alternative after;
  double before_ns = 0;
  double after_ns = 0;
  evidence::Interval ratio; // new / old
  // The same over the limits: (new / limit then and there) ÷ (old / limit there); over all limits
  // that both sides raced. nullopt where there are none.
  std::optional<evidence::Interval> beside_limit;
  int percent = 0; // 25, 10 or 5: how much slower (faster) it is at least, beyond noise
};

// The routed alternative's peak of heap memory in a cell, where it grew by more than a page.
struct MemoryChange {
  ClassKey of_class;
  std::string cell;
  Alternative before;
  Alternative after;
  std::int64_t before_bytes = 0;
  std::int64_t after_bytes = 0;
};

// A candidate that breaks the contract, or beats a physical limit, where it did not before.
struct Refusal {
  std::string variant;
  std::string dtype;
  std::string candidate;
  evidence::Status status = evidence::Status::rejected; // or impossible
  std::size_t cells = 0;
  std::string cell; // the first one's key
  std::string mismatch;
};

// Rows that their own side's machine.json, or newer rows of their candidate, make stale.
struct StaleRows {
  std::string variant;
  std::string candidate;
  std::string reason; // see evidence::stale_reason
  std::size_t rows = 0;
};

// A fact of machine.json; nullopt where a side has none.
struct FactChange {
  std::string group;
  std::string name;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

// A row that is not the same on both sides.
struct RowChange {
  std::string variant;
  std::string cell;
  std::string candidate;
  int threads = 1;
  int race = 1;
  std::optional<double> before_ns; // median; nullopt: no such row, or no times
  std::optional<double> after_ns;
  bool had = false; // the old side has the row
  bool has = false; // the new side has it
};

// How much the physical limits differ between the two campaigns, over cells measured anew.
struct Drift {
  std::size_t cells = 0;
  double ratio = 1;   // new / old, the median over these cells; 1 without any
  double scatter = 1; // cells differ from that by up to this factor, nine in ten of them
};

struct ProfileDiff {
  std::string profile;
  bool added = false;   // only the new side has the profile
  bool removed = false; // only the old side has it
  std::vector<FactChange> facts;
  std::vector<RouteChange> routes;      // the dearest first
  std::vector<BoundaryMove> boundaries; // by class
  std::vector<ClassKey> covered;        // classes that had no route of their own
  std::vector<ClassKey> uncovered;      // classes that have none any more
  std::size_t cells_added = 0;
  std::size_t cells_removed = 0;
  std::size_t cells_measured_anew = 0; // on both sides, with different rows
  std::vector<RowChange> rows;         // by variant, cell, candidate, threads and race
  std::vector<StaleRows> stale;        // more than before
  std::size_t compared = 0;            // cells with a routed time on both sides
  Drift drift;
  std::vector<TimeChange> slower; // the worst first
  std::vector<TimeChange> faster; // the best first
  std::vector<MemoryChange> memory;
  std::vector<Refusal> refused;
  // Over the new side's cells: what keeping all of the old routes would cost beside the best
  // alternative, and what the new ones cost; see Stability. nullopt without such cells.
  std::optional<double> regret_of_old;
  std::optional<double> regret_of_new;
  std::vector<std::string> notes; // what limits the comparison, one line each

  // Something is slower beyond its interval: a cell's routed time, or a new route than the old one.
  [[nodiscard]] bool regression() const;
};

// Everything is in an order that depends on the two sides alone. `build` is this program's set.
[[nodiscard]] ProfileDiff diff_profiles(const Tuning &before, const Tuning &after,
                                        const CandidateSet &build);

// A profile that one side alone has: its classes are covered, or no longer so.
[[nodiscard]] ProfileDiff diff_added(const Tuning &after, const CandidateSet &build);
[[nodiscard]] ProfileDiff diff_removed(const Tuning &before, const CandidateSet &build);

// What is judged beyond noise, in percent, the largest first.
inline constexpr int kSlowerPercents[] = {25, 10, 5};

} // namespace switchyard::tablegen
