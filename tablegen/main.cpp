// switchyard_tablegen: committed evidence and this build's candidates → the compiled routes.
#include <iostream>

#include <CLI/CLI.hpp>

#include "candidates/registry.hpp"
#include "tablegen/command.hpp"

int main(int argc, char **argv) {
  using namespace switchyard;

  tablegen::TablegenOptions options;
  CLI::App app("Generates the dispatch table from evidence for the candidates of this build.\n"
               "Exit codes: 0 good, 1 evidence names an unknown candidate, 2 bad usage or input.");
  app.add_option("--evidence", options.evidence, "Folder of profiles; \"\" for no evidence")
      ->required()
      ->type_name("DIR");
  app.add_option("--out", options.out, "C++ file to write")->type_name("FILE");
  app.add_option("--json", options.json, "Routes file to write, for SWITCHYARD_ROUTES; one profile")
      ->type_name("FILE");
  app.add_option("--profile", options.profiles, "Only these profiles")->type_name("NAME");
  app.add_flag("--prune", options.prune,
               "First remove rows of unknown candidates and variants from the evidence");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  return tablegen::run_tablegen(options, set, std::cerr);
}
