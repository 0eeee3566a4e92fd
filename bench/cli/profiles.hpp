// Profiles as the command line names them: folders, folders of folders, and git revisions.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace switchyard::cli {

inline constexpr const char *kDefaultProfiles = "evidence/profiles";

// Where the evidence is that this build's routes come from, unless told otherwise: kDefaultProfiles
// in the current folder, else the folder that the build was configured with.
[[nodiscard]] std::string built_profiles();

// Whether a folder is one profile's: it has a machine.json.
[[nodiscard]] bool is_profile(const std::filesystem::path &folder);

// The folder itself where it is a profile's, else the profiles in it, by name. Files and hidden
// folders are passed over. Throws std::runtime_error for what is no folder or holds no folder.
[[nodiscard]] std::vector<std::filesystem::path>
profile_folders(const std::filesystem::path &folder);

// The profiles of one side of a comparison.
struct ProfileSource {
  std::string name; // as it was given; of a revision with its commit: "HEAD~1 (31dc26d0f1b2)"
  std::vector<std::filesystem::path> folders; // none where a revision has no profiles
  bool single = false;                        // the name is that of one profile's folder
  std::shared_ptr<void> scratch;              // what a revision was unpacked into; removed with it
  std::string repository{};                   // of a revision: its root, and the commit's hash
  std::string commit{};
};

// `name` is a folder, or else a revision of the git repository that the current folder is in, whose
// profiles in `path`, a path in that repository, are unpacked into a temporary folder. Throws
// std::runtime_error, one line that says whether there is no such revision or no repository.
[[nodiscard]] ProfileSource open_profiles(const std::string &name, const std::string &path);

// The profiles of the repository's working tree.
[[nodiscard]] ProfileSource working_profiles(const std::string &path);

// The root of the git repository that the current folder is in; empty where it is in none.
[[nodiscard]] std::string repository_root();

// "A..B" as the names of its sides, HEAD where one is empty; of "A...B" the first is the newest
// common ancestor, as git diff has it. Throws std::runtime_error for anything else.
[[nodiscard]] std::pair<std::string, std::string> sides_of(const std::string &range);

} // namespace switchyard::cli
