// A hand-off's record as Markdown and as JSON.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "bench/cli/handoff.hpp"
#include "bench/cli/markdown.hpp"
#include "bench/cli/text.hpp"

namespace switchyard::cli {
namespace {

std::string join(const std::vector<std::string> &texts, std::string_view separator) {
  std::string joined;
  for (const std::string &text : texts) {
    joined += joined.empty() ? std::string_view() : separator;
    joined += text;
  }
  return joined;
}

std::string interval_text(const Json &interval) {
  return interval["high"].is_null() || interval["low"].is_null()
             ? fmt::format("{:.3g} [too few rounds]", interval["estimate"].get<double>())
             : fmt::format("{:.3g} [{:.3g} … {:.3g}]", interval["estimate"].get<double>(),
                           interval["low"].get<double>(), interval["high"].get<double>());
}

std::string reason_text(const Json &reason) {
  const std::string detail = reason["detail"].get<std::string>();
  return fmt::format("{} ({})",
                     escaped(detail.empty() ? reason["reason"].get<std::string>() : detail),
                     reason["cells"].get<std::size_t>());
}

// A value as people read it; the column's name tells its unit.
std::string text_of(std::string_view column, const Json &value) {
  if (value.is_null()) {
    return "–";
  }
  if (value.is_array()) {
    std::vector<std::string> texts;
    for (const Json &each : value) {
      texts.push_back(text_of(column, each));
    }
    return texts.empty() ? "–" : join(texts, column == "reasons" ? "; " : ", ");
  }
  if (value.is_object()) {
    return value.contains("reason") ? reason_text(value) : interval_text(value);
  }
  if (value.is_string()) {
    return escaped(value.get<std::string>());
  }
  if (column.ends_with("_ns")) {
    return time_text(value.get<double>());
  }
  if (column.ends_with("_bytes")) {
    return bytes_text(value.get<std::int64_t>());
  }
  return value.is_number_float() ? fmt::format("{:.3g}", value.get<double>())
                                 : fmt::format("{}", value.get<std::int64_t>());
}

// Times say their unit themselves.
std::string heading_of(std::string_view column) {
  std::string heading(column.ends_with("_ns") ? column.substr(0, column.size() - 3) : column);
  std::replace(heading.begin(), heading.end(), '_', ' ');
  return heading;
}

// Where all rows are of one profile, the record's head names it.
std::size_t first_column(const HandoffTable &table, bool one_profile) {
  return one_profile && !table.columns.empty() && table.columns.front() == "profile" ? 1 : 0;
}

std::string table_text(const HandoffTable &table, bool one_profile) {
  const std::size_t first = first_column(table, one_profile);
  std::string head;
  std::string rule;
  for (std::size_t c = first; c < table.columns.size(); ++c) {
    head += fmt::format("| {} ", heading_of(table.columns[c]));
    rule += "|---";
  }
  std::string text = fmt::format("\n{}|\n{}|\n", head, rule);
  for (const std::vector<Json> &row : table.rows) {
    for (std::size_t c = first; c < row.size(); ++c) {
      text += fmt::format("| {} ", text_of(table.columns[c], row[c]));
    }
    text += "|\n";
  }
  return text;
}

// A paragraph: its code spans are ours, and nothing else in it is markup.
std::string prose(std::string_view lead, const std::string &text) {
  std::string safe;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('`', from), text.size());
    safe += escaped(std::string_view(text).substr(from, end - from));
    safe.append(end < text.size() ? 1 : 0, '`');
    from = end + 1;
  }
  return wrapped(lead, safe);
}

std::string section_text(const HandoffSection &section, bool one_profile) {
  std::string text = fmt::format("\n## {}\n", section.title);
  for (const std::string &line : section.lines) {
    text += fmt::format("\n{}", prose("", line));
  }
  if (!section.table.rows.empty()) {
    text += table_text(section.table, one_profile);
  }
  for (const std::string &question : section.to_fill_in) {
    text += fmt::format("\n{}", prose("> **To fill in:** ", question));
  }
  return text;
}

bool is_of_one_profile(const HandoffRecord &record) {
  const auto &rows = record.sections.front().table.rows;
  for (const std::vector<Json> &row : rows) {
    if (row.front() != rows.front().front()) {
      return false;
    }
  }
  return !rows.empty();
}

Json json_of(const HandoffSection &section) {
  Json rows = Json::array();
  for (const std::vector<Json> &row : section.table.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      object[section.table.columns[c]] = row[c];
    }
    rows.push_back(std::move(object));
  }
  return {{"id", section.id},
          {"title", section.title},
          {"lines", section.lines},
          {"rows", std::move(rows)},
          {"to_fill_in", section.to_fill_in}};
}

} // namespace

std::string to_markdown(const HandoffRecord &record) {
  const bool one_profile = is_of_one_profile(record);
  std::string text = fmt::format("# Hand-off: {}\n\n", escaped(join(record.variants, ", ")));
  text += fmt::format("- Evidence: {}\n", escaped(record.after));
  if (one_profile) {
    const Json &profile = record.sections.front().table.rows.front().front();
    text += fmt::format("- Profile: {}\n", escaped(profile.get<std::string>()));
  }
  text += fmt::format("- Baseline: {}\n",
                      record.before.empty() ? "none (see --against)" : escaped(record.before));
  if (!record.before.empty()) {
    text += fmt::format("- Regression beyond its interval: {}\n", record.regression ? "YES" : "no");
  }
  for (const HandoffSection &section : record.sections) {
    text += section_text(section, one_profile);
  }
  return text;
}

std::string to_json(const HandoffRecord &record) {
  Json sections = Json::array();
  for (const HandoffSection &section : record.sections) {
    sections.push_back(json_of(section));
  }
  const Json document{{"schema", 1},
                      {"variants", record.variants},
                      {"before", record.before.empty() ? Json() : Json(record.before)},
                      {"after", record.after},
                      {"regression", record.before.empty() ? Json() : Json(record.regression)},
                      {"sections", std::move(sections)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace switchyard::cli
