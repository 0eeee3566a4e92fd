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

} // namespace switchyard::evidence
