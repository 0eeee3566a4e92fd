#include "tablegen/generate_json.hpp"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "evidence/evidence.hpp"
#include "evidence/text.hpp"

namespace switchyard::tablegen {
namespace {

using evidence::json_number;
using evidence::json_string;

constexpr std::string_view kNoChecksum = "0000000000000000";

std::string size_or_null(std::int64_t size) {
  return size == kUnbounded ? "null" : fmt::format("{}", size);
}

std::string number_or_null(double value) {
  return std::isfinite(value) ? json_number(value) : "null";
}

std::string ranking(const Region &region) {
  std::string text;
  for (const Alternative &alternative : region.ranking) {
    text += fmt::format("{}{{\"candidate\": {}, \"threads\": {}}}", text.empty() ? "" : ", ",
                        json_string(alternative.candidate), alternative.threads);
  }
  return text;
}

std::string route(const ClassPlan &plan, const Region &region) {
  const ClassKey &key = plan.key;
  return fmt::format(
      "{{\"variant\": {}, \"dtype\": {}, \"channels\": {}, \"layout\": \"{}\", \"output\": \"{}\", "
      "\"thread_budget\": {}, \"from\": {}, \"to\": {}, \"measured_from\": {}, "
      "\"measured_to\": {}, \"ranking\": [{}], \"margin\": {}, \"low\": {}, \"high\": {}{}}}",
      json_string(key.variant), json_string(key.dtype), key.channels, name_of(key.layout),
      name_of(key.output), key.thread_budget, region.from, size_or_null(region.to),
      plan.sizes.front(), plan.sizes.back(), ranking(region), json_number(region.margin.estimate),
      json_number(region.margin.low), number_or_null(region.margin.high),
      key.op_class.empty() ? "" : fmt::format(", \"op_class\": {}", json_string(key.op_class)));
}

} // namespace

std::string generate_json(const Plan &plan, std::string_view candidate_set) {
  std::string routes;
  for (const ClassPlan &plan_of_class : plan.classes) {
    for (const Region &region : plan_of_class.regions) {
      routes += routes.empty() ? "\n" : ",\n";
      routes += route(plan_of_class, region);
    }
  }
  std::string text =
      fmt::format("{{\n\"schema\": 1,\n\"kind\": \"switchyard routes\",\n"
                  "\"profile\": {},\n\"candidate_set\": {},\n\"routes\": [{}\n],\n"
                  "\"checksum\": \"{}\"\n}}\n",
                  json_string(plan.profile), json_string(candidate_set), routes, kNoChecksum);
  const std::string checksum = evidence::hash_of(text);
  return text.replace(text.rfind(kNoChecksum), kNoChecksum.size(), checksum);
}

} // namespace switchyard::tablegen
