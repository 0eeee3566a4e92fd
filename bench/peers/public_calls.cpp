#include "bench/peers/public_calls.hpp"

#include <algorithm>
#include <span>

#include "candidates/add/params.hpp"
#include "candidates/add_weighted/params.hpp"
#include "candidates/bincount/params.hpp"
#include "candidates/clip/params.hpp"
#include "candidates/from_float/params.hpp"
#include "candidates/lut/params.hpp"
#include "candidates/multiply/params.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/normalize_per_image/params.hpp"
#include "candidates/power/params.hpp"
#include "candidates/reduction/params.hpp"
#include "candidates/rot90/params.hpp"
#include "candidates/to_float/params.hpp"
#include "switchyard/switchyard.hpp"

namespace switchyard::peers {
namespace {

Parameter parameter(const Values &values) {
  return values.scalar() ? Parameter(values[0])
                         : Parameter(std::span(values.data, static_cast<std::size_t>(values.size)));
}

std::vector<double> list(const Values &values) {
  return {values.data, values.data + values.size};
}

// ---- pointwise ---------------------------------------------------------------------------------

void run_add(const Call &call, const Options &options) {
  add(*call.in[0], parameter(call.params_as<AddParams>().value), *call.out[0], options);
}
Numbers add_numbers(const Call &call) {
  return {list(call.params_as<AddParams>().value)};
}
void run_add_array(const Call &call, const Options &options) {
  add(*call.in[0], ArrayOperand(*call.in[1]), *call.out[0], options);
}

void run_multiply(const Call &call, const Options &options) {
  multiply(*call.in[0], parameter(call.params_as<MultiplyParams>().factor), *call.out[0], options);
}
Numbers multiply_numbers(const Call &call) {
  return {list(call.params_as<MultiplyParams>().factor)};
}
void run_multiply_array(const Call &call, const Options &options) {
  multiply(*call.in[0], ArrayOperand(*call.in[1]), *call.out[0], options);
}

void run_multiply_add(const Call &call, const Options &options) {
  const auto &p = call.params_as<MultiplyAddParams>();
  multiply_add(*call.in[0], parameter(p.factor), parameter(p.value), *call.out[0], options);
}
Numbers multiply_add_numbers(const Call &call) {
  const auto &p = call.params_as<MultiplyAddParams>();
  return {list(p.factor), list(p.value)};
}
void run_multiply_add_array(const Call &call, const Options &options) {
  multiply_add(*call.in[0], ArrayOperand(*call.in[1]), ArrayOperand(*call.in[2]), *call.out[0],
               options);
}

void run_add_weighted(const Call &call, const Options &options) {
  const auto &p = call.params_as<AddWeightedParams>();
  add_weighted(*call.in[0], p.weight_a, *call.in[1], p.weight_b, *call.out[0], options);
}
Numbers add_weighted_numbers(const Call &call) {
  const auto &p = call.params_as<AddWeightedParams>();
  return {{p.weight_a}, {p.weight_b}};
}

void run_power(const Call &call, const Options &options) {
  power(*call.in[0], parameter(call.params_as<PowerParams>().exponent), *call.out[0], options);
}
Numbers power_numbers(const Call &call) {
  return {list(call.params_as<PowerParams>().exponent)};
}
void run_power_array(const Call &call, const Options &options) {
  power(*call.in[0], ArrayOperand(*call.in[1]), *call.out[0], options);
}

void run_exp(const Call &call, const Options &options) {
  exp(*call.in[0], *call.out[0], options);
}
void run_log(const Call &call, const Options &options) {
  log(*call.in[0], *call.out[0], options);
}
void run_sqrt(const Call &call, const Options &options) {
  sqrt(*call.in[0], *call.out[0], options);
}

void run_normalize(const Call &call, const Options &options) {
  const auto &p = call.params_as<NormalizeParams>();
  normalize(*call.in[0], parameter(p.mean), parameter(p.scale), *call.out[0], options);
}
Numbers normalize_numbers(const Call &call) {
  const auto &p = call.params_as<NormalizeParams>();
  return {list(p.mean), list(p.scale)};
}

void run_clip(const Call &call, const Options &options) {
  const auto &p = call.params_as<ClipParams>();
  clip(*call.in[0], parameter(p.low), parameter(p.high), *call.out[0], options);
}
Numbers clip_numbers(const Call &call) {
  const auto &p = call.params_as<ClipParams>();
  return {list(p.low), list(p.high)};
}

// ---- conversions -------------------------------------------------------------------------------

void run_to_float(const Call &call, const Options &options) {
  to_float(*call.in[0], *call.out[0], call.params_as<ToFloatParams>().max_value, options);
}
Numbers to_float_numbers(const Call &call) {
  return {{call.params_as<ToFloatParams>().max_value}};
}
void run_from_float(const Call &call, const Options &options) {
  from_float(*call.in[0], *call.out[0], call.params_as<FromFloatParams>().max_value, options);
}
Numbers from_float_numbers(const Call &call) {
  return {{call.params_as<FromFloatParams>().max_value}};
}
void run_lut(const Call &call, const Options &options) {
  lut(*call.in[0], call.params_as<LutParams>().table, *call.out[0], options);
}

// ---- statistics --------------------------------------------------------------------------------

constexpr std::size_t kForms = 4; // global, per_channel, per_item, any axes

// Results keep every axis, as candidates write them.
template <std::size_t kForm> Reduction reduction(const Call &call) {
  if constexpr (kForm < kForms - 1) {
    return keepdims(static_cast<Over>(kForm));
  }
  Axes axes{};
  for (const Axis axis : {kX, kH, kW, kC}) {
    if (has_axis(call.params_as<ReductionParams>().axes, axis)) {
      axes.add(axis);
    }
  }
  return keepdims(axes);
}

template <std::size_t kForm> void run_sum(const Call &call, const Options &options) {
  reduce_sum(*call.in[0], *call.out[0], reduction<kForm>(call), options);
}
template <std::size_t kForm> void run_mean(const Call &call, const Options &options) {
  mean(*call.in[0], *call.out[0], reduction<kForm>(call), options);
}
template <std::size_t kForm> void run_std(const Call &call, const Options &options) {
  switchyard::std(*call.in[0], *call.out[0], reduction<kForm>(call),
                  call.params_as<ReductionParams>().eps, options);
}
template <std::size_t kForm> void run_mean_std(const Call &call, const Options &options) {
  mean_std(*call.in[0], *call.out[0], *call.out[1], reduction<kForm>(call),
           call.params_as<ReductionParams>().eps, options);
}
template <std::size_t kForm> void run_min_max(const Call &call, const Options &options) {
  min_max(*call.in[0], *call.out[0], *call.out[1], reduction<kForm>(call), options);
}
// The axes of X, H, W, C that are reduced, and eps.
Numbers reduction_numbers(const Call &call) {
  const auto &p = call.params_as<ReductionParams>();
  std::vector<double> axes;
  for (const int axis : {0, 1, 2, 3}) {
    if (has_axis(p.axes, axis)) {
      axes.push_back(axis);
    }
  }
  return {axes, {p.eps}};
}

template <Normalization kMode> void run_per_image(const Call &call, const Options &options) {
  normalize_per_image(*call.in[0], kMode, *call.out[0],
                      call.params_as<NormalizePerImageParams>().per_item, options);
}

template <Over kOver> void run_histogram(const Call &call, const Options &options) {
  if (call.in[1] != nullptr) {
    histogram(*call.in[0], *call.in[1], kOver, *call.out[0], options);
  } else {
    histogram(*call.in[0], kOver, *call.out[0], options);
  }
}

void run_bincount(const Call &call, const Options &options) {
  const auto &p = call.params_as<BincountParams>();
  const auto ignored = p.ignores ? std::optional(p.ignored) : std::nullopt;
  if (call.in[1] != nullptr) {
    bincount_weights(*call.in[0], *call.in[1], *call.out[0], ignored, options);
  } else {
    bincount(*call.in[0], *call.out[0], ignored, options);
  }
}
Numbers bincount_numbers(const Call &call) {
  return {{static_cast<double>(call.params_as<BincountParams>().bins)}};
}

// ---- matrices and turns ------------------------------------------------------------------------

void run_matmul(const Call &call, const Options &options) {
  matmul(*call.in[0], *call.in[1], *call.out[0], options);
}
void run_pairwise(const Call &call, const Options &options) {
  pairwise_distances_squared(*call.in[0], *call.in[1], *call.out[0], options);
}
void run_hflip(const Call &call, const Options &options) {
  hflip(*call.in[0], *call.out[0], options);
}
void run_vflip(const Call &call, const Options &options) {
  vflip(*call.in[0], *call.out[0], options);
}
void run_transpose(const Call &call, const Options &options) {
  transpose(*call.in[0], *call.out[0], options);
}
void run_rot90(const Call &call, const Options &options) {
  rot90(*call.in[0], call.params_as<candidates::Rot90Params>().quarter_turns, *call.out[0],
        options);
}
Numbers rot90_numbers(const Call &call) {
  return {{static_cast<double>(call.params_as<candidates::Rot90Params>().quarter_turns)}};
}

constexpr Public kPublics[] = {
    {"add/scalar", run_add, add_numbers},
    {"add/vector", run_add, add_numbers},
    {"add/array", run_add_array},
    {"multiply/scalar", run_multiply, multiply_numbers},
    {"multiply/vector", run_multiply, multiply_numbers},
    {"multiply/array", run_multiply_array},
    {"multiply_add/scalar", run_multiply_add, multiply_add_numbers},
    {"multiply_add/vector", run_multiply_add, multiply_add_numbers},
    {"multiply_add/array", run_multiply_add_array},
    {"add_weighted", run_add_weighted, add_weighted_numbers},
    {"power/scalar", run_power, power_numbers},
    {"power/vector", run_power, power_numbers},
    {"power/array", run_power_array},
    {"exp", run_exp},
    {"log", run_log},
    {"sqrt", run_sqrt},
    {"normalize/scalar", run_normalize, normalize_numbers},
    {"normalize/vector", run_normalize, normalize_numbers},
    {"clip/scalar", run_clip, clip_numbers},
    {"clip/vector", run_clip, clip_numbers},
    {"to_float", run_to_float, to_float_numbers},
    {"from_float", run_from_float, from_float_numbers},
    {"lut/shared", run_lut},
    {"lut/per_channel", run_lut},
    {"reduce_sum/global", run_sum<0>, reduction_numbers},
    {"reduce_sum/per_channel", run_sum<1>, reduction_numbers},
    {"reduce_sum/per_item", run_sum<2>, reduction_numbers},
    {"reduce_sum/axes", run_sum<3>, reduction_numbers},
    {"mean/global", run_mean<0>, reduction_numbers},
    {"mean/per_channel", run_mean<1>, reduction_numbers},
    {"mean/per_item", run_mean<2>, reduction_numbers},
    {"mean/axes", run_mean<3>, reduction_numbers},
    {"std/global", run_std<0>, reduction_numbers},
    {"std/per_channel", run_std<1>, reduction_numbers},
    {"std/per_item", run_std<2>, reduction_numbers},
    {"std/axes", run_std<3>, reduction_numbers},
    {"mean_std/global", run_mean_std<0>, reduction_numbers},
    {"mean_std/per_channel", run_mean_std<1>, reduction_numbers},
    {"mean_std/per_item", run_mean_std<2>, reduction_numbers},
    {"mean_std/axes", run_mean_std<3>, reduction_numbers},
    {"min_max/global", run_min_max<0>, reduction_numbers},
    {"min_max/per_channel", run_min_max<1>, reduction_numbers},
    {"min_max/per_item", run_min_max<2>, reduction_numbers},
    {"min_max/axes", run_min_max<3>, reduction_numbers},
    {"normalize_per_image/image", run_per_image<Normalization::image>},
    {"normalize_per_image/image_per_channel", run_per_image<Normalization::image_per_channel>},
    {"normalize_per_image/min_max", run_per_image<Normalization::min_max>},
    {"normalize_per_image/min_max_per_channel", run_per_image<Normalization::min_max_per_channel>},
    {"histogram/together", run_histogram<Over::global>},
    {"histogram/per_channel", run_histogram<Over::per_channel>},
    {"histogram/together_masked", run_histogram<Over::global>},
    {"histogram/per_channel_masked", run_histogram<Over::per_channel>},
    {"bincount/counts", run_bincount, bincount_numbers, true},
    {"bincount/weights", run_bincount, bincount_numbers, true},
    {"matmul", run_matmul},
    {"pairwise_distances_squared", run_pairwise},
    {"hflip", run_hflip},
    {"vflip", run_vflip},
    {"transpose", run_transpose},
    {"rot90", run_rot90, rot90_numbers},
};

} // namespace

const Public *find_public(std::string_view variant) {
  const auto *const found =
      std::find_if(std::begin(kPublics), std::end(kPublics),
                   [&](const Public &known) { return known.variant == variant; });
  return found == std::end(kPublics) ? nullptr : found;
}

const ConstView *table_of(std::string_view variant, const Call &call) {
  return variant.starts_with("lut/") ? &call.params_as<LutParams>().table : nullptr;
}

} // namespace switchyard::peers
