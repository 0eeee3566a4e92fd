// switchyard validate: everything that is wrong with files of evidence, one line each.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "bench/cli/profiles.hpp"
#include "candidates/registry.hpp"
#include "evidence/evidence.hpp"
#include "evidence/faults.hpp"
#include "evidence/text.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/unknown.hpp"

namespace switchyard::cli {
namespace {

namespace fs = std::filesystem;
using evidence::Fault;

struct ValidateRequest {
  std::vector<std::string> paths;
  bool json = false;
};

struct Found {
  std::string file;
  Fault fault;
};

// Checks files and folders and keeps what it finds, in the order of the command line.
class Validation {
public:
  void check(const fs::path &path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      check_file(path);
    } else if (is_profile(path)) {
      check_profile(path);
    } else {
      for (const fs::path &folder : profile_folders(path)) {
        check_profile(folder);
        check_name(folder);
      }
    }
  }

  [[nodiscard]] const std::vector<Found> &found() const { return found_; }
  [[nodiscard]] std::size_t files() const { return files_; }

private:
  void note(const fs::path &file, const std::vector<Fault> &faults) {
    for (const Fault &fault : faults) {
      found_.push_back({evidence::printable(file.string(), 4096), fault});
    }
  }

  void check_file(const fs::path &file) {
    ++files_;
    const std::string name = file.filename().string();
    if (name == "machine.json") {
      note(file, evidence::check_machine(file).faults);
    } else if (name == evidence::kIncumbentsFile) {
      note(file, evidence::check_incumbents(file.parent_path()));
    } else {
      evidence::Profile alone;
      add_variant(alone, file, fs::absolute(file).generic_string());
      check_names(alone, file.parent_path(), file);
    }
  }

  // `place` ends in the path that the file's variant has to have.
  void add_variant(evidence::Profile &profile, const fs::path &file, const std::string &place) {
    evidence::CheckedVariant checked = evidence::check_variant(file);
    note(file, checked.faults);
    if (!checked.evidence) {
      return;
    }
    const std::string &variant = checked.evidence->variant;
    if (!("/" + place).ends_with("/" + variant + ".json")) {
      note(file, {{"/variant", fmt::format("\"{}\" belongs in {}.json", variant, variant)}});
      return;
    }
    profile.variants.emplace(variant, std::move(*checked.evidence));
  }

  void check_profile(const fs::path &folder) {
    evidence::Profile profile;
    std::uintmax_t bytes = 0;
    for (const fs::path &relative : list(folder)) {
      std::error_code ignored;
      const fs::path file = folder / relative;
      const std::uintmax_t size = fs::file_size(file, ignored);
      bytes += ignored ? 0 : size;
      if (relative == "machine.json" || relative == evidence::kIncumbentsFile) {
        check_file(file);
      } else {
        ++files_;
        const std::string place = relative.generic_string();
        const std::size_t before = profile.variants.size();
        add_variant(profile, file, place);
        if (profile.variants.size() > before &&
            !profile.variants.contains(place.substr(0, place.size() - 5))) {
          note(file, {{"/variant", "is that of a file in another folder"}});
        }
      }
    }
    check_names(profile, folder, {});
    if (bytes > evidence::kMaxReviewedProfile) {
      note(folder, {{"", fmt::format("{} bytes in all; at most {} can be reviewed", bytes,
                                     evidence::kMaxReviewedProfile)}});
    }
  }

  std::vector<fs::path> list(const fs::path &folder) {
    try {
      return evidence::files_of_profile(folder);
    } catch (const evidence::FaultError &error) {
      note(folder, {{"", error.fault()}});
      return {};
    }
  }

  // Names that this build does not know. `file`: the one file that is checked, if it is one.
  void check_names(const evidence::Profile &profile, const fs::path &folder, const fs::path &file) {
    for (const tablegen::Unknown &unknown : tablegen::find_unknown(profile, set_)) {
      note(file.empty() ? folder / (unknown.variant + ".json") : file,
           {{unknown.pointer,
             fmt::format("{} is unknown to this build ({} rows)", unknown.what, unknown.rows)}});
    }
  }

  // Tables are named for the folder in some places, for the profile in others.
  void check_name(const fs::path &folder) {
    const fs::path file = folder / "machine.json";
    const evidence::CheckedMachine checked = evidence::check_machine(file);
    const std::string name = folder.filename().string();
    if (checked.machine && checked.machine->profile != name) {
      note(file, {{"/profile", fmt::format("\"{}\" belongs in a folder of that name",
                                           checked.machine->profile)}});
    }
  }

  tablegen::CandidateSet set_ = tablegen::candidate_set(candidates::ops());
  std::vector<Found> found_;
  std::size_t files_ = 0;
};

void print_json(const Validation &validation) {
  using Json = nlohmann::ordered_json;
  Json faults = Json::array();
  for (const Found &each : validation.found()) {
    faults.push_back(
        {{"file", each.file}, {"pointer", each.fault.pointer}, {"what", each.fault.what}});
  }
  fmt::print("{}\n", Json{{"files", validation.files()}, {"faults", faults}}.dump(2));
}

void print_text(const Validation &validation) {
  for (const auto &[file, fault] : validation.found()) {
    fmt::print("{}: {}{}{}\n", file, fault.pointer, fault.pointer.empty() ? "" : ": ", fault.what);
  }
  fmt::print("{} file{} checked, {} fault{}\n", validation.files(),
             validation.files() == 1 ? "" : "s", validation.found().size(),
             validation.found().size() == 1 ? "" : "s");
}

int run(const ValidateRequest &request) {
  for (const std::string &path : request.paths) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      throw std::runtime_error(path + ": no such file or folder");
    }
  }
  Validation validation;
  for (const std::string &path : request.paths) {
    validation.check(path);
  }
  request.json ? print_json(validation) : print_text(validation);
  return validation.found().empty() ? kGood : kCheckFailed;
}

} // namespace

void add_validate(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("validate", "What is wrong with evidence, one line each");
  const auto request = std::make_shared<ValidateRequest>();
  command->add_option("PATH", request->paths, "Files, profile folders, or folders of profiles")
      ->required();
  command->add_flag("--json", request->json, "Print JSON");
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
