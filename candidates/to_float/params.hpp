// Parameters of to_float: x / max_value.
#pragma once

namespace switchyard {

struct ToFloatParams {
  double max_value = 255;
};

} // namespace switchyard
