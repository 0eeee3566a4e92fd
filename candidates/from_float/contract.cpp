// The contract of from_float: x · max_value in f32, rounded half to even and saturated.
#include <limits>

#include "candidates/contracts/oracle.hpp"
#include "candidates/from_float/params.hpp"

namespace switchyard::candidates::from_float {
namespace {

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<FromFloatParams>();
  const bool wide = (call.flags & kWide) != 0;
  const bool copies = call.out[0]->dtype == Dtype::f32;
  const double most = call.out[0]->dtype == Dtype::u8 ? 255 : 65535;
  const double factor = wide ? params.max_value : oracle::to_f32(params.max_value);
  const Rounding rounding =
      params.rounding == Rounding::by_op ? Rounding::half_even : params.rounding;
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double pixel = oracle::read(*call.in[0], x, h, w, c);
    const double product = pixel * factor;
    const double reference = wide ? product : oracle::to_f32(product);
    expected[i++] =
        copies ? Expected{pixel, pixel, pixel}
               : oracle::expect_integer(reference, product, std::fabs(product), rounding, most);
  });
}

std::uint32_t flags(const void *params) {
  const double value = static_cast<const FromFloatParams *>(params)->max_value;
  return oracle::wide_flag({{&value, 1}});
}

constexpr ParamSet kSets[] = {
    {"full_scale", true}, {"one"},  {"other"},   {"negative"}, {"huge"},
    {"infinite"},         {"wide"}, {"special"}, {"truncate"}, {"half_up"}};

std::shared_ptr<const void> make(int set, std::int64_t, int dtype_case, Random &) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double full = dtype_case == 0 ? 255 : dtype_case == 1 ? 65535 : 1;
  const FromFloatParams sets[] = {{full},
                                  {1},
                                  {100.5},
                                  {-255},
                                  {3e38},
                                  {kInf},
                                  {1e39},
                                  {kNan},
                                  {full, Rounding::truncate},
                                  {full, Rounding::half_up}};
  return std::make_shared<FromFloatParams>(sets[set]);
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract contract = oracle::pointwise("from_float", kSets, make, flags, expect);
    contract.in_place = false; // but for a copy onto itself, which is no work
    return contract;
  }()};
  static const OpContract kContract{"from_float", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::from_float
