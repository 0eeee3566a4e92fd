#include "bench/cli/profiles.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "bench/against/process.hpp"

namespace switchyard::cli {
namespace {

namespace fs = std::filesystem;
using against::Finished;

std::string first_line(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

std::string repository_for(const std::string &name) {
  std::string root = repository_root();
  if (root.empty()) {
    throw std::runtime_error(
        fmt::format("{}: is no folder, and the current one is in no git repository", name));
  }
  return root;
}

// The full hash of the commit that `name` means.
std::string commit_of(const std::string &root, const std::string &name) {
  Finished found{1, {}};
  if (!name.empty() && name.front() != '-') { // which would be an option
    found =
        against::run({"git", "-C", root, "rev-parse", "--verify", "--quiet", name + "^{commit}"});
  }
  if (found.status != 0) {
    throw std::runtime_error(
        fmt::format("{}: is neither a folder nor a revision in {}", name, root));
  }
  return first_line(found.output);
}

// A folder that goes with its owner.
class Scratch {
public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "switchyard_revision_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error(name + ": cannot be made");
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  [[nodiscard]] const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

void run_or_throw(const std::string &name, const std::vector<std::string> &command) {
  if (against::run(command).status != 0) {
    throw std::runtime_error(fmt::format("{}: cannot be unpacked: {} failed", name, command[0]));
  }
}

ProfileSource open_revision(const std::string &name, const std::string &path) {
  const std::string root = repository_for(name);
  const std::string commit = commit_of(root, name);
  ProfileSource source{fmt::format("{} ({:.12})", name, commit), {}, false, {}, root, commit};
  if (against::run({"git", "-C", root, "cat-file", "-e", commit + ":" + path}).status != 0) {
    return source; // it may be older than its evidence
  }
  const auto scratch = std::make_shared<Scratch>();
  const std::string tar = (scratch->path() / "tar").string();
  run_or_throw(
      name, {"git", "-C", root, "archive", "--format=tar", "--output=" + tar, commit, "--", path});
  run_or_throw(name, {"tar", "-xf", tar, "-C", scratch->path().string()});
  source.folders = profile_folders(scratch->path() / path);
  source.single = is_profile(scratch->path() / path);
  source.scratch = scratch;
  return source;
}

} // namespace

std::string repository_root() {
  const Finished found = against::run({"git", "rev-parse", "--show-toplevel"});
  return found.status == 0 ? first_line(found.output) : std::string();
}

std::string built_profiles() {
  std::error_code ignored;
  return fs::is_directory(kDefaultProfiles, ignored) ? kDefaultProfiles : SWITCHYARD_BUILT_PROFILES;
}

bool is_profile(const fs::path &folder) {
  std::error_code ignored;
  return fs::exists(folder / "machine.json", ignored);
}

std::vector<fs::path> profile_folders(const fs::path &folder) {
  if (is_profile(folder)) {
    return {folder};
  }
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory() && !it->path().filename().string().starts_with('.')) {
      folders.push_back(it->path());
    }
  }
  if (error) {
    throw std::runtime_error(fmt::format("{}: {}", folder.string(), error.message()));
  }
  if (folders.empty()) {
    throw std::runtime_error(
        fmt::format("{}: is no profile, and holds none: it has no machine.json and no folder",
                    folder.string()));
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

ProfileSource open_profiles(const std::string &name, const std::string &path) {
  std::error_code ignored;
  if (!fs::exists(name, ignored)) {
    return open_revision(name, path);
  }
  return {name, profile_folders(name), is_profile(name), {}};
}

ProfileSource working_profiles(const std::string &path) {
  const std::string root = repository_root();
  return open_profiles((root.empty() ? fs::path(path) : fs::path(root) / path).string(), path);
}

std::pair<std::string, std::string> sides_of(const std::string &range) {
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos) {
    throw std::runtime_error(range + ": is no range of revisions, A..B");
  }
  const bool common = range.compare(dots, 3, "...") == 0;
  const auto or_head = [](const std::string &text) { return text.empty() ? "HEAD" : text; };
  std::string before = or_head(range.substr(0, dots));
  const std::string after = or_head(range.substr(dots + (common ? 3 : 2)));
  if (common) {
    const std::string root = repository_for(range);
    const Finished base = against::run(
        {"git", "-C", root, "merge-base", commit_of(root, before), commit_of(root, after)});
    if (base.status != 0) {
      throw std::runtime_error(range + ": the two have no common ancestor");
    }
    before = first_line(base.output);
  }
  return {before, after};
}

} // namespace switchyard::cli
