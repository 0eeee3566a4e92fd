// An explanation as text of 80 columns and as JSON.
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/cli/explanation.hpp"
#include "bench/cli/json.hpp"
#include "bench/cli/text.hpp"
#include "switchyard/core/route_table.hpp"

namespace switchyard::cli {
namespace {

using evidence::Interval;

std::string label(std::string_view candidate, int threads) {
  return threads == 0 ? std::string(candidate) : fmt::format("{} t{}", candidate, threads);
}

std::string size_text(std::int64_t size) {
  return size == kUnbounded ? "any" : fmt::format("{}", size);
}

// "dtype u8, channels 3, …"
std::string keys_text(const Keys &keys) {
  std::string text;
  for (const Key &key : keys) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key.name, key.value);
  }
  return text;
}

std::string interval_text(const Interval &ratio) {
  return std::isfinite(ratio.high) ? fmt::format("[{:.3g}, {:.3g}]", ratio.low, ratio.high)
                                   : std::string("[too few rounds]");
}

// A line of its own for every part that can be long, so that nothing runs over 80 columns.
std::string line(std::string_view name, std::string_view text) {
  return wrapped(padded(name, 10), text);
}

// What of the class differs from the problem: why the route is only near.
std::string differences(const Explanation &explanation) {
  std::string text;
  for (const Key &key : explanation.of_class) {
    for (const Key &asked : explanation.problem) {
      if (asked.name == key.name && asked.value != key.value) {
        text += fmt::format("{}{} {} instead of {}", text.empty() ? "" : ", ", key.name, key.value,
                            asked.value);
      }
    }
  }
  return text;
}

std::string route_text(const Explanation &explanation) {
  std::string text =
      line("route", fmt::format("{}, grade {}", label(explanation.candidate, explanation.threads),
                                explanation.grade));
  text += line("machine", explanation.machine);
  if (!explanation.profile.empty()) {
    text += line("table", fmt::format("{}, {}", explanation.profile, explanation.source));
  }
  return text;
}

std::string edge_text(const Edge &edge) {
  std::string text = fmt::format("{} {} elements: {}", edge.below ? "below" : "from", edge.at,
                                 label(edge.candidate, edge.threads));
  if (edge.smaller && edge.larger) {
    text += fmt::format(" (measured at {} and {})", *edge.smaller, *edge.larger);
  }
  return text;
}

std::string class_text(const Explanation &explanation) {
  if (explanation.of_class.empty()) {
    return "";
  }
  std::string text = line("class", keys_text(explanation.of_class));
  if (const std::string other = differences(explanation); !other.empty()) {
    text += line("", "the nearest that was measured: " + other);
  }
  text += line("measured", fmt::format("from {} to {} elements", explanation.measured_from,
                                       explanation.measured_to));
  text += line("region",
               fmt::format("from {} to {} elements", explanation.from, size_text(explanation.to)));
  for (const Edge &edge : explanation.edges) {
    text += line("", edge_text(edge));
  }
  return text;
}

std::string contender_text(const Contender &contender) {
  std::string lead(2, ' ');
  lead += padded(label(contender.candidate, contender.threads), 20);
  if (contender.ratio && contender.reason != "chosen") {
    lead += padded(fmt::format("{:6.3g}", contender.ratio->estimate), 8) +
            padded(interval_text(*contender.ratio), 18);
  } else {
    lead += std::string(26, ' ');
  }
  lead += padded(contender.median_ns ? time_text(*contender.median_ns) : "", 9);
  lead.resize(lead.find_last_not_of(' ') + 1);
  lead += '\n';
  return lead + wrapped("      ", contender.detail);
}

std::string ranking_text(const Explanation &explanation) {
  std::string text = "\nalternatives: time over the route's in the region, its interval";
  text += explanation.nearest.empty() ? "\n" : ", and the time in\n";
  text += explanation.nearest.empty() ? "" : wrapped("  ", explanation.nearest);
  for (const Contender &contender : explanation.contenders) {
    text += contender_text(contender);
  }
  return text;
}

std::string limit_text(const Explanation &explanation) {
  if (explanation.nearest.empty()) {
    return "";
  }
  std::string text(1, '\n');
  if (!explanation.limit) {
    return text + line("limit", "none raced beside the route");
  }
  const Limit &limit = *explanation.limit;
  return text + line("limit", fmt::format("{:.3g} times the time of {} {}, which moves the same "
                                          "bytes and computes nothing, in {}",
                                          limit.ratio.estimate, limit.name,
                                          interval_text(limit.ratio), limit.cell));
}

