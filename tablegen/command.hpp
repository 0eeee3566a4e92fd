// The tablegen command, shared by switchyard_tablegen and `switchyard tablegen`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

struct TablegenOptions {
  std::string evidence;              // folder of profiles; empty: no evidence
  std::string out;                   // file to write; empty: none
  std::vector<std::string> profiles; // names; empty: all
  bool prune = false;                // first remove rows of unknown candidates and variants
  std::string json = {};             // routes file to write, of one profile; empty: none
  // Folder of profiles whose routes are the incumbents, in place of each profile's
  // incumbents.json; empty: none.
  std::string incumbent;
  bool keep_incumbents = false; // write the routes down as the incumbents of the next tuning
  // The machine that the program runs on. Rows of its profile that went stale are reported by its
  // state instead of the one in machine.json; routes don't depend on it. Without facts: unknown.
  evidence::Machine now;
};

// Writes the tables for `set`, one per profile, and kPortableProfile's where two or more profiles
// have routes, which replace `out` at once, and only if its text changed; likewise the routes file
// `json`, of the only profile or else kPortableProfile. Prints
// warnings and errors, each on one line, and with `prune` what was removed, to `log`. Returns 0
// when all is well, 1 when evidence names what the build does not know, 2 on bad usage or input;
// unless it returns 0, the files stay as they were.
[[nodiscard]] int run_tablegen(const TablegenOptions &options, const CandidateSet &set,
                               std::ostream &log);

// The plans that the tables of this folder of profiles are written from, with each profile's
// incumbents: one per profile, and kPortableProfile's where two or more have routes. Throws
// std::runtime_error of one line for evidence that cannot be read or names what `set` does not
// know.
[[nodiscard]] std::vector<Plan> plans_in(const std::string &folder, const CandidateSet &set);

// Replaces the file at once (temporary file in the same folder, rename) unless it holds `text`
// already, so that its time of change tells a build whether to go on. Creates folders as needed.
// Returns whether it wrote. Throws std::runtime_error "<file>: <what is wrong>".
bool write_if_changed(const std::filesystem::path &file, const std::string &text);

} // namespace switchyard::tablegen
