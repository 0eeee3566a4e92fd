// The name of the machine that this process runs on, as profiles are named.
#pragma once

#include <string>
#include <string_view>

namespace switchyard {

// What a profile's name is made of.
struct MachineDescription {
  std::string architecture; // "x86_64", "aarch64"
  std::string vendor;       // as the CPU names it: "AuthenticAMD"
  int family = 0;
  int model = 0;
  int cores = 1; // usable by this process
};

// "x86_64-amd-zen4-2c"; a CPU that is not known by name gives "x86_64-amd-family25-model97-2c".
[[nodiscard]] std::string profile_name(const MachineDescription &machine);

// Reads vendor, family and model of the first CPU from the text of /proc/cpuinfo.
[[nodiscard]] MachineDescription parse_cpuinfo(std::string_view cpuinfo,
                                               std::string_view architecture, int cores);

// This machine's profile name; SWITCHYARD_PROFILE in the environment overrides it.
[[nodiscard]] std::string machine_profile();

} // namespace switchyard
