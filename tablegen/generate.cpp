#include "tablegen/generate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace switchyard::tablegen {
namespace {

constexpr std::string_view kHeader =
    R"(// Written by switchyard_tablegen from evidence: do not edit, change the evidence instead.
// clang-format off
#include "router/compiled_routes.hpp"

#include <limits>

namespace switchyard {
)";

constexpr std::string_view kFooter = R"(
} // namespace switchyard
)";

// A string literal. Names come from files, so quotes and control characters are escaped; three
// octal digits end by themselves, unlike hexadecimal ones.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Text that cannot end or continue the line of its comment.
std::string comment(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\'; }, '?');
  return result;
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}F", value)
                              : std::string("std::numeric_limits<float>::infinity()");
}

// "32.1 % longer [28.0, 36.2]"; too few rounds give no interval.
std::string longer(const evidence::Interval &margin) {
  const std::string interval =
      std::isfinite(margin.high)
          ? fmt::format("{:.1f}, {:.1f}", 100 * margin.low, 100 * margin.high)
          : std::string("too few rounds");
  return fmt::format("{:.1f} % longer [{}]", 100 * margin.estimate, interval);
}

std::string enumerator(LayoutClass layout) {
  return fmt::format("LayoutClass::{}", name_of(layout));
}

std::string enumerator(OutputMode output) {
  return fmt::format("OutputMode::{}", name_of(output));
}

std::string size_literal(std::int64_t size) {
  return size == kUnbounded ? "kUnbounded" : fmt::format("{}", size);
}

std::string label(const Alternative &alternative) {
  return fmt::format("{} t{}", alternative.candidate, alternative.threads);
}

// Winner, margin and where to look it up.
std::string explanation(const ClassKey &key, const Region &region) {
  std::string text = label(region.ranking.front());
  if (region.runner_up) {
    text += fmt::format("; {} takes {}", label(*region.runner_up), longer(region.margin));
  } else {
    text += "; nothing else measured";
  }
  text += fmt::format("; {}#{}", key.variant, region.cells.front());
  if (region.cells.size() > 1) {
    text += fmt::format(" and {} more, up to {}", region.cells.size() - 1, region.cells.back());
  }
  return text;
}

// One profile's arrays. Equal rankings are stored once.
class TableWriter {
public:
  TableWriter(const Plan &plan, std::size_t index) : plan_(plan), index_(index) {}

  [[nodiscard]] std::string text() {
    std::string routes;
    for (const ClassPlan &plan_of_class : plan_.classes) {
      for (const Region &region : plan_of_class.regions) {
        routes += route(plan_of_class, region);
      }
    }
    std::string text = fmt::format("\n// {}\n", comment(plan_.profile));
    if (!routes.empty()) {
      text += fmt::format("constexpr RouteAlternative kAlternatives{}[] = {{\n{}}};\n", index_,
                          alternatives_);
      text += fmt::format("constexpr Route kRoutes{}[] = {{\n{}}};\n", index_, routes);
    }
    return text;
  }

  // The entry of the list of tables.
  [[nodiscard]] std::string entry(std::string_view candidate_set) const {
    const std::string arrays =
        next_ == 0 ? std::string("{}, {}") : fmt::format("kRoutes{0}, kAlternatives{0}", index_);
    return fmt::format("    {{{}, {}, {}}},\n", literal(plan_.profile), literal(candidate_set),
                       arrays);
  }

private:
  std::string route(const ClassPlan &plan_of_class, const Region &region) {
    const ClassKey &key = plan_of_class.key;
    return fmt::format(
        "    // {}\n    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n",
        comment(explanation(key, region)), literal(key.variant), literal(key.dtype), key.channels,
        enumerator(key.layout), enumerator(key.output), key.thread_budget,
        size_literal(region.from), size_literal(region.to), plan_of_class.sizes.front(),
        plan_of_class.sizes.back(), ranking(region.ranking), region.ranking.size(),
        number(region.margin.estimate), number(region.margin.low), number(region.margin.high),
        literal(key.op_class));
  }

  // Index of the ranking's first entry in the array of alternatives.
  std::size_t ranking(const std::vector<Alternative> &alternatives) {
    const auto [place, is_new] = places_.try_emplace(alternatives, next_);
    if (is_new) {
      alternatives_ += "   ";
      for (const Alternative &alternative : alternatives) {
        alternatives_ +=
            fmt::format(" {{{}, {}}},", literal(alternative.candidate), alternative.threads);
      }
      alternatives_ += fmt::format(" // {}\n", next_);
      next_ += alternatives.size();
    }
    return place->second;
  }

  const Plan &plan_;
  std::size_t index_;
  std::size_t next_ = 0;
  std::string alternatives_;
  std::map<std::vector<Alternative>, std::size_t> places_;
};

} // namespace

std::string generate(std::span<const Plan> plans, std::string_view candidate_set) {
  std::vector<const Plan *> sorted;
  for (const Plan &plan : plans) {
    sorted.push_back(&plan);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Plan *a, const Plan *b) { return a->profile < b->profile; });

  std::string arrays;
  std::string entries;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    TableWriter table(*sorted[i], i);
    arrays += table.text();
    entries += table.entry(candidate_set);
  }
  std::string text(kHeader);
  if (!sorted.empty()) {
    text += fmt::format("namespace {{\n{}\nconstexpr RouteTable kTables[] = {{\n{}}};\n\n"
                        "}} // namespace\n",
                        arrays, entries);
  }
  text += fmt::format("\nstd::span<const RouteTable> compiled_routes() {{\n  return {};\n}}\n",
                      sorted.empty() ? "{}" : "kTables");
  return text + std::string(kFooter);
}

} // namespace switchyard::tablegen
