// The contract of multiply_add: trunc-saturated (u8) or raw (f32) x · factor + value.
#include <limits>

#include "candidates/contracts/oracle.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/pointwise_array/contract.hpp"

namespace switchyard::candidates::multiply_add {
namespace {

using oracle::OwnedParams;

// The working precision rounds after the product and after the sum; operands are narrowed first.
Expected expect_element(const oracle::Working &working, double pixel, double given_factor,
                        double given_value) {
  const Rounding rounding =
      working.rounding == Rounding::by_op ? Rounding::truncate : working.rounding;
  const double factor = working(given_factor);
  const double value = working(given_value);
  const double reference = working(working(pixel * factor) + value);
  const double exact = pixel * factor + value; // f64 carries the product of two f32 exactly
  const double terms = std::fabs(pixel * factor) + std::fabs(value);
  return working.u8 ? oracle::expect_u8(reference, exact, terms, rounding)
                    : oracle::expect_f32(oracle::to_f32(reference), exact, terms);
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<MultiplyAddParams>();
  const auto working = oracle::Working::of(call, params.rounding);
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    expected[i++] = expect_element(working, oracle::read(*call.in[0], x, h, w, c), params.factor[c],
                                   params.value[c]);
  });
}

void expect_arrays(const Call &call, int /*which*/, std::span<Expected> expected) {
  oracle::expect_arrays(call, expected, expect_element);
}

std::uint32_t flags(const void *params) {
  const auto &p = *static_cast<const MultiplyAddParams *>(params);
  return oracle::wide_flag({p.factor, p.value});
}

constexpr ParamSet kScalarSets[] = {
    {"tone", true}, {"identity"},   {"negative"},       {"saturating"}, {"tiny"},    {"wide"},
    {"special"},    {"tiny_value"}, {"infinite_value"}, {"half_even"},  {"half_up"},
};

std::shared_ptr<const void> make_scalar(int set, std::int64_t, int, Random &) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kSets[][2] = {{1.08, -12}, {1, 0},      {-0.7, 200},   {1e9, -1e3},
                                 {1e-40, 3},  {1e40, 0.5}, {kInf, -kInf}, {1, 1e-20},
                                 {2, -kInf},  {0.5, 1},    {0.5, 1}};
  auto owner = std::make_shared<OwnedParams<MultiplyAddParams>>();
  const Rounding rounding = set == 9    ? Rounding::half_even
                            : set == 10 ? Rounding::half_up
                                        : Rounding::by_op;
  owner->params = {owner->add({kSets[set][0]}), owner->add({kSets[set][1]}), rounding};
  return oracle::share(std::move(owner));
}

constexpr ParamSet kVectorSets[] = {
    {"tone", true}, {"factor_only"}, {"mixed"}, {"wide"}, {"special"},
};

std::shared_ptr<const void> make_vector(int set, std::int64_t channels, int, Random &random) {
  std::uniform_real_distribution<double> gain(0.75, 1.25);
  std::uniform_real_distribution<double> offset(-20, 20);
  std::vector<double> factor;
  std::vector<double> value;
  for (std::int64_t c = 0; c < channels; ++c) {
    factor.push_back(gain(random));
    value.push_back(offset(random));
  }
  if (channels > 0 && set == 3) {
    factor.back() = -3e38 * 1e5;
  }
  if (channels > 0 && set == 4) {
    factor.front() = std::numeric_limits<double>::quiet_NaN();
    value.back() = std::numeric_limits<double>::infinity();
  }
  if (set == 1) {
    value = {2.5};
  }
  if (set == 2) {
    factor = {-1};
  }
  auto owner = std::make_shared<OwnedParams<MultiplyAddParams>>();
  owner->params = {owner->add(std::move(factor)), owner->add(std::move(value)), Rounding::by_op};
  return oracle::share(std::move(owner));
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      oracle::pointwise("multiply_add/scalar", kScalarSets, make_scalar, flags, expect),
      oracle::pointwise("multiply_add/vector", kVectorSets, make_vector, flags, expect),
      oracle::two_arrays("multiply_add/array", expect_arrays),
  };
  static const OpContract kContract{"multiply_add", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::multiply_add
