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
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::evidence {

inline constexpr int kSchemaVersion = 2;

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
  accepted,   // proven and measured in every round
  dropped,    // proven; measuring ended early because it was clearly slower
  impossible, // faster than a physical limit of the cell allows: not to be believed, not routed
  rejected,   // broke the contract: never timed, never routed
  limit,      // no candidate: a physical limit measured beside them, never routed
};

// How good the conditions of a measurement were.
enum class Quality : std::uint8_t {
  good, // nothing known against it
  fair, // something that can shift times was going on: other load, stolen CPU time, …
  poor, // as fair, but so much of it that near-ties mean nothing
};

// What a row's times depend on besides its cell and its candidate's version: a row whose context
// is no longer the present one is stale. Texts are compared for equality alone.
struct Context {
  int harness = 1;      // version of the measuring engine
  std::string machine;  // CPU, microcode, instruction sets, cores, virtualisation
  std::string compiler; // name, version and flags
  std::string library;  // of the row's backend: version, CPU capability, thread setting
  Quality quality = Quality::good;

  // Names the context in rows: eight hexadecimal digits of a hash over all of it.
  [[nodiscard]] std::string id() const;
  friend bool operator==(const Context &, const Context &) = default;
};

// Heap use of one call, whatever allocator served it.
struct Allocations {
  std::int64_t count = 0;
  std::int64_t bytes = 0; // sum of what was asked for
  std::int64_t peak = 0;  // most bytes live at once, beyond those before the call
  friend bool operator==(const Allocations &, const Allocations &) = default;
};

struct Row {
  Cell cell;
  std::string candidate;
  int version = 1;
  int threads = 1; // threads used
  Status status = Status::accepted;
  std::string context; // id of one of the file's contexts
  // Rows of one cell and race were timed in the same rounds. Rows that are measured again later
  // make up a further race, with a bridge: an alternative that has rows in both.
  int race = 1;
  std::optional<Allocations> allocations; // nullopt: not counted
  std::vector<double> samples_ns;         // time per call in each round, rounded to four digits
  std::string mismatch; // rejected and impossible rows: the first mismatch, or the limit
};

// Everything measured for one variant.
struct VariantEvidence {
  std::string variant;
  std::map<std::string, Context> contexts; // by id; every row's is here, and no other
  std::vector<Row> rows;

  // Adds the context and returns its id.
  std::string add(const Context &context);
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
// As read_variant, from text; `name` starts the error messages.
[[nodiscard]] VariantEvidence parse_variant(std::string_view text, const std::string &name);
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

enum class Merge : std::uint8_t {
  cells, // `newer`'s rows replace all rows of the same cells
  // `newer`'s rows join the cell as a further race. They replace the rows of the same alternative,
  // and all rows of a candidate whose version or context is another one by now. A bridge stays: a
  // timed row of the same version and context (but for its quality) as its new one. Races of
  // nothing but bridges are left out. Without a bridge, or with nothing else to keep, `newer`'s
  // rows replace the whole cell.
  rows,
};

// Cells and rows that `newer` does not have stay. Throws std::invalid_argument for two variants.
[[nodiscard]] VariantEvidence merge(const VariantEvidence &older, const VariantEvidence &newer,
                                    Merge how = Merge::cells);

// What merge_profile did.
struct ProfileMerge {
  std::size_t added = 0; // cells that `into` did not have
  // Cells that both had with different rows: `from`'s replaced them. Evidence keys, in order.
  std::vector<std::string> conflicts;
};

// Adds the evidence of an equal machine; `from`'s cells win. Throws std::invalid_argument, one line
// that names the difference, where profile or machine differ, unless `any_machine`.
ProfileMerge merge_profile(Profile &into, const Profile &from, bool any_machine = false);

// `text` as one word of a POSIX shell, for commands that are to be repeated.
[[nodiscard]] std::string shell_quoted(std::string_view text);

// A stable 64-bit hash (FNV-1a) as 16 hexadecimal digits: equal on every machine and run.
[[nodiscard]] std::string hash_of(std::string_view text);
// Names a cell of the evidence wherever it is cited: "<variant>#<cell key>".
[[nodiscard]] std::string evidence_key(const VariantEvidence &evidence, const Cell &cell);

// Merges `newer` into the file of its variant, or writes a new one. Reading, merging and replacing
// happen under the lock: two tuners of one profile keep each other's cells.
void merge_into(const std::filesystem::path &profile_folder, const VariantEvidence &newer,
                Merge how = Merge::cells);

} // namespace switchyard::evidence
