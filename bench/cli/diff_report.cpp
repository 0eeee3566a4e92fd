#include "bench/cli/diff_report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/diff_sections.hpp"
#include "bench/cli/json.hpp"
#include "bench/cli/markdown.hpp"
#include "bench/cli/text.hpp"
#include "tablegen/class_parts.hpp"

namespace switchyard::cli {
namespace {

using namespace tablegen;
using cli::json_of; // of an interval: the overloads below would hide it

// ---- text ---------------------------------------------------------------------------------------

void append_wrapped(std::string &text, std::string_view words, std::size_t indent) {
  text += wrapped(std::string(indent, ' '), words, 2);
}

std::string left_out(std::size_t count) {
  return fmt::format("… and {} more (--all lists them)", count);
}

void append_text(std::string &text, const ProfileDiff &diff, std::size_t most) {
  text += "\n";
  append_wrapped(text, diff.profile, 0);
  for (const std::string &line : basis_of(diff)) {
    append_wrapped(text, line, 2);
  }
  for (const std::string &note : diff.notes) {
    append_wrapped(text, "note: " + note, 2);
  }
  for (const DiffSection &section : sections_of(diff)) {
    text += fmt::format("\n{} ({})\n", section.title, section.count);
    for (std::size_t i = 0; i < section.entries.size() && i < most; ++i) {
      append_wrapped(text, section.entries[i].subject, 2);
      append_wrapped(text, section.entries[i].detail, 4);
    }
    if (section.entries.size() > most) {
      append_wrapped(text, left_out(section.entries.size() - most), 2);
    }
  }
}

// ---- Markdown -----------------------------------------------------------------------------------

void append_markdown(std::string &text, const ProfileDiff &diff, std::size_t most) {
  text += fmt::format("\n### {}\n\n", escaped(diff.profile));
  for (const std::string &line : basis_of(diff)) {
    text += fmt::format("- {}\n", escaped(line));
  }
  for (const std::string &note : diff.notes) {
    text += fmt::format("- note: {}\n", escaped(note));
  }
  for (const DiffSection &section : sections_of(diff)) {
    text += fmt::format("\n#### {} ({})\n\n| Where | What |\n|---|---|\n", section.title,
                        section.count);
    for (std::size_t i = 0; i < section.entries.size() && i < most; ++i) {
      text += fmt::format("| {} | {} |\n", escaped(section.entries[i].subject),
                          escaped(section.entries[i].detail));
    }
    if (section.entries.size() > most) {
      text += fmt::format("\n{}\n", left_out(section.entries.size() - most));
    }
  }
}

// ---- JSON ---------------------------------------------------------------------------------------

Json json_of(const std::optional<evidence::Interval> &interval) {
  return interval ? json_of(*interval) : Json();
}

template <class Value> Json json_of(const std::optional<Value> &value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Alternative &alternative) {
  return {{"candidate", alternative.candidate}, {"threads", alternative.threads}};
}

Json json_of(const ClassKey &key) {
  Json parts = Json::object();
  for (const KeyPart &part : parts_of(key)) {
    parts[std::string(part.name)] = part.text;
  }
  return parts;
}

// A size without an end is null.
Json size(std::int64_t elements) {
  return elements == kUnbounded ? Json() : Json(elements);
}

Json json_of(const RouteChange &change) {
  return {{"class", json_of(change.of_class)},
          {"demand", name_of(change.demand)},
          {"from", change.from},
          {"to", size(change.to)},
          {"before", json_of(change.before)},
          {"after", json_of(change.after)},
          {"verdict", name_of(change.verdict)},
          {"regret_of_old", json_of(change.regret)},
          {"margin", json_of(change.margin)}};
}

Json json_of(const BoundaryMove &move) {
  return {{"class", json_of(move.of_class)},
          {"demand", name_of(move.demand)},
          {"below", json_of(move.below)},
          {"above", json_of(move.above)},
          {"before", move.before},
          {"after", move.after},
          {"regret_of_old", json_of(move.regret)}};
}

Json json_of(const TimeChange &change) {
  return {{"class", json_of(change.of_class)}, {"cell", change.cell},
          {"before", json_of(change.before)},  {"after", json_of(change.after)},
          {"before_ns", change.before_ns},     {"after_ns", change.after_ns},
          {"ratio", json_of(change.ratio)},    {"beside_limit", json_of(change.beside_limit)},
          {"beyond_percent", change.percent}};
}

Json json_of(const MemoryChange &change) {
  return {{"class", json_of(change.of_class)},   {"cell", change.cell},
          {"before", json_of(change.before)},    {"after", json_of(change.after)},
          {"before_bytes", change.before_bytes}, {"after_bytes", change.after_bytes}};
}

Json json_of(const Refusal &refusal) {
  const bool rejected = refusal.status == evidence::Status::rejected;
  return {{"variant", refusal.variant},     {"dtype", refusal.dtype},
          {"candidate", refusal.candidate}, {"status", rejected ? "rejected" : "impossible"},
          {"cells", refusal.cells},         {"first_cell", refusal.cell},
          {"mismatch", refusal.mismatch}};
}

Json json_of(const StaleRows &stale) {
  return {{"variant", stale.variant},
          {"candidate", stale.candidate},
          {"reason", stale.reason},
          {"rows", stale.rows}};
}

Json json_of(const FactChange &fact) {
  return {{"group", fact.group},
          {"name", fact.name},
          {"before", json_of(fact.before)},
          {"after", json_of(fact.after)}};
}

Json json_of(const RowChange &row) {
  return {{"variant", row.variant},
          {"cell", row.cell},
          {"candidate", row.candidate},
          {"threads", row.threads},
          {"race", row.race},
          {"change", !row.had   ? "added"
                     : !row.has ? "removed"
                                : "changed"},
          {"before_ns", json_of(row.before_ns)},
          {"after_ns", json_of(row.after_ns)}};
}

Json json_of(const ProfileDiff &diff);

template <class Item> Json list_of(const std::vector<Item> &items) {
  Json list = Json::array();
  for (const Item &item : items) {
    list.push_back(json_of(item));
  }
  return list;
}

Json json_of(const ProfileDiff &diff) {
  return {
      {"profile", diff.profile},
      {"change", diff.added     ? "added"
                 : diff.removed ? "removed"
                                : "both"},
      {"regression", diff.regression()},
      {"cells",
       {{"measured_anew", diff.cells_measured_anew},
        {"added", diff.cells_added},
        {"removed", diff.cells_removed},
        {"compared", diff.compared}}},
      {"limits",
       {{"cells", diff.drift.cells}, {"ratio", diff.drift.ratio}, {"scatter", diff.drift.scatter}}},
      {"regret_of_old_routes", json_of(diff.regret_of_old)},
      {"regret_of_new_routes", json_of(diff.regret_of_new)},
      {"slower", list_of(diff.slower)},
      {"refused", list_of(diff.refused)},
      {"flipped", list_of(diff.routes)},
      {"boundaries", list_of(diff.boundaries)},
      {"covered", list_of(diff.covered)},
      {"uncovered", list_of(diff.uncovered)},
      {"memory", list_of(diff.memory)},
      {"stale", list_of(diff.stale)},
      {"facts", list_of(diff.facts)},
      {"faster", list_of(diff.faster)},
      {"rows", list_of(diff.rows)},
      {"notes", diff.notes}};
}

std::size_t sum(const DiffReport &report,
                const std::function<std::size_t(const ProfileDiff &)> &count) {
  return std::accumulate(
      report.profiles.begin(), report.profiles.end(), std::size_t{0},
      [&](std::size_t total, const ProfileDiff &diff) { return total + count(diff); });
}

std::size_t worse_routes(const ProfileDiff &diff) {
  return static_cast<std::size_t>(
      std::count_if(diff.routes.begin(), diff.routes.end(),
                    [](const RouteChange &each) { return each.verdict == FlipVerdict::worse; }));
}

} // namespace

bool DiffReport::regression() const {
  return std::any_of(profiles.begin(), profiles.end(),
                     [](const ProfileDiff &diff) { return diff.regression(); });
}

std::string verdict(const DiffReport &report) {
  const std::size_t changed = sum(
      report, [](const ProfileDiff &diff) { return diff.routes.size() + diff.boundaries.size(); });
  const std::size_t worse = sum(report, worse_routes);
  const std::size_t slower =
      sum(report, [](const ProfileDiff &diff) { return diff.slower.size(); });
  const std::size_t covered =
      sum(report, [](const ProfileDiff &diff) { return diff.covered.size(); });
  const std::size_t uncovered =
      sum(report, [](const ProfileDiff &diff) { return diff.uncovered.size(); });
  const auto plural = [](std::size_t n) { return n == 1 ? "" : "s"; };
  std::string text = report.regression() ? "regression: " : "";
  text += changed == 0 ? std::string("no route changed")
                       : fmt::format("{} route{} changed", changed, plural(changed));
  if (worse > 0) {
    text += fmt::format(", {} for the worse", worse);
  }
  if (slower > 0) {
    text += fmt::format("; {} cell{} slower", slower, plural(slower));
  }
  if (covered + uncovered > 0) {
    text += fmt::format("; classes +{} -{}", covered, uncovered);
  }
  return text;
}

std::string to_text(const DiffReport &report, std::size_t most) {
  std::string text = verdict(report) + "\n";
  append_wrapped(text, "old: " + report.before, 0);
  append_wrapped(text, "new: " + report.after, 0);
  for (const ProfileDiff &diff : report.profiles) {
    append_text(text, diff, most);
  }
  return text;
}

std::string to_markdown(const DiffReport &report, std::size_t most) {
  std::string text = fmt::format("## Switchyard: {}\n\n{} → {}\n", escaped(verdict(report)),
                                 escaped(report.before), escaped(report.after));
  for (const ProfileDiff &diff : report.profiles) {
    append_markdown(text, diff, most);
  }
  return text;
}

std::string to_json(const DiffReport &report) {
  Json document{
      {"schema", 1},          {"verdict", verdict(report)}, {"regression", report.regression()},
      {"old", report.before}, {"new", report.after},        {"profiles", list_of(report.profiles)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace switchyard::cli
