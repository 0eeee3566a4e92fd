// Why a problem takes the route that it takes, as data: what `switchyard explain` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/statistics.hpp"

namespace switchyard::cli {

// What a call must equal for a route to fit it, by name: dtype, channels, layout, …
struct Key {
  std::string name;
  std::string value;
  friend bool operator==(const Key &, const Key &) = default;
};
using Keys = std::vector<Key>;

struct ExplainRequest {
  std::string variant;
  std::string dtype;
  std::string shape;
  std::string layout = "contiguous";
  std::string output = "into";
  std::string params; // empty: the first measured set
  std::string exactness = "faithful";
  int threads = 1;
  std::string profile; // empty: this machine's
  std::string folder = "evidence/profiles";
  bool planned = false; // explain what `folder` leads to rather than the table that serves
};

// A candidate, or one of its alternatives, and why it is not the route.
struct Contender {
  std::string candidate;
  int threads = 0; // 0: the candidate as a whole, which the ranking does not have
  std::string reason;
  std::string detail;                      // a sentence for people
  std::optional<evidence::Interval> ratio; // its time / the route's, over the region's cells
  std::optional<double> median_ns;         // in the region's cell nearest in size
};

// Where the region ends, along size.
struct Edge {
  bool below = false;
  std::int64_t at = 0; // the larger side's first size, in elements
  // The measured sizes that it lies between; nullopt: not known.
  std::optional<std::int64_t> smaller;
  std::optional<std::int64_t> larger;
  std::string candidate; // the route beyond
  int threads = 1;
};

struct UsedRow {
  std::size_t index = 0; // in the file's rows
  std::string candidate;
  int threads = 1;
  int race = 1;
  std::string status;
  std::string use;
};
struct UsedCell {
  std::string key;
  std::vector<UsedRow> rows;
};

struct Limit {
  std::string name;
  std::string cell;
  evidence::Interval ratio; // the route's time / the limit's
};

struct Explanation {
  std::string variant;
  Keys problem;
  std::int64_t elements = 0;

  std::string candidate;
  int threads = 1;
  std::string grade;
  std::string profile; // of the table that has the ranking; empty: the order of the op's table
  std::string source;  // where that table comes from
  std::string machine; // the machine's profile

  Keys of_class; // the one that serves; empty: nothing was measured
  std::int64_t measured_from = 0;
  std::int64_t measured_to = 0;
  std::int64_t from = 0; // the region, in elements
  std::int64_t to = 0;
  std::vector<Edge> edges;

  std::vector<Contender> contenders; // as ranked, then what the ranking does not have
  std::string nearest;               // the cell of Contender::median_ns
  std::optional<Limit> limit;
  std::string file; // of the evidence
  std::vector<UsedCell> cells;
  std::vector<std::string> notes;
};

// Throws std::exception of one line for a request that no call can have, and for evidence or an
// environment that cannot be used.
[[nodiscard]] Explanation explain(const ExplainRequest &request);

[[nodiscard]] std::string to_text(const Explanation &explanation);
[[nodiscard]] std::string to_json(const Explanation &explanation);

} // namespace switchyard::cli
