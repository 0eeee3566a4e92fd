// The public forms of pointwise ops whose operands are arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "candidates/pointwise_array/params.hpp"
#include "router/ops/edge.hpp"

namespace switchyard::edge {

// An operand with its name in messages. Numbers count as an f64 array of one pixel.
struct Operand {
  std::string_view name;
  ConstView view;
  bool numbers = false;
};

inline Operand operand(std::string_view name, const ArrayOperand &array) {
  return {name, array.view(), false};
}
// Borrows the numbers of `parameter`.
inline Operand operand(std::string_view name, const Parameter &parameter) {
  const Values values = parameter.values();
  const Extents shape{1, 1, 1, values.size};
  return {name, {values.data, shape, contiguous_strides(shape, 8), Dtype::f64, 3}, true};
}

// Index among the dtype cases of such variants: those of u8 images, of f32 images, and two for
// arrays of unequal dtypes.
template <std::size_t N>
std::uint8_t array_case(const ConstView &image, const std::array<Operand, N> &operands) {
  constexpr std::uint8_t kOperandDtypes = 6;
  const std::uint8_t of_image = u8_or_f32(image);
  const Operand *first = nullptr;
  for (const Operand &operand : operands) {
    if (operand.numbers) {
      continue;
    }
    if (first != nullptr && first->view.dtype != operand.view.dtype) {
      return static_cast<std::uint8_t>(2 * kOperandDtypes + of_image);
    }
    first = &operand;
  }
  std::uint8_t of_operand = 0;
  for (const Dtype dtype : {Dtype::u8, Dtype::i8, Dtype::u16, Dtype::i16, Dtype::f32}) {
    if (dtype == first->view.dtype) {
      break;
    }
    ++of_operand;
  }
  return static_cast<std::uint8_t>(of_image * kOperandDtypes + of_operand);
}

// `Op` has kName, kNames (of the operands, in their order) and variant(). Operands are inputs 1 and
// 2 of its calls; each is an ArrayOperand or a Parameter.
template <class Op> struct Arrays {
  template <class... Given>
  static void run(const ConstView &image, const View &out, const Options &options,
                  const Given &...given) {
    const Known *known = nullptr;
    if constexpr (kArraysAlone<Given...>) {
      known = into_of(image, out, options, given...).find_unchecked();
      const ArrayParams params{options.rounding};
      if (known != nullptr &&
          run_settled(*known, edge::call_again(*known, {&image, &given.view()...}, {&out},
                                               &params))) [[likely]] {
        return;
      }
    }
    run_otherwise(known, image, out, options, given...);
  }

  template <class... Given>
  static void into(const ConstView &image, const View &out, const Options &options,
                   const Given &...given) {
    const Known *known = nullptr;
    if constexpr (kArraysAlone<Given...>) {
      known = into_of(image, out, options, given...).find_checked();
      const ArrayParams params{options.rounding};
      if (known != nullptr &&
          run_settled(*known, edge::call_again(*known, {&image, &given.view()...}, {&out},
                                               &params))) [[likely]] {
        return;
      }
    }
    into_otherwise(known, image, out, options, given...);
  }

  template <class... Given>
  [[nodiscard]] static Image fresh(const ConstView &image, const Options &options,
                                   const Given &...given) {
    const Known *known = nullptr;
    if constexpr (kArraysAlone<Given...>) {
      known = fresh_of(image, options, given...).find_checked();
    }
    const auto operands = all(given...);
    if (known == nullptr) {
      check(image, operands, options);
    }
    Image out(image.shape, image.dtype, image.rank);
    if (!again(known, image, operands, out, options)) {
      if constexpr (kArraysAlone<Given...>) {
        dispatch_first(fresh_of(image, options, given...), image, operands, out, options, true);
      } else {
        dispatch_only(image, operands, out, OutputMode::fresh, options);
      }
    }
    return out;
  }

private:
  // Numbers are read before a call is dispatched: calls of them are not remembered.
  template <class... Given>
  static constexpr bool kArraysAlone = (std::is_same_v<Given, ArrayOperand> && ...);

  template <class... Given>
  static std::array<Operand, sizeof...(Given)> all(const Given &...given) {
    std::size_t i = 0;
    return {operand(Op::kNames[i++], given)...};
  }
  template <class... Given>
  static Repeat<1 + sizeof...(Given)> into_of(const ConstView &image, const View &out,
                                              const Options &options, const Given &...given) {
    return {Op::variant(), OutputMode::into, 0, {&image, &given.view()..., &out}, options};
  }
  template <class... Given>
  static Repeat<1 + sizeof...(Given), 0> fresh_of(const ConstView &image, const Options &options,
                                                  const Given &...given) {
    return {Op::variant(), OutputMode::fresh, 0, {&image, &given.view()...}, options};
  }

  template <class... Given>
  [[gnu::noinline]] static void run_otherwise(const Known *known, const ConstView &image,
                                              const View &out, const Options &options,
                                              const Given &...given) {
    dispatch_into(known, image, all(given...), out, options, false, given...);
  }
  template <class... Given>
  [[gnu::noinline]] static void into_otherwise(const Known *known, const ConstView &image,
                                               const View &out, const Options &options,
                                               const Given &...given) {
    const auto operands = all(given...);
    if (known == nullptr) {
      check_into(image, operands, out, options);
    }
    dispatch_into(known, image, operands, out, options, true, given...);
  }
  template <std::size_t N, class... Given>
  static void dispatch_into(const Known *known, const ConstView &image,
                            const std::array<Operand, N> &operands, const View &out,
                            const Options &options, bool checked, const Given &...given) {
    if (again(known, image, operands, out, options)) {
      return;
    }
    if constexpr (kArraysAlone<Given...>) {
      dispatch_first(into_of(image, out, options, given...), image, operands, out, options,
                     checked);
    } else {
      dispatch_only(image, operands, out, OutputMode::into, options);
    }
  }
  template <std::size_t N>
  static bool again(const Known *known, const ConstView &image,
                    const std::array<Operand, N> &operands, const View &out,
                    const Options &options) {
    if (known == nullptr) {
      return false;
    }
    const ArrayParams params{options.rounding};
    Call call = call_again(*known, {&image}, {&out}, &params);
    for (std::size_t i = 0; i < N; ++i) {
      call.in[i + 1] = &operands[i].view;
    }
    return run_again(*known, call);
  }

  template <std::size_t N>
  static void dispatch_only(const ConstView &image, const std::array<Operand, N> &operands,
                            const View &out, OutputMode mode, const Options &options) {
    const ArrayParams params{options.rounding};
    dispatch(Op::variant(), call_of(image, operands, params, out), mode, options);
  }
  // The flags of f64 operands depend on their elements: such calls are not remembered.
  template <std::size_t N>
  static void dispatch_first(const auto &repeat, const ConstView &image,
                             const std::array<Operand, N> &operands, const View &out,
                             const Options &options, bool checked) {
    const ArrayParams params{options.rounding};
    const Call call = call_of(image, operands, params, out);
    if (std::any_of(operands.begin(), operands.end(),
                    [](const Operand &operand) { return operand.view.dtype == Dtype::f64; })) {
      return repeat.dispatch_unlike(Op::variant(), call);
    }
    repeat.dispatch_first(Op::variant(), call, checked);
  }

  template <std::size_t N>
  static Call call_of(const ConstView &image, const std::array<Operand, N> &operands,
                      const ArrayParams &params, const View &out) {
    Call call;
    call.in = {&image};
    call.out = {&out};
    call.params = &params;
    call.dtype_case = array_case(image, operands);
    call.flags = edge::flags(out, {&image}, {});
    for (std::size_t i = 0; i < N; ++i) {
      const ConstView &view = operands[i].view;
      call.in[i + 1] = &view;
      call.flags |= edge::flags(out, {&view}, {}) | (validate::is_wide(view) ? kWide : 0U);
    }
    return call;
  }

  template <std::size_t N>
  static void check_into(const ConstView &image, const std::array<Operand, N> &operands,
                         const View &out, const Options &options) {
    check(image, operands, options);
    validate::output(Op::kName, "out", out, image.shape, {image.dtype});
    validate::overlap(Op::kName, "image", out, image, true);
    for (const Operand &operand : operands) {
      validate::overlap(Op::kName, operand.name, out, operand.view, true);
    }
  }

  template <std::size_t N>
  static void check(const ConstView &image, const std::array<Operand, N> &operands,
                    const Options &options) {
    validate::image(Op::kName, "image", image, {Dtype::u8, Dtype::f32});
    for (const Operand &operand : operands) {
      const ConstView &view = operand.view;
      if (operand.numbers) {
        validate::parameter(Op::kName, operand.name,
                            {static_cast<const double *>(view.data), view.shape[kC]},
                            image.channels());
        continue;
      }
      validate::image(Op::kName, operand.name, view,
                      {Dtype::u8, Dtype::i8, Dtype::u16, Dtype::i16, Dtype::f32, Dtype::f64});
      validate::repeats_to(Op::kName, operand.name, view, image);
    }
    validate::options(Op::kName, options);
  }
};

} // namespace switchyard::edge
