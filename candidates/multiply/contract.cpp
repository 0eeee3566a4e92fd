// The contract of multiply: trunc-saturated (u8) or raw (f32) x · factor.
#include <limits>

#include "candidates/contracts/oracle.hpp"
#include "candidates/multiply/params.hpp"
#include "candidates/pointwise_array/contract.hpp"

namespace switchyard::candidates::multiply {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Expected expect_element(const oracle::Working &working, double pixel, double factor) {
  const Rounding rounding =
      working.rounding == Rounding::by_op ? Rounding::truncate : working.rounding;
  const double product = pixel * working(factor);
  const double reference = working(product);
  return working.u8 ? oracle::expect_u8(reference, product, std::fabs(product), rounding)
                    : oracle::expect_f32(oracle::to_f32(reference), product, std::fabs(product));
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<MultiplyParams>();
  const auto working = oracle::Working::of(call, params.rounding);
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    expected[i++] =
        expect_element(working, oracle::read(*call.in[0], x, h, w, c), params.factor[c]);
  });
}

void expect_array(const Call &call, int /*which*/, std::span<Expected> expected) {
  oracle::expect_arrays(call, expected,
                        [](const oracle::Working &working, double pixel, double factor, double) {
                          return expect_element(working, pixel, factor);
                        });
}

std::uint32_t flags(const void *params) {
  const auto &p = *static_cast<const MultiplyParams *>(params);
  return oracle::wide_flag({p.factor});
}

constexpr ParamSet kScalarSets[] = {
    {"gain", true}, {"double"}, {"identity"}, {"zero"},     {"negative"},  {"saturating"},
    {"tiny"},       {"wide"},   {"special"},  {"infinite"}, {"half_even"}, {"half_up"},
};

std::shared_ptr<const void> make_scalar(int set, std::int64_t, int, Random &) {
  struct Set {
    double factor;
    Rounding rounding = Rounding::by_op;
  };
  constexpr Set kSets[] = {{1.05},
                           {2},
                           {1},
                           {0},
                           {-0.7},
                           {1e9},
                           {1e-40},
                           {1e40},
                           {kNan},
                           {-kInf},
                           {0.5, Rounding::half_even},
                           {0.5, Rounding::half_up}};
  auto owner = std::make_shared<oracle::OwnedParams<MultiplyParams>>();
  owner->params = {owner->add({kSets[set].factor}), kSets[set].rounding};
  return oracle::share(std::move(owner));
}

constexpr ParamSet kVectorSets[] = {
    {"gains", true},
    {"wide"},
    {"special"},
    {"half_even"},
};

std::shared_ptr<const void> make_vector(int set, std::int64_t channels, int, Random &random) {
  std::uniform_real_distribution<double> gain(0.75, 1.25);
  std::vector<double> factor;
  for (std::int64_t c = 0; c < channels; ++c) {
    factor.push_back(gain(random));
  }
  if (set == 1 && channels > 0) {
    factor.back() = -3e38 * 1e5;
  }
  if (set == 2 && channels > 0) {
    factor.front() = kNan;
    factor.back() = kInf;
  }
  auto owner = std::make_shared<oracle::OwnedParams<MultiplyParams>>();
  owner->params = {owner->add(std::move(factor)), set == 3 ? Rounding::half_even : Rounding::by_op};
  return oracle::share(std::move(owner));
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      oracle::pointwise("multiply/scalar", kScalarSets, make_scalar, flags, expect),
      oracle::pointwise("multiply/vector", kVectorSets, make_vector, flags, expect),
      oracle::one_array("multiply/array", expect_array),
  };
  static const OpContract kContract{"multiply", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::multiply
