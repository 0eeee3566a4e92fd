// Evidence: one machine's measurements, read from and written to evidence/profiles/<profile>/.
//
//   machine.json                 the machine, compiler and libraries
//   <variant>.json               one file per variant ("multiply_add/scalar.json"), one row a line
//
// A row is one alternative (candidate × threads) in one cell. Samples of the rows of a cell are
// paired by round, so that every comparison can be derived again; winners are never stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::evidence {

inline constexpr int kSchemaVersion = 1;

// A problem in the benchmark matrix. Its text form is the key of its rows:
// "u8 480x640x3 contiguous into hot t1 tone", "f32 4x128x160x3 contiguous into hot t2 tone".
struct Cell {
  std::string dtype;               // the variant's dtype case
  std::vector<std::int64_t> shape; // H W C or X H W C
  std::string layout;              // a LayoutClass name
  std::string output;              // into, fresh, in_place
  std::string cache;               // hot, cold, chained
  int thread_budget = 1;
  std::string params; // the parameter set's name

  [[nodiscard]] std::string key() const;
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t channels() const;
  // Throws std::invalid_argument that says what is wrong with `key`.
  static Cell parse(std::string_view key);
  friend bool operator==(const Cell &, const Cell &) = default;
};

enum class Status : std::uint8_t {
  accepted, // proven and measured in every round
  dropped,  // proven; measuring ended early because it was clearly slower
  rejected, // broke the contract: never timed, never routed
};

struct Row {
  Cell cell;
  std::string candidate;
  int version = 1;
  int threads = 1; // threads used
  Status status = Status::accepted;
  std::vector<double> samples_ns; // time per call in each round, rounded to four digits
  std::string mismatch;           // rejected rows: the first mismatch
};

// Everything measured for one variant.
struct VariantEvidence {
  std::string variant;
  int harness = 1; // version of the measuring engine
  std::vector<Row> rows;
};

// What was known of the machine; an ordered list of plain facts in named groups:
// {"cpu": {"model": …}, "compiler": {…}, "libraries": {"opencv": "4.6.0 …"}, …}.
struct Machine {
  std::string profile; // "x86_64-amd-zen3-2c"
  std::map<std::string, std::map<std::string, std::string>> facts;
};

struct Profile {
  Machine machine;
  std::map<std::string, VariantEvidence> variants; // by variant name
};

// A file that cannot be used. what() is one line: "<file>: <JSON pointer>: <what is wrong>".
class EvidenceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] VariantEvidence read_variant(const std::filesystem::path &file);
[[nodiscard]] Machine read_machine(const std::filesystem::path &file);
// Reads a profile folder; files in any order give the same result.
[[nodiscard]] Profile read_profile(const std::filesystem::path &folder);

// The exact text of a file: rows in canonical order, one per line, ending in a newline.
[[nodiscard]] std::string to_json(const VariantEvidence &evidence);
[[nodiscard]] std::string to_json(const Machine &machine);

// Replaces the file atomically (temporary file in the same folder, fsync, rename) under a lock
// of its folder, creating folders as needed. Throws EvidenceError; the old file then stays as it
// was.
void write(const std::filesystem::path &profile_folder, const VariantEvidence &evidence);
void write(const std::filesystem::path &profile_folder, const Machine &machine);

// `newer`'s rows replace those of the same cells in `older`; other cells stay. The harness version
// is the lower of the two while rows of both remain. Throws std::invalid_argument for two variants.
[[nodiscard]] VariantEvidence merge(const VariantEvidence &older, const VariantEvidence &newer);

// A stable 64-bit hash (FNV-1a) as 16 hexadecimal digits: equal on every machine and run.
[[nodiscard]] std::string hash_of(std::string_view text);
// Names a cell of the evidence wherever it is cited: "<variant>#<cell key>".
[[nodiscard]] std::string evidence_key(const VariantEvidence &evidence, const Cell &cell);

// Merges `newer` into the file of its variant, or writes a new one. Reading, merging and replacing
// happen under the lock: two tuners of one profile keep each other's cells.
void merge_into(const std::filesystem::path &profile_folder, const VariantEvidence &newer);

} // namespace switchyard::evidence
