// The contract of clip: min(max(x, low), high); bounds narrowed to the image, NaN stays or becomes
// 0.
#include <limits>

#include "candidates/clip/params.hpp"
#include "candidates/contracts/oracle.hpp"

namespace switchyard::candidates::clip {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Bounds of a u8 image are rounded half to even and saturated; those of an f32 image are f32,
// beyond FLT_MAX too: there f32 has infinity.
double bound_of(double value, bool u8) {
  return u8 ? oracle::to_integer(value, Rounding::half_even, 255) : oracle::to_f32(value);
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<ClipParams>();
  const bool u8_image = call.in[0]->dtype == Dtype::u8;
  const Rounding rounding =
      params.rounding == Rounding::by_op ? Rounding::truncate : params.rounding;
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double pixel = oracle::read(*call.in[0], x, h, w, c);
    const double low = bound_of(params.low[c], u8_image);
    const double high = bound_of(params.high[c], u8_image);
    double result = pixel < low ? low : pixel;
    result = result > high ? high : result;
    result = call.out[0]->dtype == Dtype::u8 ? oracle::to_integer(result, rounding, 255)
                                             : oracle::to_f32(result);
    expected[i++] = {result, result, result};
  });
}

std::uint32_t flags(const void *params) {
  const auto &p = *static_cast<const ClipParams *>(params);
  return oracle::wide_flag({p.low, p.high});
}

constexpr ParamSet kScalarSets[] = {
    {"range", true}, {"flat"}, {"all"},  {"zero"},      {"fractions"},
    {"infinite"},    {"wide"}, {"tiny"}, {"half_even"}, {"half_up"},
};

std::shared_ptr<const void> make_scalar(int set, std::int64_t, int dtype_case, Random &) {
  struct Set {
    double low, high;
    Rounding rounding = Rounding::by_op;
  };
  const bool f32 = dtype_case == 1;
  const Set sets[] = {{f32 ? 0.1 : 16.0, f32 ? 0.9 : 235.0},
                      {0.5, 0.5},
                      {-1e30, 1e30},
                      {-0.0, 0},
                      {1.5, 254.5},
                      {-kInf, kInf},
                      {-1e40, 100},
                      {-1e-40, 1e-40},
                      {0.25, 200.5, Rounding::half_even},
                      {0.25, 200.5, Rounding::half_up}};
  auto owner = std::make_shared<oracle::OwnedParams<ClipParams>>();
  const Set &chosen = sets[set];
  owner->params = {owner->add({chosen.low}), owner->add({chosen.high}), chosen.rounding};
  return oracle::share(std::move(owner));
}

constexpr ParamSet kVectorSets[] = {{"ranges", true}, {"mixed"}, {"wide"}};

std::shared_ptr<const void> make_vector(int set, std::int64_t channels, int dtype_case,
                                        Random &random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const double scale = dtype_case == 1 ? 1 : 255;
  std::vector<double> low;
  std::vector<double> high;
  for (std::int64_t c = 0; c < channels; ++c) {
    low.push_back(scale * 0.3 * unit(random));
    high.push_back(scale * (0.6 + 0.4 * unit(random)));
  }
  if (set == 1) {
    low = {-kInf};
  }
  if (set == 2 && channels > 0) {
    high.front() = 0.99999999; // 1 in f32, whatever the other bounds are
    high.back() = 1e39;
  }
  auto owner = std::make_shared<oracle::OwnedParams<ClipParams>>();
  owner->params = {owner->add(std::move(low)), owner->add(std::move(high)), Rounding::by_op};
  return oracle::share(std::move(owner));
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      oracle::pointwise("clip/scalar", kScalarSets, make_scalar, flags, expect),
      oracle::pointwise("clip/vector", kVectorSets, make_vector, flags, expect),
  };
  static const OpContract kContract{"clip", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::clip
