#include "bench/cli/report_options.hpp"

#include <fmt/format.h>

namespace switchyard::cli {

void add_report_options(CLI::App &command, ReportRequest &request) {
  command.add_option("--ops", request.ops, "Variants: shell patterns, comma-separated")
      ->type_name("GLOB");
  command.add_option("--budget", request.budget, "Stop after about this long: 90s, 5m, 1h")
      ->type_name("TIME");
  command.add_option("--format", request.format, "How to print: text or markdown")
      ->check(CLI::IsMember({"text", "markdown"}))
      ->type_name("FORMAT");
  const auto *json = command.add_option("--json", request.json, "Print JSON, or write it to FILE")
                         ->expected(0, 1)
                         ->type_name("[FILE]");
  command.parse_complete_callback([json, &request] { request.json_asked = json->count() > 0; });
}

ReportSink::ReportSink(const ReportRequest &request) : request_(request) {
  if (!request.json.empty()) {
    json_ = std::make_unique<OutputFile>("--json", request.json);
  }
  if (!request.details.empty()) {
    details_ = std::make_unique<OutputFile>("--details", request.details);
  }
}

void ReportSink::write(const ReportTexts &texts) {
  if (details_) {
    details_->write(texts.details());
  }
  if (json_) {
    json_->write(texts.json());
  }
  if (request_.json_asked && !json_) {
    fmt::print("{}\n", texts.json());
  } else {
    fmt::print("{}", request_.format == "markdown" ? texts.markdown() : texts.text());
  }
}

} // namespace switchyard::cli
