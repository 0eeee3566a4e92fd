// switchyard verify: how good the routes are on problems that were never measured.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "bench/cli/numbers.hpp"
#include "bench/cli/output_file.hpp"
#include "bench/cli/progress.hpp"
#include "bench/peers/public_calls.hpp"
#include "bench/verify/verify.hpp"
#include "candidates/backends/cpu.hpp"
#include "candidates/registry.hpp"
#include "router/dispatch.hpp"
#include "router/fp_environment.hpp"
#include "router/pool.hpp"
#include "router/split.hpp"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Request {
  std::string ops = "*";
  std::string shapes;
  std::string budget;
  std::string threads;
  bool duplicates = false;
  std::string json;
  bool json_asked = false;
  std::string details;
};

// As dispatch() runs what it has chosen: one thread costs no look at the thread pool.
int run_as_dispatched(const Candidate &candidate, const Call &call, int threads) {
  if (threads > 1) {
    return run_split(candidate, call, threads);
  }
  const DefaultFpEnvironment environment;
  candidate.run(call);
  return 1;
}

// The routes that this program's own calls take.
class OwnRouting final : public verify::Routing {
public:
  OwnRouting() {
    for (const OpTable *op : candidates::ops()) {
      for (const Variant &variant : op->variants) {
        handles_.emplace_back(variant.name);
        const peers::Public *known = peers::find_public(variant.name);
        publics_.push_back(known == nullptr || known->judges_values ? nullptr : known->run);
      }
    }
  }

  [[nodiscard]] int index_of(const Variant &variant) const override {
    const int index = default_router().variant_index(variant.name);
    const auto known =
        std::find_if(handles_.begin(), handles_.end(),
                     [&](const VariantHandle &handle) { return handle.index() == index; });
    return static_cast<int>(known - handles_.begin());
  }

  void run(int variant, const Call &call, OutputMode output, int budget) const override {
    Options options;
    options.threads = budget;
    const auto at = static_cast<std::size_t>(variant);
    // An allocating form takes memory of its own, which this call has brought, and a judgement of
    // values is nothing that a route could save: there, the lookup alone runs.
    if (output != OutputMode::fresh && publics_[at] != nullptr) {
      publics_[at](call, options);
    } else {
      dispatch(handles_[at], call, output, options);
    }
  }

  [[nodiscard]] verify::NamedRoute executed() const override {
    const RouteInfo info = last_route();
    return {info.candidate, info.threads, name_of(info.grade)};
  }

  [[nodiscard]] verify::NamedRoute chosen(int variant, const Call &call, OutputMode output,
                                          int budget) const override {
    Options options;
    options.threads = budget;
    const Decision decision =
        decide_for(handles_[static_cast<std::size_t>(variant)], call, output, options);
    return {decision.candidate->id, decision.threads, name_of(decision.grade)};
  }

  [[nodiscard]] std::string profile() const override {
    return std::string(default_router().profile());
  }

private:
  std::vector<VariantHandle> handles_;
  std::vector<peers::PublicCall *> publics_;
};

// Four significant digits: more is noise.
double rounded(double value) {
  return evidence::round_to_four_digits(value);
}

std::string group_name(const verify::GroupScore &group) {
  return group.variant + " " + group.dtype;
}

Json worse_groups(const verify::Summary &summary) {
  Json list = Json::array();
  for (const verify::GroupScore &group : summary.groups) {
    if (group.worse_than_single_best) {
      list.push_back(group_name(group));
    }
  }
  return list;
}

Json to_json(const verify::Verification &verification, const verify::Summary &summary,
             const Request &request, const std::string &profile) {
  Json json{{"cells", summary.cells},
            {"regret",
             {{"geomean", rounded(summary.geomean)},
              {"p95", rounded(summary.p95)},
              {"max", rounded(summary.max)}}},
            {"over_10_percent", rounded(summary.over_10_percent)},
            {"gap_closed", rounded(summary.gap_closed)},
            {"single_best", summary.single_best},
            {"groups_worse_than_single_best", worse_groups(summary)},
            {"replay_fidelity", rounded(verification.replay_fidelity())},
            {"profile", profile}};
  if (request.duplicates) {
    json["duplicates"] = {{"cells", summary.cells},
                          {"duplicate_wins", verification.duplicate_wins()}};
  }
  return json;
}

