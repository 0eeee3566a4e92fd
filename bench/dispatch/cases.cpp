#include "bench/dispatch/cases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "candidates/add/params.hpp"
#include "candidates/add_weighted/params.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/registry.hpp"
#include "candidates/to_float/params.hpp"
#include "switchyard/switchyard.hpp"

namespace switchyard::dispatch_cases {
namespace {

constexpr std::int64_t kHeight = 4;
constexpr std::int64_t kWidth = 8;
constexpr std::int64_t kChannels = 3;
constexpr std::size_t kElements = kHeight * kWidth * kChannels;

std::array<std::uint8_t, kElements> bytes{};
std::array<std::uint8_t, kElements> more_bytes{};
std::array<std::uint8_t, kElements> byte_results{};
std::array<float, kElements> floats{};
std::array<float, kElements> float_results{};

template <class T> View view(std::array<T, kElements> &elements) {
  return hwc(elements.data(), kHeight, kWidth, kChannels);
}

// Plain globals: a local static would add its guard to every form.
const View kBytes = view(bytes);
const View kMoreBytes = view(more_bytes);
const View kByteResult = view(byte_results);
const View kFloats = view(floats);
const View kFloatResult = view(float_results);

constexpr double kValue = 1.5;
constexpr double kWeights[] = {0.7, 0.3};
constexpr std::array<double, 3> kMean{123.675, 116.28, 103.53};
constexpr std::array<double, 3> kScale{1 / 58.395, 1 / 57.12, 1 / 57.375};

// What a direct call needs.
struct Direct {
  Call call;
  const Candidate *candidate = nullptr;
};

Direct direct_add;
const AddParams kAddParams{{&kValue, 1}};
void add_direct() {
  direct_add.candidate->run(direct_add.call);
}
void add_routed() {
  add(kFloats, kValue, kFloatResult);
}
void add_unchecked() {
  unchecked::add(kFloats, kValue, kFloatResult);
}

Direct direct_normalize;
const NormalizeParams kNormalizeParams{{kMean.data(), 3}, {kScale.data(), 3}};
void normalize_direct() {
  direct_normalize.candidate->run(direct_normalize.call);
}
void normalize_routed() {
  normalize(kBytes, kMean, kScale, kFloatResult);
}
void normalize_unchecked() {
  unchecked::normalize(kBytes, kMean, kScale, kFloatResult);
}

Direct direct_blend;
const AddWeightedParams kBlendParams{kWeights[0], kWeights[1]};
void blend_direct() {
  direct_blend.candidate->run(direct_blend.call);
}
void blend_routed() {
  add_weighted(kBytes, kWeights[0], kMoreBytes, kWeights[1], kByteResult);
}
void blend_unchecked() {
  unchecked::add_weighted(kBytes, kWeights[0], kMoreBytes, kWeights[1], kByteResult);
}

Direct direct_convert;
const ToFloatParams kConvertParams{255};
void convert_direct() {
  direct_convert.candidate->run(direct_convert.call);
}
void convert_routed() {
  to_float(kBytes, kFloatResult);
}
void convert_unchecked() {
  unchecked::to_float(kBytes, kFloatResult);
}

constexpr Case kCases[] = {
    {"add/scalar f32", add_direct, add_routed, add_unchecked},
    {"normalize/vector u8", normalize_direct, normalize_routed, normalize_unchecked},
    {"add_weighted u8", blend_direct, blend_routed, blend_unchecked},
    {"to_float u8", convert_direct, convert_routed, convert_unchecked},
};

// The candidate that served this thread's last call.
const Candidate &served() {
  const RouteInfo route = last_route();
  const Variant *variant = candidates::find_variant(route.variant);
  if (variant == nullptr) {
    throw std::runtime_error("no call was routed");
  }
  const auto found =
      std::find_if(variant->candidates.begin(), variant->candidates.end(),
                   [&](const Candidate &candidate) { return candidate.id == route.candidate; });
  if (found == variant->candidates.end()) {
    throw std::runtime_error(std::string(route.variant) + ": the route names no candidate");
  }
  return *found;
}

void prepare(Direct &direct, Body *routed, std::initializer_list<const ConstView *> in,
             const View &out, const void *params, std::uint8_t dtype_case) {
  direct.call.dtype_case = dtype_case;
  std::copy(in.begin(), in.end(), direct.call.in.begin());
  direct.call.out = {&out};
  direct.call.params = params;
  routed();
  direct.candidate = &served();
}

} // namespace

void prepare() {
  constexpr std::uint8_t kU8 = 0;
  constexpr std::uint8_t kF32 = 1;
  prepare(direct_add, add_routed, {&kFloats}, kFloatResult, &kAddParams, kF32);
  prepare(direct_normalize, normalize_routed, {&kBytes}, kFloatResult, &kNormalizeParams, kU8);
  prepare(direct_blend, blend_routed, {&kBytes, &kMoreBytes}, kByteResult, &kBlendParams, kU8);
  prepare(direct_convert, convert_routed, {&kBytes}, kFloatResult, &kConvertParams, kU8);
}

std::span<const Case> cases() {
  return kCases;
}

#if !SWITCHYARD_DISPATCH_OPENCV
Body *view_of_mat() {
  return nullptr;
}
#endif

} // namespace switchyard::dispatch_cases
