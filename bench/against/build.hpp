// Building the candidates of another revision into a module, once per commit and configuration.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::against {

// A revision that cannot be compared with. what() says why; one line, but for the last lines of a
// failed build's log.
class AgainstError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How this program was built, and so how the other revision is built.
struct Build {
  std::filesystem::path source;     // a tree inside a git repository
  std::filesystem::path module;     // the folder of module.cmake and module.cpp
  std::string compiler;             // its name and version
  std::vector<std::string> options; // for cmake
};

// Of the program that this is linked into; generated when it is configured.
[[nodiscard]] const Build &this_build();

struct Revision {
  std::string name;   // as given: "HEAD~1"
  std::string commit; // its full hash
};

// Throws AgainstError where the source tree is in no git repository or the name means no commit
// there, and std::runtime_error where git cannot be run.
[[nodiscard]] Revision resolve(const std::filesystem::path &source, const std::string &name);

// $XDG_CACHE_HOME/switchyard/against, else ~/.cache/switchyard/against. Throws AgainstError where
// neither is set.
[[nodiscard]] std::filesystem::path default_scratch();

// Says what takes long, one line each.
using Say = std::function<void(const std::string &line)>;

// The file of the revision's module, built if the scratch folder does not hold it. It appears there
// only when it is complete: an interrupted build leaves nothing that would be taken for one. Of
// several processes, one builds while the others wait. Nothing is written to the repository.
//
// Throws AgainstError where the revision does not build, with the log's place and last lines.
[[nodiscard]] std::filesystem::path build_module(const Build &build, const Revision &revision,
                                                 const std::filesystem::path &scratch,
                                                 const Say &say);

// Of these ops, those whose parameters (candidates/<op>/params.hpp) the revision and the source
// tree define differently: a run function of one must not see the parameters of the other.
[[nodiscard]] std::vector<std::string> ops_of_other_params(const std::filesystem::path &source,
                                                           const Revision &revision,
                                                           const std::vector<std::string> &ops);

// Whether two C++ texts differ in nothing but comments and white space.
[[nodiscard]] bool same_code(std::string_view a, std::string_view b);

// The last `lines` lines of a text.
[[nodiscard]] std::string last_lines(std::string_view text, int lines);

} // namespace switchyard::against
