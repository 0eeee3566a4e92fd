// switchyard tablegen: the build's own step, by hand.
#include <iostream>
#include <memory>

#include "bench/cli/commands.hpp"
#include "candidates/registry.hpp"
#include "tablegen/command.hpp"

namespace switchyard::cli {

void add_tablegen(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("tablegen", "Generates the dispatch table from evidence");
  const auto options = std::make_shared<tablegen::TablegenOptions>();
  command->add_option("--evidence", options->evidence, "Folder of profiles; \"\" for no evidence")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", options->out, "C++ file to write")->type_name("FILE");
  command
      ->add_option("--json", options->json,
                   "Routes file to write, for SWITCHYARD_ROUTES; one profile")
      ->type_name("FILE");
  command->add_option("--profile", options->profiles, "Only these profiles")->type_name("NAME");
  command->add_flag("--prune", options->prune,
                    "First remove rows of unknown candidates and variants from the evidence");
  command->callback([options, &exit_code] {
    exit_code =
        tablegen::run_tablegen(*options, tablegen::candidate_set(candidates::ops()), std::cerr);
  });
}

} // namespace switchyard::cli
