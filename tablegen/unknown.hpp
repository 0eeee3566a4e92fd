// Rows that name what a build does not know at all: vanished or renamed candidates, variants and
// dtype cases. A candidate that is known but switched off in this build is not among them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"

namespace switchyard::tablegen {

// One unknown name in the file of one variant.
struct Unknown {
  std::string variant;
  std::string pointer; // the first place in the file that uses the name
  std::string what;    // `candidate "fused_old"`, `dtype "u9"`, `variant "multiply_ad/scalar"`
  std::size_t rows = 0;
  bool whole_file = false;
};

// In the order of the files and of the first rows at fault; empty: all is known.
[[nodiscard]] std::vector<Unknown> find_unknown(const evidence::Profile &profile,
                                                const CandidateSet &set);

// One line that names the file at fault and says how to repair it. `evidence` is the folder of
// profiles as it was given on the command line, `profile_folder` that of this profile.
[[nodiscard]] std::string message(const Unknown &unknown, const std::string &evidence,
                                  const std::filesystem::path &profile_folder);

// Rewrites the files of a profile without the rows that find_unknown names; a file without any
// row left is removed. Returns one line per name that was removed. Throws EvidenceError.
std::vector<std::string> prune(const evidence::Profile &profile, const CandidateSet &set,
                               const std::filesystem::path &profile_folder);

} // namespace switchyard::tablegen