Json route_json(const verify::NamedRoute &route) {
  return {{"candidate", route.candidate}, {"threads", route.threads}, {"grade", route.grade}};
}

// Every cell with what its score came from. An interval without an end is null there.
Json details_json(const verify::Verification &verification) {
  Json list = Json::array();
  for (const verify::CellOutcome &cell : verification.cells) {
    const verify::CellScore score = verify::score(cell.times);
    const verify::ContenderTimes &best = cell.times.alternatives[score.best];
    Json samples;
    for (const verify::ContenderTimes &alternative : cell.times.alternatives) {
      samples[fmt::format("{} t{}", alternative.candidate, alternative.threads)] =
          rounded(evidence::median(alternative.times));
    }
    list.push_back({{"variant", cell.times.variant},
                    {"cell", cell.cell.key()},
                    {"chosen", route_json(cell.chosen)},
                    {"executed", route_json(cell.executed)},
                    {"best", {{"candidate", best.candidate}, {"threads", best.threads}}},
                    {"regret", rounded(score.regret)},
                    {"interval", {rounded(score.interval.low), rounded(score.interval.high)}},
                    {"rounds", cell.rounds},
                    {"median_ns", samples}});
  }
  return list;
}

// "12.3 %"
std::string percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

void print_line(std::string_view what, const std::string &value, std::string_view target) {
  fmt::print("{:<34}{:>10}   target {}\n", what, value, target);
}

void print_worst(const verify::Verification &verification) {
  struct Line {
    const verify::CellOutcome *cell;
    verify::CellScore score;
  };
  std::vector<Line> lines;
  for (const verify::CellOutcome &cell : verification.cells) {
    lines.push_back({&cell, verify::score(cell.times)});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line &a, const Line &b) { return a.score.regret > b.score.regret; });
  constexpr std::size_t kShown = 8;
  fmt::print("\nworst cells: regret (95 % interval), taken > best\n");
  for (std::size_t i = 0; i < std::min(kShown, lines.size()); ++i) {
    const verify::CellOutcome &cell = *lines[i].cell;
    const verify::CellScore &score = lines[i].score;
    const verify::ContenderTimes &best = cell.times.alternatives[score.best];
    const std::string interval =
        std::isfinite(score.interval.high)
            ? fmt::format("({:.0f} … {:.0f})", 100 * score.interval.low, 100 * score.interval.high)
            : "(too few rounds)";
    const std::string where = fmt::format("{} {}", cell.times.variant, cell.cell.key());
    fmt::print("{:>8} {}  {} t{} > {} t{}\n    {:.76}\n", percent(score.regret), interval,
               cell.executed.candidate, cell.executed.threads, best.candidate, best.threads, where);
  }
}

void print_groups(const verify::Summary &summary) {
  fmt::print("\n{:<38}{:>6}{:>10}{:>10}{:>14}\n", "variant, dtype", "cells", "regret", "max",
             "single best");
  for (const verify::GroupScore &group : summary.groups) {
    fmt::print("{:<38.38}{:>6}{:>10}{:>10}{:>14}\n", group_name(group), group.cells,
               percent(group.geomean), percent(group.max),
               fmt::format("{:+.0f} %{}", 100 * group.to_single_best,
                           group.worse_than_single_best ? " !" : "  "));
  }
}

void print_text(const verify::Verification &verification, const verify::Summary &summary,
                const Request &request, const std::string &profile) {
  fmt::print("profile {}: {} cells, {} left out, {}\n\n", profile, summary.cells,
             verification.skipped, clock_text(verification.elapsed_s));
  print_line("regret, geometric mean", percent(summary.geomean), "at most 2 %");
  print_line("regret, 95th percentile", percent(summary.p95), "at most 8 %");
  print_line("regret, worst", percent(summary.max), "none");
  print_line("cells more than 10 % off", percent(summary.over_10_percent), "at most 3 %");
  print_line("gap to the virtual best closed", percent(summary.gap_closed), "at least 90 %");
  print_line("groups worse than single best", fmt::format("{}", worse_groups(summary).size()),
             fmt::format("0 (single best: {})", summary.single_best));
  print_line("replay fidelity", percent(verification.replay_fidelity()), "100 %");
  if (request.duplicates) {
    print_line("cells where a copy differs",
               percent(static_cast<double>(verification.duplicate_wins()) /
                       static_cast<double>(std::max<std::size_t>(summary.cells, 1))),
               "at most 5 %");
  }
  print_groups(summary);
  print_worst(verification);
}

