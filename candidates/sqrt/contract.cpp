// The contract of sqrt: the square root, correctly rounded.
#include "candidates/contracts/functions.hpp"

namespace switchyard::candidates::sqrt {
namespace {

constexpr ParamSet kSets[] = {{"none", true}};

void fill(const View &input, int /*which*/, bool special, Random &random) {
  oracle::fill_f32(input, [&] { return oracle::ordinary_argument(0, 2, special, random); });
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double v = oracle::read(*call.in[0], x, h, w, c);
    expected[i++] = oracle::expect_function(std::sqrt(static_cast<long double>(v)), 0);
  });
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {oracle::function("sqrt", kSets, fill, expect)};
  static const OpContract kContract{"sqrt", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::sqrt
