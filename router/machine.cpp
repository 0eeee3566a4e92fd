#include "router/machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

namespace switchyard {
namespace {

struct KnownCpu {
  std::string_view vendor;
  int family;
  int first_model;
  int last_model;
  std::string_view name;
};

// Microarchitectures by family and model, from the vendors' published lists.
constexpr KnownCpu kKnownCpus[] = {
    {"AuthenticAMD", 0x17, 0x00, 0x2f, "zen"},
    {"AuthenticAMD", 0x17, 0x30, 0xff, "zen2"},
    {"AuthenticAMD", 0x19, 0x00, 0x0f, "zen3"},
    {"AuthenticAMD", 0x19, 0x10, 0x1f, "zen4"},
    {"AuthenticAMD", 0x19, 0x20, 0x5f, "zen3"},
    {"AuthenticAMD", 0x19, 0x60, 0xaf, "zen4"},
    {"AuthenticAMD", 0x1a, 0x00, 0xff, "zen5"},
    {"GenuineIntel", 6, 0x3c, 0x3c, "haswell"},
    {"GenuineIntel", 6, 0x3f, 0x3f, "haswell"},
    {"GenuineIntel", 6, 0x45, 0x46, "haswell"},
    {"GenuineIntel", 6, 0x3d, 0x3d, "broadwell"},
    {"GenuineIntel", 6, 0x47, 0x47, "broadwell"},
    {"GenuineIntel", 6, 0x4f, 0x4f, "broadwell"},
    {"GenuineIntel", 6, 0x56, 0x56, "broadwell"},
    {"GenuineIntel", 6, 0x4e, 0x4e, "skylake"},
    {"GenuineIntel", 6, 0x5e, 0x5e, "skylake"},
    {"GenuineIntel", 6, 0x55, 0x55, "skylake_server"},
    {"GenuineIntel", 6, 0x8e, 0x8e, "kabylake"},
    {"GenuineIntel", 6, 0x9e, 0x9e, "kabylake"},
    {"GenuineIntel", 6, 0x6a, 0x6a, "icelake_server"},
    {"GenuineIntel", 6, 0x6c, 0x6c, "icelake_server"},
    {"GenuineIntel", 6, 0x7d, 0x7e, "icelake"},
    {"GenuineIntel", 6, 0x8c, 0x8d, "tigerlake"},
    {"GenuineIntel", 6, 0x8f, 0x8f, "sapphirerapids"},
    {"GenuineIntel", 6, 0x97, 0x97, "alderlake"},
    {"GenuineIntel", 6, 0x9a, 0x9a, "alderlake"},
    {"GenuineIntel", 6, 0xad, 0xae, "graniterapids"},
    {"GenuineIntel", 6, 0xb7, 0xb7, "raptorlake"},
    {"GenuineIntel", 6, 0xba, 0xba, "raptorlake"},
    {"GenuineIntel", 6, 0xcf, 0xcf, "emeraldrapids"},
};

std::string_view short_vendor(std::string_view vendor) {
  if (vendor == "AuthenticAMD") {
    return "amd";
  }
  if (vendor == "GenuineIntel") {
    return "intel";
  }
  return vendor == "0x41" ? "arm" : "cpu";
}

// The value of the first "key : value" line, without surrounding blanks.
std::string_view field(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const auto trim = [](std::string_view s) {
      const std::size_t first = s.find_first_not_of(" \t");
      return first == std::string_view::npos
                 ? std::string_view()
                 : s.substr(first, s.find_last_not_of(" \t") - first + 1);
    };
    if (trim(line.substr(0, colon)) == key) {
      return trim(line.substr(colon + 1));
    }
  }
  return {};
}

int number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

} // namespace

std::string profile_name(const MachineDescription &machine) {
  const auto known =
      std::find_if(std::begin(kKnownCpus), std::end(kKnownCpus), [&](const KnownCpu &cpu) {
        return cpu.vendor == machine.vendor && cpu.family == machine.family &&
               machine.model >= cpu.first_model && machine.model <= cpu.last_model;
      });
  const std::string cpu = known != std::end(kKnownCpus)
                              ? std::string(known->name)
                              : fmt::format("family{}-model{}", machine.family, machine.model);
  return fmt::format("{}-{}-{}-{}c", machine.architecture, short_vendor(machine.vendor), cpu,
                     machine.cores);
}

MachineDescription parse_cpuinfo(std::string_view cpuinfo, std::string_view architecture,
                                 int cores) {
  MachineDescription machine;
  machine.architecture = architecture;
  machine.cores = cores;
  if (const std::string_view vendor = field(cpuinfo, "vendor_id"); !vendor.empty()) {
    machine.vendor = vendor;
    machine.family = number(field(cpuinfo, "cpu family"));
    machine.model = number(field(cpuinfo, "model"));
  } else {
    machine.vendor = field(cpuinfo, "CPU implementer");
    machine.family = number(field(cpuinfo, "CPU architecture"));
    machine.model = number(field(cpuinfo, "CPU part"));
  }
  return machine;
}

std::string machine_profile() {
  if (const char *name = std::getenv("SWITCHYARD_PROFILE"); name != nullptr && *name != '\0') {
    return name;
  }
  utsname system{};
  uname(&system);
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return profile_name(parse_cpuinfo(text, system.machine, usable_cores()));
}

} // namespace switchyard