std::string evidence_text(const Explanation &explanation) {
  if (explanation.file.empty()) {
    return "";
  }
  std::string text = "\nevidence\n";
  text += wrapped("  ", explanation.file);
  for (const UsedCell &cell : explanation.cells) {
    if (!cell.rows.empty()) {
      text += wrapped("  ", fmt::format("/rows/{} to {}: {}", cell.rows.front().index,
                                        cell.rows.back().index, cell.key));
    }
    for (const UsedRow &row : cell.rows) {
      if (row.use != "used" && row.use != "limit") {
        text += wrapped("      ", fmt::format("/rows/{}: {} t{} not used: {}", row.index,
                                              row.candidate, row.threads, row.use));
      }
    }
  }
  return text;
}

// ---------------------------------------------------------------------------------------------

Json object_of(const Keys &keys) {
  Json object = Json::object();
  for (const Key &key : keys) {
    object[key.name] = key.value;
  }
  return object;
}

void add_interval(Json &object, const Interval &ratio) {
  object["ratio"] = number(ratio.estimate);
  object["low"] = number(ratio.low);
  object["high"] = number(ratio.high);
}

template <class T> Json optional(const std::optional<T> &value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Contender &contender) {
  Json object{{"candidate", contender.candidate},
              {"threads", contender.threads == 0 ? Json() : Json(contender.threads)},
              {"reason", contender.reason},
              {"detail", contender.detail}};
  add_interval(object, contender.ratio.value_or(Interval{HUGE_VAL, HUGE_VAL, HUGE_VAL}));
  object["median_ns"] = optional(contender.median_ns);
  return object;
}

Json json_of(const Edge &edge) {
  return {{"side", edge.below ? "below" : "above"},
          {"at", edge.at},
          {"measured_below", optional(edge.smaller)},
          {"measured_above", optional(edge.larger)},
          {"candidate", edge.candidate},
          {"threads", edge.threads}};
}

Json json_of(const UsedCell &cell) {
  Json rows = Json::array();
  for (const UsedRow &row : cell.rows) {
    rows.push_back({{"pointer", fmt::format("/rows/{}", row.index)},
                    {"candidate", row.candidate},
                    {"threads", row.threads},
                    {"race", row.race},
                    {"status", row.status},
                    {"use", row.use}});
  }
  return {{"cell", cell.key}, {"rows", rows}};
}

template <class Items> Json array_of(const Items &items) {
  Json array = Json::array();
  for (const auto &item : items) {
    array.push_back(json_of(item));
  }
  return array;
}

Json limit_of(const Explanation &explanation) {
  if (!explanation.limit) {
    return {};
  }
  Json object{{"limit", explanation.limit->name}, {"cell", explanation.limit->cell}};
  add_interval(object, explanation.limit->ratio);
  return object;
}

Json class_of(const Explanation &explanation) {
  if (explanation.of_class.empty()) {
    return {};
  }
  Json object = object_of(explanation.of_class);
  object["measured_from"] = explanation.measured_from;
  object["measured_to"] = explanation.measured_to;
  return object;
}

Json region_of(const Explanation &explanation) {
  if (explanation.of_class.empty()) {
    return {};
  }
  return {{"from", explanation.from},
          {"to", explanation.to == kUnbounded ? Json() : Json(explanation.to)}};
}

} // namespace

std::string to_text(const Explanation &explanation) {
  std::string words = explanation.variant;
  for (const Key &key : explanation.problem) {
    if (key.name != "channels") { // the shape has them
      words += fmt::format(" {}{}", key.name == "threads" ? "t" : "", key.value);
    }
  }
  std::string text = wrapped("", words);
  text += '\n' + route_text(explanation) + class_text(explanation) + ranking_text(explanation) +
          limit_text(explanation) + evidence_text(explanation);
  for (std::size_t i = 0; i < explanation.notes.size(); ++i) {
    text += i == 0 ? "\n" : "";
    text += line("note", explanation.notes[i]);
  }
  return text;
}

std::string to_json(const Explanation &explanation) {
  Json problem = object_of(explanation.problem);
  problem["elements"] = explanation.elements;
  const Json profile = explanation.profile.empty() ? Json() : Json(explanation.profile);
  const Json source = explanation.profile.empty() ? Json() : Json(explanation.source);
  const Json route{{"candidate", explanation.candidate},
                   {"threads", explanation.threads},
                   {"grade", explanation.grade},
                   {"machine", explanation.machine},
                   {"profile", profile},
                   {"source", source}};
  const Json file = explanation.file.empty() ? Json() : Json(explanation.file);
  return Json{{"variant", explanation.variant},
              {"problem", problem},
              {"route", route},
              {"class", class_of(explanation)},
              {"region", region_of(explanation)},
              {"boundaries", array_of(explanation.edges)},
              {"alternatives", array_of(explanation.contenders)},
              {"nearest_cell", explanation.nearest.empty() ? Json() : Json(explanation.nearest)},
              {"limit", limit_of(explanation)},
              {"evidence", {{"file", file}, {"cells", array_of(explanation.cells)}}},
              {"notes", explanation.notes}}
             .dump(2) +
         "\n";
}

} // namespace switchyard::cli
