// Parameters of from_float: x · max_value, rounded.
#pragma once

#include "switchyard/core/rounding.hpp"

namespace switchyard {

struct FromFloatParams {
  double max_value = 255;
  Rounding rounding = Rounding::by_op;
};

} // namespace switchyard
