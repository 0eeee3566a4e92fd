// switchyard stability: the routes of one tuning, scored by the measurements of another.
#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "candidates/registry.hpp"
#include "evidence/evidence.hpp"
#include "tablegen/incumbents.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/stability.hpp"

namespace switchyard::cli {
namespace {

struct Folders {
  std::string a;
  std::string b;
  bool json = false;
};

struct Tuning {
  evidence::Profile profile;
  tablegen::Plan plan;
};

Tuning read_tuning(const std::string &folder, const tablegen::CandidateSet &set) {
  if (!std::filesystem::exists(std::filesystem::path(folder) / "machine.json")) {
    throw std::runtime_error(folder + ": is no folder of a profile: it has no machine.json");
  }
  Tuning tuning{evidence::read_profile(folder), {}};
  tuning.plan = tablegen::plan_routes(tuning.profile, set, tablegen::read_incumbents(folder));
  return tuning;
}

void print_json(const tablegen::Stability &stability) {
  nlohmann::ordered_json regret;
  regret["geomean"] = stability.geomean;
  regret["p95"] = stability.p95;
  nlohmann::ordered_json report;
  report["cells"] = stability.cells;
  report["flips"] = stability.flips.size();
  report["cross_regret"] = regret;
  fmt::print("{}\n", report.dump());
}

std::string label(const tablegen::Alternative &alternative) {
  return fmt::format("{} t{}", alternative.candidate, alternative.threads);
}

void print_flip(const tablegen::Flip &flip) {
  const evidence::Interval &ratio = flip.ratio;
  const std::string interval = std::isfinite(ratio.high)
                                   ? fmt::format("{:.3f}, {:.3f}", ratio.low, ratio.high)
                                   : std::string("too few rounds");
  fmt::print("  {}\n    {} takes {:.3f} times {} [{}]{}\n", flip.cell, label(flip.theirs),
             ratio.estimate, label(flip.own), interval, flip.proven ? ", proven" : "");
}

void print_text(const Folders &folders, const tablegen::Stability &stability) {
  std::size_t proven = 0;
  for (const tablegen::Flip &flip : stability.flips) {
    proven += flip.proven ? 1 : 0;
  }
  fmt::print("routes of        {}\nmeasurements of  {}\n", folders.a, folders.b);
  fmt::print("cells            {}\n", stability.cells);
  fmt::print(
      "flips            {} ({:.1f} %), {} with an interval outside the tie band of {:.0f} %\n",
      stability.flips.size(),
      100.0 * static_cast<double>(stability.flips.size()) / static_cast<double>(stability.cells),
      proven, 100 * tablegen::kTieBand);
  fmt::print("cross regret     geomean {:.2f} %, p95 {:.2f} %\n", 100 * stability.geomean,
             100 * stability.p95);
  for (const tablegen::Flip &flip : stability.flips) {
    print_flip(flip);
  }
}

} // namespace

void add_stability(CLI::App &app, int & /*exit_code*/) {
  auto *command =
      app.add_subcommand("stability", "Scores the routes of one tuning by another's measurements");
  const auto folders = std::make_shared<Folders>();
  command->add_option("A", folders->a, "Profile folder whose routes are scored")
      ->required()
      ->type_name("DIR");
  command->add_option("B", folders->b, "Profile folder whose measurements score them")
      ->required()
      ->type_name("DIR");
  command->add_flag("--json", folders->json, "Print JSON");
  command->callback([folders] {
    const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
    const Tuning a = read_tuning(folders->a, set);
    const Tuning b = read_tuning(folders->b, set);
    const tablegen::Stability stability = tablegen::score_routes(a.plan, b.plan, b.profile, set);
    if (stability.cells == 0) {
      // Nothing compared must not read as nothing changed.
      throw std::runtime_error(
          fmt::format("{}: has no cell that {} has a route for", folders->b, folders->a));
    }
    if (folders->json) {
      print_json(stability);
    } else {
      print_text(*folders, stability);
    }
  });
}

} // namespace switchyard::cli
