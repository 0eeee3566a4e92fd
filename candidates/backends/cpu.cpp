#include "candidates/backends/cpu.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

namespace switchyard::candidates {
namespace {

struct Vendor {
  std::string_view given; // vendor_id of x86, implementer of Arm
  std::string_view name;
};

constexpr Vendor kVendors[] = {
    {"AuthenticAMD", "amd"}, {"HygonGenuine", "hygon"},   {"GenuineIntel", "intel"},
    {"CentaurHauls", "via"}, {"  Shanghai  ", "zhaoxin"}, {"0x41", "arm"},
    {"0x42", "broadcom"},    {"0x43", "cavium"},          {"0x46", "fujitsu"},
    {"0x48", "hisilicon"},   {"0x4e", "nvidia"},          {"0x51", "qualcomm"},
    {"0x61", "apple"},       {"0x6d", "microsoft"},       {"0xc0", "ampere"},
};

// Models [from, to] of an x86 family.
struct Models {
  int family;
  int from;
  int to;
  std::string_view name;
};

constexpr Models kAmd[] = {
    {0x17, 0x00, 0x2f, "zen"},  {0x17, 0x30, 0x4f, "zen2"}, {0x17, 0x50, 0x5f, "zen"},
    {0x17, 0x60, 0x7f, "zen2"}, {0x17, 0x90, 0x91, "zen2"}, {0x17, 0xa0, 0xaf, "zen2"},
    {0x19, 0x00, 0x0f, "zen3"}, {0x19, 0x10, 0x1f, "zen4"}, {0x19, 0x20, 0x5f, "zen3"},
    {0x19, 0x60, 0xaf, "zen4"}, {0x1a, 0x00, 0x2f, "zen5"}, {0x1a, 0x40, 0x4f, "zen5"},
    {0x1a, 0x60, 0x7f, "zen5"},
};

constexpr Models kIntel[] = {
    {6, 0x2a, 0x2a, "sandybridge"},    {6, 0x2d, 0x2d, "sandybridge"},
    {6, 0x3a, 0x3a, "ivybridge"},      {6, 0x3e, 0x3e, "ivybridge"},
    {6, 0x3c, 0x3c, "haswell"},        {6, 0x3f, 0x3f, "haswell"},
    {6, 0x45, 0x46, "haswell"},        {6, 0x3d, 0x3d, "broadwell"},
    {6, 0x47, 0x47, "broadwell"},      {6, 0x4f, 0x4f, "broadwell"},
    {6, 0x56, 0x56, "broadwell"},      {6, 0x4e, 0x4e, "skylake"},
    {6, 0x5e, 0x5e, "skylake"},        {6, 0x55, 0x55, "skylake-x"},
    {6, 0x8e, 0x8e, "kabylake"},       {6, 0x9e, 0x9e, "kabylake"},
    {6, 0xa5, 0xa6, "cometlake"},      {6, 0x7d, 0x7e, "icelake"},
    {6, 0x6a, 0x6a, "icelake-server"}, {6, 0x6c, 0x6c, "icelake-server"},
    {6, 0x8c, 0x8d, "tigerlake"},      {6, 0xa7, 0xa7, "rocketlake"},
    {6, 0x8f, 0x8f, "sapphirerapids"}, {6, 0xcf, 0xcf, "emeraldrapids"},
    {6, 0xad, 0xae, "graniterapids"},  {6, 0xaf, 0xaf, "sierraforest"},
    {6, 0x97, 0x97, "alderlake"},      {6, 0x9a, 0x9a, "alderlake"},
    {6, 0xb7, 0xb7, "raptorlake"},     {6, 0xba, 0xba, "raptorlake"},
    {6, 0xbf, 0xbf, "raptorlake"},     {6, 0xaa, 0xaa, "meteorlake"},
    {6, 0xac, 0xac, "meteorlake"},     {6, 0xb5, 0xb5, "arrowlake"},
    {6, 0xc5, 0xc6, "arrowlake"},      {6, 0xbd, 0xbd, "lunarlake"},
};

struct Part {
  int implementer;
  int part;
  std::string_view name;
};

constexpr Part kArm[] = {
    {0x41, 0xd03, "cortex-a53"},  {0x41, 0xd05, "cortex-a55"},  {0x41, 0xd07, "cortex-a57"},
    {0x41, 0xd08, "cortex-a72"},  {0x41, 0xd09, "cortex-a73"},  {0x41, 0xd0a, "cortex-a75"},
    {0x41, 0xd0b, "cortex-a76"},  {0x41, 0xd0c, "neoverse-n1"}, {0x41, 0xd40, "neoverse-v1"},
    {0x41, 0xd49, "neoverse-n2"}, {0x41, 0xd4f, "neoverse-v2"}, {0x41, 0xd84, "neoverse-v3"},
    {0x41, 0xd8e, "neoverse-n3"}, {0x46, 0x001, "a64fx"},       {0x61, 0x022, "m1"},
    {0x61, 0x023, "m1"},          {0x61, 0x032, "m2"},          {0x61, 0x033, "m2"},
    {0xc0, 0xac3, "ampere1"},     {0xc0, 0xac4, "ampere1a"},
};

// Skylake's server core was sold under three names.
std::string_view refine_skylake_x(int stepping) {
  if (stepping >= 10) {
    return "cooperlake";
  }
  return stepping >= 5 ? "cascadelake" : "skylake-x";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// A decimal or 0x number, or −1.
int number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  text.remove_prefix(hexadecimal ? 2 : 0);
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  return value;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return result;
}

std::string vendor_of(std::string_view given) {
  for (const Vendor &vendor : kVendors) {
    if (trimmed(vendor.given) == given) {
      return std::string(vendor.name);
    }
  }
  return {};
}

void take(CpuDescription &cpu, std::string_view key, std::string_view value) {
  if (key == "vendor_id") {
    cpu.vendor = vendor_of(value);
  } else if (key == "CPU implementer") {
    cpu.implementer = number(value);
    cpu.vendor = vendor_of(value);
  } else if (key == "CPU part") {
    cpu.part = number(value);
  } else if (key == "model name") {
    cpu.model_name = value;
  } else if (key == "cpu family") {
    cpu.family = number(value);
  } else if (key == "model") {
    cpu.model = number(value);
  } else if (key == "stepping") {
    cpu.stepping = number(value);
  } else if (key == "microcode") {
    cpu.microcode = value;
  } else if (key == "flags" || key == "Features") {
    cpu.flags = words(value);
  }
}

std::string name_in(std::span<const Models> table, const CpuDescription &cpu) {
  for (const Models &models : table) {
    if (cpu.family == models.family && cpu.model >= models.from && cpu.model <= models.to) {
      return std::string(models.name);
    }
  }
  return {};
}

// The numbers that identify a CPU without a name here.
std::string numbers_of(const CpuDescription &cpu) {
  if (cpu.family >= 0) {
    return fmt::format("family{}-model{}", cpu.family, std::max(cpu.model, 0));
  }
  if (cpu.implementer >= 0) {
    return fmt::format("implementer{:x}-part{:x}", cpu.implementer, std::max(cpu.part, 0));
  }
  return "unknown";
}

} // namespace

CpuDescription parse_cpuinfo(std::string_view text, std::string_view architecture, int cores) {
  CpuDescription cpu;
  cpu.architecture = architecture;
  cpu.cores = cores;
  bool started = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      take(cpu, trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
      started = true;
    } else if (started && trimmed(line).empty()) {
      break; // the next processor
    }
  }
  return cpu;
}

