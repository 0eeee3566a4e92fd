// The contract of add_weighted: half-even-saturated (u8) or raw (f32) a · weight_a + b · weight_b.
#include <limits>

#include "candidates/add_weighted/params.hpp"
#include "candidates/contracts/oracle.hpp"

namespace switchyard::candidates::add_weighted {
namespace {

// The working precision rounds after each product and after the sum; weights are narrowed first.
void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<AddWeightedParams>();
  const bool wide = (call.flags & kWide) != 0;
  const bool u8 = call.in[0]->dtype == Dtype::u8;
  const auto narrow = [&](double value) { return wide ? value : oracle::to_f32(value); };
  const double weight_a = narrow(params.weight_a);
  const double weight_b = narrow(params.weight_b);
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double a = oracle::read(*call.in[0], x, h, w, c) * weight_a; // exact in f64
    const double b = oracle::read(*call.in[1], x, h, w, c) * weight_b;
    const double reference = narrow(narrow(a) + narrow(b));
    const double terms = std::fabs(a) + std::fabs(b);
    expected[i++] = u8 ? oracle::expect_u8(reference, a + b, terms, Rounding::half_even)
                       : oracle::expect_f32(oracle::to_f32(reference), a + b, terms);
  });
}

std::uint32_t flags(const void *params) {
  const auto &p = *static_cast<const AddWeightedParams *>(params);
  const double weights[] = {p.weight_a, p.weight_b};
  return oracle::wide_flag({{weights, 2}});
}

constexpr ParamSet kSets[] = {{"blend", true}, {"average"},    {"sharpen"}, {"sharpen_reversed"},
                              {"sum"},         {"first_only"}, {"zero"},    {"double"},
                              {"saturating"},  {"tiny"},       {"wide"},    {"special"},
                              {"infinite"}};

std::shared_ptr<const void> make(int set, std::int64_t, int, Random &) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr AddWeightedParams kWeights[] = {
      {0.7, 0.3}, {0.5, 0.5},  {1.6, -0.6},   {-0.6, 1.6}, {1, 1},      {0.75, 0},   {0, 0},
      {2, -1.5},  {1e9, -1e3}, {1e-40, 1e-3}, {1e40, 0.5}, {kNan, 0.5}, {0.5, -kInf}};
  static_assert(std::size(kWeights) == std::size(kSets));
  return std::make_shared<AddWeightedParams>(kWeights[set]);
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract contract;
    contract.variant = "add_weighted";
    contract.inputs = 2;
    contract.in_place = true;
    contract.row_local = true;
    contract.param_sets = kSets;
    contract.make_params = make;
    contract.flags = flags;
    contract.oracle = expect;
    return contract;
  }()};
  static const OpContract kContract{"add_weighted", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::add_weighted
