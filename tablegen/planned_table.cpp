#include "tablegen/planned_table.hpp"

#include <cstdint>

namespace switchyard::tablegen {

PlannedTable::PlannedTable(const Plan &plan, std::string_view candidate_set)
    : profile_(plan.profile), candidate_set_(candidate_set) {
  for (const ClassPlan &of_class : plan.classes) {
    for (const Region &region : of_class.regions) {
      routes_.push_back({.variant = of_class.key.variant,
                         .dtype = of_class.key.dtype,
                         .channels = of_class.key.channels,
                         .layout = of_class.key.layout,
                         .output = of_class.key.output,
                         .thread_budget = of_class.key.thread_budget,
                         .from = region.from,
                         .to = region.to,
                         .measured_from = of_class.sizes.front(),
                         .measured_to = of_class.sizes.back(),
                         .ranking = static_cast<std::uint32_t>(alternatives_.size()),
                         .ranked = static_cast<std::uint32_t>(region.ranking.size()),
                         .margin = static_cast<float>(region.margin.estimate),
                         .low = static_cast<float>(region.margin.low),
                         .high = static_cast<float>(region.margin.high),
                         .op_class = of_class.key.op_class});
      for (const Alternative &alternative : region.ranking) {
        alternatives_.push_back({alternative.candidate, alternative.threads});
      }
    }
  }
}

RouteTable PlannedTable::table() const {
  return {profile_, candidate_set_, routes_, alternatives_};
}

} // namespace switchyard::tablegen
