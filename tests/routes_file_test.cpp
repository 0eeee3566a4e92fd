// Tables that are loaded at run time, pins and profiles: what serves the calls of a process.
//
// The process's router is made once, from its environment, so that each case that makes routed
// calls does so in a child process with an environment of its own.
#include <algorithm>
#include <array>
#include <atomic>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "candidates/multiply_add/params.hpp"
#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/dispatch.hpp"
#include "router/machine.hpp"
#include "router/pins.hpp"
#include "router/routes_file.hpp"
#include "router/serving.hpp"
#include "router/split.hpp"
#include "switchyard/switchyard.hpp"
#include "tablegen/command.hpp"
#include "tablegen/generate_json.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace switchyard;

using switchyard::test::get;
using switchyard::test::put;
using switchyard::test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;
using tablegen::Alternative;
using tablegen::ClassPlan;
using tablegen::Plan;
using tablegen::Region;

// ---- files --------------------------------------------------------------------------------------

// What is wrong with the file, without its name; empty: nothing.
std::string complaint(const fs::path &file) {
  try {
    const RoutesFile routes(file.string());
    return {};
  } catch (const std::runtime_error &error) {
    const std::string what = error.what();
    REQUIRE(what.starts_with(file.string() + ": "));
    REQUIRE(what.find('\n') == std::string::npos);
    return what.substr(file.string().size() + 2);
  }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// Without its checksum, as a text that was changed by hand has to be.
std::string without_checksum(std::string text) {
  const std::size_t at = text.rfind(",\n\"checksum\"");
  REQUIRE(at != std::string::npos);
  return text.substr(0, at) + "\n}\n";
}

// ---- plans --------------------------------------------------------------------------------------

constexpr std::string_view kVariant = "multiply_add/scalar";
constexpr std::string_view kHash = "0123456789abcdef";

ClassPlan class_of(std::string_view variant, std::string_view dtype, std::vector<Region> regions,
                   int budget = 1) {
  return {{std::string(variant), std::string(dtype), 3, LayoutClass::contiguous, OutputMode::into,
           budget},
          {1000, 50000},
          std::move(regions)};
}

Region region(std::int64_t from, std::int64_t to, std::vector<Alternative> ranking) {
  Region result;
  result.from = from;
  result.to = to;
  result.ranking = std::move(ranking);
  return result;
}

// u8 images go to `loop` below 10000 elements and to `second` from there on.
Plan plan_for(const std::string &profile, const std::string &second = "loop") {
  std::vector<Alternative> ranking{{"loop", 1}};
  if (second != "loop") {
    ranking.insert(ranking.begin(), {second, 1});
  }
  return {profile,
          {class_of(kVariant, "u8",
                    {region(0, 10000, {{"loop", 1}}), region(10000, kUnbounded, ranking)})},
          {}};
}

Plan rich_plan() {
  Plan plan{"x86_64-synthetic", {}, {}};
  Region open = region(0, kUnbounded, {{"fused", 2}, {"fused", 1}, {"loop", 1}});
  open.margin = {0.5, -1, HUGE_VAL};
  Region low = region(0, 700, {{"opencv", 1}, {"loop", 1}});
  low.margin = {0.12345, 0.1, 0.2};
  Region high = region(700, kUnbounded, {{"fused", 1}, {"loop", 1}});
  high.margin = {-0.01, -0.02, 0.001};
  plan.classes = {class_of("multiply_add/scalar", "f32", {low, high}),
                  class_of("multiply_add/scalar", "u8", {open}, 2),
                  class_of("multiply_add/vector", "u8", {high})};
  plan.classes[2].regions[0].from = 0;
  return plan;
}

// ---- child processes ----------------------------------------------------------------------------

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Child {
  std::string result; // what the body returned
  std::string errors; // what it printed on stderr
  bool clean = false; // it ended by itself
};

Child in_child(const Environment &environment, const std::function<std::string()> &body) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60); // a hang ends it
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGTERM}) {
      ::signal(signal, SIG_DFL); // the test framework's handlers would report in the child
    }
    for (const char *name : {"SWITCHYARD_ROUTES", "SWITCHYARD_PIN", "SWITCHYARD_PROFILE"}) {
      ::unsetenv(name);
    }
    for (const auto &[name, value] : environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    const int errors = ::open((folder / "errors").c_str(), O_CREAT | O_WRONLY, 0666);
    ::dup2(errors, 2);
    try {
      const std::string result = body();
      std::ofstream(folder / "result", std::ios::binary) << result;
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return {get(folder / "result"), get(folder / "errors"),
          WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

// "loop near" of a routed call on a u8 image of three channels, whose result is checked, or what
// the Error says.
std::string route_of(const Options &options = {}, std::int64_t pixels = 20) {
  std::vector<std::uint8_t> in(static_cast<std::size_t>(pixels) * 3, 100);
  std::vector<std::uint8_t> out(in.size());
  const ConstView image = hwc(std::as_const(in).data(), 1, pixels, 3);
  try {
    multiply_add(image, 2, 5, hwc(out.data(), 1, pixels, 3), options);
  } catch (const Error &error) {
    return std::string("Error: ") + error.what();
  }
  for (const std::uint8_t value : out) {
    if (value != 205) {
      return "wrong result";
    }
  }
  return fmt::format("{} {}", last_route().candidate, name_of(last_route().grade));
}

std::string route_in_child(const Environment &environment) {
  const Child child = in_child(environment, [] { return route_of(); });
  REQUIRE(child.clean);
  CHECK(child.errors.empty());
  return child.result;
}

// What a child answers without any of the variables.
std::string usual_route() {
  static const std::string route = route_in_child({});
  return route;
}

const std::string &own_profile() {
  static const std::string profile = machine_profile();
  return profile;
}

bool is_one_line(const std::string &text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

// The file of the environment is one warning that names it, and the usual route serves.
void check_warned(const fs::path &file, std::string_view reason) {
  const Child child = in_child({{"SWITCHYARD_ROUTES", file.string()}}, [] {
    std::string routes = route_of();
    routes += route_of() == routes ? "" : ", then another";
    return routes;
  });
  INFO(file << ": " << child.errors);
  REQUIRE(child.clean);
  CHECK(child.result == usual_route());
  CHECK(is_one_line(child.errors));
  CHECK(child.errors.starts_with("switchyard: warning: " + file.string() + ": "));
  CHECK(child.errors.find(reason) != std::string::npos);
  CHECK(child.errors.ends_with("; the compiled table serves\n"));
}

} // namespace

// ---- the file -----------------------------------------------------------------------------------

TEST_CASE("A routes file reads back as the plan it was written from") {
  const TemporaryFolder folder;
  const Plan plan = rich_plan();
  put(folder / "routes.json", tablegen::generate_json(plan, kHash));
  const RoutesFile file((folder / "routes.json").string());
  const RouteTable table = file.table();
  CHECK(table.profile == plan.profile);
  CHECK(table.candidate_set == kHash);
  std::size_t i = 0;
  for (const ClassPlan &of_class : plan.classes) {
    for (const Region &each : of_class.regions) {
      REQUIRE(i < table.routes.size());
      const Route &route = table.routes[i++];
      CHECK(route.variant == of_class.key.variant);
      CHECK(route.dtype == of_class.key.dtype);
      CHECK(route.channels == of_class.key.channels);
      CHECK(route.layout == of_class.key.layout);
      CHECK(route.output == of_class.key.output);
      CHECK(route.thread_budget == of_class.key.thread_budget);
      CHECK(route.from == each.from);
      CHECK(route.to == each.to);
      CHECK(route.measured_from == of_class.sizes.front());
      CHECK(route.measured_to == of_class.sizes.back());
      REQUIRE(route.ranked == each.ranking.size());
      for (std::size_t k = 0; k < each.ranking.size(); ++k) {
        CHECK(table.alternatives[route.ranking + k].candidate == each.ranking[k].candidate);
        CHECK(table.alternatives[route.ranking + k].threads == each.ranking[k].threads);
      }
      CHECK(double{route.margin} == Approx(each.margin.estimate).margin(1e-4));
      CHECK(double{route.low} == Approx(each.margin.low).margin(1e-4));
      CHECK(std::isinf(route.high) == std::isinf(each.margin.high));
    }
  }
  CHECK(i == table.routes.size());
}

TEST_CASE("The text of a routes file is the same in every locale, a route a line") {
  const std::string text = tablegen::generate_json(rich_plan(), kHash);
  std::istringstream lines(text);
  int routes = 0;
  for (std::string line; std::getline(lines, line);) {
    routes += line.starts_with("{\"variant\"") ? 1 : 0;
  }
  CHECK(routes == 4);
  CHECK(text.find("\"margin\": 0.1235, ") != std::string::npos);
  const char *found = nullptr;
  for (const char *name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"}) {
    found = found == nullptr ? std::setlocale(LC_ALL, name) : found;
  }
  if (found == nullptr) {
    WARN("1 part skipped: no C locale with a decimal comma is installed");
    return;
  }
  const std::string other = tablegen::generate_json(rich_plan(), kHash);
  std::setlocale(LC_ALL, "C");
  CHECK(other == text);
}

TEST_CASE("tablegen writes a routes file of one profile and asks which where there are several") {
  const TemporaryFolder folder;
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  for (const char *name : {"a", "b"}) {
    evidence::write(folder / "profiles" / name, evidence::Machine{name, {}});
  }
  tablegen::TablegenOptions options;
  options.evidence = (folder / "profiles").string();
  options.json = (folder / "routes.json").string();
  std::ostringstream log;
  CHECK(tablegen::run_tablegen(options, set, log) == 2);
  CHECK(log.str() == "--json: a routes file holds one profile; --profile chooses it: a, b\n");
  CHECK_FALSE(fs::exists(options.json));
  options.profiles = {"b"};
  CHECK(tablegen::run_tablegen(options, set, log) == 0);
  const RoutesFile file(options.json);
  CHECK(file.table().profile == "b");
  CHECK(file.table().candidate_set == tablegen::hash_of(set));
}

TEST_CASE("TUN-02: every cut and a flipped bit of any byte of a routes file is refused") {
  const TemporaryFolder folder;
  const fs::path file = folder / "routes.json";
  const std::string text = tablegen::generate_json(plan_for("here", "fused"), kHash);
  put(file, text);
  REQUIRE(complaint(file).empty());
  for (std::size_t size = 0; size < text.size(); ++size) {
    put(file, text.substr(0, size));
    CAPTURE(size);
    REQUIRE_FALSE(complaint(file).empty());
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const std::size_t bit : {at % 8, std::size_t{5}}) { // 5: the case of letters
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      put(file, flipped);
      CAPTURE(at, bit);
      REQUIRE_FALSE(complaint(file).empty());
    }
  }
}

TEST_CASE(
    "TUN-02: a table file that cannot be used is one warning, and the compiled table serves") {
  const TemporaryFolder folder;
  const std::string text = tablegen::generate_json(plan_for(own_profile()), kHash);
  const auto with = [&](std::string_view name, const std::string &contents) {
    put(folder / name, contents);
    return folder / name;
  };
  check_warned(with("cut", text.substr(0, text.size() / 2)), "not JSON");
  check_warned(with("newline", text.substr(0, text.size() - 1)), "checksum");
  check_warned(with("flipped", replaced(text, "\"to\": 10000", "\"to\": 10001")), "checksum");
  check_warned(with("empty", ""), "not JSON");
  check_warned(with("mark", "\xef\xbb\xbf" + text), "byte order mark");
  check_warned(with("nul", replaced(text, "\n", std::string_view("\0", 1))), "NUL byte");
  check_warned(with("nul_after", text + '\0'), "NUL byte");
  check_warned(with("crlf", replaced(text, "\n", "\r\n")), "carriage return");
  check_warned(with("utf8", replaced(text, own_profile(), "\xff\xfe")), "not JSON");
  check_warned(with("newer", replaced(text, "\"schema\": 1", "\"schema\": 2")), "/schema: 2");
  check_warned(folder / "none", "No such file");
  fs::create_directory(folder / "folder");
  check_warned(folder / "folder", "not a regular file");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0666) == 0);
  check_warned(folder / "pipe", "not a regular file");
  with("sparse", "");
  fs::resize_file(folder / "sparse", std::uintmax_t{1} << 30);
  check_warned(folder / "sparse", "larger than");
  check_warned("/dev/zero", "not a regular file");
}

