// switchyard machine: fingerprint, libraries with their own settings, physical limits.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "bench/cli/text.hpp"
#include "bench/measure/machine.hpp"

namespace switchyard::cli {

void add_machine(CLI::App &app, int & /*exit_code*/) {
  auto *command =
      app.add_subcommand("machine", "This machine, its libraries and its physical limits");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json] {
    const evidence::Machine machine = measure::measure_machine();
    if (*json) {
      fmt::print(
          "{}\n",
          nlohmann::ordered_json{{"profile", machine.profile}, {"facts", machine.facts}}.dump(2));
      return;
    }
    fmt::print("{}\n", machine.profile);
    for (const auto &[group, facts] : machine.facts) {
      fmt::print("{}\n", group);
      for (const auto &[name, value] : facts) {
        fmt::print("{}", wrapped(fmt::format("  {:<18} ", name), value));
      }
    }
  });
}

} // namespace switchyard::cli
