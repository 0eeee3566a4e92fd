// switchyard peers: routed calls beside what users of other libraries would write.
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "bench/cli/progress.hpp"
#include "bench/cli/report_options.hpp"
#include "bench/peers/peers.hpp"
#include "bench/peers/python.hpp"
#include "bench/peers/report.hpp"
#include "bench/verify/unseen.hpp"

namespace switchyard::cli {
namespace {

struct Request : ReportRequest {
  std::string shapes;
  std::string python = "python3";
  bool without_python = false;
  bool expressions = false;
};

// nullptr: no Python, or none of its libraries; standard error says why.
std::unique_ptr<peers::PythonPeers> python_peers(const Request &request) {
  if (request.without_python) {
    return nullptr;
  }
  try {
    auto python = std::make_unique<peers::PythonPeers>(request.python);
    for (const std::string &missing : python->missing()) {
      fmt::print(stderr, "not compared with {}\n", missing);
    }
    return python->libraries().empty() ? nullptr : std::move(python);
  } catch (const std::exception &error) {
    fmt::print(stderr, "not compared with Python's libraries: {}\n", error.what());
    return nullptr;
  }
}

peers::Versions versions_of(const peers::PythonPeers *python) {
  peers::Versions versions;
  for (const peers::Peer &peer : peers::library_peers()) {
    versions.emplace(peer.name, peer.version());
  }
  if (python != nullptr) {
    for (const auto &[name, version] : python->libraries()) {
      versions.emplace(name, version);
    }
  }
  return versions;
}

std::vector<measure::MatrixPoint> points_of(const Request &request) {
  if (request.shapes.empty()) {
    return {peers::peer_points().begin(), peers::peer_points().end()};
  }
  try {
    return verify::points_of(request.shapes);
  } catch (const std::invalid_argument &error) {
    throw std::invalid_argument(std::string("--shapes ") + error.what());
  }
}

// What is wrong with the run as a whole, besides who is faster.
int judge(const peers::Comparison &comparison) {
  if (comparison.interrupted) {
    fmt::print(stderr, "interrupted: the figures are of the cells that were finished\n");
  }
  if (comparison.cells == 0) {
    fmt::print(stderr, "no cell was measured\n");
  }
  return comparison.interrupted || comparison.cells == 0 || comparison.mismatches > 0 ? kCheckFailed
                                                                                      : kGood;
}

int run(const Request &request) {
  if (request.expressions) {
    fmt::print("{}", peers::expressions_markdown(peers::library_peers()));
    return kGood;
  }
  const std::vector<measure::Entry> entries = measure::select(request.ops);
  peers::RunOptions options;
  options.budget_s = request.budget.empty() ? 0 : seconds_of("--budget", request.budget);
  ReportSink sink(request);
  options.points = points_of(request);
  options.cell = peers::default_cell_options(static_cast<int>(peers::cells_in(entries, options)));
  const std::unique_ptr<peers::PythonPeers> python = python_peers(request);
  options.foreign = python.get();
  stop_on_signals();
  options.stop = stop_flag();
  options.progress = ProgressBar();
  const peers::Comparison comparison = peers::compare(entries, peers::library_peers(), options);
  for (const std::string &note : comparison.notes) {
    fmt::print(stderr, "{}\n", note);
  }
  const peers::Versions versions = versions_of(python.get());
  sink.write({[&] { return peers::to_text(comparison, versions); },
              [&] { return peers::to_markdown(comparison, versions); },
              [&] { return peers::to_json(comparison, versions).dump(2); },
              [&] { return peers::details_json(comparison).dump(1); }});
  return judge(comparison);
}

} // namespace

void add_peers(CLI::App &app, int &exit_code) {
  auto *command = app.add_subcommand("peers", "Races routed calls against other libraries");
  const auto request = std::make_shared<Request>();
  add_report_options(*command, *request);
  command->add_option("--details", request->details, "Write every cell as JSON")->type_name("FILE");
  command->add_option("--shapes", request->shapes, "These shapes: 37x53x3,4x100x90x1")
      ->type_name("LIST");
  command->add_option("--python", request->python, "Python that has NumPy or Albucore")
      ->type_name("PROGRAM")
      ->envname("SWITCHYARD_PYTHON");
  command->add_flag("--without-python", request->without_python, "Libraries of this build alone");
  command->add_flag("--expressions", request->expressions,
                    "List what is called, as Markdown, and measure nothing");
  command->callback([request, &exit_code] { exit_code = run(*request); });
}

} // namespace switchyard::cli
