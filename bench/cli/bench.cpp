// switchyard bench: measures candidates on this machine and writes the evidence.
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/cli/against.hpp"
#include "bench/cli/commands.hpp"
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
  AgainstRequest against;
};

std::atomic<bool> g_stop{false};

void stop(int) {
  g_stop = true;
}

void stop_on_signals() {
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
}

// "90s", "5m", "1h"; a bare number counts seconds.
double seconds_of(const std::string &text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || scale == 0 || !(value > 0) || value > 1e6) {
    throw std::invalid_argument("--budget " + text + ": a time such as 90s, 5m or 1h expected");
  }
  return value * scale;
}

std::string clock_text(double seconds) {
  const long whole = std::lround(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

// A bar that redraws itself on a terminal, else a line every few seconds.
class ProgressBar {
public:
  void operator()(const measure::Progress &progress) {
    if (terminal_) {
      draw(progress);
    } else if (progress.elapsed_s >= next_line_s_ || progress.done == progress.total) {
      fmt::print(stderr, "{:>4}/{} cells, {} elapsed, {} left, {} {}\n", progress.done,
                 progress.total, clock_text(progress.elapsed_s), clock_text(progress.eta_s),
                 progress.variant, progress.cell);
      next_line_s_ = progress.elapsed_s + kLineEverySeconds;
    }
  }

private:
  static constexpr double kLineEverySeconds = 10;
  static constexpr std::size_t kWidth = 24;

  static void draw(const measure::Progress &progress) {
    const std::size_t filled =
        progress.total == 0 ? kWidth : kWidth * progress.done / progress.total;
    fmt::print(stderr, "\r\x1b[K[{}{}] {}/{} ETA {} {:.40}", std::string(filled, '#'),
               std::string(kWidth - filled, '.'), progress.done, progress.total,
               clock_text(progress.eta_s), fmt::format("{} {}", progress.variant, progress.cell));
    if (progress.done == progress.total) {
      fmt::print(stderr, "\n");
    }
    std::fflush(stderr);
  }

  bool terminal_ = isatty(STDERR_FILENO) != 0;
  double next_line_s_ = 0;
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
  options.budget_s = request.budget.empty() ? 0 : seconds_of(request.budget);
  options.measure = measure::options_for(mode);
  options.measure.hooks.execute = run_split;
  options.measure.machine = measure::describe_machine();
  options.stop = &g_stop;
  options.progress = ProgressBar();
  const std::vector<measure::Entry> entries = measure::select(request.ops);
  if (!request.against.revision.empty()) {
    options.before_first_cell = stop_on_signals; // a build is left at once
    return run_against(request.against, entries, std::move(options));
  }
  options.profile_folder = std::filesystem::path(request.folder) / machine_profile();
  options.before_first_cell = [&] { describe_machine(options.profile_folder); };
  stop_on_signals();
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
  auto *against = command
                      ->add_option("--against", request->against.revision,
                                   "Compare with a git revision; writes no evidence")
                      ->type_name("REV")
                      ->check([](const std::string &name) {
                        return name.empty() ? "a git revision expected" : std::string();
                      });
  command->add_option("--scratch", request->against.scratch, "Folder for built revisions")
      ->type_name("DIR")
      ->needs(against);
  command->add_flag("--json", request->against.json, "The comparison as JSON")->needs(against);
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