TEST_CASE("TUN-02: a table file without permission is one warning") {
  const TemporaryFolder folder;
  const fs::path file = folder / "routes.json";
  put(file, tablegen::generate_json(plan_for(own_profile()), kHash));
  fs::permissions(file, fs::perms::none);
  const Child child = in_child({{"SWITCHYARD_ROUTES", file.string()}}, [] {
    constexpr uid_t kNobody = 65534;
    const bool bound = ::geteuid() != 0 || ::setresuid(kNobody, kNobody, kNobody) == 0;
    return bound ? route_of() : "skipped"; // permissions do not bind root
  });
  REQUIRE(child.clean);
  if (child.result == "skipped") {
    WARN("1 test skipped: root's rights cannot be given up here");
    return;
  }
  CHECK(child.result == usual_route());
  CHECK(child.errors == "switchyard: warning: " + file.string() +
                            ": cannot be opened: Permission denied; the compiled table serves\n");
}

TEST_CASE("TUN-02: a file of unknown names alone is one warning, and the compiled table serves") {
  const TemporaryFolder folder;
  const auto with = [&](std::string_view name, Plan plan) {
    put(folder / name, tablegen::generate_json(plan, kHash));
    return folder / name;
  };
  Plan candidate = plan_for(own_profile());
  for (Region &each : candidate.classes[0].regions) {
    each.ranking = {{"vanished", 1}};
  }
  Plan variant = plan_for(own_profile());
  variant.classes[0].key.variant = "no_such/variant";
  Plan dtype = plan_for(own_profile());
  dtype.classes[0].key.dtype = "u9";
  check_warned(with("candidate", candidate), "multiply_add/scalar has no candidate vanished");
  check_warned(with("variant", variant), "no variant no_such/variant");
  check_warned(with("dtype", dtype), "no variant multiply_add/scalar with dtype u9");
  check_warned(with("nothing", {own_profile(), {}, {}}), "has no routes");
}

