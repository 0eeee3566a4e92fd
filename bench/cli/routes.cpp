// switchyard routes: the compiled table, readable.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/machine.hpp"
#include "router/router.hpp"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Selection {
  std::string op;
  std::string profile;
  bool json = false;
};

bool selected(const Selection &selection, const Route &route) {
  return selection.op.empty() || route.variant == selection.op ||
         route.variant.starts_with(selection.op + "/");
}

std::string class_of(const Route &route) {
  return fmt::format("c{} {} {} t{}", route.channels, name_of(route.layout), name_of(route.output),
                     route.thread_budget);
}

// The table that serves here: this machine's, or else the first one.
const RouteTable *table_for(const std::string &profile) {
  const auto tables = compiled_routes();
  for (const RouteTable &table : tables) {
    if (table.profile == profile) {
      return &table;
    }
  }
  return tables.empty() ? nullptr : &tables.front();
}

Json to_json(const RouteTable &table, const Route &route, std::string_view grade) {
  const RouteAlternative &winner = table.alternatives[route.ranking];
  return {{"variant", route.variant},  {"dtype", route.dtype},   {"class", class_of(route)},
          {"from", route.from},        {"to", route.to},         {"candidate", winner.candidate},
          {"threads", winner.threads}, {"margin", route.margin}, {"grade", grade}};
}

void print_text(const RouteTable &table, const Route &route) {
  const RouteAlternative &winner = table.alternatives[route.ranking];
  const std::string to = route.to == kUnbounded ? "…" : fmt::format("{}", route.to);
  fmt::print("  {:<28} {:>9} – {:<9} {} t{}  {:+.0f} % ({:+.0f} … {:+.0f})\n",
             fmt::format("{} {}", route.dtype, class_of(route)), route.from, to, winner.candidate,
             winner.threads, 100 * route.margin, 100 * route.low, 100 * route.high);
}

void print_routes(const Selection &selection) {
  if (!selection.op.empty()) {
    bool known = false;
    for (const OpTable *op : candidates::ops()) {
      known = known || op->name == selection.op;
      for (const Variant &variant : op->variants) {
        known = known || variant.name == selection.op;
      }
    }
    if (!known) {
      throw std::invalid_argument("--op " + selection.op + ": no such op or variant");
    }
  }
  const RouteTable *table = table_for(selection.profile);
  Json list = Json::array();
  if (table != nullptr) {
    const std::string_view grade =
        name_of(table->profile == selection.profile ? Grade::exact : Grade::other_machine);
    if (!selection.json) {
      fmt::print("profile {}, machine {}\n", table->profile, selection.profile);
    }
    std::string_view variant;
    for (const Route &route : table->routes) {
      if (!selected(selection, route) || route.ranked == 0) {
        continue;
      }
      if (selection.json) {
        list.push_back(to_json(*table, route, grade));
        continue;
      }
      if (route.variant != variant) {
        variant = route.variant;
        fmt::print("{}\n", variant);
      }
      print_text(*table, route);
    }
  } else if (!selection.json) {
    fmt::print("no evidence was compiled in: every call takes the order of its op's table\n");
  }
  if (selection.json) {
    fmt::print("{}\n", Json{{"routes", list}}.dump(2));
  }
}

} // namespace

void add_routes(CLI::App &app, int & /*exit_code*/) {
  auto *command = app.add_subcommand("routes", "The compiled table, readable");
  const auto selection = std::make_shared<Selection>();
  command->add_option("--op", selection->op, "Only this op or variant")->type_name("OP");
  command->add_flag("--json", selection->json, "Print JSON");
  command->callback([selection] {
    selection->profile = machine_profile();
    print_routes(*selection);
  });
}

} // namespace switchyard::cli
