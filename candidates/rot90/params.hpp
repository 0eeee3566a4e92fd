#pragma once

#include "candidates/turn/turn.hpp"

namespace switchyard::candidates {

struct Rot90Params {
  int quarter_turns = 1; // counter-clockwise, 0 … 3
};

// k turns: out(h, w) is in(w, W - 1 - h), in(H - 1 - h, W - 1 - w) or in(H - 1 - w, h) for k of 1,
// 2 and 3.
constexpr Turn turn_of(const Rot90Params &params) {
  switch (params.quarter_turns) {
  case 1:
    return {true, false, true};
  case 2:
    return {false, true, true};
  case 3:
    return {true, true, false};
  default:
    return {};
  }
}

} // namespace switchyard::candidates
