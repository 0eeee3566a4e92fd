// What NumKong's headers say of themselves, and the kernels that the candidates choose.
#include <string>

#include "candidates/common/numkong_kernels.hpp"

namespace switchyard::candidates::numkong {

std::string version() {
  return std::to_string(NK_VERSION_MAJOR) + "." + std::to_string(NK_VERSION_MINOR) + "." +
         std::to_string(NK_VERSION_PATCH);
}

std::string capability() {
  return numkong_has_haswell() ? "haswell" : "serial";
}

} // namespace switchyard::candidates::numkong
