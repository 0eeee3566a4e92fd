// switchyard: measures candidates, generates routes, and shows both.
#include <cstdio>
#include <exception>
#include <string>

#include "bench/cli/commands.hpp"
#include "bench/cli/help.hpp"

int main(int argc, char **argv) {
  using namespace switchyard::cli;
  CLI::App app("Finds, proves and compiles the fastest correct route for image operations.\n"
               "Exit codes: 0 good, 1 a check failed, 2 bad usage or input.");
  app.name("switchyard");
  app.require_subcommand(1);
  narrow_help(app);
  int exit_code = kGood;
  for (const auto add : {add_machine, add_ops, add_bench, add_merge, add_tablegen, add_routes,
                         add_verify, add_stability, add_run, add_explain, add_diff, add_handoff,
                         add_validate, add_report, add_peers, add_roofline, add_completion}) {
    add(app, exit_code);
  }
  app.failure_message([](const CLI::App *, const CLI::Error &error) {
    return std::string("switchyard: ") + error.what() + " (see --help)\n";
  });
  // Where a subcommand is missing, CLI11 does not say what stood in its place.
  if (argc > 1 && argv[1][0] != '-' &&
      app.get_subcommands([&](CLI::App *command) { return command->check_name(argv[1]); })
          .empty()) {
    std::fprintf(stderr, "switchyard: unknown subcommand \"%s\" (see --help)\n", argv[1]);
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? kGood : kBadInput;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "switchyard: %s\n", error.what());
    return kBadInput;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "switchyard: the output could not be written\n");
    return kBadInput;
  }
  return exit_code;
}
