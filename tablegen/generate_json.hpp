// From a plan to a routes file: the table that a program can load without being built anew.
#pragma once

#include <string>
#include <string_view>

#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

// JSON that switchyard::RoutesFile (router/routes_file.hpp) reads:
//
//   {"schema": 1, "kind": "switchyard routes", "profile": …, "candidate_set": …, "routes": [
//     {"variant", "dtype", "channels", "layout", "output", "thread_budget", "from", "to",
//      "measured_from", "measured_to", "ranking": [{"candidate", "threads"}, …],
//      "margin", "low", "high"}, …], "checksum": …}
//
// with a route a line. Sizes are in elements and half-open; a "to" or "high" of null has no end.
// "checksum" is the hash of the text with zeros in place of its digits, so that a damaged file
// is seen; it may be left out. The same bytes for the same plan in any locale.
[[nodiscard]] std::string generate_json(const Plan &plan, std::string_view candidate_set);

} // namespace switchyard::tablegen