TEST_CASE("A routes file is checked field by field") {
  const TemporaryFolder folder;
  const fs::path file = folder / "routes.json";
  const std::string text =
      without_checksum(tablegen::generate_json(plan_for("here", "fused"), kHash));
  put(file, text);
  REQUIRE(complaint(file).empty());
  const auto reason = [&](std::string_view from, std::string_view to) {
    put(file, replaced(text, from, to));
    return complaint(file);
  };
  const std::string first = "\"from\": 0, \"to\": 10000";
  using Catch::StartsWith;
  CHECK_THAT(reason("\"schema\": 1,", "\"schema\": 1.5,"),
             StartsWith("/schema: is of type number"));
  CHECK_THAT(reason("\"schema\": 1,", ""), StartsWith("/schema: missing"));
  CHECK_THAT(reason("switchyard routes", "other"), StartsWith("/kind: "));
  CHECK_THAT(reason("\"here\"", "\"../here\""), StartsWith("/profile: "));
  CHECK_THAT(reason(kHash, "0123"), StartsWith("/candidate_set: "));
  CHECK_THAT(reason("\"kind\"", "\"mood\": 1, \"kind\""), StartsWith("/mood: unknown field"));
  CHECK_THAT(reason("\"schema\"", "\"schema\": 1, \"schema\""), StartsWith("/schema: the name"));
  CHECK_THAT(reason("multiply_add/scalar", "multiply add"), StartsWith("/routes/0/variant: "));
  CHECK_THAT(reason("\"u8\"", "\"U8\""), StartsWith("/routes/0/dtype: "));
  CHECK_THAT(reason("contiguous", "diagonal"), StartsWith("/routes/0/layout: unknown"));
  CHECK_THAT(reason("\"into\"", "\"onto\""), StartsWith("/routes/0/output: unknown"));
  for (const char *number :
       {"0", "-3", "1e99", "99999999999", "null", "\"3\"", "18446744073709551615"}) {
    CHECK_THAT(reason("\"channels\": 3", fmt::format("\"channels\": {}", number)),
               StartsWith("/routes/0/channels: "));
    CHECK_THAT(reason("\"thread_budget\": 1", fmt::format("\"thread_budget\": {}", number)),
               StartsWith("/routes/0/thread_budget: "));
    CHECK_THAT(reason("\"threads\": 1", fmt::format("\"threads\": {}", number)),
               StartsWith("/routes/0/ranking/0/threads: "));
  }
  CHECK_FALSE(reason("\"channels\": 3", "\"channels\": 1e999").empty());
  CHECK_THAT(reason(first, "\"from\": 5, \"to\": 10000"), StartsWith("/routes/0/from: "));
  CHECK_THAT(reason(first, "\"from\": 0, \"to\": 0"), StartsWith("/routes/0/to: "));
  CHECK_THAT(reason(first, "\"from\": 0, \"to\": 9999"), StartsWith("/routes/1/from: ")); // a gap
  CHECK_THAT(reason(first, "\"from\": 0, \"to\": 10001"),
             StartsWith("/routes/1/from: ")); // overlap
  CHECK_THAT(reason(first, "\"from\": 0, \"to\": null"), StartsWith("/routes/1/from: "));
  CHECK_THAT(reason("\"to\": null", "\"to\": 99999"), StartsWith("/routes/1: the last"));
  CHECK_THAT(reason("\"measured_to\": 50000", "\"measured_to\": 1"),
             StartsWith("/routes/0/measured_to: "));
  CHECK_THAT(reason("\"margin\": 0", "\"margin\": -2"), StartsWith("/routes/0/margin: "));
  CHECK_THAT(reason("\"low\": 0", "\"low\": 0.5"), StartsWith("/routes/0/low: above high"));
  CHECK_THAT(reason("[{\"candidate\": \"loop\", \"threads\": 1}]", "[]"),
             StartsWith("/routes/0/ranking: "));
  CHECK_THAT(reason("\"fused\"", "\"loop\""), StartsWith("/routes/1/ranking/1/candidate: repeats"));
  CHECK_THAT(reason("\"fused\"", "\"\""), StartsWith("/routes/1/ranking/0/candidate: not a name"));
}

