// switchyard ops: variants, their candidates, and what is not available here and why.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/cli/availability.hpp"
#include "bench/cli/commands.hpp"
#include "bench/cli/text.hpp"
#include "candidates/registry.hpp"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const Variant &variant) {
  Json list = Json::array();
  for (const Candidate &candidate : variant.candidates) {
    Json exactness = Json::object();
    for (std::size_t i = 0; i < variant.dtypes.size(); ++i) {
      exactness[std::string(variant.dtypes[i].name)] = name_of(candidate.exactness[i]);
    }
    const std::string why_not = why_not_available(variant, candidate);
    list.push_back({{"id", candidate.id},
                    {"backend", candidate.backend},
                    {"version", candidate.version},
                    {"available", why_not.empty()},
                    {"why_not", why_not},
                    {"exactness", exactness}});
  }
  return {{"variant", variant.name}, {"candidates", list}};
}

void print_json() {
  Json ops = Json::array();
  for (const OpTable *op : candidates::ops()) {
    Json variants = Json::array();
    for (const Variant &variant : op->variants) {
      variants.push_back(describe(variant));
    }
    ops.push_back({{"op", op->name}, {"variants", variants}});
  }
  fmt::print("{}\n", Json{{"ops", ops}}.dump(2));
}

void print_text() {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      fmt::print("{}\n", variant.name);
      for (const Candidate &candidate : variant.candidates) {
        std::vector<std::string> facts;
        for (std::size_t i = 0; i < variant.dtypes.size(); ++i) {
          if (candidate.exactness[i] != Exactness::unsupported) {
            facts.push_back(
                fmt::format("{} {}", variant.dtypes[i].name, name_of(candidate.exactness[i])));
          }
        }
        if (std::string why_not = why_not_available(variant, candidate); !why_not.empty()) {
          facts.push_back(std::move(why_not));
        }
        fmt::print("{}", wrapped(fmt::format("  {:<14} v{}  ", candidate.id, candidate.version),
                                 fmt::format("{}", fmt::join(facts, ", "))));
      }
    }
  }
}

} // namespace

void add_ops(CLI::App &app, int & /*exit_code*/) {
  auto *command = app.add_subcommand("ops", "Variants and candidates, and why one is missing");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json] { *json ? print_json() : print_text(); });
}

} // namespace switchyard::cli
