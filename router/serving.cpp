#include "router/serving.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>

#include <fmt/format.h>

#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/machine.hpp"
#include "switchyard/core/error.hpp"
#include "switchyard/routes.hpp"

namespace switchyard {
namespace {

using FilePointer = std::shared_ptr<const RoutesFile>;

std::mutex g_mutex; // held while the serving router is replaced

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A profile that was asked for by name must have a table.
void check_profile(const std::string &requested, const RoutesFile *file) {
  std::string names = file != nullptr ? std::string(file->table().profile) : "";
  bool found = requested.empty() || requested == names;
  for (const RouteTable &table : compiled_routes()) {
    found = found || requested == table.profile;
    names += names.empty() ? "" : ", ";
    names += table.profile;
  }
  if (!found) {
    throw Error("environment", "SWITCHYARD_PROFILE", shown(requested),
                names.empty() ? "nothing, since this build has no table" : names);
  }
}

// Makes a router of the compiled tables and the file, if there is one, serve from now on. Throws
// Error for a wrong environment and then changes nothing. The mutex is held.
const Serving &serve(FilePointer file) {
  Pins pins = parse_pins(environment("SWITCHYARD_PIN"), candidates::ops());
  check_profile(requested_profile(), file.get());
  const RouteTable table = file != nullptr ? file->table() : RouteTable{};
  Router router(candidates::ops(), compiled_routes(), machine_profile(),
                file != nullptr ? &table : nullptr);
  const auto *next =
      new Serving{std::move(router), std::move(pins), std::move(file), detail::serving.load()};
  detail::serving.store(next, std::memory_order_release);
  return *next;
}

struct Reading {
  FilePointer file; // nullptr: cannot be used
  std::string message;
};

// What of the file this build passes over, on one line; empty: nothing.
std::string passed_over(const std::string &name, std::span<const std::string> warnings) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(warnings.size(), kNamed); ++i) {
    text += (i == 0 ? "" : "; ") + warnings[i];
  }
  if (warnings.size() > kNamed) {
    text += fmt::format("; and {} more", warnings.size() - kNamed);
  }
  return text.empty() ? text : fmt::format("{}: passed over: {}", name, text);
}

Reading read(const std::string &path) {
  try {
    auto file = std::make_shared<const RoutesFile>(path);
    const RouteTable table = file->table();
    const Router alone(candidates::ops(), {}, table.profile, &table);
    std::string message = passed_over(file->name(), alone.warnings());
    if (!alone.has_routes()) {
      return {nullptr, message.empty() ? file->name() + ": has no routes" : message};
    }
    return {std::move(file), std::move(message)};
  } catch (const std::exception &error) {
    return {nullptr, error.what()};
  }
}

// The file of the environment, once: a bad one is one line on stderr, however many calls fail.
FilePointer file_of_environment() {
  static FilePointer *const file = [] {
    const std::string path = environment("SWITCHYARD_ROUTES");
    Reading reading = path.empty() ? Reading{} : read(path);
    if (!reading.message.empty()) {
      const std::string line =
          fmt::format("switchyard: warning: {}{}\n", reading.message,
                      reading.file == nullptr ? "; the compiled table serves" : "");
      std::fputs(line.c_str(), stderr);
    }
    return new FilePointer(std::move(reading.file)); // outlives the destructors of statics
  }();
  return *file;
}

} // namespace

namespace detail {

constinit std::atomic<const Serving *> serving{nullptr};

const Serving &start_serving() {
  const std::lock_guard lock(g_mutex);
  const Serving *now = serving.load(std::memory_order_acquire);
  return now != nullptr ? *now : serve(file_of_environment());
}

} // namespace detail

const Router &default_router() {
  return serving().router;
}

RoutesResult load_routes(const std::string &path) {
  Reading reading = read(path);
  if (reading.file == nullptr) {
    return {false, std::move(reading.message)};
  }
  try {
    const std::lock_guard lock(g_mutex);
    serve(reading.file);
  } catch (const Error &error) {
    return {false, reading.file->name() + ": not loaded: " + error.what()};
  }
  return {true, std::move(reading.message)};
}

void unload_routes() {
  const std::lock_guard lock(g_mutex);
  serve(nullptr);
}

} // namespace switchyard
