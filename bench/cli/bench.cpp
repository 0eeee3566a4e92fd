// switchyard bench: measures candidates on this machine and writes the evidence.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/cli/commands.hpp"
#include "bench/cli/progress.hpp"
#include "bench/measure/campaign.hpp"
#include "bench/measure/machine.hpp"
#include "candidates/backends/cpu.hpp"
#include "router/machine.hpp"
#include "router/split.hpp"

namespace switchyard::cli {
namespace {

struct Request {
  bool quick = false;
  bool full = false;
  std::string ops = "*";
  std::vector<int> threads;
  std::string budget;
  std::string folder = "evidence/profiles";
};

// The machine is described anew by every campaign, since its libraries may have changed; a
// description that this version cannot read is not overwritten.
void describe_machine(const std::filesystem::path &folder) {
  if (const std::filesystem::path file = folder / "machine.json"; std::filesystem::exists(file)) {
    static_cast<void>(evidence::read_machine(file));
  }
  evidence::Machine machine = measure::measure_machine();
  machine.profile = machine_profile();
  evidence::write(folder, machine);
}

int run(const Request &request) {
  const measure::Mode mode = request.full ? measure::Mode::full : measure::Mode::quick;
  measure::CampaignOptions options;
  options.mode = mode;
  options.thread_budgets = measure::thread_budgets(candidates::this_cpu().cores, request.threads);
  options.budget_s = request.budget.empty() ? 0 : seconds_of("--budget", request.budget);
  options.measure = measure::options_for(mode);
  options.measure.hooks.execute = run_split;
  options.measure.machine = measure::describe_machine();
  options.stop = stop_on_signals();
  options.progress = ProgressBar();
  const std::vector<measure::Entry> entries = measure::select(request.ops);
  options.profile_folder = std::filesystem::path(request.folder) / machine_profile();
  options.before_first_cell = [&] { describe_machine(options.profile_folder); };
  const measure::CampaignReport report = measure::run_campaign(entries, options);
  for (const std::string &note : report.notes) {
    fmt::print("{}\n", note);
  }
  fmt::print("{} cells in {}, {} skipped, {} rejected rows; evidence in {}\n", report.cells,
             clock_text(report.elapsed_s), report.skipped, report.rejected,
             options.profile_folder.string());
  if (report.interrupted) {
    fmt::print("interrupted: finished cells are kept\n");
    return kCheckFailed;
  }
  return kGood;
}

} // namespace

void add_bench(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("bench", "Measures candidates and writes the evidence");
  const auto request = std::make_shared<Request>();
  auto *quick = command->add_flag("--quick", request->quick, "The small matrix (default)");
  command->add_flag("--full", request->full, "The whole matrix")->excludes(quick);
  command->add_option("--ops", request->ops, "Variants: shell patterns, comma-separated")
      ->type_name("GLOB");
  command->add_option("--threads", request->threads, "Thread budgets, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  command->add_option("--budget", request->budget, "Stop after about this long: 90s, 5m, 1h")
      ->type_name("TIME");
  command->add_option("--evidence", request->folder, "Folder of profiles")
      ->type_name("DIR")
      ->capture_default_str();
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
