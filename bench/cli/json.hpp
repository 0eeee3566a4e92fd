// What JSON of several commands has in common.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

#include "evidence/statistics.hpp"

namespace switchyard::cli {

using Json = nlohmann::ordered_json;

// null for what has no value or no end.
[[nodiscard]] inline Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

[[nodiscard]] inline Json json_of(const evidence::Interval &interval) {
  return {{"estimate", number(interval.estimate)},
          {"low", number(interval.low)},
          {"high", number(interval.high)}};
}

} // namespace switchyard::cli