TEST_CASE("Classes out of order, or twice, are refused") {
  const TemporaryFolder folder;
  const fs::path file = folder / "routes.json";
  const auto reason = [&](Plan plan) {
    put(file, tablegen::generate_json(plan, kHash));
    return complaint(file);
  };
  Plan unordered = rich_plan();
  std::swap(unordered.classes[1], unordered.classes[2]);
  CHECK_THAT(reason(unordered), Catch::StartsWith("/routes/3/variant: not in the order"));
  Plan twice = rich_plan();
  twice.classes.push_back(twice.classes.back());
  CHECK_THAT(reason(twice), Catch::StartsWith("/routes/4/from: "));
}

// ---- what serves --------------------------------------------------------------------------------

TEST_CASE("A routes file of this machine serves as exact and near, another one as other_machine") {
  const TemporaryFolder folder;
  const fs::path own = folder / "own.json";
  const fs::path foreign = folder / "foreign.json";
  put(own, tablegen::generate_json(plan_for(own_profile()), kHash));
  put(foreign, tablegen::generate_json(plan_for("another-machine"), kHash));
  const auto routes = [] {
    return route_of() + ", " + route_of({}, 500) + ", " + route_of({}, 400000);
  };
  const auto served = [&](const fs::path &file, const std::string &profile) {
    const Child child =
        in_child({{"SWITCHYARD_ROUTES", file.string()}, {"SWITCHYARD_PROFILE", profile}}, routes);
    CHECK(child.errors.empty());
    return child.result;
  };
  const std::string foreign_routes = "loop other_machine, loop other_machine, loop other_machine";
  CHECK(served(own, "") == "loop near, loop exact, loop near");
  CHECK(served(foreign, "") == foreign_routes);
  // A file brings its profile's name along.
  CHECK(served(foreign, "another-machine") == "loop near, loop exact, loop near");
  // The compiled table keeps the dtypes and variants that the file does not have.
  const auto others = [] {
    std::vector<float> pixels(60, 1.0F);
    const ConstView image = hwc(std::as_const(pixels).data(), 4, 5, 3);
    (void)multiply_add(image, 2, 1);
    const std::string first(last_route().candidate);
    (void)hflip(image);
    return fmt::format("{} {} {}", first, last_route().candidate, name_of(last_route().grade));
  };
  CHECK(in_child({{"SWITCHYARD_ROUTES", foreign.string()}}, others).result ==
        in_child({}, others).result);
}

