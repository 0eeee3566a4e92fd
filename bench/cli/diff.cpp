// switchyard diff: what changes when one tuning takes the place of another.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/cli/commands.hpp"
#include "bench/cli/diff_report.hpp"
#include "bench/cli/profiles.hpp"
#include "bench/cli/tunings.hpp"
#include "candidates/registry.hpp"

namespace switchyard::cli {
namespace {

struct DiffRequest {
  std::vector<std::string> sides;
  std::string path = kDefaultProfiles;
  std::string format = "text";
  bool json = false;
  bool all = false;
};

std::vector<tablegen::ProfileDiff> compare(const Tunings &before, const Tunings &after,
                                           const tablegen::CandidateSet &set) {
  std::set<std::string> names;
  for (const Tunings *side : {&before, &after}) {
    for (const auto &[name, tuning] : *side) {
      names.insert(name);
    }
  }
  std::vector<tablegen::ProfileDiff> diffs;
  for (const std::string &name : names) {
    const auto was = before.find(name);
    const auto is = after.find(name);
    diffs.push_back(was == before.end() ? tablegen::diff_added(is->second, set)
                    : is == after.end() ? tablegen::diff_removed(was->second, set)
                                        : tablegen::diff_profiles(was->second, is->second, set));
  }
  return diffs;
}

std::pair<ProfileSource, ProfileSource> open_sides(const DiffRequest &request) {
  if (request.sides.size() == 2) {
    return {open_profiles(request.sides[0], request.path),
            open_profiles(request.sides[1], request.path)};
  }
  const std::string &only = request.sides.front();
  if (only.find("..") != std::string::npos && !std::filesystem::exists(only)) {
    const auto [before, after] = sides_of(only);
    return {open_profiles(before, request.path), open_profiles(after, request.path)};
  }
  return {open_profiles(only, request.path), working_profiles(request.path)};
}

int run(const DiffRequest &request) {
  const auto [before, after] = open_sides(request);
  if (before.folders.empty() && after.folders.empty()) {
    throw std::runtime_error(
        fmt::format("{}: neither side has profiles there (see --path)", request.path));
  }
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  const Tunings was = read_tunings(before);
  const Tunings is = read_tunings(after);
  DiffReport report{before.name, after.name, {}};
  if (before.single && after.single) { // whatever they are called
    report.profiles.push_back(
        tablegen::diff_profiles(was.begin()->second, is.begin()->second, set));
  } else {
    report.profiles = compare(was, is, set);
  }
  constexpr std::size_t kMost = 20;
  const std::size_t most = request.all ? SIZE_MAX : kMost;
  const std::string &format = request.json ? "json" : request.format;
  fmt::print("{}", format == "json"       ? to_json(report)
                   : format == "markdown" ? to_markdown(report, most)
                                          : to_text(report, most));
  return report.regression() ? kCheckFailed : kGood;
}

} // namespace

void add_diff(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand(
      "diff", "What changes from one tuning to another: routes, times, memory, refusals");
  const auto request = std::make_shared<DiffRequest>();
  command
      ->add_option("SIDES", request->sides,
                   "OLD NEW: profile folders, folders of profiles or git revisions; one range of "
                   "revisions, main..HEAD; or OLD alone, beside the working tree")
      ->required()
      ->expected(1, 2);
  command->add_option("--format", request->format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
      ->type_name("FORMAT");
  command->add_flag("--json", request->json, "The same as --format json");
  command->add_flag("--all", request->all, "List everything, not the first 20 of a section");
  command
      ->add_option("--path", request->path,
                   std::string("Where a revision keeps its profiles, if not in ") +
                       kDefaultProfiles)
      ->type_name("PATH");
  command->footer("Exit codes: 0 nothing is slower, 1 a regression beyond its interval, 2 bad "
                  "usage or input.");
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
