// Parameters of power: x^exponent.
#pragma once

#include "switchyard/core/rounding.hpp"
#include "switchyard/core/values.hpp"

namespace switchyard {

struct PowerParams {
  Values exponent;
  Rounding rounding = Rounding::by_op;
};

} // namespace switchyard
