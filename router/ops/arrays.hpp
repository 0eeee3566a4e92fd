// The public forms of pointwise ops whose operands are arrays.
#pragma once

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
    if constexpr ((std::is_same_v<Given, ArrayOperand> && ...)) {
      if (is_known(given...)) {
        const auto repeat = into_of(image, out, options, given...);
        const Known *known = repeat.find_unchecked();
        if (known == nullptr || !again(*known, image, out, options, given...)) [[unlikely]] {
          const auto operands = all(given...);
          dispatch_first(repeat, image, operands, out, options, false);
        }
        return;
      }
    }
    dispatch_only(image, all(given...), out, OutputMode::into, options);
  }

  template <class... Given>
  static void into(const ConstView &image, const View &out, const Options &options,
                   const Given &...given) {
    if constexpr ((std::is_same_v<Given, ArrayOperand> && ...)) {
      if (is_known(given...)) {
        const auto repeat = into_of(image, out, options, given...);
        const Known *known = repeat.find_checked();
        if (known == nullptr || !again(*known, image, out, options, given...)) [[unlikely]] {
          const auto operands = all(given...);
          check_into(image, operands, out, options);
          dispatch_first(repeat, image, operands, out, options, true);
        }
        return;
      }
    }
    const auto operands = all(given...);
    check_into(image, operands, out, options);
    dispatch_only(image, operands, out, OutputMode::into, options);
  }

  template <class... Given>
  [[nodiscard]] static Image fresh(const ConstView &image, const Options &options,
                                   const Given &...given) {
    if constexpr ((std::is_same_v<Given, ArrayOperand> && ...)) {
      if (is_known(given...)) {
        const Repeat<1 + sizeof...(Given), 0> repeat(Op::variant(), OutputMode::fresh, 0,
                                                     {&image, &given.view()...}, options);
        const Known *known = repeat.find_checked();
        if (known == nullptr) {
          check(image, all(given...), options);
        }
        Image out(image.shape, image.dtype, image.rank);
        if (known == nullptr || !again(*known, image, out, options, given...)) {
          dispatch_first(repeat, image, all(given...), out, options, true);
        }
        return out;
      }
    }
    const auto operands = all(given...);
    check(image, operands, options);
    Image out(image.shape, image.dtype, image.rank);
    dispatch_only(image, operands, out, OutputMode::fresh, options);
    return out;
  }

private:
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
  // The flags of f64 operands depend on their elements: such calls are not remembered.
  template <class... Given> static bool is_known(const Given &...given) {
    return ((given.view().dtype != Dtype::f64) && ...);
  }
  template <class... Given>
  static bool again(const Known &known, const ConstView &image, const View &out,
                    const Options &options, const Given &...given) {
    const ArrayParams params{options.rounding};
    return run_again(known, call_again(known, {&image, &given.view()...}, {&out}, &params));
  }

  template <std::size_t N>
  static void dispatch_only(const ConstView &image, const std::array<Operand, N> &operands,
                            const View &out, OutputMode mode, const Options &options) {
    const ArrayParams params{options.rounding};
    dispatch(Op::variant(), call_of(image, operands, params, out), mode, options);
  }
  template <std::size_t N>
  static void dispatch_first(const auto &repeat, const ConstView &image,
                             const std::array<Operand, N> &operands, const View &out,
                             const Options &options, bool checked) {
    const ArrayParams params{options.rounding};
    repeat.dispatch_first(Op::variant(), call_of(image, operands, params, out), checked);
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
