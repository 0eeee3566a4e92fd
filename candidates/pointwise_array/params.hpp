// Parameters of pointwise ops whose operands are arrays: what is left once those are inputs.
#pragma once

#include "switchyard/core/rounding.hpp"

namespace switchyard {

struct ArrayParams {
  Rounding rounding = Rounding::by_op;
};

} // namespace switchyard
