// The options of commands that measure and then print one report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/cli/output_file.hpp"

namespace switchyard::cli {

struct ReportRequest {
  std::string ops = "*";
  std::string budget;
  std::string format = "text"; // or markdown
  std::string json;            // FILE; empty with json_asked: standard output
  bool json_asked = false;
  std::string details;
};

// Adds --ops, --budget, --format and --json. `request` must live as long as the app.
void add_report_options(CLI::App &command, ReportRequest &request);

// The report in its forms; made when it is asked for.
struct ReportTexts {
  std::function<std::string()> text;
  std::function<std::string()> markdown;
  std::function<std::string()> json;
  std::function<std::string()> details; // empty: the command has none
};

// Where a report goes. Its files are opened when it is made.
class ReportSink {
public:
  explicit ReportSink(const ReportRequest &request);
  void write(const ReportTexts &texts);

private:
  const ReportRequest &request_;
  std::unique_ptr<OutputFile> json_;
  std::unique_ptr<OutputFile> details_;
};

} // namespace switchyard::cli
