// The contract of power: C's pow of x and the exponent; u8 is the f32 result, truncated.
#include "candidates/pointwise_array/contract.hpp"
#include "candidates/contracts/functions.hpp"
#include "candidates/power/params.hpp"

namespace switchyard::candidates::power {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void fill(const View &input, int /*which*/, bool special, Random &random) {
  if (input.dtype == Dtype::f32) {
    // Some are negative, a few special in any case, as in real data.
    return oracle::fill_f32(input,
                            [&] { return oracle::ordinary_argument(-0.1, 1.4, special, random); });
  }
  oracle::for_each_index(input.shape, [&](auto x, auto h, auto w, auto c) {
    *reinterpret_cast<std::uint8_t *>(input.at(x, h, w, c)) =
        static_cast<std::uint8_t>(random() >> 16);
  });
}

// Exponents beyond f32 are in f64, with no f32 in between.
Expected expected_of(double x, double exponent, bool u8, bool wide, Rounding rounding) {
  const long double exact =
      std::pow(static_cast<long double>(x),
               static_cast<long double>(wide ? exponent : oracle::to_f32(exponent)));
  if (!u8) {
    return oracle::expect_function(exact, oracle::kFunctionUnits);
  }
  const double real =
      wide ? static_cast<double>(exact) : static_cast<double>(static_cast<float>(exact));
  const double level = oracle::to_integer(real, rounding, 255);
  return {level, level, level};
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<PowerParams>();
  const bool wide = (call.flags & kWide) != 0;
  const bool u8 = call.in[0]->dtype == Dtype::u8;
  const Rounding rounding =
      params.rounding == Rounding::by_op ? Rounding::truncate : params.rounding;
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    expected[i++] =
        expected_of(oracle::read(*call.in[0], x, h, w, c), params.exponent[c], u8, wide, rounding);
  });
}

void fill_with_operand(const View &input, int which, bool special, Random &random) {
  which == 0 ? fill(input, which, special, random)
             : oracle::fill_arrays(input, which, special, random);
}

void expect_array(const Call &call, int /*which*/, std::span<Expected> expected) {
  oracle::expect_arrays(
      call, expected, [](const oracle::Working &working, double pixel, double exponent, double) {
        return expected_of(pixel, exponent, working.u8, working.wide,
                           working.rounding == Rounding::by_op ? Rounding::truncate
                                                               : working.rounding);
      });
}

std::uint32_t flags(const void *params) {
  return oracle::wide_flag({static_cast<const PowerParams *>(params)->exponent});
}

constexpr ParamSet kScalarSets[] = {
    {"gamma", true}, {"brighten"},  {"zero"},         {"one"},      {"square"},
    {"cube"},        {"root"},      {"inverse"},      {"odd"},      {"even"},
    {"tiny"},        {"large"},     {"not_a_number"}, {"infinite"}, {"minus_infinite"},
    {"wide"},        {"half_even"}, {"half_up"},
};

std::shared_ptr<const void> make_scalar(int set, std::int64_t, int, Random &) {
  struct Set {
    double exponent;
    Rounding rounding = Rounding::by_op;
  };
  constexpr Set kSets[] = {{2.2},
                           {0.88},
                           {0},
                           {1},
                           {2},
                           {3},
                           {0.5},
                           {-1},
                           {-5},
                           {16777216}, // the largest step below which f32 has odd numbers
                           {1e-40},
                           {1.0001e6},
                           {kNan},
                           {kInf},
                           {-kInf},
                           {-1e39},
                           {0.7, Rounding::half_even},
                           {0.7, Rounding::half_up}};
  auto owner = std::make_shared<oracle::OwnedParams<PowerParams>>();
  owner->params = {owner->add({kSets[set].exponent}), kSets[set].rounding};
  return oracle::share(std::move(owner));
}

constexpr ParamSet kVectorSets[] = {
    {"gammas", true}, {"whole"}, {"wide"}, {"special"}, {"half_even"},
};

std::shared_ptr<const void> make_vector(int set, std::int64_t channels, int, Random &random) {
  std::uniform_real_distribution<double> gamma(0.4, 2.6);
  std::vector<double> exponent;
  for (std::int64_t c = 0; c < channels; ++c) {
    exponent.push_back(set == 1 ? static_cast<double>(c % 7 - 3) : gamma(random));
  }
  if (set == 2 && channels > 0) {
    exponent.back() = 1e300;
  }
  if (set == 3 && channels > 0) {
    exponent.front() = kNan;
    exponent.back() = kInf;
  }
  auto owner = std::make_shared<oracle::OwnedParams<PowerParams>>();
  owner->params = {owner->add(std::move(exponent)),
                   set == 4 ? Rounding::half_even : Rounding::by_op};
  return oracle::share(std::move(owner));
}

VariantContract variant(std::string_view name, std::span<const ParamSet> sets,
                        decltype(VariantContract::make_params) make) {
  VariantContract contract = oracle::pointwise(name, sets, make, flags, expect);
  contract.fill = fill;
  return contract;
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      variant("power/scalar", kScalarSets, make_scalar),
      variant("power/vector", kVectorSets, make_vector),
      [] {
        VariantContract contract = oracle::one_array("power/array", expect_array);
        contract.fill = fill_with_operand;
        return contract;
      }(),
  };
  static const OpContract kContract{"power", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::power
