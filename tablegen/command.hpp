// The tablegen command, shared by switchyard_tablegen and `switchyard tablegen`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "tablegen/candidate_set.hpp"

namespace switchyard::tablegen {

struct TablegenOptions {
  std::string evidence;              // folder of profiles; empty: no evidence
  std::string out;                   // file to write; empty: none
  std::vector<std::string> profiles; // names; empty: all
  bool prune = false;                // first remove rows of unknown candidates and variants
  std::string json = {};             // routes file to write, of one profile; empty: none
};

// Writes the table for `set`, which replaces `out` at once, and only if its text changed; likewise
// the routes file `json`. Prints
// warnings and errors, each on one line, and with `prune` what was removed, to `log`. Returns 0
// when all is well, 1 when evidence names what the build does not know, 2 on bad usage or input;
// unless it returns 0, the files stay as they were.
[[nodiscard]] int run_tablegen(const TablegenOptions &options, const CandidateSet &set,
                               std::ostream &log);

// Replaces the file at once (temporary file in the same folder, rename) unless it holds `text`
// already, so that its time of change tells a build whether to go on. Creates folders as needed.
// Returns whether it wrote. Throws std::runtime_error "<file>: <what is wrong>".
bool write_if_changed(const std::filesystem::path &file, const std::string &text);

} // namespace switchyard::tablegen
