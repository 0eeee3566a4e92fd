#include "tablegen/command.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "evidence/evidence.hpp"
#include "switchyard/core/route_table.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/generate.hpp"
#include "tablegen/generate_json.hpp"
#include "tablegen/incumbents.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/portable.hpp"
#include "tablegen/unknown.hpp"

namespace switchyard::tablegen {
namespace {

namespace fs = std::filesystem;

constexpr int kGood = 0;
constexpr int kCheckFailed = 1;
constexpr int kBadInput = 2;

// Bad usage: what() is the line to print.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The folders of profiles, by name. Files and hidden folders beside them are not evidence.
std::vector<fs::path> profile_folders(const TablegenOptions &options) {
  std::vector<fs::path> folders;
  if (options.evidence.empty()) {
    return folders;
  }
  std::error_code error;
  for (fs::directory_iterator it(options.evidence, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && !name.starts_with('.')) {
      folders.push_back(it->path());
    }
  }
  if (error) {
    throw UsageError(fmt::format("--evidence: {}: {}", options.evidence, error.message()));
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<fs::path> chosen_folders(const TablegenOptions &options) {
  std::vector<fs::path> all = profile_folders(options);
  if (options.profiles.empty()) {
    return all;
  }
  std::vector<fs::path> chosen;
  for (const fs::path &folder : all) {
    const auto &names = options.profiles;
    if (std::find(names.begin(), names.end(), folder.filename().string()) != names.end()) {
      chosen.push_back(folder);
    }
  }
  for (const std::string &name : options.profiles) {
    const bool found = std::any_of(chosen.begin(), chosen.end(), [&](const fs::path &folder) {
      return folder.filename().string() == name;
    });
    if (!found) {
      throw UsageError(
          fmt::format("--profile: there is no profile \"{}\" in {}", name, options.evidence));
    }
  }
  return chosen;
}

void check_name(const fs::path &folder, const evidence::Profile &profile) {
  const std::string name = folder.filename().string();
  if (name == kPortableProfile) {
    throw UsageError(fmt::format("{}: \"{}\" is the name of the table of all profiles, and no "
                                 "profile's: rename the folder and its /profile",
                                 folder.string(), name));
  }
  if (profile.machine.profile != name) {
    // A copied folder would otherwise give two tables of one name.
    throw evidence::EvidenceError(
        fmt::format("{}: /profile: \"{}\" belongs in a folder of that name",
                    (folder / "machine.json").string(), profile.machine.profile));
  }
}

// What the profile's routes have to beat.
Incumbents incumbents_for(const fs::path &folder, const TablegenOptions &options,
                          const CandidateSet &set) {
  if (options.incumbent.empty()) {
    return read_incumbents(folder);
  }
  const fs::path before = fs::path(options.incumbent) / folder.filename();
  std::error_code ignored;
  if (!fs::is_directory(before, ignored)) {
    return {}; // a machine that had not been measured then
  }
  return incumbents_of(plan_routes(evidence::read_profile(before), set, read_incumbents(before)));
}

struct Planned {
  evidence::Profile profile;
  Plan plan;
};

void print_warnings(const Planned &planned, const TablegenOptions &options, const CandidateSet &set,
                    std::ostream &log) {
  const std::string &name = planned.profile.machine.profile;
  std::vector<std::string> lines = planned.plan.warnings;
  if (options.now.profile == name) {
    for (const std::string &line : stale_rows(planned.profile, set, planned.profile.machine)) {
      std::erase(lines, line);
    }
    const std::vector<std::string> stale = stale_rows(planned.profile, set, options.now);
    lines.insert(lines.end(), stale.begin(), stale.end());
  }
  for (const std::string &line : lines) {
    log << "warning: " << name << ": " << line << '\n';
  }
}

// The routes of one profile; nullopt, with a line per unknown name on `log`, when a check failed.
std::optional<Planned> plan_profile(const fs::path &folder, const TablegenOptions &options,
                                    const CandidateSet &set, std::ostream &log) {
  evidence::Profile profile = evidence::read_profile(folder);
  check_name(folder, profile);
  if (options.prune) {
    for (const std::string &line : prune(profile, set, folder)) {
      log << line << '\n';
    }
    profile = evidence::read_profile(folder);
  }
  const std::vector<Unknown> unknown = find_unknown(profile, set);
  for (const Unknown &cause : unknown) {
    log << message(cause, options.evidence, folder) << '\n';
  }
  if (!unknown.empty()) {
    return std::nullopt;
  }
  const Incumbents incumbents = incumbents_for(folder, options, set);
  Plan plan = plan_routes(profile, set, incumbents);
  Planned planned{std::move(profile), std::move(plan)};
  print_warnings(planned, options, set, log);
  if (options.keep_incumbents) {
    evidence::write_incumbents(
        folder, to_routes(kept_for_others(incumbents_of(planned.plan), incumbents, set)));
  }
  return planned;
}

void check_usage(const TablegenOptions &options) {
  if (options.out.empty() && options.json.empty() && !options.prune && !options.keep_incumbents) {
    throw UsageError("--out: a file to write is required, unless --json, --prune or "
                     "--keep-incumbents is given");
  }
  if (options.evidence.empty() &&
      (options.prune || options.keep_incumbents || !options.profiles.empty())) {
    throw UsageError("--evidence: a folder of profiles is required by --prune, --keep-incumbents "
                     "and --profile");
  }
  std::error_code ignored;
  if (!options.incumbent.empty() && !fs::is_directory(options.incumbent, ignored)) {
    throw UsageError(fmt::format("--incumbent: {}: is no folder of profiles", options.incumbent));
  }
}

// Every profile's plan, and that of all of them where there are several.
std::vector<Plan> plans_of(const std::vector<Planned> &planned, const CandidateSet &set) {
  std::vector<Plan> plans;
  std::vector<evidence::Profile> with_routes;
  for (const Planned &each : planned) {
    plans.push_back(each.plan);
    if (!each.plan.classes.empty()) {
      with_routes.push_back(each.profile);
    }
  }
  if (with_routes.size() >= 2) {
    plans.push_back(plan_portable(with_routes, set));
  }
  return plans;
}

// The plan that a routes file holds: the only one, else that for any machine.
const Plan &plan_for_file(const std::vector<Plan> &plans) {
  if (plans.size() == 1) {
    return plans.front();
  }
  std::string names;
  for (const Plan &plan : plans) {
    if (plan.profile == kPortableProfile) {
      return plan;
    }
    names += (names.empty() ? "" : ", ") + plan.profile;
  }
  throw UsageError(fmt::format("--json: a routes file holds one profile; --profile chooses it: {}",
                               names.empty() ? "there is none" : names));
}

// nullopt, with a line per fault on `log`, when a check failed.
std::optional<std::vector<Plan>> all_plans(const TablegenOptions &options, const CandidateSet &set,
                                           std::ostream &log) {
  std::vector<Planned> planned;
  bool good = true;
  for (const fs::path &folder : chosen_folders(options)) {
    std::optional<Planned> one = plan_profile(folder, options, set, log);
    good = good && one.has_value();
    if (one) {
      planned.push_back(std::move(*one));
    }
  }
  return good ? std::optional(plans_of(planned, set)) : std::nullopt;
}

int generate_table(const TablegenOptions &options, const CandidateSet &set, std::ostream &log) {
  check_usage(options);
  const std::optional<std::vector<Plan>> plans = all_plans(options, set, log);
  if (!plans) {
    return kCheckFailed;
  }
  if (!options.out.empty()) {
    write_if_changed(options.out, generate(*plans, hash_of(set)));
  }
  if (!options.json.empty()) {
    write_if_changed(options.json, generate_json(plan_for_file(*plans), hash_of(set)));
  }
  return kGood;
}

std::optional<std::string> text_of(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

} // namespace

bool write_if_changed(const fs::path &path, const std::string &text) {
  std::error_code error;
  // A link keeps pointing to the file, and a device or a pipe is no file to replace.
  fs::path file = path;
  if (fs::is_symlink(path, error)) {
    file = path.parent_path() / fs::read_symlink(path, error);
  }
  const fs::file_type type = fs::status(file, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found) {
    throw std::runtime_error(fmt::format("{}: is no regular file", path.string()));
  }
  error.clear();
  if (text_of(file) == text) {
    return false;
  }
  if (file.has_parent_path()) {
    fs::create_directories(file.parent_path(), error);
  }
  fs::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (stream) {
    fs::rename(temporary, file, error);
  }
  if (!stream || error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw std::runtime_error(fmt::format("{}: cannot be written", file.string()));
  }
  return true;
}

std::vector<Plan> plans_in(const std::string &folder, const CandidateSet &set) {
  TablegenOptions options;
  options.evidence = folder;
  std::ostringstream log;
  std::optional<std::vector<Plan>> plans = all_plans(options, set, log);
  if (!plans) {
    // The last line, since warnings come before what is wrong.
    std::string text = log.str();
    text.resize(text.find_last_not_of('\n') + 1);
    throw std::runtime_error(text.substr(text.rfind('\n') + 1));
  }
  return *std::move(plans);
}

int run_tablegen(const TablegenOptions &options, const CandidateSet &set, std::ostream &log) {
  try {
    return generate_table(options, set, log);
  } catch (const std::exception &error) {
    log << error.what() << '\n';
    return kBadInput;
  }
}

} // namespace switchyard::tablegen
