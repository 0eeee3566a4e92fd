// The contract of rot90: quarter turns counter-clockwise, exactly.
#include <array>

#include "candidates/contracts/moved.hpp"
#include "candidates/rot90/params.hpp"

namespace switchyard::candidates::rot90 {
namespace {

using moved::Source;

// A quarter turn and a half turn are other work; a three-quarter turn is as a quarter turn.
constexpr ParamSet kSets[] = {
    {"quarter", true}, {"half", true}, {"three_quarters", false}, {"none", false}};
constexpr std::array<int, 4> kTurns = {1, 2, 3, 0};

std::shared_ptr<const void> make(int set, std::int64_t, int, Random &) {
  return std::make_shared<const Rot90Params>(Rot90Params{kTurns[static_cast<std::size_t>(set)]});
}

int turns_of(const void *params) {
  return static_cast<const Rot90Params *>(params)->quarter_turns;
}

Extents shape_of(int /*which*/, const Extents &in, const void *params) {
  return turns_of(params) % 2 == 1 ? moved::swapped(in) : in;
}

// What was at the right edge is at the top after a quarter turn.
void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &in = *call.in[0];
  const std::int64_t bottom = in.shape[kH] - 1;
  const std::int64_t right = in.shape[kW] - 1;
  const int turns = turns_of(call.params);
  moved::expect_moved(in, shape_of(0, in.shape, call.params), expected,
                      [=](std::int64_t h, std::int64_t w) {
                        switch (turns) {
                        case 1:
                          return Source{w, right - h};
                        case 2:
                          return Source{bottom - h, right - w};
                        case 3:
                          return Source{bottom - w, h};
                        default:
                          return Source{h, w};
                        }
                      });
}

ConstView part(const Call &call, int /*which*/, Axis axis, std::int64_t from, std::int64_t to) {
  const ConstView &in = *call.in[0];
  if (axis == kX) {
    return slice(in, kX, from, to);
  }
  switch (turns_of(call.params)) {
  case 1:
    return slice(in, kW, in.shape[kW] - to, in.shape[kW] - from);
  case 2:
    return slice(in, kH, in.shape[kH] - to, in.shape[kH] - from);
  case 3:
    return slice(in, kW, from, to);
  default:
    return slice(in, kH, from, to);
  }
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract rot90 = moved::contract_of("rot90", expect, part);
    rot90.param_sets = kSets;
    rot90.make_params = make;
    rot90.output_shape = shape_of;
    return rot90;
  }()};
  static const OpContract kContract{"rot90", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::rot90