TEST_CASE("A routes file for other candidates serves with those that exist, and one line says so") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a\nb.json"; // its name stays on one line as well
  Plan plan = plan_for(own_profile());
  plan.classes[0].regions[0].ranking = {{"vanished", 1}, {"loop", 1}};
  plan.classes.insert(plan.classes.begin(),
                      class_of("gone/scalar", "u8", {region(0, kUnbounded, {{"loop", 1}})}));
  put(file, tablegen::generate_json(plan, kHash));
  const Child child = in_child({{"SWITCHYARD_ROUTES", file.string()}}, [] { return route_of(); });
  CHECK(child.result == "loop near");
  CHECK(is_one_line(child.errors));
  CHECK_THAT(child.errors, Catch::Contains("a?b.json: passed over: ") &&
                               Catch::Contains("no variant gone/scalar") &&
                               Catch::Contains("multiply_add/scalar has no candidate vanished"));
}

TEST_CASE("load_routes replaces what serves, and a file that cannot be used changes nothing") {
  const TemporaryFolder folder;
  const std::string good = (folder / "good.json").string();
  const std::string bad = (folder / "bad.json").string();
  put(good, tablegen::generate_json(plan_for(own_profile()), kHash));
  put(bad, "{");
  const Child child = in_child({}, [&] {
    std::string log = route_of();
    const auto load = [&](const std::string &path) {
      const RoutesResult result = load_routes(path);
      log += fmt::format("; {} [{}] {}", result.loaded, result.message.substr(0, bad.size()),
                         route_of());
    };
    load(bad);
    load(good);
    load(bad);
    unload_routes();
    return log + "; " + route_of();
  });
  CHECK(child.errors.empty());
  CHECK(child.result == fmt::format("{0}; false [{1}] {0}; true [] loop near; "
                                    "false [{1}] loop near; {0}",
                                    usual_route(), bad));
}

