// The three public forms of an op of one image and one result, from what tells such ops apart.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>

#include "router/ops/edge.hpp"

namespace switchyard::edge {

// A parameter with its name in messages.
struct Named {
  std::string_view name;
  Values values;
};

// `Op` has
//   Params                     the struct that Call::params points to
//   kName                      std::string_view
//   images()                   accepted image dtypes, as std::initializer_list<Dtype>
//   parameters(params)         std::array<Named, N>: one value or C values each
//   check(params)              further checks; throws Error
//   variant(params)            const VariantHandle &
//   dtype_case(image, result)  index into the variant's dtypes
// and may have
//   copies(image, result)      whether the result is the image, bit for bit
template <class Op> struct Unary {
  using Params = typename Op::Params;

  // As `unchecked::` promises: wrong arguments are undefined behaviour.
  static void run(const ConstView &image, const Params &params, const View &out, OutputMode mode,
                  const Options &options) {
    const Call call = call_of(image, params, out);
    if (is_there_already(image, out, call)) {
      return dispatch_nothing(Op::variant(params), call, mode, options);
    }
    dispatch_repeated<1>(Op::variant(params), call, mode, options);
  }

  static void into(const ConstView &image, const Params &params, const View &out,
                   std::initializer_list<Dtype> results, const Options &options) {
    const Call call = call_of(image, params, out);
    const bool nothing = is_there_already(image, out, call);
    if (!nothing &&
        dispatch_if_checked<1>(Op::variant(params), call, OutputMode::into, options, [&] {
          for (const Named &parameter : Op::parameters(params)) {
            if (!validate::is_parameter(parameter.values, image.channels())) {
              return false;
            }
          }
          Op::check(params);
          return true;
        })) [[likely]] {
      return;
    }
    check(image, params, options);
    validate::output(Op::kName, "out", out, image.shape, results);
    validate::overlap(Op::kName, "image", out, image, true);
    if (nothing) {
      return dispatch_nothing(Op::variant(params), call, OutputMode::into, options);
    }
    dispatch_checked(Op::variant(params), call, OutputMode::into, options);
  }

  [[nodiscard]] static Image fresh(const ConstView &image, const Params &params, Dtype result,
                                   const Options &options) {
    check(image, params, options);
    Image out = edge::result_image(Op::kName, image.shape, result, image.rank);
    run(image, params, out, OutputMode::fresh, options);
    return out;
  }

private:
  static Call call_of(const ConstView &image, const Params &params, const View &out) {
    const std::uint32_t in_place = edge::flags(out, {&image}, {});
    return {.in = {&image, nullptr, nullptr},
            .out = {&out, nullptr},
            .params = &params,
            .flags = is_surely_narrow(params) ? in_place : in_place | wide_flag(params),
            .dtype_case = Op::dtype_case(image.dtype, out.dtype)};
  }
  static bool is_surely_narrow(const Params &params) {
    bool narrow = true;
    for (const Named &parameter : Op::parameters(params)) {
      narrow = narrow && validate::is_surely_narrow(parameter.values);
    }
    return narrow;
  }
  [[gnu::noinline]] static std::uint32_t wide_flag(const Params &params) {
    std::uint32_t flag = 0;
    for (const Named &parameter : Op::parameters(params)) {
      flag |= validate::is_wide(parameter.values) ? kWide : 0U;
    }
    return flag;
  }

  // A copy onto itself. A pin that is wrong is one there, too.
  static bool is_there_already(const ConstView &image, const View &out, const Call &call) {
    if constexpr (requires { Op::copies(image.dtype, out.dtype); }) {
      return (call.flags & kInPlace) != 0 && Op::copies(image.dtype, out.dtype);
    }
    return false;
  }

  static void check(const ConstView &image, const Params &params, const Options &options) {
    validate::image(Op::kName, "image", image, Op::images());
    for (const Named &parameter : Op::parameters(params)) {
      validate::parameter(Op::kName, parameter.name, parameter.values, image.channels());
    }
    Op::check(params);
    validate::options(Op::kName, options);
  }
};

} // namespace switchyard::edge
