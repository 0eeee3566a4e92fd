#include "bench/measure/machine.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "bench/measure/limits.hpp"
#include "bench/measure/measure.hpp"
#include "bench/measure/state.hpp"
#include "candidates/registry.hpp"

namespace switchyard::measure {
namespace {

using candidates::CpuDescription;
using candidates::instruction_sets;
using candidates::microarchitecture;
using Facts = std::map<std::string, std::string>;

// The first line of a file, or "unknown".
std::string line_of(const std::string &file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line.empty() ? "unknown" : line;
}

// The values of a library on one line each, without blanks at the ends.
std::string one_line(const std::string &text) {
  std::istringstream stream(text);
  std::string result;
  for (std::string word; stream >> word;) {
    result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

std::string or_unknown(int value) {
  return value < 0 ? "unknown" : std::to_string(value);
}

Facts cpu_facts(const CpuDescription &cpu) {
  Facts facts = {
      {"architecture", cpu.architecture},
      {"vendor", cpu.vendor.empty() ? "unknown" : cpu.vendor},
      {"model_name", cpu.model_name.empty() ? "unknown" : cpu.model_name},
      {"microarchitecture", microarchitecture(cpu).empty() ? "unknown" : microarchitecture(cpu)},
      {"microcode", cpu.microcode.empty() ? "unknown" : cpu.microcode},
      {"isa", instruction_sets(cpu)},
      {"cores", std::to_string(cpu.cores)},
      {"governor", line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
  };
  if (cpu.implementer >= 0) {
    facts["implementer"] = fmt::format("{:#x}", cpu.implementer);
    facts["part"] = fmt::format("{:#x}", cpu.part);
  } else {
    facts["family"] = or_unknown(cpu.family);
    facts["model"] = or_unknown(cpu.model);
    facts["stepping"] = or_unknown(cpu.stepping);
  }
  return facts;
}

Facts cache_facts() {
  Facts facts;
  for (const MemoryLevel &level : memory_levels()) {
    if (level.bytes > 0) {
      facts[level.name] = fmt::format("{} KiB", level.bytes / 1024);
    }
  }
  return facts;
}

// A guest sees the flag of its hypervisor; Arm guests see no such thing.
std::string virtualisation(const CpuDescription &cpu) {
  if (std::count(cpu.flags.begin(), cpu.flags.end(), "hypervisor") > 0) {
    return "guest";
  }
  return cpu.architecture == "x86_64" ? "none seen" : "unknown";
}

// The name that the hypervisor gives itself ("KVMKVMKVM", "VMwareVMware"); guests alone have one.
std::string hypervisor(const CpuDescription &cpu) {
  if (virtualisation(cpu) != "guest") {
    return virtualisation(cpu);
  }
#if defined(__x86_64__)
  constexpr unsigned kHypervisorLeaf = 0x4000'0000;
  std::array<unsigned, 4> registers{};
  __cpuid(kHypervisorLeaf, registers[0], registers[1], registers[2], registers[3]);
  std::string name(reinterpret_cast<const char *>(&registers[1]), 3 * sizeof(unsigned));
  std::erase_if(name, [](char letter) { return letter <= ' ' || letter > '~'; });
  return name.empty() ? "unknown" : name;
#else
  return "unknown";
#endif
}

std::string smt() {
  const std::string active = line_of("/sys/devices/system/cpu/smt/active");
  return active == "1" ? "on" : active == "0" ? "off" : "unknown";
}

Facts system_facts(const CpuDescription &cpu) {
  utsname name{};
  const bool known = uname(&name) == 0;
  const std::string huge_pages =
      parse_choice(line_of("/sys/kernel/mm/transparent_hugepage/enabled"));
  return {
      {"kernel", known ? fmt::format("{} {}", name.sysname, name.release) : "unknown"},
      {"virtualisation", virtualisation(cpu)},
      {"hypervisor", hypervisor(cpu)},
      {"smt", smt()},
      {"transparent_huge_pages", huge_pages.empty() ? "unknown" : huge_pages},
  };
}

Facts compiler_facts() {
#if defined(__clang__)
  const std::string name = "clang";
#elif defined(__GNUC__)
  const std::string name = "gcc";
#else
  const std::string name = "unknown";
#endif
  return {{"name", name}, {"version", __VERSION__}, {"flags", one_line(SWITCHYARD_CXX_FLAGS)}};
}

void add_libraries(std::map<std::string, Facts> &facts) {
  const auto ask = [](std::string (*question)()) {
    return question == nullptr ? std::string() : one_line(question());
  };
  for (const BackendInfo &backend : candidates::backends()) {
    const std::string name(backend.name);
    if (!backend.built || backend.version == nullptr) {
      continue;
    }
    facts["libraries"][name] = ask(backend.version);
    facts["capabilities"][name] = ask(backend.capability);
    if (backend.threads != nullptr) {
      facts["library_threads"][name] = ask(backend.threads);
    }
  }
}

} // namespace

evidence::Machine describe_machine() {
  const CpuDescription cpu = candidates::this_cpu();
  evidence::Machine machine;
  machine.profile = candidates::profile_name(cpu);
  machine.facts = {
      {"cpu", cpu_facts(cpu)},
      {"cache", cache_facts()},
      {"system", system_facts(cpu)},
      {"compiler", compiler_facts()},
      {"harness", {{"version", std::to_string(kHarnessVersion)}}},
  };
  add_libraries(machine.facts);
  return machine;
}

evidence::Machine measure_machine(Clock now) {
  evidence::Machine machine = describe_machine();
  Facts &limits = machine.facts["limits"];
  const ClockQuality clock = examine_clock(now);
  limits["clock_resolution"] = fmt::format("{:.0f} ns", clock.resolution_ns);
  limits["clock_reading"] = fmt::format("{:.1f} ns", clock.reading_ns);
  for (const Bandwidth &bandwidth : copy_bandwidths(memory_levels(), now)) {
    limits["copy_" + bandwidth.level] = fmt::format(
        "{:.1f} GB/s at {} KiB", bandwidth.gigabytes_per_s, bandwidth.working_set / 1024);
  }
  limits["wake_up"] = fmt::format("{:.1f} us", wake_up_latency_ns(now) / 1e3);
  return machine;
}

} // namespace switchyard::measure
