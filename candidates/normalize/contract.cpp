// The contract of normalize: (x − mean) · scale in f32.
#include <limits>

#include "candidates/contracts/oracle.hpp"
#include "candidates/normalize/params.hpp"

namespace switchyard::candidates::normalize {
namespace {

using oracle::OwnedParams;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The working precision rounds after the difference and after the product; parameters are narrowed
// first. The terms of the exact value are x · scale and mean · scale.
void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const auto &params = call.params_as<NormalizeParams>();
  const bool wide = (call.flags & kWide) != 0;
  const auto narrow = [&](double value) { return wide ? value : oracle::to_f32(value); };
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double pixel = oracle::read(*call.in[0], x, h, w, c);
    const double mean = narrow(params.mean[c]);
    const double scale = narrow(params.scale[c]);
    const double reference = oracle::to_f32(narrow(pixel - mean) * scale);
    const double terms = std::fabs(pixel * scale) + std::fabs(mean * scale);
    expected[i++] = oracle::expect_f32(reference, (pixel - mean) * scale, terms);
  });
}

std::uint32_t flags(const void *params) {
  const auto &p = *static_cast<const NormalizeParams *>(params);
  return oracle::wide_flag({p.mean, p.scale});
}

std::shared_ptr<const void> own(std::vector<double> mean, std::vector<double> scale) {
  auto owner = std::make_shared<OwnedParams<NormalizeParams>>();
  owner->params = {owner->add(std::move(mean)), owner->add(std::move(scale))};
  return oracle::share(std::move(owner));
}

// Parameters are stated for u8 images; u16 images reach 65535 and f32 images are in [0, 1].
double unit_of(int dtype_case) {
  return dtype_case == 0 ? 1.0 : dtype_case == 1 ? 1.0 / 257 : 255.0;
}

constexpr ParamSet kScalarSets[] = {
    {"imagenet", true}, {"identity"},  {"shift"}, {"factor"}, {"zero_scale"}, {"negative"},
    {"far_mean"},       {"near_mean"}, {"huge"},  {"tiny"},   {"wide"},       {"special"},
};

std::shared_ptr<const void> make_scalar(int set, std::int64_t, int dtype_case, Random &) {
  if (set == 0) {
    const double unit = unit_of(dtype_case);
    return own({117.8 / unit}, {unit / 57.6});
  }
  constexpr double kSets[][2] = {{0, 1},      {0.1, 1},      {0, 0.7},      {3.3, 0},
                                 {-20, -1.7}, {1e6, 0.3},    {127, 1.0009}, {1e30, 1e20},
                                 {1e-40, 3},  {1e-5, 1e300}, {kNan, kInf}};
  static_assert(std::size(kSets) + 1 == std::size(kScalarSets));
  return own({kSets[set - 1][0]}, {kSets[set - 1][1]});
}

constexpr ParamSet kVectorSets[] = {
    {"imagenet", true}, {"mean_only"}, {"scale_only"}, {"mixed"}, {"wide"}, {"special"},
};

std::shared_ptr<const void> make_vector(int set, std::int64_t channels, int dtype_case,
                                        Random &random) {
  constexpr double kMean[] = {123.675, 116.28, 103.53};
  constexpr double kDeviation[] = {58.395, 57.12, 57.375};
  std::uniform_real_distribution<double> spread(-2, 2);
  const double unit = unit_of(dtype_case);
  std::vector<double> mean;
  std::vector<double> scale;
  for (std::int64_t c = 0; c < channels; ++c) {
    mean.push_back(set == 3 ? spread(random) : kMean[c % 3] / unit);
    scale.push_back(set == 3 ? spread(random) : unit / kDeviation[c % 3]);
  }
  if (set == 1) {
    scale = {1};
  }
  if (set == 2) {
    mean = {0};
  }
  if (set == 4 && channels > 0) {
    mean.back() = -3e38 * 1e5;
  }
  if (set == 5 && channels > 0) {
    mean.front() = kNan;
    scale.back() = -kInf;
  }
  return own(std::move(mean), std::move(scale));
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      oracle::pointwise("normalize/scalar", kScalarSets, make_scalar, flags, expect),
      oracle::pointwise("normalize/vector", kVectorSets, make_vector, flags, expect),
  };
  static const OpContract kContract{"normalize", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::normalize
