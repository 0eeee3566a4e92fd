// The contract of transpose: axes H and W exchanged, exactly.
#include "candidates/contracts/moved.hpp"

namespace switchyard::candidates::transpose {
namespace {

using moved::Source;

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &in = *call.in[0];
  moved::expect_moved(in, moved::swapped(in.shape), expected, [&](std::int64_t h, std::int64_t w) {
    return Source{w, h};
  });
}

ConstView part(const Call &call, int /*which*/, Axis axis, std::int64_t from, std::int64_t to) {
  const ConstView &in = *call.in[0];
  return axis == kH ? slice(in, kW, from, to) : slice(in, kX, from, to);
}

Extents shape_of(int /*which*/, const Extents &in, const void * /*params*/) {
  return moved::swapped(in);
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract transpose = moved::contract_of("transpose", expect, part);
    transpose.output_shape = shape_of;
    return transpose;
  }()};
  static const OpContract kContract{"transpose", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::transpose