TEST_CASE("load_routes before the first call comes before the file of the environment") {
  const TemporaryFolder folder;
  const std::string good = (folder / "good.json").string();
  put(good, tablegen::generate_json(plan_for(own_profile()), kHash));
  const Child child = in_child({{"SWITCHYARD_ROUTES", "/nonexistent"}}, [&] {
    const bool loaded = load_routes(good).loaded;
    return fmt::format("{} {}", loaded, route_of());
  });
  CHECK(child.errors.empty());
  CHECK(child.result == "true loop near");
  // A wrong environment is no exception here, and still an error of the call.
  const Child wrong = in_child({{"SWITCHYARD_PIN", "hflip=nothing"}}, [&] {
    const RoutesResult result = load_routes(good);
    return fmt::format("{} {} / {}", result.loaded, result.message, route_of());
  });
  CHECK_THAT(wrong.result, Catch::StartsWith("false " + good + ": not loaded: hflip: ") &&
                               Catch::Contains("/ Error: hflip: SWITCHYARD_PIN: got nothing"));
}

TEST_CASE("Callers at once see one table or the other while routes are loaded beside them") {
  const TemporaryFolder folder;
  const std::string file = (folder / "routes.json").string();
  put(file, tablegen::generate_json(plan_for(own_profile()), kHash));
  const Child child = in_child({}, [&] {
    const std::string usual = route_of();
    std::atomic<bool> done = false;
    std::array<std::string, 4> wrong;
    std::vector<std::thread> callers;
    for (std::string &each : wrong) {
      callers.emplace_back([&] {
        do {
          const std::string route = route_of();
          each = route == usual || route == "loop near" ? each : route;
        } while (!done);
      });
    }
    int loaded = 0;
    for (int i = 0; i < 100; ++i) {
      loaded += load_routes(file).loaded ? 1 : 0;
      unload_routes();
    }
    done = true;
    for (std::thread &caller : callers) {
      caller.join();
    }
    return fmt::format("{} {}{}{}{}", loaded, wrong[0], wrong[1], wrong[2], wrong[3]);
  });
  CHECK(child.clean);
  CHECK(child.result == "100 ");
}

TEST_CASE("Callers at once make one router, and a bad file is still one warning") {
  const Child child = in_child({{"SWITCHYARD_ROUTES", "/nonexistent"}}, [] {
    std::array<std::string, 6> routes;
    std::vector<std::thread> callers;
    for (std::string &route : routes) {
      callers.emplace_back([&] { route = route_of(); });
    }
    for (std::thread &caller : callers) {
      caller.join();
    }
    const bool same = std::all_of(routes.begin(), routes.end(),
                                  [&](const std::string &route) { return route == routes[0]; });
    return same ? routes[0] : "different";
  });
  CHECK(child.result == usual_route());
  CHECK(is_one_line(child.errors));
}

// ---- profiles -----------------------------------------------------------------------------------

TEST_CASE("SWITCHYARD_PROFILE: a name without a table is an error of every routed call") {
  const Child child = in_child({{"SWITCHYARD_PROFILE", "no\nsuch"}}, [] {
    return route_of() + " / " + route_of() + " / " + machine_profile();
  });
  const std::string error = "Error: environment: SWITCHYARD_PROFILE: got no?such; accepted: ";
  CHECK_THAT(child.result, Catch::StartsWith(error) && Catch::Contains(" / " + error) &&
                               Catch::EndsWith(" / no\nsuch")); // whoever measures may use it
  CHECK(child.errors.empty());
  for (const RouteTable &table : compiled_routes()) {
    CHECK_THAT(child.result, Catch::Contains(std::string(table.profile)));
  }
}

TEST_CASE("SWITCHYARD_PROFILE: a compiled table's name is accepted, and nothing is as unset") {
  CHECK(route_in_child({{"SWITCHYARD_PROFILE", ""}}) == usual_route());
  for (const RouteTable &table : compiled_routes()) {
    const std::string route = route_in_child({{"SWITCHYARD_PROFILE", std::string(table.profile)}});
    CHECK_THAT(route, !Catch::StartsWith("Error"));
    CHECK((table.profile != kPortableProfile || route.ends_with("other_machine")));
  }
}

// ---- pins ---------------------------------------------------------------------------------------

