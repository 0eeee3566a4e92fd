// The contract of log: the natural logarithm.
#include "candidates/contracts/functions.hpp"

namespace switchyard::candidates::log {
namespace {

constexpr ParamSet kSets[] = {{"none", true}};

void fill(const View &input, int /*which*/, bool special, Random &random) {
  oracle::fill_f32(input, [&] { return oracle::ordinary_argument(0.1, 1.1, special, random); });
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double v = oracle::read(*call.in[0], x, h, w, c);
    expected[i++] =
        oracle::expect_function(std::log(static_cast<long double>(v)), oracle::kFunctionUnits);
  });
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {oracle::function("log", kSets, fill, expect)};
  static const OpContract kContract{"log", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::log
