#include "evidence/incumbents.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evidence/evidence.hpp"
#include "evidence/files.hpp"
#include "evidence/parse.hpp"
#include "evidence/rows.hpp"
#include "evidence/text.hpp"

namespace switchyard::evidence {
namespace {

constexpr std::string_view kExactnessNames[] = {"faithful", "bitwise"};
constexpr std::int64_t kMaxChannels = 1'000'000'000;

auto order_of(const IncumbentRoute &route) {
  return std::tuple(std::string_view(route.variant), std::string_view(route.dtype), route.channels,
                    rank_of(route.layout, kLayoutNames), rank_of(route.output, kOutputNames),
                    route.thread_budget, std::string_view(route.op_class),
                    rank_of(route.exactness, kExactnessNames), route.from);
}

void check_name(std::string_view given, std::span<const std::string_view> names,
                const std::string &pointer, const Source &source) {
  if (rank_of(given, names) == names.size()) {
    source.fail(pointer,
                fmt::format("\"{}\"; accepted: {}", printable(given), fmt::join(names, ", ")));
  }
}

void check_range(std::int64_t given, std::int64_t least, std::int64_t most,
                 const std::string &pointer, const Source &source) {
  if (given < least || given > most) {
    source.fail(pointer, fmt::format("{}; accepted: {} to {}", given, least, most));
  }
}

void validate(const IncumbentRoute &route, const std::string &at, const Source &source) {
  if (!is_variant_name(route.variant)) {
    source.fail(at + "/variant",
                fmt::format("\"{}\"; accepted: [a-z0-9_]+, joined by /", printable(route.variant)));
  }
  for (const auto &[name, text] :
       {std::pair{"dtype", &route.dtype}, std::pair{"candidate", &route.candidate}}) {
    if (!is_token(*text)) {
      source.fail(fmt::format("{}/{}", at, name),
                  fmt::format("\"{}\"; accepted: [a-z0-9_]+", printable(*text)));
    }
  }
  check_name(route.layout, kLayoutNames, at + "/layout", source);
  check_name(route.output, kOutputNames, at + "/output", source);
  check_name(route.exactness, kExactnessNames, at + "/exactness", source);
  check_range(route.channels, 1, kMaxChannels, at + "/channels", source);
  check_range(route.thread_budget, 1, kMaxThreads, at + "/thread_budget", source);
  check_range(route.threads, 1, route.thread_budget, at + "/threads", source);
  if (!route.op_class.empty() && !is_token(route.op_class)) {
    source.fail(at + "/op_class", "no class's name");
  }
}

void validate(const std::vector<IncumbentRoute> &routes, const Source &source) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const std::string at = fmt::format("/routes/{}", i);
    validate(routes[i], at, source);
    if (i > 0 && order_of(routes[i - 1]) >= order_of(routes[i])) {
      source.fail(at, order_of(routes[i - 1]) == order_of(routes[i]) ? "repeats the one before"
                                                                     : "is not in order");
    }
  }
}

IncumbentRoute read_route(const Members &fields) {
  fields.allow_only({"variant", "dtype", "channels", "layout", "output", "thread_budget",
                     "exactness", "from", "candidate", "threads", "op_class"});
  return {fields.text("variant"),
          fields.text("dtype"),
          fields.whole("channels"),
          fields.text("layout"),
          fields.text("output"),
          fields.integer("thread_budget"),
          fields.text("exactness"),
          fields.whole("from"),
          fields.text("candidate"),
          fields.integer("threads"),
          fields.has("op_class") ? fields.text("op_class") : std::string()};
}

} // namespace

std::vector<IncumbentRoute> read_incumbents(const std::filesystem::path &profile_folder) {
  const std::filesystem::path path = profile_folder / kIncumbentsFile;
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() ==
      std::filesystem::file_type::not_found) {
    return {};
  }
  const Source source(path.string());
  const nlohmann::json document = parse_json(read_file(path), source);
  const Members file(document, "", source);
  if (const int schema = file.integer("schema"); schema != kIncumbentsSchema) {
    file.fail("schema", fmt::format("unknown schema {}; accepted: {}", schema, kIncumbentsSchema));
  }
  file.allow_only({"schema", "routes"});
  std::vector<IncumbentRoute> routes;
  for (const nlohmann::json &value : file.array("routes")) {
    routes.push_back(read_route(Members(value, fmt::format("/routes/{}", routes.size()), source)));
  }
  validate(routes, source);
  return routes;
}

std::string to_json(std::vector<IncumbentRoute> routes) {
  std::sort(routes.begin(), routes.end(),
            [](const auto &a, const auto &b) { return order_of(a) < order_of(b); });
  validate(routes, Source(std::string(kIncumbentsFile)));
  std::string text = fmt::format("{{\"schema\":{},\n\"routes\":[", kIncumbentsSchema);
  const char *separator = "\n";
  for (const IncumbentRoute &route : routes) {
    fmt::format_to(
        std::back_inserter(text),
        R"({}{{"variant":"{}","dtype":"{}","channels":{},"layout":"{}","output":"{}",)"
        R"("thread_budget":{},"exactness":"{}","from":{},"candidate":"{}","threads":{}{}}})",
        separator, route.variant, route.dtype, route.channels, route.layout, route.output,
        route.thread_budget, route.exactness, route.from, route.candidate, route.threads,
        route.op_class.empty() ? "" : fmt::format(R"(,"op_class":"{}")", route.op_class));
    separator = ",\n";
  }
  return text + "]}\n";
}

void write_incumbents(const std::filesystem::path &profile_folder,
                      const std::vector<IncumbentRoute> &routes) {
  std::string text = to_json(routes);
  std::error_code ignored;
  const std::filesystem::path path = profile_folder / kIncumbentsFile;
  if (std::filesystem::is_regular_file(path, ignored) && read_file(path) == text) {
    return; // its time of change would start a build
  }
  replace_file(profile_folder, std::string(kIncumbentsFile), [&] { return std::move(text); });
}

} // namespace switchyard::evidence
