#include "evidence/context.hpp"

#include <charconv>

#include <fmt/format.h>

namespace switchyard::evidence {
namespace {

std::string fact(const Machine &machine, const std::string &group, const std::string &name) {
  const auto facts = machine.facts.find(group);
  if (facts == machine.facts.end()) {
    return "unknown";
  }
  const auto value = facts->second.find(name);
  return value == facts->second.end() ? "unknown" : value->second;
}

std::string machine_text(const Machine &machine) {
  const auto cpu = [&](const char *name) { return fact(machine, "cpu", name); };
  const bool x86 = machine.facts.contains("cpu") && machine.facts.at("cpu").contains("family");
  const std::string numbers = x86 ? fmt::format("family {} model {} stepping {}", cpu("family"),
                                                cpu("model"), cpu("stepping"))
                                  : fmt::format("part {}", cpu("part"));
  return fmt::format("{} {} {}, microcode {}, isa {}, {} cores, virtualisation {}",
                     cpu("architecture"), cpu("vendor"), numbers, cpu("microcode"),
                     hash_of(cpu("isa")).substr(0, 8), cpu("cores"),
                     fact(machine, "system", "virtualisation"));
}

} // namespace

Context context_of(const Machine &machine, std::string_view backend, Quality quality) {
  Context context;
  context.quality = quality;
  const std::string harness = fact(machine, "harness", "version");
  std::from_chars(harness.data(), harness.data() + harness.size(), context.harness);
  context.machine = machine_text(machine);
  context.compiler =
      fmt::format("{} {} {}", fact(machine, "compiler", "name"),
                  fact(machine, "compiler", "version"), fact(machine, "compiler", "flags"));
  if (backend.empty()) {
    context.library = "none";
    return context;
  }
  const std::string name(backend);
  context.library =
      fmt::format("{}; {}", fact(machine, "libraries", name), fact(machine, "capabilities", name));
  if (machine.facts.contains("library_threads") &&
      machine.facts.at("library_threads").contains(name)) {
    context.library += fmt::format("; threads {}", fact(machine, "library_threads", name));
  }
  return context;
}

std::optional<std::string> stale_reason(const Row &row, const Context &then, const Context &now,
                                        int version_now) {
  const auto change = [](std::string_view what, const auto &was, const auto &is) {
    return fmt::format("{} was {}, is {}", what, was, is);
  };
  if (row.version != version_now) {
    return change("version", row.version, version_now);
  }
  if (then.harness != now.harness) {
    return change("harness", then.harness, now.harness);
  }
  if (then.machine != now.machine) {
    return change("machine", then.machine, now.machine);
  }
  if (then.compiler != now.compiler) {
    return change("compiler", then.compiler, now.compiler);
  }
  if (then.library != now.library) {
    return change("library of " + row.candidate, then.library, now.library);
  }
  return std::nullopt;
}

} // namespace switchyard::evidence
