// The contract of hflip: axis W in reverse order, exactly.
#include "candidates/contracts/oracle.hpp"

namespace switchyard::candidates::hflip {
namespace {

constexpr ParamSet kSets[] = {{"none", true}};

std::shared_ptr<const void> make_none(int, std::int64_t, int, Random &) {
  return nullptr;
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &in = *call.in[0];
  const std::int64_t last = in.shape[kW] - 1;
  std::size_t i = 0;
  oracle::for_each_index(in.shape, [&](auto x, auto h, auto w, auto c) {
    const double pixel = oracle::read(in, x, h, last - w, c);
    expected[i++] = {pixel, pixel, pixel};
  });
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract hflip;
    hflip.variant = "hflip";
    hflip.row_local = true;
    hflip.param_sets = kSets;
    hflip.make_params = make_none;
    hflip.oracle = expect;
    return hflip;
  }()};
  static const OpContract kContract{"hflip", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::hflip
