// Which profile this process looks for among the tables.
#pragma once

#include <string>

namespace switchyard {

// What SWITCHYARD_PROFILE in the environment says; empty: unset, or set to nothing.
[[nodiscard]] std::string requested_profile();

// The requested profile, else this machine's own: "x86_64-amd-zen4-2c". The name need not have a
// table: a tool that measures writes a new profile by it. Routed calls accept a requested profile
// only if there is a table of that name; see serving().
[[nodiscard]] std::string machine_profile();

} // namespace switchyard
