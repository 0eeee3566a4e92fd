// Parameters of normalize: (x − mean) · scale.
#pragma once

#include "switchyard/core/values.hpp"

namespace switchyard {

struct NormalizeParams {
  Values mean;
  Values scale;

  [[nodiscard]] bool scalar() const { return mean.scalar() && scale.scalar(); }
};

} // namespace switchyard
