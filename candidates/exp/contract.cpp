// The contract of exp: e^x.
#include "candidates/contracts/functions.hpp"

namespace switchyard::candidates::exp {
namespace {

constexpr ParamSet kSets[] = {{"none", true}};

void fill(const View &input, int /*which*/, bool special, Random &random) {
  oracle::fill_f32(input, [&] { return oracle::ordinary_argument(-2, 2, special, random); });
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double v = oracle::read(*call.in[0], x, h, w, c);
    expected[i++] =
        oracle::expect_function(std::exp(static_cast<long double>(v)), oracle::kFunctionUnits);
  });
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {oracle::function("exp", kSets, fill, expect)};
  static const OpContract kContract{"exp", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::exp
