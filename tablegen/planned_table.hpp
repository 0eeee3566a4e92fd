// A plan as the table that a build would compile it to, in memory.
#pragma once

#include <string_view>
#include <vector>

#include "switchyard/core/route_table.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

// Refers to the plan and the text, which outlive it.
class PlannedTable {
public:
  PlannedTable(const Plan &plan, std::string_view candidate_set);
  PlannedTable(PlannedTable &&) noexcept = default; // what table() gives stays valid
  PlannedTable(const PlannedTable &) = delete;

  [[nodiscard]] RouteTable table() const;

private:
  std::string_view profile_;
  std::string_view candidate_set_;
  std::vector<Route> routes_;
  std::vector<RouteAlternative> alternatives_;
};

} // namespace switchyard::tablegen
