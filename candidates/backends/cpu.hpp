// What /proc/cpuinfo says of a CPU, and the readable name of a machine's profile.
//
// All but this_cpu() are pure functions of text and plain data, so that names of machines nobody
// has are tested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace switchyard::candidates {

struct CpuDescription {
  std::string architecture; // "x86_64", "aarch64"
  std::string vendor;       // "amd", "intel", "arm", …; empty: unknown
  std::string model_name;
  int family = -1; // x86; −1: not given
  int model = -1;
  int stepping = -1;
  int implementer = -1; // Arm
  int part = -1;
  std::string microcode;
  std::vector<std::string> flags; // in the order given
  int cores = 1;                  // that this process may use
};

// Reads the first processor's entries; unknown ones stay at their defaults.
[[nodiscard]] CpuDescription parse_cpuinfo(std::string_view text, std::string_view architecture,
                                           int cores);

// "zen4", "icelake", "neoverse-v1"; empty: not in the tables.
[[nodiscard]] std::string microarchitecture(const CpuDescription &cpu);

// "x86_64-amd-zen4-2c"; for a CPU that is not in the tables its numbers,
// "x86_64-amd-family99-model1-2c". Lower case letters, digits, '_', '.' and '-' only.
[[nodiscard]] std::string profile_name(const CpuDescription &cpu);

// The CPU that this process runs on.
[[nodiscard]] CpuDescription this_cpu();

// Those of the CPU's flags that name instruction sets which image code uses, space-separated.
[[nodiscard]] std::string instruction_sets(const CpuDescription &cpu);

} // namespace switchyard::candidates
