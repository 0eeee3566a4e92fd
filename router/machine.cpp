#include "router/machine.hpp"

#include <cstdlib>

#include "candidates/backends/cpu.hpp"

namespace switchyard {

std::string machine_profile() {
  if (const char *name = std::getenv("SWITCHYARD_PROFILE"); name != nullptr && *name != '\0') {
    return name;
  }
  return candidates::profile_name(candidates::this_cpu());
}

} // namespace switchyard
