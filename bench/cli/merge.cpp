// switchyard merge: the evidence of equal machines as one profile.
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/cli/commands.hpp"
#include "evidence/evidence.hpp"
#include "evidence/incumbents.hpp"

namespace switchyard::cli {
namespace {

struct MergeRequest {
  std::string out;
  std::vector<std::string> in;
  bool any_machine = false;
};

// Reads everything before it writes anything. An OUT that is there comes first.
int run(const MergeRequest &request) {
  std::vector<std::string> folders = request.in;
  if (std::filesystem::exists(std::filesystem::path(request.out) / "machine.json")) {
    folders.insert(folders.begin(), request.out);
  }
  evidence::Profile merged = evidence::read_profile(folders.front());
  std::size_t added = 0;
  std::size_t conflicts = 0;
  for (std::size_t i = 1; i < folders.size(); ++i) {
    const evidence::Profile next = evidence::read_profile(folders[i]);
    try {
      const evidence::ProfileMerge report =
          evidence::merge_profile(merged, next, request.any_machine);
      added += report.added;
      conflicts += report.conflicts.size();
      for (const std::string &key : report.conflicts) {
        fmt::print("conflict: {}: taken from {}\n", key, folders[i]);
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
  fmt::print("{} profiles merged into {}: {} cells added to those of the first, {} conflicts\n",
             folders.size(), request.out, added, conflicts);
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
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
