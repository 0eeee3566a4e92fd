// Parameters of rot90.
#pragma once

namespace switchyard::candidates {

struct Rot90Params {
  int quarter_turns = 1; // counter-clockwise, 0 … 3
};

} // namespace switchyard::candidates
