// The contract of to_float: one f32 division by max_value; f32 is copied bit for bit.
#include <limits>

#include "candidates/contracts/oracle.hpp"
#include "candidates/to_float/params.hpp"

namespace switchyard::candidates::to_float {
namespace {

// A faithful quotient lies within one ulp of the exact one.
void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<ToFloatParams>();
  const bool wide = (call.flags & kWide) != 0;
  const bool copies = call.in[0]->dtype == Dtype::f32;
  const double divisor = wide ? params.max_value : oracle::to_f32(params.max_value);
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double pixel = oracle::read(*call.in[0], x, h, w, c);
    if (copies) {
      expected[i++] = {pixel, pixel, pixel};
      return;
    }
    const auto quotient = static_cast<float>(pixel / divisor);
    constexpr float kInf = std::numeric_limits<float>::infinity();
    expected[i++] = {static_cast<double>(quotient),
                     static_cast<double>(std::nextafter(quotient, -kInf)),
                     static_cast<double>(std::nextafter(quotient, kInf))};
  });
}

std::uint32_t flags(const void *params) {
  const double value = static_cast<const ToFloatParams *>(params)->max_value;
  return oracle::wide_flag({{&value, 1}});
}

constexpr ParamSet kSets[] = {{"full_scale", true}, {"one"},      {"other"}, {"tiny"},
                              {"negative"},         {"infinite"}, {"wide"}};

std::shared_ptr<const void> make(int set, std::int64_t, int dtype_case, Random &) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double full = dtype_case == 0 ? 255 : dtype_case == 1 ? 65535 : 1;
  const double values[] = {full, 1, 1023, 1e-40, -3.7, kInf, 1e39};
  return std::make_shared<ToFloatParams>(ToFloatParams{values[set]});
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract contract = oracle::pointwise("to_float", kSets, make, flags, expect);
    contract.in_place = false; // but for a copy onto itself, which is no work
    return contract;
  }()};
  static const OpContract kContract{"to_float", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::to_float
