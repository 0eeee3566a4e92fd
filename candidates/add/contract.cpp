// The contract of add: u8 adds the truncated value, exactly; f32 is raw.
#include <limits>

#include "candidates/add/params.hpp"
#include "candidates/contracts/oracle.hpp"

namespace switchyard::candidates::add {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// By its own rule u8 adds an integer, so that nothing is rounded after the sum. Another rounding
// that the caller asks for applies to the real sum.
void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<AddParams>();
  const bool wide = (call.flags & kWide) != 0;
  const bool u8 = call.in[0]->dtype == Dtype::u8;
  const auto narrow = [&](double value) { return wide ? value : oracle::to_f32(value); };
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double pixel = oracle::read(*call.in[0], x, h, w, c);
    if (u8 && params.rounding == Rounding::by_op) {
      const double sum =
          oracle::to_integer(pixel + std::trunc(params.value[c]), Rounding::truncate, 255);
      expected[i++] = {sum, sum, sum};
      return;
    }
    const double value = narrow(params.value[c]);
    const double reference = narrow(pixel + value);
    const double terms = std::fabs(pixel) + std::fabs(value);
    expected[i++] = u8 ? oracle::expect_u8(reference, pixel + value, terms, params.rounding)
                       : oracle::expect_f32(oracle::to_f32(reference), pixel + value, terms);
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
  };
  static const OpContract kContract{"add", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::add
