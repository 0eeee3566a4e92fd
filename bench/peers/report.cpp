#include "bench/peers/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace switchyard::peers {
namespace {

using Json = nlohmann::ordered_json;

// Four significant digits: more is noise. What isn't finite has no number in JSON.
Json rounded(double value) {
  return std::isfinite(value) ? Json(evidence::round_to_four_digits(value)) : Json();
}

Json to_json(const GroupScore &group) {
  return {{"cells", group.cells},
          {"geomean_speedup", rounded(group.geomean_speedup)},
          {"weighted_speedup", rounded(group.weighted_speedup)},
          {"min_speedup", rounded(group.min_speedup)}};
}

Json to_json(const SlowerCell &cell) {
  return {{"variant", cell.variant},
          {"cell", cell.cell.key()},
          {"speedup", rounded(cell.speedup.estimate)},
          {"low", rounded(cell.speedup.low)},
          {"high", rounded(cell.speedup.high)}};
}

std::string version_of(const Versions &versions, std::string_view peer) {
  const auto known = versions.find(peer);
  return known == versions.end() ? std::string() : known->second;
}

Json to_json(const PeerScore &score, const std::string &version) {
  Json json{{"version", version},
            {"cells", score.cells},
            {"undecided_cells", score.undecided_cells},
            {"families", Json::object()},
            {"ops", Json::object()},
            {"slower_cells", Json::array()}};
  for (const std::string_view family : families()) {
    if (const auto known = score.families.find(family); known != score.families.end()) {
      json["families"][known->first] = to_json(known->second);
    }
  }
  for (const auto &[op, group] : score.ops) {
    json["ops"][op] = to_json(group);
  }
  for (const SlowerCell &cell : score.slower) {
    json["slower_cells"].push_back(to_json(cell));
  }
  return json;
}

// "opencv 4.6.0: 412 cells"
std::string heading(std::string_view peer, const PeerScore &score, const Versions &versions) {
  const std::string version = version_of(versions, peer);
  std::string text =
      fmt::format("{}{}{}: {} cells", peer, version.empty() ? "" : " ", version, score.cells);
  if (score.undecided_cells > 0) {
    text += fmt::format(", {} with too few rounds to be called slower", score.undecided_cells);
  }
  return text;
}

std::string times_text(double ratio) {
  return ratio < 9.995 ? fmt::format("{:.2f}x", ratio) : fmt::format("{:.1f}x", ratio);
}

// A family and below it its ops.
template <class Line> void for_each_group(const PeerScore &score, Line &&line) {
  for (const std::string_view family : families()) {
    const auto known = score.families.find(family);
    if (known == score.families.end()) {
      continue;
    }
    line(known->first, known->second, true);
    for (const auto &[op, group] : score.ops) {
      if (family_of(op) == family) {
        line(op, group, false);
      }
    }
  }
}

std::string text_line(std::string_view name, const GroupScore &group) {
  return fmt::format("{:<32}{:>7}{:>12}{:>12}{:>12}\n", name, group.cells,
                     times_text(group.geomean_speedup), times_text(group.weighted_speedup),
                     times_text(group.min_speedup));
}

std::string slower_text(const PeerScore &score) {
  constexpr std::size_t kShown = 8;
  if (score.slower.empty()) {
    return "no slower cell\n";
  }
  std::string text = fmt::format("{} slower cells, the slowest first:\n", score.slower.size());
  for (std::size_t i = 0; i < std::min(kShown, score.slower.size()); ++i) {
    const SlowerCell &cell = score.slower[i];
    text += fmt::format("  {:.2f}x ({:.2f} … {:.2f})  {:.52}\n", cell.speedup.estimate,
                        cell.speedup.low, cell.speedup.high,
                        fmt::format("{} {}", cell.variant, cell.cell.key()));
  }
  return text;
}

} // namespace

Json to_json(const Comparison &comparison, const Versions &versions) {
  Json json{{"peers", Json::object()},
            {"cells", comparison.cells},
            {"left_out", comparison.skipped},
            {"missing", comparison.missing},
            {"wrong", comparison.mismatches}};
  for (const std::string &peer : comparison.names()) {
    json["peers"][peer] = to_json(score(comparison.of(peer)), version_of(versions, peer));
  }
  return json;
}

Json details_json(const Comparison &comparison) {
  Json list = Json::array();
  for (const std::string &peer : comparison.names()) {
    const std::vector<PeerTimes> cells = comparison.of(peer);
    for (const PeerTimes &cell : cells) {
      const evidence::Interval ratio = speedup(cell, static_cast<int>(cells.size()));
      list.push_back({{"peer", peer},
                      {"variant", cell.variant},
                      {"cell", cell.cell.key()},
                      {"expression", cell.expression},
                      {"speedup", rounded(ratio.estimate)},
                      {"low", rounded(ratio.low)},
                      {"high", rounded(ratio.high)},
                      {"routed_ns", rounded(evidence::median(cell.routed))},
                      {"peer_ns", rounded(evidence::median(cell.times))},
                      {"rounds", cell.times.size()}});
    }
  }
  return list;
}

std::string to_text(const Comparison &comparison, const Versions &versions) {
  std::string text =
      fmt::format("{} cells raced, {} left out; one thread, hot, into a given buffer\n",
                  comparison.cells, comparison.skipped);
  for (const std::string &peer : comparison.names()) {
    const PeerScore scored = score(comparison.of(peer));
    text += fmt::format("\n{}\n{:<32}{:>7}{:>12}{:>12}{:>12}\n", heading(peer, scored, versions),
                        "times faster than the peer", "cells", "geomean", "weighted", "worst");
    for_each_group(scored, [&](const std::string &name, const GroupScore &group, bool family) {
      text += text_line((family ? "" : "  ") + name, group);
    });
    text += slower_text(scored);
  }
  for (const std::string &group : comparison.missing) {
    text += fmt::format("no cell: {}\n", group);
  }
  return text;
}

std::string to_markdown(const Comparison &comparison, const Versions &versions) {
  std::string text;
  for (const std::string &peer : comparison.names()) {
    const PeerScore scored = score(comparison.of(peer));
    text += fmt::format("### {}\n\n| Family, op | Cells | Geomean | Weighted | Worst |\n"
                        "|---|---:|---:|---:|---:|\n",
                        heading(peer, scored, versions));
    for_each_group(scored, [&](const std::string &name, const GroupScore &group, bool family) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n",
                          family ? "**" + name + "**" : "`" + name + "`", group.cells,
                          times_text(group.geomean_speedup), times_text(group.weighted_speedup),
                          times_text(group.min_speedup));
    });
    text += fmt::format("\nSlower cells: {}\n", scored.slower.size());
    for (const SlowerCell &cell : scored.slower) {
      text += fmt::format("\n- `{} {}`: {:.2f}x ({:.2f} … {:.2f})", cell.variant, cell.cell.key(),
                          cell.speedup.estimate, cell.speedup.low, cell.speedup.high);
    }
    text += scored.slower.empty() ? "\n" : "\n\n";
  }
  return text;
}

std::string expressions_markdown(std::span<const Peer> peers) {
  std::string text = "| Peer | Variant | Expression |\n|---|---|---|\n";
  for (const Peer &peer : peers) {
    for (const Expression &expression : peer.expressions) {
      text += fmt::format("| {} | `{}` | `{}` |\n", peer.name, expression.variant, expression.text);
    }
  }
  return text;
}

} // namespace switchyard::peers
