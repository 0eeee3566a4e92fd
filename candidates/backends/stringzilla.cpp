// What StringZilla's headers say of themselves, and the kernel that the candidates choose.
#include <string>

#include "candidates/common/stringzilla_kernels.hpp"

namespace switchyard::candidates::stringzilla {

std::string version() {
  return std::to_string(STRINGZILLA_H_VERSION_MAJOR) + "." +
         std::to_string(STRINGZILLA_H_VERSION_MINOR) + "." +
         std::to_string(STRINGZILLA_H_VERSION_PATCH);
}

std::string capability() {
  return stringzilla_lookup().name;
}

} // namespace switchyard::candidates::stringzilla
