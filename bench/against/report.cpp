// A report as text and as JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/against/comparison.hpp"

namespace switchyard::against {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostListed = 20; // per outcome; JSON has them all

std::string bound(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : "?";
}

std::string summary_table(const Report &report) {
  std::string text = fmt::format("{:<26} {:<8} {:<14} {:>5} {:>7} {:>6} {:>6}\n", "variant",
                                 "dtype", "candidate", "cells", "new/old", "faster", "slower");
  for (const Summary &s : report.summaries) {
    constexpr std::size_t kWidth = 26; // longer names have a line of their own
    text += s.variant.size() <= kWidth ? fmt::format("{:<{}} ", s.variant, kWidth)
                                       : fmt::format("{}\n{:<{}} ", s.variant, "", kWidth);
    text += fmt::format("{:<8} {:<14} {:>5} {:>7.3f} {:>6} {:>6}\n", s.dtype, s.candidate, s.cells,
                        s.geomean, s.faster, s.slower);
  }
  return text;
}

// Furthest from 1 first.
std::vector<const Comparison *> of(const Report &report, Outcome outcome) {
  std::vector<const Comparison *> result;
  for (const Comparison &comparison : report.comparisons) {
    if (comparison.outcome == outcome) {
      result.push_back(&comparison);
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Comparison *a, const Comparison *b) {
    return std::abs(std::log(a->ratio.estimate)) > std::abs(std::log(b->ratio.estimate));
  });
  return result;
}

std::string changed_cells(const Report &report, Outcome outcome) {
  const std::vector<const Comparison *> changed = of(report, outcome);
  std::string text = changed.empty() ? "" : fmt::format("\n{}:\n", name_of(outcome));
  for (std::size_t i = 0; i < changed.size() && i < kMostListed; ++i) {
    const Comparison &c = *changed[i];
    text += fmt::format("{:>7.3f} [{}, {}]  {}{}\n        {}\n        {}\n", c.ratio.estimate,
                        bound(c.ratio.low), bound(c.ratio.high), c.candidate,
                        c.threads > 1 ? fmt::format(", {} threads", c.threads) : "", c.variant,
                        c.cell.key());
  }
  if (changed.size() > kMostListed) {
    text += fmt::format("        and {} more: --json lists all\n", changed.size() - kMostListed);
  }
  return text;
}

std::string broken_results(const Report &report) {
  std::string text = report.broken.empty() ? "" : "\nbroken:\n";
  for (const Broken &b : report.broken) {
    text += fmt::format("  {} {}\n    {}\n", b.variant, b.candidate, b.mismatch);
  }
  return text;
}

// Four significant digits; null for what is not known.
Json number(double value) {
  return std::isfinite(value) ? Json(evidence::round_to_four_digits(value)) : Json(nullptr);
}

Json json_of(const Comparison &c) {
  return {{"variant", c.variant},         {"cell", c.cell.key()},
          {"candidate", c.candidate},     {"threads", c.threads},
          {"rounds", c.rounds},           {"ratio", number(c.ratio.estimate)},
          {"low", number(c.ratio.low)},   {"high", number(c.ratio.high)},
          {"outcome", name_of(c.outcome)}};
}

Json json_of(const Summary &s) {
  return {{"variant", s.variant}, {"dtype", s.dtype},     {"candidate", s.candidate},
          {"cells", s.cells},     {"same", s.same},       {"faster", s.faster},
          {"slower", s.slower},   {"unclear", s.unclear}, {"geomean", number(s.geomean)}};
}

Json json_of(const Broken &b) {
  return {{"variant", b.variant},
          {"cell", b.cell},
          {"candidate", b.candidate},
          {"new", b.is_new},
          {"mismatch", b.mismatch}};
}

template <class Items> Json list_of(const Items &items) {
  Json list = Json::array();
  for (const auto &item : items) {
    list.push_back(json_of(item));
  }
  return list;
}

} // namespace

std::string to_text(const Report &report) {
  std::string text = report.verdict() + "\n";
  if (!report.comparisons.empty()) {
    text += '\n';
    text += summary_table(report);
    text += changed_cells(report, Outcome::slower);
    text += changed_cells(report, Outcome::faster);
  }
  text += broken_results(report);
  text += report.notes.empty() ? "" : "\nnot compared:\n";
  for (const std::string &note : report.notes) {
    text += "  " + note + "\n";
  }
  if (report.interrupted) {
    text += "\ninterrupted: this is what there was until then\n";
  }
  return text;
}

std::string to_json(const Report &report) {
  Json json{{"against", {{"revision", report.name}, {"commit", report.commit}}},
            {"verdict", report.verdict()},
            {"good", report.good()},
            {"tie_band", kTieBand}};
  for (const Outcome outcome :
       {Outcome::same, Outcome::faster, Outcome::slower, Outcome::unclear}) {
    json["counts"][std::string(name_of(outcome))] = report.count(outcome);
  }
  json["summary"] = list_of(report.summaries);
  json["cells"] = list_of(report.comparisons);
  json["broken"] = list_of(report.broken);
  json["notes"] = report.notes;
  json["interrupted"] = report.interrupted;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace switchyard::against