TEST_CASE("A list of pins is read as a whole, and what is wrong with it is named") {
  const auto ops = candidates::ops();
  CHECK(parse_pins("", ops).empty());
  const Pins pins = parse_pins("hflip=loop,multiply_add/scalar=fused", ops);
  const Router router(ops, {}, "here");
  for (std::size_t v = 0; v < pins.size(); ++v) {
    const std::string_view name = router.variant(static_cast<int>(v)).name;
    CHECK((pins[v] != nullptr ? pins[v]->id : "") == (name == "hflip"    ? "loop"
                                                      : name == kVariant ? "fused"
                                                                         : ""));
  }
  for (const char *text : {"hflip", "=", "hflip=", "=loop", ",", "hflip=loop,", "hflip=loop,,",
                           " hflip=loop", "hflip=loop;lut/shared=loop", "hflip=loop=loop",
                           "hflip=LOOP", "hflp=loop", "hflip=loop,hflip=loop", "\n", "=,="}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_pins(text, ops),
                      Catch::Contains("SWITCHYARD_PIN: got ") && Catch::Contains("; accepted: "));
  }
  CHECK_THROWS_WITH(parse_pins("hflp=loop", ops), Catch::Contains("unknown variant hflp") &&
                                                      Catch::Contains("multiply_add/scalar"));
  CHECK_THROWS_WITH(parse_pins("hflip=gone", ops),
                    Catch::StartsWith("hflip: SWITCHYARD_PIN: got gone (unknown); accepted: ") &&
                        Catch::Contains("loop"));
}

TEST_CASE("A pin to a candidate that is not in this build is an error") {
  static constexpr DtypeCase kDtypes[] = {{"u8", {Dtype::u8}, {Dtype::u8}}};
  static constexpr Candidate kCandidates[] = {
      {"absent", 1, "opencv", nullptr, {Exactness::bitwise}, {1, 1}, Split::rows, nullptr},
      {"loop", 1, "loop", nullptr, {Exactness::bitwise}, {1, 1}, Split::rows, [](const Call &) {}}};
  static constexpr Variant kVariants[] = {{"tone", kDtypes, kCandidates}};
  static constexpr OpTable kOp{"tone", kVariants};
  static constexpr const OpTable *kOps[] = {&kOp};
  CHECK_THROWS_WITH(parse_pins("tone=absent", kOps),
                    "tone: SWITCHYARD_PIN: got absent (not in this build); accepted: loop");
}

TEST_CASE("SWITCHYARD_PIN: the candidate serves its variant alone, and the grade says pinned") {
  const Child child = in_child({{"SWITCHYARD_PIN", "multiply_add/scalar=loop"}}, [] {
    std::string routes = route_of();
    Options api;
    api.candidate = "fused"; // wins over the environment
    routes += ", " + route_of(api);
    std::vector<std::uint8_t> pixels(60, 1);
    (void)hflip(hwc(std::as_const(pixels).data(), 4, 5, 3));
    return routes + ", " + std::string(name_of(last_route().grade));
  });
  CHECK_THAT(child.result,
             Catch::StartsWith("loop pinned, fused pinned, ") && !Catch::EndsWith(", pinned"));
  CHECK(route_in_child({{"SWITCHYARD_PIN", ""}}) == usual_route());
}

TEST_CASE("SWITCHYARD_PIN: a wrong name is an error of the first routed call, whichever it is") {
  for (const char *pin : {"hflip=nothing", "nothing=loop", "hflip"}) {
    CHECK_THAT(route_in_child({{"SWITCHYARD_PIN", pin}}),
               Catch::StartsWith("Error: ") && Catch::Contains("SWITCHYARD_PIN: got "));
  }
}

TEST_CASE("SWITCHYARD_PIN: a candidate that refuses a call is an error of that call") {
  const Child child = in_child({{"SWITCHYARD_PIN", "multiply_add/scalar=lut"}}, [] {
    std::vector<float> pixels(12, 1.0F);
    const View image = hwc(pixels.data(), 2, 2, 3);
    std::string text = route_of() + ", ";
    for (const bool checked : {true, false}) {
      try {
        checked ? multiply_add(image, 2, 0, image) : unchecked::multiply_add(image, 2, 0, image);
        text += "no error, ";
      } catch (const Error &error) {
        text += std::string(error.what()) + ", ";
      }
    }
    const bool untouched = pixels == std::vector<float>(12, 1.0F);
    return text + (untouched ? "untouched, " : "written, ") + route_of();
  });
  const std::string refused = "multiply_add/scalar: SWITCHYARD_PIN: got lut (dtype not supported)";
  CHECK_THAT(child.result, Catch::StartsWith("lut pinned, " + refused) &&
                               !Catch::Contains("no error") &&
                               Catch::EndsWith("untouched, lut pinned"));
}

