// Parameters of lut: a table of 256 entries, one for all channels or one per channel.
#pragma once

#include "switchyard/core/view.hpp"

namespace switchyard {

// `table` has the shape 1 × 1 × 256 × 1 (shared) or 1 × 1 × 256 × C (per channel) and the dtype of
// the result. Entry x of channel c is the result for a pixel x there. Strides are in bytes and as
// given: zero and negative ones, and addresses that are not aligned, are read like any other.
struct LutParams {
  ConstView table;
};

} // namespace switchyard
