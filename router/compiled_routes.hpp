// The table that tablegen generated for this build.
#pragma once

#include <span>

#include "switchyard/core/route_table.hpp"

namespace switchyard {

// One table per profile, by name; empty where the build has no evidence.
[[nodiscard]] std::span<const RouteTable> compiled_routes();

} // namespace switchyard
