// The profile that this process looks for among the compiled tables.
#pragma once

#include <string>

namespace switchyard {

// This machine's profile name, "x86_64-amd-zen4-2c"; SWITCHYARD_PROFILE in the environment
// overrides it.
[[nodiscard]] std::string machine_profile();

} // namespace switchyard
