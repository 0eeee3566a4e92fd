// Parameters of multiply_add: x · factor + value.
#pragma once

#include "switchyard/core/rounding.hpp"
#include "switchyard/core/values.hpp"

namespace switchyard {

struct MultiplyAddParams {
  Values factor;
  Values value;
  Rounding rounding = Rounding::by_op;
};

} // namespace switchyard