verify::VerifyOptions options_of(const Request &request) {
  verify::VerifyOptions options;
  const int cores = candidates::this_cpu().cores;
  std::vector<int> threads = threads_of(request.threads);
  if (request.shapes.empty()) {
    const auto points = verify::unseen_points();
    options.points.assign(points.begin(), points.end());
  } else {
    try {
      options.points = verify::points_of(request.shapes);
      options.unseen_of_contract = false;
    } catch (const std::invalid_argument &error) {
      throw std::invalid_argument(std::string("--shapes ") + error.what());
    }
    if (!threads.empty()) {
      threads.push_back(1);
    }
  }
  options.thread_budgets = measure::thread_budgets(cores, threads);
  if (options.thread_budgets.empty()) {
    throw std::invalid_argument(fmt::format("--threads: this machine has {} cores", cores));
  }
  options.budget_s = request.budget.empty() ? 0 : seconds_of("--budget", request.budget);
  options.cell = verify::default_cell_options();
  options.cell.hooks.execute = run_as_dispatched;
  options.cell.hooks.allocate = pool::acquire;
  options.cell.hooks.release = pool::release;
  options.cell.duplicates = request.duplicates;
  stop_on_signals();
  options.stop = stop_flag();
  options.progress = ProgressBar();
  return options;
}

// What is wrong with the run as a whole, besides how fast the routes are; 0 nothing.
int judge(const verify::Verification &verification) {
  if (verification.interrupted) {
    fmt::print(stderr, "interrupted: the figures are of the cells that were finished\n");
  }
  if (verification.cells.empty()) {
    fmt::print(stderr, "no cell was measured\n");
  }
  return verification.interrupted || verification.cells.empty() || verification.mismatches() > 0 ||
                 verification.replay_fidelity() < 1
             ? kCheckFailed
             : kGood;
}

int run(const Request &request) {
  const verify::VerifyOptions options = options_of(request);
  const std::vector<measure::Entry> entries = measure::select(request.ops);
  std::unique_ptr<OutputFile> json_file;
  std::unique_ptr<OutputFile> details_file;
  if (!request.json.empty()) {
    json_file = std::make_unique<OutputFile>("--json", request.json);
  }
  if (!request.details.empty()) {
    details_file = std::make_unique<OutputFile>("--details", request.details);
  }
  const OwnRouting routing;
  const verify::Verification verification = verify::verify(entries, routing, options);
  for (const std::string &note : verification.notes) {
    fmt::print(stderr, "{}\n", note);
  }
  const verify::Summary summary = verification.summary();
  const Json json = to_json(verification, summary, request, routing.profile());
  if (details_file) {
    details_file->write(details_json(verification).dump(1));
  }
  if (json_file) {
    json_file->write(json.dump(1));
  }
  if (request.json_asked && !json_file) {
    fmt::print("{}\n", json.dump(2));
  } else {
    print_text(verification, summary, request, routing.profile());
  }
  return judge(verification);
}

} // namespace

void add_verify(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("verify", "Measures the routes on problems never measured");
  const auto request = std::make_shared<Request>();
  command->add_option("--ops", request->ops, "Variants: shell patterns, comma-separated")
      ->type_name("GLOB");
  command->add_option("--shapes", request->shapes, "These shapes: 37x53x3,4x100x90x1")
      ->type_name("LIST");
  command->add_option("--threads", request->threads, "Thread budgets, comma-separated")
      ->type_name("LIST");
  command->add_option("--budget", request->budget, "Stop after about this long: 90s, 5m, 1h")
      ->type_name("TIME");
  command->add_flag("--duplicates", request->duplicates,
                    "Race a copy of every route's alternative as well");
  const auto *json = command->add_option("--json", request->json, "Print JSON, or write it to FILE")
                         ->expected(0, 1)
                         ->type_name("[FILE]");
  command->add_option("--details", request->details, "Write every cell as JSON")->type_name("FILE");
  command->callback([request, json, &exit_code] {
    request->json_asked = json->count() > 0;
    exit_code = run(*request);
  });
}

} // namespace switchyard::cli
