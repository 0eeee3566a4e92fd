// switchyard bench: measures candidates on this machine and writes the evidence.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "bench/cli/against.hpp"
#include "bench/cli/commands.hpp"
#include "bench/cli/numbers.hpp"
#include "bench/cli/progress.hpp"
#include "bench/cli/text.hpp"
#include "bench/measure/campaign.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/state.hpp"
#include "candidates/backends/cpu.hpp"
#include "candidates/registry.hpp"
#include "router/machine.hpp"
#include "router/pool.hpp"
#include "router/split.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/incumbents.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/refinement.hpp"

namespace switchyard::cli {
namespace {

struct BenchRequest {
  bool quick = false;
  bool full = false;
  std::string ops = "*";
  std::string threads;
  std::string budget;
  std::string shard;
  std::string folder = "evidence/profiles";
  bool resume = false;
  bool stale = false;
  bool dry_run = false;
  AgainstRequest against;
};

measure::Shard shard_of(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  constexpr int kMost = 10000;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::optional<int> index = number_of(text.substr(0, slash), kMost);
  const std::optional<int> count = number_of(text.substr(std::min(slash + 1, text.size())), kMost);
  if (!index || !count || *index > *count) {
    throw std::invalid_argument(fmt::format("--shard {}: I/N expected, with I from 1 to N", text));
  }
  return {*index, *count};
}

// The machine is described anew by every campaign, since its libraries may have changed; a
// description that this version cannot read is not overwritten, and no file of the profile that it
// cannot read is first noticed when all is measured.
evidence::Machine describe_machine(const std::filesystem::path &folder) {
  tablegen::check_recordable(folder);
  evidence::Machine machine = measure::measure_machine();
  machine.profile = machine_profile();
  evidence::write(folder, machine);
  return machine;
}

// Adds the state that the machine was in meanwhile to its description, if that has been written.
void note_state(const std::filesystem::path &folder, evidence::Machine machine,
                const measure::StateWatch &watch) {
  if (!machine.profile.empty()) {
    machine.facts["state"] = watch.facts();
    evidence::write(folder, machine);
  }
  if (const std::string warning = watch.warning(); !warning.empty()) {
    fmt::print(stderr, "{}\n", warning);
  }
}

measure::Request journal_request(const BenchRequest &request) {
  return {{"mode", request.full ? "full" : "quick"},
          {"--ops", request.ops},
          {"--threads", request.threads},
          {"--shard", request.shard},
          {"--stale", request.stale ? "yes" : "no"}};
}

// What was not asked for is as it was before the interruption. What was asked for must be the
// same, which the campaign checks.
void adopt(BenchRequest &request, const measure::Request &before, const CLI::App &command) {
  const auto take = [&](const char *name, std::string &value) {
    const auto found = before.find(name);
    if (command.count(name) == 0 && found != before.end()) {
      value = found->second;
    }
  };
  const auto is = [&](const char *name, std::string_view value) {
    const auto found = before.find(name);
    return found != before.end() && found->second == value;
  };
  take("--ops", request.ops);
  take("--threads", request.threads);
  take("--shard", request.shard);
  request.stale = request.stale || is("--stale", "yes");
  request.full = request.full || (!request.quick && is("mode", "full"));
}

// Quick mode keeps to two minutes unless it is told otherwise: of many ops it measures less of
// each.
double budget_of(const BenchRequest &request, measure::Mode mode) {
  constexpr double kQuickS = 115;
  if (!request.budget.empty()) {
    return seconds_of("--budget", request.budget);
  }
  return mode == measure::Mode::quick && !request.stale ? kQuickS : 0;
}

measure::CampaignOptions options_of(const BenchRequest &request) {
  measure::CampaignOptions options;
  options.mode = request.full ? measure::Mode::full : measure::Mode::quick;
  options.thread_budgets =
      measure::thread_budgets(candidates::this_cpu().cores, threads_of(request.threads));
  options.budget_s = budget_of(request, options.mode);
  options.stale = request.stale;
  options.shard = shard_of(request.shard);
  options.resume = request.resume;
  options.request = journal_request(request);
  options.measure = measure::options_for(options.mode);
  options.measure.hooks.execute = run_split;
  options.measure.hooks.allocate = pool::acquire; // as the results of callers
  options.measure.hooks.release = pool::release;
  options.measure.machine = measure::describe_machine();
  options.stop = stop_flag();
  options.profile_folder = std::filesystem::path(request.folder) / machine_profile();
  return options;
}

// "machine was … microcode 0x1, …, is … microcode 0x2, …": only what differs, with a few words
// around it.
std::string shortened(const std::string &reason) {
  const std::size_t was = reason.find(" was ");
  if (reason.size() < 60 || was == std::string::npos) {
    return reason;
  }
  const std::string_view rest = std::string_view(reason).substr(was + 5);
  std::string_view before;
  std::string_view now;
  for (std::size_t at = rest.find(", is "); at != std::string_view::npos;
       at = rest.find(", is ", at + 1)) {
    const auto imbalance = [&](std::size_t place) {
      return std::labs(2 * static_cast<long>(place) + 5 - static_cast<long>(rest.size()));
    };
    if (before.empty() || imbalance(at) < imbalance(before.size())) {
      before = rest.substr(0, at);
      now = rest.substr(at + 5);
    }
  }
  std::size_t same = 0; // up to the word that differs
  for (std::size_t i = 0; i < std::min(before.size(), now.size()) && before[i] == now[i]; ++i) {
    same = before[i] == ' ' ? i + 1 : same;
  }
  constexpr std::size_t kShown = 40;
  const auto part = [&](std::string_view text) {
    const std::string_view tail = text.substr(std::min(same, text.size()));
    return fmt::format("{}{}{}", same > 0 ? "..." : "", tail.substr(0, kShown),
                       tail.size() > kShown ? "..." : "");
  };
  return fmt::format("{} was {}, is {}", reason.substr(0, was), part(before), part(now));
}

// On stdout, what is too long continued on further lines.
void print_line(const std::string &text) {
  fmt::print("{}", wrapped("", text, 4));
}

void print_stale(const measure::CampaignPlan &plan, const std::vector<measure::Entry> &entries) {
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> groups;
  for (const measure::StaleCandidate &stale : plan.stale) {
    ++groups[{stale.entry, stale.candidate, stale.reason}];
  }
  for (const auto &[group, cells] : groups) {
    const auto &[entry, candidate, reason] = group;
    print_line(fmt::format("{} {}: {} cells: {}", entries[entry].variant->name, candidate, cells,
                           shortened(reason)));
  }
}

int print_plan(const std::vector<measure::Entry> &entries,
               const measure::CampaignOptions &options) {
  const measure::CampaignPlan plan = measure::plan_campaign(entries, options);
  for (const std::string &note : plan.notes) {
    print_line(note);
  }
  if (options.stale) {
    print_stale(plan, entries);
  } else {
    for (const measure::Step &step : plan.steps) {
      print_line(fmt::format("{} {}", entries[step.entry].variant->name, step.cell.key()));
    }
  }
  if (plan.steps.empty()) {
    fmt::print("{}\n", options.stale ? "nothing is stale" : "nothing to measure");
    return kGood;
  }
  fmt::print("{} cells, about {}\n", plan.steps.size(), clock_text(plan.estimate_s));
  return kGood;
}

int print_report(const measure::CampaignReport &report, const std::filesystem::path &folder) {
  for (const std::string &note : report.notes) {
    print_line(note);
  }
  print_line(fmt::format("{} cells in {}, {} skipped, {} rejected rows; evidence in {}",
                         report.cells, clock_text(report.elapsed_s), report.skipped,
                         report.rejected, folder.string()));
  if (report.resumed > 0) {
    fmt::print("{} cells were measured before the interruption\n", report.resumed);
  }
  if (report.interrupted) {
    fmt::print("interrupted: finished cells are kept{}\n",
               report.resumable ? "; go on with --resume" : "");
    return kCheckFailed;
  }
  return kGood;
}

// Cells between the sizes where routes change hands, by the evidence as it is now; of each variant
// the first ones before any variant's second ones.
std::vector<std::pair<std::string, evidence::Cell>>
refinement(const std::filesystem::path &folder, const std::vector<measure::Entry> &entries) {
  const evidence::Profile profile = evidence::read_profile(folder);
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  const tablegen::Plan plan = tablegen::plan_routes(profile, set);
  std::vector<std::vector<evidence::Cell>> cells;
  std::size_t most = 0;
  for (const measure::Entry &entry : entries) {
    cells.push_back(tablegen::refinement_cells(plan, profile, entry.variant->name));
    most = std::max(most, cells.back().size());
  }
  std::vector<std::pair<std::string, evidence::Cell>> result;
  for (std::size_t i = 0; i < most; ++i) {
    for (std::size_t entry = 0; entry < entries.size(); ++entry) {
      if (i < cells[entry].size()) {
        result.emplace_back(entries[entry].variant->name, cells[entry][i]);
      }
    }
  }
  return result;
}

int compare(const BenchRequest &request) {
  measure::CampaignOptions options = options_of(request);
  options.progress = ProgressBar();
  options.profile_folder.clear();
  // A build is left at once.
  options.before_first_cell = stop_on_signals;
  return run_against(request.against, measure::select(request.ops), std::move(options));
}

int run(BenchRequest request, const CLI::App &command) {
  const std::filesystem::path folder = std::filesystem::path(request.folder) / machine_profile();
  if (!request.against.revision.empty()) {
    return compare(request);
  }
  if (request.resume) {
    if (const auto before = measure::interrupted_request(folder)) {
      adopt(request, *before, command);
    }
  }
  measure::CampaignOptions options = options_of(request);
  stop_on_signals();
  const std::vector<measure::Entry> entries = measure::select(request.ops);
  if (request.dry_run) {
    return print_plan(entries, options);
  }
  options.progress = ProgressBar();
  evidence::Machine described;
  options.before_first_cell = [&] { described = describe_machine(folder); };
  measure::StateWatch watch;
  options.measure.quality_since_asked = [&] { return watch.quality(); };
  options.more_cells = [&] { return refinement(folder, entries); };
  const measure::CampaignReport report = measure::run_campaign(entries, options);
  note_state(folder, described, watch);
  if (report.cells > 0) {
    // The routes of this tuning are what near-ties of the next one leave as they are.
    tablegen::record_incumbents(folder, tablegen::candidate_set(candidates::ops()));
  }
  return print_report(report, folder);
}

} // namespace

void add_bench(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("bench", "Measures candidates and writes the evidence");
  const auto request = std::make_shared<BenchRequest>();
  auto *quick = command->add_flag("--quick", request->quick, "The small matrix (default)");
  command->add_flag("--full", request->full, "The whole matrix")->excludes(quick);
  command->add_option("--ops", request->ops, "Variants: shell patterns, comma-separated")
      ->type_name("GLOB");
  command->add_option("--threads", request->threads, "Thread budgets, comma-separated")
      ->type_name("LIST");
  command
      ->add_option("--budget", request->budget,
                   "Stop after about this long: 90s, 5m, 1h (quick: 2m)")
      ->type_name("TIME");
  command->add_option("--shard", request->shard, "The I-th of N parts, for equal machines")
      ->type_name("I/N");
  auto *resume = command->add_flag("--resume", request->resume, "Go on where it was interrupted");
  auto *stale = command->add_flag("--stale", request->stale,
                                  "Measure again what no longer holds, and no more");
  auto *dry_run =
      command
          ->add_flag("--dry-run", request->dry_run,
                     "List what would be measured, with --stale why, and measure nothing")
          ->excludes(resume);
  command->add_option("--evidence", request->folder, "Folder of profiles")
      ->type_name("DIR")
      ->check([](const std::string &name) {
        return name.empty() ? "a folder expected" : std::string();
      })
      ->capture_default_str();
  auto *against = command
                      ->add_option("--against", request->against.revision,
                                   "Compare with a git revision; writes no evidence")
                      ->type_name("REV")
                      ->excludes(resume)
                      ->excludes(stale)
                      ->excludes(dry_run) // it builds before it knows any cell
                      ->check([](const std::string &name) {
                        return name.empty() ? "a git revision expected" : std::string();
                      });
  command->add_option("--scratch", request->against.scratch, "Folder for built revisions")
      ->type_name("DIR")
      ->needs(against);
  command->add_flag("--json", request->against.json, "The comparison as JSON")->needs(against);
  command->callback([request, command, &exit_code] { exit_code = run(*request, *command); });
}

} // namespace switchyard::cli
