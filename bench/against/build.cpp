#include "bench/against/build.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "bench/against/process.hpp"
#include "evidence/evidence.hpp"

namespace switchyard::against {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> git(const fs::path &source, std::initializer_list<std::string> rest) {
  std::vector<std::string> command{"git", "-C", source.string()};
  command.insert(command.end(), rest);
  return command;
}

// Everything besides the commit that the module depends on.
std::string configuration_of(const Build &build) {
  std::string text = build.compiler;
  for (const std::string &option : build.options) {
    text += '\n' + option;
  }
  for (const char *file :
       {"module.cpp", "module.map", "module.cmake", "../module.hpp", "../layout.hpp"}) {
    text += '\n' + text_of(build.module / file);
  }
  return text + '\n' + text_of(build.source / "scripts/third_party.txt");
}

// Held by the process that builds; released by the operating system however that process ends.
class BuildLock {
public:
  BuildLock(const fs::path &file, const Say &say)
      : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) {
      throw AgainstError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      say("another process builds this revision: waiting for it");
      while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
      }
    }
  }
  ~BuildLock() { close(descriptor_); }
  BuildLock(const BuildLock &) = delete;
  BuildLock &operator=(const BuildLock &) = delete;

private:
  int descriptor_;
};

class ModuleBuild {
public:
  ModuleBuild(const Build &build, const Revision &revision, const fs::path &scratch)
      : build_(build), revision_(revision),
        stem_(scratch / fmt::format("{}-{}", revision.commit.substr(0, 12),
                                    evidence::hash_of(configuration_of(build)))) {}

  [[nodiscard]] fs::path with(const char *ending) const {
    return fs::path(stem_.string() + ending);
  }

  // Leaves the module at with(".so").
  void run() const {
    const fs::path folder = with(".building");
    fs::remove_all(folder); // of a build that was interrupted
    fs::remove(with(".log"));
    fs::create_directories(folder / "source");
    step(git(build_.source, {"archive", "--format=tar", "--output=" + (folder / "tar").string(),
                             revision_.commit}));
    step({"cmake", "-E", "chdir", (folder / "source").string(), "cmake", "-E", "tar", "xf",
          (folder / "tar").string()});
    link_third_party(folder / "source");
    step(configure_command(folder));
    step({"cmake", "--build", (folder / "build").string(), "--target", "switchyard_against"});
    fs::rename(folder / "build/candidates.so", with(".so"));
    fs::remove_all(folder);
    fs::remove(with(".log"));
  }

private:
  void step(const std::vector<std::string> &command) const {
    if (run_logged(command, with(".log")) != 0) {
      constexpr int kLines = 12;
      throw AgainstError(fmt::format("--against {}: {:.12} does not build; {} ends\n{}",
                                     revision_.name, revision_.commit, with(".log").string(),
                                     last_lines(text_of(with(".log")), kLines)));
    }
  }

  // Unpacked libraries are no part of any commit.
  void link_third_party(const fs::path &source) const {
    const fs::path ours = build_.source / "third_party";
    if (fs::exists(ours) && !fs::exists(source / "third_party")) {
      fs::create_directory_symlink(fs::canonical(ours), source / "third_party");
    }
  }

  [[nodiscard]] std::vector<std::string> configure_command(const fs::path &folder) const {
    std::vector<std::string> command{"cmake", "-S", (folder / "source").string(), "-B",
                                     (folder / "build").string()};
    command.insert(command.end(), build_.options.begin(), build_.options.end());
    command.push_back("-DCMAKE_PROJECT_INCLUDE=" + (build_.module / "module.cmake").string());
    command.emplace_back("-DSWITCHYARD_TESTS=OFF");
    command.emplace_back("-DSWITCHYARD_EVIDENCE="); // routes are not built
    return command;
  }

  const Build &build_;
  const Revision &revision_;
  fs::path stem_;
};

