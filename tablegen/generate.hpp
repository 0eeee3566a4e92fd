// From plans to the text of the generated file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

// C++ that defines switchyard::compiled_routes() as plain constexpr data: one table per plan, in
// the order of profile names; one route a line, after a comment with the winner, its margin over
// the runner-up and the evidence keys. Valid C++ whatever the names hold. The same bytes for the
// same plans in any order and locale.
[[nodiscard]] std::string generate(std::span<const Plan> plans, std::string_view candidate_set);

} // namespace switchyard::tablegen
