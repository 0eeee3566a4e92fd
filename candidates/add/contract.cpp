// The contract of add: u8 adds the truncated value, exactly; f32 is raw.
#include <limits>

#include "candidates/add/params.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/pointwise_array/contract.hpp"

namespace switchyard::candidates::add {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// By its own rule u8 adds an integer, so that nothing is rounded after the sum. Another rounding
// that the caller asks for applies to the real sum.
Expected expect_element(const oracle::Working &working, double pixel, double given) {
  if (working.u8 && working.rounding == Rounding::by_op) {
    const double sum = oracle::to_integer(pixel + std::trunc(given), Rounding::truncate, 255);
    return {sum, sum, sum};
  }
  const double value = working(given);
  const double reference = working(pixel + value);
  const double terms = std::fabs(pixel) + std::fabs(value);
  return working.u8 ? oracle::expect_u8(reference, pixel + value, terms, working.rounding)
                    : oracle::expect_f32(oracle::to_f32(reference), pixel + value, terms);
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<AddParams>();
  const auto working = oracle::Working::of(call, params.rounding);
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    expected[i++] = expect_element(working, oracle::read(*call.in[0], x, h, w, c), params.value[c]);
  });
}

void expect_array(const Call &call, int /*which*/, std::span<Expected> expected) {
  oracle::expect_arrays(call, expected,
                        [](const oracle::Working &working, double pixel, double value, double) {
                          return expect_element(working, pixel, value);
                        });
}

std::uint32_t flags(const void *params) {
  const auto &p = *static_cast<const AddParams *>(params);
  return oracle::wide_flag({p.value});
}

constexpr ParamSet kScalarSets[] = {
    {"brighten", true}, {"darken"},   {"zero"},      {"negative_zero"}, {"just_below_one"},
    {"above_255"},      {"fraction"}, {"int_edge"},  {"huge"},          {"wide"},
    {"special"},        {"infinite"}, {"half_even"}, {"half_up"},       {"truncated_sum"},
};

std::shared_ptr<const void> make_scalar(int set, std::int64_t, int dtype_case, Random &) {
  struct Set {
    double value;
    Rounding rounding = Rounding::by_op;
  };
  const Set sets[] = {{dtype_case == 0 ? 3.0 : 1.5},
                      {-20},
                      {0},
                      {-0.0},
                      {0.99999999},
                      {300.7},
                      {-3.9},
                      {2147483647},
                      {-3e38},
                      {1e40},
                      {kNan},
                      {-kInf},
                      {2.5, Rounding::half_even},
                      {2.5, Rounding::half_up},
                      {-0.75, Rounding::truncate}};
  auto owner = std::make_shared<oracle::OwnedParams<AddParams>>();
  owner->params = {owner->add({sets[set].value}), sets[set].rounding};
  return oracle::share(std::move(owner));
}

constexpr ParamSet kVectorSets[] = {
    {"shift", true}, {"fractions"}, {"wide"}, {"special"}, {"half_up"},
};

std::shared_ptr<const void> make_vector(int set, std::int64_t channels, int, Random &random) {
  std::uniform_real_distribution<double> spread(-40, 40);
  std::vector<double> value;
  for (std::int64_t c = 0; c < channels; ++c) {
    const double drawn = spread(random);
    value.push_back(set == 0 ? std::round(drawn) : drawn);
  }
  if (set == 2 && channels > 0) {
    value.back() = -1e39;
  }
  if (set == 3 && channels > 0) {
    value.front() = kNan;
    value.back() = kInf;
  }
  auto owner = std::make_shared<oracle::OwnedParams<AddParams>>();
  owner->params = {owner->add(std::move(value)), set == 4 ? Rounding::half_up : Rounding::by_op};
  return oracle::share(std::move(owner));
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      oracle::pointwise("add/scalar", kScalarSets, make_scalar, flags, expect),
      oracle::pointwise("add/vector", kVectorSets, make_vector, flags, expect),
      oracle::one_array("add/array", expect_array),
  };
  static const OpContract kContract{"add", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::add
