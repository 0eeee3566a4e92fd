// The contract of vflip: axis H in reverse order, exactly.
#include "candidates/contracts/moved.hpp"

namespace switchyard::candidates::vflip {
namespace {

using moved::Source;

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &in = *call.in[0];
  moved::expect_moved(in, in.shape, expected, [&](std::int64_t h, std::int64_t w) {
    return Source{in.shape[kH] - 1 - h, w};
  });
}

ConstView part(const Call &call, int /*which*/, Axis axis, std::int64_t from, std::int64_t to) {
  const ConstView &in = *call.in[0];
  const std::int64_t rows = in.shape[kH];
  return axis == kH ? slice(in, kH, rows - to, rows - from) : slice(in, kX, from, to);
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract vflip = moved::contract_of("vflip", expect, part);
    return vflip;
  }()};
  static const OpContract kContract{"vflip", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::vflip
