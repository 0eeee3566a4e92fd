// Parameters of multiply: x · factor.
#pragma once

#include "switchyard/core/rounding.hpp"
#include "switchyard/core/values.hpp"

namespace switchyard {

struct MultiplyParams {
  Values factor;
  Rounding rounding = Rounding::by_op;
};

} // namespace switchyard
