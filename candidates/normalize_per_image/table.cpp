// The candidates of normalize_per_image: (x − mean) / (std + eps), or (x − min) / (max − min).
#include <algorithm>
#include <string_view>

#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/normalize_per_image/adapters.hpp"
#include "candidates/reduction/params.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::normalize_per_image {
namespace {

using enum Exactness;
using namespace config;

template <RunMode *kRun, Mode kMode> void run(const Call &call) {
  kRun(call, kMode);
}
template <ModeDomain *kDomain, Mode kMode> const char *accepts(const Call &call) {
  return kDomain(call, kMode);
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::f32}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};

// Traffic of u8 and f32 of the candidates that take several passes.
struct Passes {
  TrafficByCase opencv, aten, loop;
};

template <Mode kMode> consteval std::array<Candidate, 5> rows(const Passes &passes) {
  // id, version, backend, domain, exactness of u8 and f32, traffic, split, run
  return {{
      {"fused",
       3,
       "fused",
       accepts<accepts_fused, kMode>,
       {bitwise, bitwise},
       {2, 1},
       Split::none,
       run<run_fused, kMode>},
      {"lut",
       3,
       "lut",
       accepts<accepts_lut, kMode>,
       {bitwise, unsupported},
       {2, 1},
       Split::none,
       run<run_lut, kMode>},
      {"opencv",
       1,
       "opencv",
       built<kOpencv, accepts<accepts_opencv, kMode>>(),
       {faithful, faithful},
       passes.opencv,
       Split::none,
       built<kOpencv, run<run_opencv, kMode>>()},
      {"aten",
       1,
       "aten",
       built<kAten, accepts<accepts_aten, kMode>>(),
       {faithful, faithful},
       passes.aten,
       Split::none,
       built<kAten, run<run_aten, kMode>>()},
      {"loop",
       1,
       "loop",
       nullptr,
       {bitwise, bitwise},
       passes.loop,
       Split::none,
       run<run_loop, kMode>},
  }};
}

constexpr auto kImage = rows<Mode::image>(
    {.opencv = {{14, 4}, {5, 4}}, .aten = {{46, 10}, {12, 9}}, .loop = {{10, 3}, {4, 3}}});
constexpr auto kImagePerChannel = rows<Mode::image_per_channel>(
    {.opencv = {{14, 4}, {5, 4}}, .aten = {{78, 10}, {20, 9}}, .loop = {{10, 3}, {4, 3}}});
constexpr auto kMinMax = rows<Mode::min_max>(
    {.opencv = {{6, 2}, {4, 2}}, .aten = {{10, 3}, {3, 2}}, .loop = {{10, 3}, {4, 3}}});
constexpr auto kMinMaxPerChannel = rows<Mode::min_max_per_channel>(
    {.opencv = {{9, 2}, {7, 3}}, .aten = {{15, 3}, {8, 2}}, .loop = {{10, 3}, {4, 3}}});

constexpr Variant kVariants[] = {
    {"normalize_per_image/image", kDtypes, kImage},
    {"normalize_per_image/image_per_channel", kDtypes, kImagePerChannel},
    {"normalize_per_image/min_max", kDtypes, kMinMax},
    {"normalize_per_image/min_max_per_channel", kDtypes, kMinMaxPerChannel},
};

} // namespace

Moments::Moments(std::string_view id, bool per_channel)
    : per_channel_(per_channel),
      variant_(find_variant(per_channel ? "mean_std/per_channel" : "mean_std/global")),
      candidate_(&*std::find_if(variant_->candidates.begin(), variant_->candidates.end() - 1,
                                [&](const Candidate &candidate) { return candidate.id == id; })) {}

namespace {

// The call of mean_std, which borrows its results' memory: means, then deviations.
struct MomentsCall {
  MomentsCall(const Variant &variant, bool per_channel, const ConstView &image, double *means,
              double *deviations)
      : count(per_channel ? image.channels() : 1), mean(hwc(means, 1, 1, count)),
        deviation(hwc(deviations, 1, 1, count)), params{kEps, per_channel ? kPixelAxes : kAllAxes} {
    call.in = {&image};
    call.out = {&mean, &deviation};
    call.params = &params;
    while (variant.dtypes[call.dtype_case].in[0] != image.dtype) {
      ++call.dtype_case;
    }
  }
  MomentsCall(const MomentsCall &) = delete;
  MomentsCall &operator=(const MomentsCall &) = delete;

  std::int64_t count;
  View mean, deviation;
  ReductionParams params;
  Call call;
};

} // namespace

const char *Moments::refuses(const ConstView &image) const {
  double none = 0; // a domain looks at the shapes of the results alone
  const MomentsCall call(*variant_, per_channel_, image, &none, &none);
  return candidate_->refuses(call.call);
}

void Moments::operator()(const ConstView &image, std::span<double> values,
                         std::span<Scale> scales) const {
  const MomentsCall call(*variant_, per_channel_, image, values.data(),
                         values.data() + scales.size());
  candidate_->run(call.call);
  for (std::size_t c = 0; c < scales.size(); ++c) {
    scales[c] = Scale::standard(values[c], values[c + scales.size()]);
  }
}

void find_extremes(const ConstView &image, const View &lowest, const View &highest) {
  const auto kernels_of = [](std::string_view variant) {
    const auto candidates = find_variant(variant)->candidates;
    return &*std::find_if(candidates.begin(), candidates.end() - 1,
                          [](const Candidate &candidate) { return candidate.id == "fused"; });
  };
  static const Candidate *const kGlobal = kernels_of("min_max/global");
  static const Candidate *const kChannels = kernels_of("min_max/per_channel");
  const bool together = lowest.channels() == 1;
  const ReductionParams params{0, together ? kAllAxes : kPixelAxes};
  Call call;
  call.in = {&image};
  call.out = {&lowest, &highest};
  call.params = &params;
  call.dtype_case = image.dtype == Dtype::u8 ? 0 : 1;
  (together ? kGlobal : kChannels)->run(call);
}

const OpTable &table() {
  static constexpr OpTable kTable{"normalize_per_image", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::normalize_per_image
