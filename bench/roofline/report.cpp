#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/roofline/roofline.hpp"

namespace switchyard::roofline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kLevels[] = {"l2", "l3", "dram"};

Json rounded(double value) {
  return std::isfinite(value) ? Json(evidence::round_to_four_digits(value)) : Json();
}

// A variant and dtype with its fractions; NaN where a level wasn't measured.
struct Line {
  std::string name;
  std::array<double, 3> fractions{NAN, NAN, NAN};
};

std::vector<Line> lines_of(const Report &report) {
  std::vector<Line> lines;
  for (const Fraction &one : report.fractions) {
    const std::string name = one.variant + " " + one.dtype;
    if (lines.empty() || lines.back().name != name) {
      lines.push_back({name, {NAN, NAN, NAN}});
    }
    for (std::size_t i = 0; i < std::size(kLevels); ++i) {
      if (one.level == kLevels[i]) {
        lines.back().fractions[i] = one.fraction;
      }
    }
  }
  return lines;
}

Line mean_line(const Report &report) {
  Line line{"geomean of the judged ops", {NAN, NAN, NAN}};
  for (std::size_t i = 0; i < std::size(kLevels); ++i) {
    line.fractions[i] = geomean(report.fractions, kLevels[i]).value_or(NAN);
  }
  return line;
}

std::string fraction_text(double fraction) {
  return std::isnan(fraction) ? "-" : fmt::format("{:.2f}", fraction);
}

} // namespace

Json to_json(const Report &report) {
  Json json{{"ops", Json::array()}, {"geomean", Json::object()}};
  for (const Fraction &one : report.fractions) {
    json["ops"].push_back({{"variant", one.variant},
                           {"dtype", one.dtype},
                           {"level", one.level},
                           {"fraction", rounded(one.fraction)},
                           {"low", rounded(one.low)},
                           {"high", rounded(one.high)}});
  }
  for (const std::string_view level : kLevels) {
    json["geomean"][std::string(level)] = rounded(geomean(report.fractions, level).value_or(NAN));
  }
  return json;
}

std::string to_text(const Report &report) {
  const auto text_of = [](const Line &line) {
    return fmt::format("{:<44.44}{:>8}{:>8}{:>8}\n", line.name, fraction_text(line.fractions[0]),
                       fraction_text(line.fractions[1]), fraction_text(line.fractions[2]));
  };
  std::string text =
      fmt::format("{:<44}{:>8}{:>8}{:>8}\n", "twin's time / routed time", "L2", "L3", "DRAM");
  for (const Line &line : lines_of(report)) {
    text += text_of(line);
  }
  return text + "\n" + text_of(mean_line(report));
}

std::string to_markdown(const Report &report) {
  std::string text = "| Variant, dtype | L2 | L3 | DRAM |\n|---|---:|---:|---:|\n";
  for (const Line &line : lines_of(report)) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", line.name, fraction_text(line.fractions[0]),
                        fraction_text(line.fractions[1]), fraction_text(line.fractions[2]));
  }
  const Line mean = mean_line(report);
  return text + fmt::format("| **{}** | {} | {} | {} |\n", mean.name,
                            fraction_text(mean.fractions[0]), fraction_text(mean.fractions[1]),
                            fraction_text(mean.fractions[2]));
}

} // namespace switchyard::roofline
