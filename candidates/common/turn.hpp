// Flips, transpositions and quarter turns of the height/width plane, all as one kind of copy.
#pragma once

#include <cstdint>
#include <utility>

#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates {

// The input with the marked axes in reverse order; then H and W change places if `swap`.
struct Turn {
  bool swap = false;
  bool reverse_h = false;
  bool reverse_w = false;
};

// What a call of an op does to the plane.
using DescribeTurn = Turn(const Call &);

template <class V> V transposed(V view) {
  std::swap(view.shape[kH], view.shape[kW]);
  std::swap(view.strides[kH], view.strides[kW]);
  return view;
}

// The input's elements where the output has them: a view of the output's shape.
inline ConstView turned(const ConstView &in, const Turn &turn) {
  ConstView view = turn.reverse_h ? reversed(in, kH) : in;
  view = turn.reverse_w ? reversed(view, kW) : view;
  return turn.swap ? transposed(view) : view;
}

// The part of the input that turns into the output's indices [from, to) of an axis.
template <DescribeTurn kDescribe>
ConstView turn_part(const Call &call, int which, Axis axis, std::int64_t from, std::int64_t to) {
  const ConstView &in = *call.in[static_cast<std::size_t>(which)];
  if (axis == kX) {
    return slice(in, kX, from, to);
  }
  const Turn turn = kDescribe(call);
  const Axis source = turn.swap ? kW : kH;
  const std::int64_t last = in.shape[source];
  const bool backwards = turn.swap ? turn.reverse_w : turn.reverse_h;
  return backwards ? slice(in, source, last - to, last - from) : slice(in, source, from, to);
}

} // namespace switchyard::candidates