std::string microarchitecture(const CpuDescription &cpu) {
  if (cpu.vendor == "amd") {
    return name_in(kAmd, cpu);
  }
  if (cpu.vendor == "intel") {
    const std::string name = name_in(kIntel, cpu);
    return name == "skylake-x" ? std::string(refine_skylake_x(cpu.stepping)) : name;
  }
  for (const Part &part : kArm) {
    if (cpu.implementer == part.implementer && cpu.part == part.part) {
      return std::string(part.name);
    }
  }
  return {};
}

std::string profile_name(const CpuDescription &cpu) {
  std::string name = cpu.architecture.empty() ? "unknown" : cpu.architecture;
  if (!cpu.vendor.empty()) {
    name += "-" + cpu.vendor;
  }
  const std::string core = microarchitecture(cpu);
  name += fmt::format("-{}-{}c", core.empty() ? numbers_of(cpu) : core, cpu.cores);
  for (char &c : name) {
    const bool allowed =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    } else if (!allowed) {
      c = '_';
    }
  }
  return name;
}

std::string instruction_sets(const CpuDescription &cpu) {
  constexpr std::string_view kPrefixes[] = {"sse", "ssse", "avx",  "fma",  "f16c",
                                            "bmi", "gfni", "vaes", "amx",  "asimd",
                                            "sve", "sme",  "fphp", "i8mm", "bf16"};
  std::vector<std::string> sets;
  for (const std::string &flag : cpu.flags) {
    if (std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                    [&](std::string_view prefix) { return flag.starts_with(prefix); })) {
      sets.push_back(flag);
    }
  }
  return fmt::format("{}", fmt::join(sets, " "));
}

CpuDescription this_cpu() {
  utsname system{};
  const std::string architecture = uname(&system) == 0 ? system.machine : "unknown";
  const auto cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_cpuinfo(text, architecture, cores);
}

} // namespace switchyard::candidates
