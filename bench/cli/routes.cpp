// switchyard routes: the table that serves, or a routes file, readable.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/machine.hpp"
#include "router/router.hpp"
#include "router/routes_file.hpp"
#include "router/serving.hpp"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Selection {
  std::string op;
  std::string file;
  bool json = false;
};

bool selected(const Selection &selection, const Route &route) {
  return selection.op.empty() || route.variant == selection.op ||
         route.variant.starts_with(selection.op + "/");
}

std::string class_of(const Route &route) {
  return fmt::format("c{} {} {} t{}{}{}", route.channels, name_of(route.layout),
                     name_of(route.output), route.thread_budget, route.op_class.empty() ? "" : " ",
                     route.op_class);
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
  fmt::print("    {:>11} – {:<11} {:<18} {:+.0f} % ({:+.0f} … {:+.0f})\n", route.from, to,
             fmt::format("{} t{}", winner.candidate, winner.threads), 100 * route.margin,
             100 * route.low, 100 * route.high);
}

void check_op(const std::string &name) {
  bool known = name.empty();
  for (const OpTable *op : candidates::ops()) {
    known = known || op->name == name;
    for (const Variant &variant : op->variants) {
      known = known || variant.name == name;
    }
  }
  if (!known) {
    throw std::invalid_argument("--op " + name + ": no such op or variant");
  }
}

// What is in force besides the table: pins as SWITCHYARD_PIN spells them.
std::vector<std::string> pins_of(const Serving &now) {
  std::vector<std::string> pins;
  for (std::size_t v = 0; v < now.pins.size(); ++v) {
    if (now.pins[v] != nullptr) {
      pins.push_back(
          fmt::format("{}={}", now.router.variant(static_cast<int>(v)).name, now.pins[v]->id));
    }
  }
  return pins;
}

// A table and where it comes from.
struct Shown {
  std::optional<RouteTable> table; // nullopt: nothing was compiled in
  std::string source;
  std::string machine;
  std::vector<std::string> pins;
};

Shown shown_of(const RoutesFile &file, std::string machine, std::vector<std::string> pins) {
  return {file.table(), file.name(), std::move(machine), std::move(pins)};
}

Shown what_serves(const Serving &now) {
  const std::string machine(now.router.profile());
  if (now.file != nullptr) {
    return shown_of(*now.file, machine, pins_of(now));
  }
  const RouteTable *table = serving_table(compiled_routes(), machine);
  return {table != nullptr ? std::optional(*table) : std::nullopt, "compiled", machine,
          pins_of(now)};
}

std::string_view grade_of(const Shown &shown) {
  const std::string_view profile = shown.table->profile;
  return name_of(profile == shown.machine && profile != kPortableProfile ? Grade::exact
                                                                         : Grade::other_machine);
}

std::vector<const Route *> chosen_routes(const Selection &selection, const Shown &shown) {
  std::vector<const Route *> routes;
  if (shown.table) {
    for (const Route &route : shown.table->routes) {
      if (selected(selection, route) && route.ranked != 0) {
        routes.push_back(&route);
      }
    }
  }
  return routes;
}

void print_json(const Selection &selection, const Shown &shown) {
  Json list = Json::array();
  for (const Route *route : chosen_routes(selection, shown)) {
    list.push_back(to_json(*shown.table, *route, grade_of(shown)));
  }
  const Json profile = shown.table ? Json(shown.table->profile) : Json();
  fmt::print("{}\n", Json{{"profile", profile},
                          {"machine", shown.machine},
                          {"source", shown.source},
                          {"pins", shown.pins},
                          {"routes", list}}
                         .dump(2));
}

void print_readable(const Selection &selection, const Shown &shown) {
  if (shown.table) {
    fmt::print("profile {}, machine {}\n", shown.table->profile, shown.machine);
  } else {
    fmt::print("no evidence was compiled in: every call takes the order of its op's table\n");
  }
  if (shown.source != "compiled") {
    fmt::print("from {}; the compiled table has what it lacks\n", shown.source);
  }
  for (const std::string &pin : shown.pins) {
    fmt::print("pinned {}\n", pin);
  }
  std::string_view variant;
  std::string of_class;
  for (const Route *route : chosen_routes(selection, shown)) {
    if (route->variant != variant) {
      variant = route->variant;
      of_class.clear();
      fmt::print("{}\n", variant);
    }
    const std::string next = fmt::format("{} {}", route->dtype, class_of(*route));
    if (next != of_class) {
      of_class = next;
      fmt::print("  {}\n", of_class);
    }
    print_text(*shown.table, *route);
  }
}

void print_routes(const Selection &selection) {
  check_op(selection.op);
  const auto print = selection.json ? print_json : print_readable;
  if (!selection.file.empty()) {
    const RoutesFile file(selection.file);
    print(selection, shown_of(file, machine_profile(), {}));
  } else {
    print(selection, what_serves(serving()));
  }
}

} // namespace

void add_routes(CLI::App &app, int & /*exit_code*/) {
  auto *command = app.add_subcommand("routes", "The table that serves, readable");
  const auto selection = std::make_shared<Selection>();
  command->add_option("--op", selection->op, "Only this op or variant")->type_name("OP|VARIANT");
  command->add_option("--file", selection->file, "Show this routes file instead")
      ->type_name("FILE");
  command->add_flag("--json", selection->json, "Print JSON");
  command->callback([selection] { print_routes(*selection); });
}

} // namespace switchyard::cli
