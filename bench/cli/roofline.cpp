// switchyard roofline: how close routed calls come to the memory's own speed.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "bench/cli/progress.hpp"
#include "bench/cli/report_options.hpp"
#include "bench/roofline/roofline.hpp"

namespace switchyard::cli {
namespace {

int run(const ReportRequest &request) {
  const std::vector<measure::Entry> entries = measure::select(request.ops);
  roofline::Options options = roofline::default_options();
  options.budget_s = request.budget.empty() ? 0 : seconds_of("--budget", request.budget);
  ReportSink sink(request);
  stop_on_signals();
  options.stop = stop_flag();
  options.progress = ProgressBar();
  const roofline::Report report = roofline::measure_roofline(entries, options);
  for (const std::string &note : report.notes) {
    fmt::print(stderr, "{}\n", note);
  }
  sink.write({[&] { return roofline::to_text(report); },
              [&] { return roofline::to_markdown(report); },
              [&] { return roofline::to_json(report).dump(2); },
              {}});
  if (report.interrupted) {
    fmt::print(stderr, "interrupted: the figures are of the cells that were finished\n");
  }
  if (report.fractions.empty()) {
    fmt::print(stderr, "no cell was measured\n");
  }
  return report.interrupted || report.fractions.empty() ? kCheckFailed : kGood;
}

} // namespace

void add_roofline(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("roofline", "Compares routed calls with the memory's speed");
  const auto request = std::make_shared<ReportRequest>();
  add_report_options(*command, *request);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
