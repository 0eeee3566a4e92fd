// The three public forms of an op of one image and one result, from what tells such ops apart.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <tuple>

#include "router/ops/edge.hpp"

namespace switchyard::edge {

// `Op` has
//   Params                     the struct that Call::params points to
//   kName                      std::string_view
//   kParameters                their names in messages, as std::array<std::string_view, N>
//   values(params)             std::tuple<Values, …>, N of them: one value or C values each
//   images()                   accepted image dtypes, as std::initializer_list<Dtype>
//   check_result(out, image)   throws Error for another dtype than results of the image have
//   variant(params)            const VariantHandle &
//   dtype_case(image, result)  index into the variant's dtypes
// and may have
//   copies(image, result)      whether the result is the image, bit for bit
//   are_right(params)          whether values of good sizes are right; without a call or a throw
//   check(params)              throws Error where they are not
template <class Op> struct Unary {
  using Params = typename Op::Params;

  // As `unchecked::` promises: wrong arguments are undefined behaviour.
  static void run(const ConstView &image, const Params &params, const View &out,
                  const Options &options) {
    const Known *known = into_of(image, params, out, options).find_unchecked();
    if (known == nullptr || !are_surely_narrow(params) ||
        !run_settled(*known, edge::call_again(*known, {&image}, {&out}, &params))) [[unlikely]] {
      run_otherwise(known, image, params, out, options);
    }
  }

  static void into(const ConstView &image, const Params &params, const View &out,
                   const Options &options) {
    const Known *known = into_of(image, params, out, options).find_checked();
    if (known == nullptr || !are_surely_good(image, params) ||
        !run_settled(*known, edge::call_again(*known, {&image}, {&out}, &params))) [[unlikely]] {
      into_otherwise(known, image, params, out, options);
    }
  }

  [[nodiscard]] static Image fresh(const ConstView &image, const Params &params, Dtype result,
                                   const Options &options) {
    const Repeat<1, 0> repeat(Op::variant(params), OutputMode::fresh,
                              static_cast<std::uint32_t>(result), {&image}, options);
    const Known *known = repeat.find_checked();
    if (known != nullptr && !(are_right(image, params) && are_narrow(params))) {
      known = nullptr;
    }
    if (known == nullptr) {
      check(image, params, options);
      validate::result(Op::kName, image.shape, result, image.rank);
    }
    Image out(image.shape, result, image.rank);
    if (known == nullptr || !again(*known, image, params, out)) {
      dispatch_first(repeat, params, call_of(image, params, out), true);
    }
    return out;
  }

private:
  static Repeat<1> into_of(const ConstView &image, const Params &params, const View &out,
                           const Options &options) {
    return {Op::variant(params), OutputMode::into, 0, {&image, &out}, options};
  }

  [[gnu::noinline]] static void run_otherwise(const Known *known, const ConstView &image,
                                              const Params &params, const View &out,
                                              const Options &options) {
    if (known == nullptr || !are_narrow(params) || !again(*known, image, params, out)) {
      run_first(image, params, out, options, false);
    }
  }
  [[gnu::noinline]] static void into_otherwise(const Known *known, const ConstView &image,
                                               const Params &params, const View &out,
                                               const Options &options) {
    if (known != nullptr && are_right(image, params) && are_narrow(params) &&
        again(*known, image, params, out)) {
      return;
    }
    check(image, params, options);
    Op::check_result(out, image);
    validate::overlap(Op::kName, "image", out, image, true);
    run_first(image, params, out, options, true);
  }
  static void run_first(const ConstView &image, const Params &params, const View &out,
                        const Options &options, bool checked) {
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
    return run_again(known, edge::call_again(known, {&image}, {&out}, &params));
  }

  // Whether the parameters of a call that is known otherwise are what validation would pass.
  static bool are_right(const ConstView &image, const Params &params) {
    const bool sized = std::apply(
        [&](const auto &...values) {
          return (validate::is_parameter(values, image.channels()) && ...);
        },
        Op::values(params));
    if constexpr (requires { Op::are_right(params); }) {
      return sized && Op::are_right(params);
    }
    return sized;
  }
  // The same, and narrow; few instructions, and false of some that are.
  static bool are_surely_good(const ConstView &image, const Params &params) {
    const bool good = std::apply(
        [&](const auto &...values) {
          return (validate::is_narrow_parameter(values, image.channels()) && ...);
        },
        Op::values(params));
    if constexpr (requires { Op::are_right(params); }) {
      return good && Op::are_right(params);
    }
    return good;
  }
  static bool are_surely_narrow(const Params &params) {
    return std::apply(
        [](const auto &...values) { return (validate::is_surely_narrow(values) && ...); },
        Op::values(params));
  }
  static bool are_narrow(const Params &params) {
    return are_surely_narrow(params) || !are_wide(params);
  }
  static bool are_wide(const Params &params) {
    return std::apply([](const auto &...values) { return (validate::is_wide(values) || ...); },
                      Op::values(params));
  }

  static Call call_of(const ConstView &image, const Params &params, const View &out) {
    return {.in = {&image, nullptr, nullptr},
            .out = {&out, nullptr},
            .params = &params,
            .flags = edge::flags(out, {&image}, {}) | (are_wide(params) ? kWide : 0U),
            .dtype_case = Op::dtype_case(image.dtype, out.dtype)};
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
    std::apply(
        [&](const auto &...values) {
          [[maybe_unused]] std::size_t i = 0;
          (validate::parameter(Op::kName, Op::kParameters[i++], values, image.channels()), ...);
        },
        Op::values(params));
    if constexpr (requires { Op::check(params); }) {
      Op::check(params);
    }
    validate::options(Op::kName, options);
  }
};

} // namespace switchyard::edge
