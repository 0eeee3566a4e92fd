// switchyard merge: the evidence of equal machines as one profile.
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "bench/cli/text.hpp"
#include "evidence/evidence.hpp"
#include "evidence/incumbents.hpp"

namespace switchyard::cli {
namespace {

struct MergeRequest {
  std::string out;
  std::vector<std::string> in;
  bool any_machine = false;
  bool json = false;
};

// Of equal cells that differ, the later folder's were taken.
struct Conflict {
  std::string cell;
  std::string taken_from;
};

void print(const MergeRequest &request, std::size_t profiles, std::size_t added,
           const std::vector<Conflict> &conflicts) {
  if (request.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Conflict &each : conflicts) {
      list.push_back({{"cell", each.cell}, {"taken_from", each.taken_from}});
    }
    fmt::print("{}\n", nlohmann::ordered_json{{"out", request.out},
                                              {"profiles", profiles},
                                              {"added", added},
                                              {"conflicts", list}}
                           .dump(2));
    return;
  }
  for (const Conflict &each : conflicts) {
    fmt::print("{}",
               wrapped("conflict: ", fmt::format("{}: taken from {}", each.cell, each.taken_from)));
  }
  fmt::print("{}", wrapped("", fmt::format("{} profiles merged into {}: {} cells added to those of "
                                           "the first, {} conflicts",
                                           profiles, request.out, added, conflicts.size())));
}

// Reads everything before it writes anything. An OUT that is there comes first.
int run(const MergeRequest &request) {
  std::vector<std::string> folders = request.in;
  if (std::filesystem::exists(std::filesystem::path(request.out) / "machine.json")) {
    folders.insert(folders.begin(), request.out);
  }
  evidence::Profile merged = evidence::read_profile(folders.front());
  // A profile in a folder of another name is one that no build reads.
  const std::filesystem::path out = std::filesystem::absolute(request.out).lexically_normal();
  const std::string folder = (out.has_filename() ? out : out.parent_path()).filename();
  if (folder != merged.machine.profile) {
    throw std::invalid_argument(fmt::format("OUT {}: the profile's folder must be named {}",
                                            request.out, merged.machine.profile));
  }
  std::size_t added = 0;
  std::vector<Conflict> conflicts;
  for (std::size_t i = 1; i < folders.size(); ++i) {
    const evidence::Profile next = evidence::read_profile(folders[i]);
    try {
      const evidence::ProfileMerge report =
          evidence::merge_profile(merged, next, request.any_machine);
      added += report.added;
      for (const std::string &key : report.conflicts) {
        conflicts.push_back({key, folders[i]});
      }
    } catch (const std::invalid_argument &error) {
      throw std::invalid_argument(fmt::format("{} does not fit {}: {} (see --any-machine)",
                                              folders[i], folders.front(), error.what()));
    }
  }
  evidence::write(request.out, merged.machine);
  if (const auto incumbents = evidence::read_incumbents(folders.front()); !incumbents.empty()) {
    evidence::write_incumbents(request.out, incumbents);
  }
  for (const auto &[name, variant] : merged.variants) {
    evidence::write(request.out, variant);
  }
  print(request, folders.size(), added, conflicts);
  return kGood;
}

} // namespace

void add_merge(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("merge", "Merges the evidence of equal machines");
  const auto request = std::make_shared<MergeRequest>();
  command->add_option("OUT", request->out, "Profile folder to write; merged as well if it exists")
      ->required();
  command->add_option("IN", request->in, "Profile folders; of equal cells the later ones win")
      ->required();
  command->add_flag("--any-machine", request->any_machine,
                    "Merge profiles of machines or builds that differ");
  command->add_flag("--json", request->json, "Print JSON");
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
