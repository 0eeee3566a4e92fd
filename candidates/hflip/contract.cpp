// The contract of hflip: axis W in reverse order, exactly.
#include "candidates/contracts/moved.hpp"

namespace switchyard::candidates::hflip {
namespace {

using moved::Source;

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &in = *call.in[0];
  moved::expect_moved(in, in.shape, expected, [&](std::int64_t h, std::int64_t w) {
    return Source{h, in.shape[kW] - 1 - w};
  });
}

ConstView part(const Call &call, int /*which*/, Axis axis, std::int64_t from, std::int64_t to) {
  const ConstView &in = *call.in[0];
  return slice(in, axis, from, to);
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract hflip = moved::contract_of("hflip", expect, part);
    return hflip;
  }()};
  static const OpContract kContract{"hflip", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::hflip
