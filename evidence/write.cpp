#include <cmath>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "evidence/evidence.hpp"
#include "evidence/files.hpp"
#include "evidence/rows.hpp"
#include "evidence/statistics.hpp"
#include "evidence/text.hpp"

namespace switchyard::evidence {
namespace {

void append_samples(std::string &text, const std::vector<double> &samples) {
  text += ",\"samples_ns\":[";
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i != 0) {
      text += ',';
    }
    text += json_number(samples[i]);
  }
  text += ']';
}

void append_allocations(std::string &text, const Row &row) {
  if (!row.allocations) {
    return;
  }
  const Allocations &counted = *row.allocations;
  text += fmt::format(",\"allocations\":{}", counted.count);
  if (counted.count > 0) {
    text += fmt::format(",\"allocated_bytes\":{},\"peak_bytes\":{}", counted.bytes, counted.peak);
  }
}

// One context a line.
void append_contexts(std::string &text, const std::map<std::string, Context> &contexts) {
  text += "\"contexts\":{";
  const char *separator = "\n";
  for (const auto &[id, context] : contexts) {
    fmt::format_to(
        std::back_inserter(text),
        R"({}{}:{{"harness":{},"machine":{},"compiler":{},"library":{},"quality":"{}"}})",
        separator, json_string(id), context.harness, json_string(context.machine),
        json_string(context.compiler), json_string(context.library),
        kQualityNames[static_cast<std::size_t>(context.quality)]);
    separator = ",\n";
  }
  text += "},\n";
}

void append_row(std::string &text, const Row &row, const Summary &summary) {
  fmt::format_to(
      std::back_inserter(text),
      R"({{"cell":{},"candidate":{},"version":{},"threads":{},"status":"{}","context":{})",
      json_string(row.cell.key()), json_string(row.candidate), row.version, row.threads,
      kStatusNames[static_cast<std::size_t>(row.status)], json_string(row.context));
  if (row.race != 1) {
    text += fmt::format(",\"race\":{}", row.race);
  }
  if (!row.mismatch.empty()) {
    text += ",\"mismatch\":";
    text += json_string(row.mismatch);
  }
  append_allocations(text, row);
  if (row.status != Status::rejected) {
    // JSON has no infinity.
    const std::string high = std::isinf(summary.high) ? "null" : json_number(summary.high);
    fmt::format_to(std::back_inserter(text),
                   R"(,"median_ns":{},"ratio":{},"low":{},"high":{},"spread":{})",
                   json_number(summary.median_ns), json_number(summary.ratio),
                   json_number(summary.low), high, json_number(summary.spread));
    append_samples(text, row.samples_ns);
  }
  text += '}';
}

// The samples as the file will have them, so that the figures fit the digits beside them.
std::vector<Row> with_rounded_samples(std::vector<Row> rows) {
  for (Row &row : rows) {
    for (double &sample : row.samples_ns) {
      sample = round_to_four_digits(sample);
    }
  }
  return rows;
}

void check_size(const std::string &text, const Source &source) {
  if (text.size() > kMaxFileSize) {
    source.fail("", fmt::format("larger than the {} MB that can be read", kMaxFileSize >> 20));
  }
}

} // namespace

std::string to_json(const VariantEvidence &evidence) {
  const Source source(evidence.variant);
  validate(evidence, source);
  const std::vector<Row> rows = with_rounded_samples(evidence.rows);
  const std::vector<std::size_t> order = canonical_order(rows);
  const std::vector<Summary> summaries = summarise(rows, order);
  std::string text = fmt::format("{{\"schema\":{},\"variant\":{},\n", kSchemaVersion,
                                 json_string(evidence.variant));
  append_contexts(text, evidence.contexts);
  text += "\"rows\":[\n";
  for (std::size_t place = 0; place < order.size(); ++place) {
    append_row(text, rows[order[place]], summaries[order[place]]);
    text += place + 1 < order.size() ? ",\n" : "\n";
  }
  text += "]}\n";
  check_size(text, source);
  return text;
}

std::string to_json(const Machine &machine) {
  const Source source(machine.profile);
  validate(machine, source);
  using nlohmann::ordered_json;
  ordered_json facts = ordered_json::object();
  for (const auto &[group, values] : machine.facts) {
    facts[group] = values;
  }
  const ordered_json document = {
      {"schema", kSchemaVersion}, {"profile", machine.profile}, {"facts", std::move(facts)}};
  std::string text = document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  check_size(text, source);
  return text;
}

void write(const std::filesystem::path &profile_folder, const VariantEvidence &evidence) {
  replace_file(profile_folder, evidence.variant + ".json", [&] { return to_json(evidence); });
}

void merge_into(const std::filesystem::path &profile_folder, const VariantEvidence &newer,
                Merge how) {
  const std::filesystem::path relative = newer.variant + ".json";
  replace_file(profile_folder, relative, [&] {
    const std::filesystem::path file = profile_folder / relative;
    return to_json(std::filesystem::exists(file) ? merge(read_variant(file), newer, how) : newer);
  });
}

void write(const std::filesystem::path &profile_folder, const Machine &machine) {
  replace_file(profile_folder, "machine.json", [&] { return to_json(machine); });
}

} // namespace switchyard::evidence
