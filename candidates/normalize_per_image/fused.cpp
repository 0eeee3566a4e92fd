// normalize_per_image in two reads of the image: statistics, then one pass over its elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/normalize_per_image/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/pointwise/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

// True divisions: by a reciprocal, results would be three roundings off instead of two.
struct Standardize {
  HWY_INLINE VF operator()(VF x, VF mean, VF deviation) const {
    const DF d;
    return Clip()(hn::Div(hn::Sub(x, mean), deviation), hn::Set(d, -20.0F), hn::Set(d, 20.0F));
  }
};
// Between 0 and 1 by itself: no difference exceeds the range, and rounding keeps the order.
struct Rescale {
  HWY_INLINE VF operator()(VF x, VF low, VF range) const { return hn::Div(hn::Sub(x, low), range); }
};

template <class Op, class In>
HWY_INLINE void PerChannel(const In *in, float *out, size_t n, const float *a, const float *b,
                           size_t phase, size_t period) {
  if (period == 1) {
    const DF d;
    Transform<Op, ToF32>(in, out, n, OneValue(d, a + phase), OneValue(d, b + phase));
  } else {
    Transform<Op, ToF32>(in, out, n, Repeating(a, phase, period), Repeating(b, phase, period));
  }
}

void StandardizeU8(const uint8_t *in, float *out, size_t n, const float *mean,
                   const float *deviation, size_t phase, size_t period) {
  PerChannel<Standardize>(in, out, n, mean, deviation, phase, period);
}
void StandardizeF32(const float *in, float *out, size_t n, const float *mean,
                    const float *deviation, size_t phase, size_t period) {
  PerChannel<Standardize>(in, out, n, mean, deviation, phase, period);
}
void RescaleU8(const uint8_t *in, float *out, size_t n, const float *low, const float *range,
               size_t phase, size_t period) {
  PerChannel<Rescale>(in, out, n, low, range, phase, period);
}
void RescaleF32(const float *in, float *out, size_t n, const float *low, const float *range,
                size_t phase, size_t period) {
  PerChannel<Rescale>(in, out, n, low, range, phase, period);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <array>

#include "candidates/common/coefficients.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/normalize_per_image/adapters.hpp"

namespace switchyard::kernels {
HWY_EXPORT(StandardizeU8);
HWY_EXPORT(StandardizeF32);
HWY_EXPORT(RescaleU8);
HWY_EXPORT(RescaleF32);
} // namespace switchyard::kernels

namespace switchyard::candidates::normalize_per_image {
namespace {

template <class In>
using Kernel = void (*)(const In *in, float *out, std::size_t n, const float *a, const float *b,
                        std::size_t phase, std::size_t period);

// One range per scale.
template <class In> void find_ranges(const ConstView &image, std::span<Scale> scales) {
  std::array<In, kMaxPatternChannels> lowest;
  std::array<In, kMaxPatternChannels> highest;
  const auto count = static_cast<std::int64_t>(scales.size());
  find_extremes(image, hwc(lowest.data(), 1, 1, count), hwc(highest.data(), 1, 1, count));
  for (std::size_t c = 0; c < scales.size(); ++c) {
    scales[c] = Scale::range(static_cast<float>(lowest[c]), static_cast<float>(highest[c]));
  }
}

const Moments &moments_by_kernels(bool per_channel) {
  static const Moments global("fused", false);
  static const Moments channels("fused", true);
  return per_channel ? channels : global;
}

template <class In>
void normalize(const ConstView &image, const View &result, std::span<const Scale> scales,
               Kernel<In> kernel) {
  const auto period = static_cast<std::int64_t>(scales.size());
  // A view of one member, as Pattern reads it.
  struct Member {
    std::span<const Scale> scales;
    float Scale::*member;
    float operator[](std::int64_t channel) const {
      return scales[static_cast<std::size_t>(channel)].*member;
    }
  };
  const Pattern offsets(Member{scales, &Scale::offset}, period);
  const Pattern divisors(Member{scales, &Scale::divisor}, period);
  Runs<float, In>({&image, &result})(
      [&](const In *in, float *out, std::int64_t n, RunChannels run) {
        const RunChannels c = period == 1 ? RunChannels{} : run;
        kernel(in, out, static_cast<std::size_t>(n), offsets.data(), divisors.data(),
               static_cast<std::size_t>(c.first), static_cast<std::size_t>(c.period));
      });
}

} // namespace

void find_scales(const ConstView &image, Mode mode, std::span<Scale> scales) {
  if (!is_range(mode)) {
    std::array<double, 2 * kMaxPatternChannels> values;
    moments_by_kernels(is_per_channel(mode))(image, values, scales);
  } else if (image.dtype == Dtype::u8) {
    find_ranges<std::uint8_t>(image, scales);
  } else {
    find_ranges<float>(image, scales);
  }
}

const char *refuses_scales(const Call &call, Mode mode) {
  if (scale_count(*call.in[0], mode) > kMaxPatternChannels) {
    return "more than 4096 channels";
  }
  return is_range(mode) || call.in[0]->empty()
             ? nullptr
             : moments_by_kernels(is_per_channel(mode)).refuses(first_item(call));
}

const char *accepts_fused(const Call &call, Mode mode) {
  return refuses_scales(call, mode);
}

void run_fused(const Call &call, Mode mode) {
  std::array<Scale, kMaxPatternChannels> storage;
  const std::span<Scale> scales(storage.data(),
                                static_cast<std::size_t>(scale_count(*call.in[0], mode)));
  for_each_item(call, [&](const ConstView &image, const View &result) {
    using namespace kernels;
    find_scales(image, mode, scales);
    if (any_halved(scales)) {
      normalize_plainly(image, result, scales, mode);
    } else if (image.dtype == Dtype::u8) {
      normalize<std::uint8_t>(image, result, scales,
                              is_range(mode) ? &HWY_DYNAMIC_DISPATCH(RescaleU8)
                                             : &HWY_DYNAMIC_DISPATCH(StandardizeU8));
    } else {
      normalize<float>(image, result, scales,
                       is_range(mode) ? &HWY_DYNAMIC_DISPATCH(RescaleF32)
                                      : &HWY_DYNAMIC_DISPATCH(StandardizeF32));
    }
  });
}

} // namespace switchyard::candidates::normalize_per_image
#endif
