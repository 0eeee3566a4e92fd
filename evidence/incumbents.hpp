// The routes in force when a profile was last tuned: evidence/profiles/<profile>/incumbents.json.
//
// Near-ties keep the route that serves now, so what serves now must be an input. This file makes it
// one that is committed and reviewed like the evidence beside it: the build reads it, and only
// tuning writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::evidence {

inline constexpr std::string_view kIncumbentsFile = "incumbents.json";
inline constexpr int kIncumbentsSchema = 1;

// An alternative that serves a class of problems from a size up to the next entry's.
struct IncumbentRoute {
  std::string variant;
  std::string dtype;
  std::int64_t channels = 1;
  std::string layout; // as in a cell
  std::string output;
  int thread_budget = 1;
  std::string exactness; // what the caller demands: faithful or bitwise
  std::int64_t from = 0; // elements
  std::string candidate;
  int threads = 1;
  std::string op_class{}; // the file has it where it isn't empty
  friend bool operator==(const IncumbentRoute &, const IncumbentRoute &) = default;
};

// The file's entries; none where there is no file. Throws EvidenceError, with file, pointer and
// fault, for a file that is not as write_incumbents leaves it.
[[nodiscard]] std::vector<IncumbentRoute>
read_incumbents(const std::filesystem::path &profile_folder);

// The exact text: sorted, one entry a line. Throws EvidenceError for entries that could not be
// read back.
[[nodiscard]] std::string to_json(std::vector<IncumbentRoute> routes);

// Replaces the file as evidence::write does; leaves it alone if it has this text already.
void write_incumbents(const std::filesystem::path &profile_folder,
                      const std::vector<IncumbentRoute> &routes);

} // namespace switchyard::evidence
