#include <algorithm>

#include <fmt/format.h>

#include "candidates/clip/params.hpp"
#include "router/ops/unary.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

struct Clip {
  using Params = ClipParams;
  static constexpr std::string_view kName = "clip";

  static void check_result(const View &out, const ConstView &image) {
    if (image.dtype == Dtype::f32) {
      return validate::output(kName, "out", out, image.shape, {Dtype::f32, Dtype::u8});
    }
    validate::output(kName, "out", out, image.shape, {Dtype::u8});
  }
  static std::initializer_list<Dtype> images() {
    static constexpr std::initializer_list<Dtype> kImages = {Dtype::u8, Dtype::f32};
    return kImages;
  }
  static constexpr std::array<std::string_view, 2> kParameters{"low", "high"};
  static auto values(const ClipParams &params) { return std::tie(params.low, params.high); }
  // Not of NaN, which orders nothing.
  static bool are_right(const ClipParams &params) {
    bool ordered = true;
    for (std::int64_t c = 0; c < std::max(params.low.size, params.high.size); ++c) {
      ordered = ordered && params.low[c] <= params.high[c];
    }
    return ordered;
  }
  static void check(const ClipParams &params) {
    for (std::int64_t c = 0; c < std::max(params.low.size, params.high.size); ++c) {
      if (!(params.low[c] <= params.high[c])) {
        throw Error(kName, "low", fmt::format("{} with high {}", params.low[c], params.high[c]),
                    "bounds with low <= high");
      }
    }
  }
  static const VariantHandle &variant(const ClipParams &params) {
    static constinit const edge::ScalarAndVector both("clip/scalar", "clip/vector");
    return both(params.low.scalar() && params.high.scalar());
  }
  static std::uint8_t dtype_case(Dtype image, Dtype result) {
    return image == Dtype::u8 ? 0 : result == Dtype::f32 ? 1 : 2;
  }
};
using Forms = edge::Unary<Clip>;

} // namespace

void unchecked::clip(const ConstView &image, const Parameter &low, const Parameter &high,
                     const View &out, const Options &options) {
  Forms::run(image, {edge::taken(low), edge::taken(high), options.rounding}, out, options);
}

void clip(const ConstView &image, const Parameter &low, const Parameter &high, const View &out,
          const Options &options) {
  Forms::into(image, {edge::taken(low), edge::taken(high), options.rounding}, out, options);
}

Image clip(const ConstView &image, const Parameter &low, const Parameter &high,
           const Options &options) {
  return Forms::fresh(image, {edge::taken(low), edge::taken(high), options.rounding}, image.dtype,
                      options);
}

} // namespace switchyard
