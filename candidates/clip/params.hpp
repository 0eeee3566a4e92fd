// Parameters of clip: min(max(x, low), high).
#pragma once

#include "switchyard/core/rounding.hpp"
#include "switchyard/core/values.hpp"

namespace switchyard {

struct ClipParams {
  Values low;
  Values high;
  Rounding rounding = Rounding::by_op; // of f32 images clipped to u8
};

} // namespace switchyard
