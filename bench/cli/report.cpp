// switchyard report: a profile's evidence and routes as one HTML page.
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "bench/cli/commands.hpp"
#include "bench/report/data.hpp"
#include "bench/report/page.hpp"
#include "candidates/registry.hpp"
#include "evidence/evidence.hpp"
#include "tablegen/command.hpp"
#include "tablegen/incumbents.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::cli {
namespace {

struct ReportOptions {
  std::string profile;
  std::string out = "report.html";
  bool json = false;
};

nlohmann::ordered_json read_data(const std::string &folder) {
  if (!std::filesystem::exists(std::filesystem::path(folder) / "machine.json")) {
    throw std::runtime_error(folder + ": is no folder of a profile: it has no machine.json");
  }
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  const evidence::Profile profile = evidence::read_profile(folder);
  return report::data_of(profile, set,
                         tablegen::plan_routes(profile, set, tablegen::read_incumbents(folder)));
}

void write_report(const ReportOptions &options) {
  const nlohmann::ordered_json data = read_data(options.profile);
  if (options.json) {
    fmt::print("{}\n", report::script_json(data));
    return;
  }
  const std::string page = report::page_of(data);
  tablegen::write_if_changed(options.out, page);
  fmt::print("{}: {} variants of {}, {:.2f} MB\n", options.out, data.at("variants").size(),
             data.at("profile").get<std::string>(), static_cast<double>(page.size()) / 1e6);
}

} // namespace

void add_report(CLI::App &app, int & /*exit_code*/) {
  auto *command = app.add_subcommand("report", "A profile as one HTML page, with charts");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("PROFILE", options->profile, "Profile folder")->required()->type_name("DIR");
  auto *out = command->add_option("-o,--out", options->out, "HTML file to write, report.html")
                  ->type_name("FILE");
  command->add_flag("--json", options->json, "Print the page's data as JSON, write no page")
      ->excludes(out);
  command->callback([options] { write_report(*options); });
}

} // namespace switchyard::cli
