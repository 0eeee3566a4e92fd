// Parameters of add_weighted: a · weight_a + b · weight_b.
#pragma once

namespace switchyard {

struct AddWeightedParams {
  double weight_a = 0;
  double weight_b = 0;
};

} // namespace switchyard
