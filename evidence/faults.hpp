// Everything that is wrong with a file of a profile, where the readers stop at the first fault.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "evidence/evidence.hpp"
#include "evidence/incumbents.hpp"

namespace switchyard::evidence {

// What a reviewer can still read, and a repository can still hold.
inline constexpr std::uintmax_t kMaxReviewedFile = 300'000;      // bytes
inline constexpr std::uintmax_t kMaxReviewedProfile = 8'000'000; // bytes, all files together

struct Fault {
  std::string pointer; // JSON pointer; empty: the file as a whole
  std::string what;
};

// A file's content, unless it has faults that the reader refuses.
struct CheckedVariant {
  std::optional<VariantEvidence> evidence;
  std::vector<Fault> faults;
};
struct CheckedMachine {
  std::optional<Machine> machine;
  std::vector<Fault> faults;
};

// All that the reader refuses, in the order of the file: faults of single members and rows; where
// there are none, what rows contradict each other in; where there is none of that, figures that
// contradict their samples. A file without any is compared with what the writer makes of it: rows
// out of order, or other digits or line breaks, would make a change of one cell one of many lines.
// Last, its size.
[[nodiscard]] CheckedVariant check_variant(const std::filesystem::path &file);
[[nodiscard]] CheckedMachine check_machine(const std::filesystem::path &file);
// Of a profile's incumbents.json; none where there is no such file. The first fault alone.
[[nodiscard]] std::vector<Fault> check_incumbents(const std::filesystem::path &profile_folder);

// The files of a profile that are evidence, machine.json and incumbents.json included, relative to
// its folder and sorted. Throws EvidenceError where it cannot be listed, or holds a link to a
// folder.
[[nodiscard]] std::vector<std::filesystem::path>
files_of_profile(const std::filesystem::path &folder);

} // namespace switchyard::evidence
