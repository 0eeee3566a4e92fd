// switchyard handoff: the record that a performance change brings.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "bench/cli/commands.hpp"
#include "bench/cli/handoff.hpp"
#include "bench/cli/profiles.hpp"
#include "tablegen/command.hpp"

namespace switchyard::cli {
namespace {

struct HandoffOptions {
  HandoffRequest request{{}, {}, {}, kDefaultProfiles};
  std::string out;
  bool json = false;
};

int run(const HandoffOptions &options) {
  const HandoffRecord record = handoff_record(options.request);
  const std::string text = options.json ? to_json(record) : to_markdown(record);
  fmt::print("{}", text);
  if (!options.out.empty()) {
    tablegen::write_if_changed(options.out, text);
  }
  return record.regression ? kCheckFailed : kGood;
}

} // namespace

void add_handoff(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand(
      "handoff", "The record that a performance change brings, as Markdown to be completed");
  const auto options = std::make_shared<HandoffOptions>();
  HandoffRequest &request = options->request;
  command
      ->add_option("OPS", request.ops, "Ops or variants, or shell patterns: multiply_add 'mean/*'")
      ->required()
      ->expected(1, 1024)
      ->type_name("OP|VARIANT");
  command
      ->add_option("--against", request.against,
                   "The baseline: a git revision, a profile folder or a folder of profiles")
      ->type_name("REV");
  command
      ->add_option("--evidence", request.evidence,
                   "Folder of profiles, or one profile's, if not this build's")
      ->type_name("DIR");
  command
      ->add_option("--path", request.path,
                   std::string("Where a revision keeps its profiles, if not in ") +
                       kDefaultProfiles)
      ->type_name("PATH");
  command->add_option("-o,--out", options->out, "Also write the record to FILE")->type_name("FILE");
  command->add_flag("--json", options->json, "JSON in place of Markdown");
  command->footer("Exit codes: 0 good, 1 something is slower than the baseline beyond its "
                  "interval, 2 bad usage or input.");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

} // namespace switchyard::cli
