#include "tablegen/command.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "evidence/evidence.hpp"
#include "tablegen/generate.hpp"
#include "tablegen/generate_json.hpp"
#include "tablegen/policy.hpp"
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

// The routes of one profile; nullopt, with a line per unknown name on `log`, when a check failed.
std::optional<Plan> plan_profile(const fs::path &folder, const TablegenOptions &options,
                                 const CandidateSet &set, std::ostream &log) {
  evidence::Profile profile = evidence::read_profile(folder);
  const std::string name = folder.filename().string();
  if (profile.machine.profile != name) {
    // A copied folder would otherwise give two tables of one name.
    throw evidence::EvidenceError(
        fmt::format("{}: /profile: \"{}\" belongs in a folder of that name",
                    (folder / "machine.json").string(), profile.machine.profile));
  }
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
  Plan plan = plan_routes(profile, set);
  for (const std::string &warning : plan.warnings) {
    log << "warning: " << name << ": " << warning << '\n';
  }
  return plan;
}

// A routes file holds the routes of one profile.
const Plan &only_plan(const std::vector<Plan> &plans) {
  if (plans.size() != 1) {
    std::string names;
    for (const Plan &plan : plans) {
      names += (names.empty() ? "" : ", ") + plan.profile;
    }
    throw UsageError(
        fmt::format("--json: a routes file holds one profile; --profile chooses it: {}",
                    names.empty() ? "there is none" : names));
  }
  return plans.front();
}

int generate_table(const TablegenOptions &options, const CandidateSet &set, std::ostream &log) {
  if (options.out.empty() && options.json.empty() && !options.prune) {
    throw UsageError("--out: a file to write is required, unless --json or --prune is given");
  }
  if (options.evidence.empty() && (options.prune || !options.profiles.empty())) {
    throw UsageError("--evidence: a folder of profiles is required by --prune and --profile");
  }
  std::vector<Plan> plans;
  bool good = true;
  for (const fs::path &folder : chosen_folders(options)) {
    std::optional<Plan> plan = plan_profile(folder, options, set, log);
    good = good && plan.has_value();
    if (plan) {
      plans.push_back(std::move(*plan));
    }
  }
  if (good && !options.out.empty()) {
    write_if_changed(options.out, generate(plans, hash_of(set)));
  }
  if (good && !options.json.empty()) {
    write_if_changed(options.json, generate_json(only_plan(plans), hash_of(set)));
  }
  return good ? kGood : kCheckFailed;
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

int run_tablegen(const TablegenOptions &options, const CandidateSet &set, std::ostream &log) {
  try {
    return generate_table(options, set, log);
  } catch (const std::exception &error) {
    log << error.what() << '\n';
    return kBadInput;
  }
}

} // namespace switchyard::tablegen
