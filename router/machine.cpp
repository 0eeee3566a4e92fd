#include "router/machine.hpp"

#include <cstdlib>

#include "candidates/backends/cpu.hpp"

namespace switchyard {

std::string requested_profile() {
  const char *name = std::getenv("SWITCHYARD_PROFILE");
  return name != nullptr ? name : "";
}

std::string machine_profile() {
  std::string name = requested_profile();
  return name.empty() ? candidates::profile_name(candidates::this_cpu()) : name;
}

} // namespace switchyard
