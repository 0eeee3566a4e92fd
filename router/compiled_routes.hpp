// The routes that this build was compiled with: one table per evidence profile, by name.
//
// The definition is the file that switchyard_tablegen writes during the build.
#pragma once

#include <span>

#include "switchyard/core/route_table.hpp"

namespace switchyard {

// Tables in ascending order of their profile names; none when the build has no evidence. The
// routes of a table ascend by variant, dtype, channels, layout, output, thread budget and `from`.
[[nodiscard]] std::span<const RouteTable> compiled_routes();

} // namespace switchyard
