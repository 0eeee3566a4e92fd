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
  static void run(const ConstView &image, const Params &params, const View &out,
                  const Options &options) {
    const Known *known = into_of(image, params, out, options).find_unchecked();
    if (known == nullptr || !is_narrow(params) || !again(*known, image, params, out)) [[unlikely]] {
      run_first(image, params, out, options, false);
    }
  }

  static void into(const ConstView &image, const Params &params, const View &out,
                   std::initializer_list<Dtype> results, const Options &options) {
    const Known *known = into_of(image, params, out, options).find_checked();
    if (known == nullptr || !is_good(image, params) || !again(*known, image, params, out))
        [[unlikely]] {
      into_first(image, params, out, results, options);
    }
  }

  [[nodiscard]] static Image fresh(const ConstView &image, const Params &params, Dtype result,
                                   const Options &options) {
    const Repeat<1, 0> repeat(Op::variant(params), OutputMode::fresh,
                              static_cast<std::uint32_t>(result), {&image}, options);
    const Known *known = repeat.find_checked();
    const bool good = known != nullptr && is_good(image, params);
    if (!good) {
      check(image, params, options);
    }
    Image out(image.shape, result, image.rank);
    if (!good || !again(*known, image, params, out)) {
      dispatch_first(repeat, params, call_of(image, params, out), true);
    }
    return out;
  }

private:
  static Repeat<1> into_of(const ConstView &image, const Params &params, const View &out,
                           const Options &options) {
    return {Op::variant(params), OutputMode::into, 0, {&image, &out}, options};
  }
  [[gnu::noinline]] static void into_first(const ConstView &image, const Params &params,
                                           const View &out, std::initializer_list<Dtype> results,
                                           const Options &options) {
    check(image, params, options);
    validate::output(Op::kName, "out", out, image.shape, results);
    validate::overlap(Op::kName, "image", out, image, true);
    run_first(image, params, out, options, true);
  }
  [[gnu::noinline]] static void run_first(const ConstView &image, const Params &params,
                                          const View &out, const Options &options, bool checked) {
    const Call call = call_of(image, params, out);
    if (is_there_already(image, out, call)) {
      return dispatch_nothing(Op::variant(params), call, OutputMode::into, options);
    }
    dispatch_first(into_of(image, params, out, options), params, call, checked);
  }
  // Calls of wide parameters, which are rare, are not remembered.
  static void dispatch_first(const auto &repeat, const Params &params, const Call &call,
                             bool checked) {
    if ((call.flags & kWide) != 0) {
      return repeat.dispatch_unlike(Op::variant(params), call);
    }
    repeat.dispatch_first(Op::variant(params), call, checked);
  }
  static bool again(const Known &known, const ConstView &image, const Params &params,
                    const View &out) {
    return run_again(known, call_again(known, {&image}, {&out}, &params));
  }

  // Whether the parameters of a call that is known otherwise are right, and narrow as they were.
  static bool is_good(const ConstView &image, const Params &params) {
    for (const Named &parameter : Op::parameters(params)) {
      if (!validate::is_parameter(parameter.values, image.channels())) {
        return false;
      }
    }
    Op::check(params);
    return is_narrow(params);
  }
  static bool is_narrow(const Params &params) {
    return is_surely_narrow(params) || wide_flag(params) == 0;
  }

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

  // A copy onto itself, which is not remembered. A pin that is wrong is one there, too.
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