TEST_CASE("SWITCHYARD_PIN: a candidate that is not bitwise is an error where that is demanded") {
  std::string found;
  for (const Candidate &candidate : candidates::find_variant("mean_std/global")->candidates) {
    if (candidate.built() && candidate.exactness[1] == Exactness::faithful) {
      found = candidate.id;
    }
  }
  if (found.empty()) {
    WARN("1 test skipped: this build has no candidate of mean_std/global that is not bitwise");
    return;
  }
  const Child child = in_child({{"SWITCHYARD_PIN", "mean_std/global=" + found}}, [] {
    std::vector<float> pixels(300, 1.0F);
    const ConstView image = hwc(std::as_const(pixels).data(), 10, 10, 3);
    (void)mean_std(image, Over::global);
    std::string text(name_of(last_route().grade));
    Options exactly;
    exactly.exactness = Exactness::bitwise;
    try {
      (void)mean_std(image, Over::global, 1e-4, exactly);
    } catch (const Error &error) {
      text += std::string(" ") + error.what();
    }
    return text;
  });
  CHECK_THAT(child.result, Catch::StartsWith("pinned mean_std/global: SWITCHYARD_PIN: got " +
                                             found + " (not bitwise); accepted: "));
}

// ---- replay -------------------------------------------------------------------------------------

namespace {

// The route of one random call of multiply_add beside what decide_for said before it; empty where
// they agree.
std::string replay_difference(std::mt19937 &random) {
  const auto below = [&](int limit) { return static_cast<std::int64_t>(random() % limit) + 1; };
  const Extents shape{random() % 4 == 0 ? below(5) : 1, below(300), below(90), below(6)};
  const std::int64_t rows = shape[kX] * shape[kH];
  std::vector<float> memory(static_cast<std::size_t>(element_count(shape) + 8 * rows));
  Extents strides = contiguous_strides(shape, 4);
  if (random() % 3 == 0) {
    strides[kH] += 32;
    strides[kX] = strides[kH] * shape[kH];
  }
  View image(memory.data(), shape, strides, Dtype::f32, shape[kX] > 1 ? 4 : 3);
  if (random() % 4 == 0) {
    image = reversed(image, random() % 2 == 0 ? kH : kW);
  }
  Options options;
  options.threads = static_cast<int>(random() % 4) + 1;
  options.exactness = random() % 3 == 0 ? Exactness::bitwise : Exactness::faithful;
  const double factor = 1.25;
  const double value = 0.5;
  const MultiplyAddParams params{{&factor, 1}, {&value, 1}};
  Call call;
  const ConstView in = image;
  call.in = {&in};
  call.out = {&image};
  call.params = &params;
  call.dtype_case = 1;
  call.flags = kInPlace;
  static const VariantHandle variant(kVariant);
  const Decision decision = decide_for(variant, call, OutputMode::into, options);
  multiply_add(image, factor, value, image, options);
  const RouteInfo route = last_route();
  const int bands = thread_count(*decision.candidate, call, decision.threads);
  const bool same = route.candidate == decision.candidate->id && route.grade == decision.grade &&
                    route.threads == bands;
  return same ? ""
              : fmt::format("{} t{}, not {} t{}; ", route.candidate, route.threads,
                            decision.candidate->id, bands);
}

} // namespace

TEST_CASE("What runs is what the table chose, on random problems") {
  const TemporaryFolder folder;
  // Several candidates and threads, so that a lookup by the wrong key would differ.
  Plan plan{own_profile(), {}, {}};
  for (const int budget : {1, 2}) {
    plan.classes.push_back(class_of(kVariant, "f32",
                                    {region(0, 3000, {{"loop", 1}}),
                                     region(3000, 40000, {{"fused", budget}, {"loop", 1}}),
                                     region(40000, kUnbounded, {{"loop", budget}, {"fused", 1}})},
                                    budget));
  }
  put(folder / "routes.json", tablegen::generate_json(plan, kHash));
  for (const Environment &environment :
       {Environment{}, Environment{{"SWITCHYARD_ROUTES", (folder / "routes.json").string()}}}) {
    const Child child = in_child(environment, [] {
      std::mt19937 random(11);
      std::string differences;
      for (int i = 0; i < 500; ++i) {
        differences += replay_difference(random);
      }
      return differences.empty() ? "none" : differences;
    });
    CHECK(child.errors.empty());
    CHECK(child.result == "none");
  }
}