// Where the comment that starts at `at` ends.
std::size_t end_of_comment(std::string_view code, std::size_t at) {
  const bool line = code[at + 1] == '/';
  const std::size_t end = code.find(line ? "\n" : "*/", at + 2);
  return end == std::string_view::npos ? code.size() : end + (line ? 0 : 2);
}

// Without comments, and with every run of white space as one blank; none at the ends.
std::string normalized(std::string_view code) {
  std::string result;
  bool blank = false;
  for (std::size_t i = 0; i < code.size();) {
    const bool comment =
        code[i] == '/' && i + 1 < code.size() && (code[i + 1] == '/' || code[i + 1] == '*');
    if (comment || std::strchr(" \t\r\n", code[i]) != nullptr) {
      blank = true;
      i = comment ? end_of_comment(code, i) : i + 1;
      continue;
    }
    if (blank && !result.empty()) {
      result += ' ';
    }
    blank = false;
    result += code[i++];
  }
  return result;
}

} // namespace

Revision resolve(const fs::path &source, const std::string &name) {
  if (!fs::exists(source)) {
    throw AgainstError(
        fmt::format("--against {}: the source tree {} is no longer there", name, source.string()));
  }
  if (run(git(source, {"rev-parse", "--git-dir"})).status != 0) {
    throw AgainstError(
        fmt::format("--against {}: {} is in no git repository", name, source.string()));
  }
  Finished found{1, {}};
  if (!name.empty() && name.front() != '-') { // which would be an option
    found = run(git(source, {"rev-parse", "--verify", "--quiet", name + "^{commit}"}));
  }
  if (found.status != 0) {
    throw AgainstError(fmt::format("--against {}: no such commit in {}", name, source.string()));
  }
  return {name, found.output.substr(0, found.output.find('\n'))};
}

fs::path default_scratch() {
  // A relative path there is invalid by the convention that names the variable.
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return fs::path(cache) / "switchyard/against";
  }
  if (const char *home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".cache/switchyard/against";
  }
  throw AgainstError("--scratch: neither XDG_CACHE_HOME nor HOME is set; name a folder");
}

fs::path build_module(const Build &build, const Revision &revision, const fs::path &scratch,
                      const Say &say) {
  try {
    const fs::path folder = fs::absolute(scratch);
    fs::create_directories(folder);
    const ModuleBuild module(build, revision, folder);
    if (!fs::exists(module.with(".so"))) {
      const BuildLock lock(module.with(".lock"), say);
      if (!fs::exists(module.with(".so"))) { // the one that was waited for has built it
        say(fmt::format("building {:.12}, this takes minutes; log: {}", revision.commit,
                        module.with(".log").string()));
        module.run();
      }
    }
    return module.with(".so");
  } catch (const fs::filesystem_error &error) {
    throw AgainstError(fmt::format("--scratch: {}", error.what()));
  }
}

std::vector<std::string> ops_of_other_params(const fs::path &source, const Revision &revision,
                                             const std::vector<std::string> &ops) {
  std::vector<std::string> result;
  for (const std::string &op : ops) {
    const std::string file = "candidates/" + op + "/params.hpp";
    // An op without such a file has no output there, as it has no text here.
    const Finished theirs = run(git(source, {"show", revision.commit + ":./" + file}));
    if (!same_code(theirs.output, text_of(source / file))) {
      result.push_back(op);
    }
  }
  return result;
}

bool same_code(std::string_view a, std::string_view b) {
  return normalized(a) == normalized(b);
}

std::string last_lines(std::string_view text, int lines) {
  while (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  std::size_t from = text.size();
  for (int i = 0; i < lines && from != std::string_view::npos && from > 0; ++i) {
    from = text.rfind('\n', from - 1);
  }
  const bool whole = from == std::string_view::npos || (from == 0 && !text.starts_with('\n'));
  return std::string(whole ? text : text.substr(from + 1));
}

} // namespace switchyard::against
