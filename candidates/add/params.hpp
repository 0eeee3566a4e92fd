// Parameters of add: x + value.
#pragma once

#include "switchyard/core/rounding.hpp"
#include "switchyard/core/values.hpp"

namespace switchyard {

struct AddParams {
  Values value;
  Rounding rounding = Rounding::by_op;
};

} // namespace switchyard
