// hflip, vflip, transpose and rot90: one edge for all, since they differ in the result's shape and
// in the variant alone.
#include "candidates/rot90/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

using candidates::Rot90Params;

constexpr Rot90Params kNoTurn{0};

// The forms of one op. `Op` has kName, kSwaps (height and width change places) and variant().
// Parameters are those of rot90; other ops turn by none. The shape of the result and the
// class of a call depend on them.
template <class Op> struct Turning {
  static void run(const ConstView &image, const View &out, const Options &options,
                  const Rot90Params &params = kNoTurn) {
    const Known *known = into_of(image, out, options, params).find_unchecked();
    if (known == nullptr ||
        !run_settled(*known, edge::call_again(*known, {&image}, {&out}, &params))) [[unlikely]] {
      run_otherwise(known, image, out, options, params);
    }
  }
  static void into(const ConstView &image, const View &out, const Options &options,
                   const Rot90Params &params = kNoTurn) {
    const Known *known = into_of(image, out, options, params).find_checked();
    if (known == nullptr ||
        !run_settled(*known, edge::call_again(*known, {&image}, {&out}, &params))) [[unlikely]] {
      into_otherwise(known, image, out, options, params);
    }
  }
  [[nodiscard]] static Image fresh(const ConstView &image, const Options &options,
                                   const Rot90Params &params = kNoTurn) {
    const Repeat<1, 0> repeat(Op::variant(), OutputMode::fresh, facts(params), {&image}, options);
    const Known *known = repeat.find_checked();
    if (known == nullptr) {
      check(image, options);
    }
    Image out(shape(image, params), image.dtype, image.rank);
    if (!again(known, image, out, params)) {
      repeat.dispatch_first(Op::variant(), call(image, out, params), true);
    }
    return out;
  }

private:
  static std::uint32_t facts(const Rot90Params &params) {
    return static_cast<std::uint32_t>(params.quarter_turns);
  }
  static Repeat<1> into_of(const ConstView &image, const View &out, const Options &options,
                           const Rot90Params &params) {
    return {Op::variant(), OutputMode::into, facts(params), {&image, &out}, options};
  }
  static bool again(const Known *known, const ConstView &image, const View &out,
                    const Rot90Params &params) {
    return known != nullptr &&
           run_again(*known, edge::call_again(*known, {&image}, {&out}, &params));
  }

  [[gnu::noinline]] static void run_otherwise(const Known *known, const ConstView &image,
                                              const View &out, const Options &options,
                                              const Rot90Params &params) {
    if (!again(known, image, out, params)) {
      into_of(image, out, options, params)
          .dispatch_first(Op::variant(), call(image, out, params), false);
    }
  }
  [[gnu::noinline]] static void into_otherwise(const Known *known, const ConstView &image,
                                               const View &out, const Options &options,
                                               const Rot90Params &params) {
    if (again(known, image, out, params)) {
      return;
    }
    check(image, options);
    validate::output(Op::kName, "out", out, shape(image, params), {image.dtype});
    validate::overlap(Op::kName, "image", out, image, false);
    into_of(image, out, options, params)
        .dispatch_first(Op::variant(), call(image, out, params), true);
  }

  static Extents shape(const ConstView &image, const Rot90Params &params) {
    Extents shape = image.shape;
    if (Op::kSwaps || params.quarter_turns % 2 == 1) {
      std::swap(shape[kH], shape[kW]);
    }
    return shape;
  }
  static Call call(const ConstView &image, const View &out, const Rot90Params &params) {
    Call call;
    call.in = {&image};
    call.out = {&out};
    call.params = &params;
    call.dtype_case = image.dtype == Dtype::u16 ? std::uint8_t{2} : edge::u8_or_f32(image);
    return call;
  }
  static void check(const ConstView &image, const Options &options) {
    validate::image(Op::kName, "image", image, {Dtype::u8, Dtype::u16, Dtype::f32});
    validate::options(Op::kName, options);
  }
};

struct Hflip {
  static constexpr std::string_view kName = "hflip";
  static constexpr bool kSwaps = false;
  static const VariantHandle &variant() {
    static constinit const VariantHandle only(kName);
    return only;
  }
};
struct Vflip {
  static constexpr std::string_view kName = "vflip";
  static constexpr bool kSwaps = false;
  static const VariantHandle &variant() {
    static constinit const VariantHandle only(kName);
    return only;
  }
};
struct Transpose {
  static constexpr std::string_view kName = "transpose";
  static constexpr bool kSwaps = true;
  static const VariantHandle &variant() {
    static constinit const VariantHandle only(kName);
    return only;
  }
};
struct Rot90 {
  static constexpr std::string_view kName = "rot90";
  static constexpr bool kSwaps = false;
  static const VariantHandle &variant() {
    static constinit const VariantHandle only(kName);
    return only;
  }
};

// Any number of turns, also of clockwise ones, as 0 … 3.
Rot90Params params_of(int k) {
  return {(k % 4 + 4) % 4};
}

} // namespace

void unchecked::hflip(const ConstView &image, const View &out, const Options &options) {
  Turning<Hflip>::run(image, out, options);
}
void hflip(const ConstView &image, const View &out, const Options &options) {
  Turning<Hflip>::into(image, out, options);
}
Image hflip(const ConstView &image, const Options &options) {
  return Turning<Hflip>::fresh(image, options);
}

void unchecked::vflip(const ConstView &image, const View &out, const Options &options) {
  Turning<Vflip>::run(image, out, options);
}
void vflip(const ConstView &image, const View &out, const Options &options) {
  Turning<Vflip>::into(image, out, options);
}
Image vflip(const ConstView &image, const Options &options) {
  return Turning<Vflip>::fresh(image, options);
}

void unchecked::transpose(const ConstView &image, const View &out, const Options &options) {
  Turning<Transpose>::run(image, out, options);
}
void transpose(const ConstView &image, const View &out, const Options &options) {
  Turning<Transpose>::into(image, out, options);
}
Image transpose(const ConstView &image, const Options &options) {
  return Turning<Transpose>::fresh(image, options);
}

void unchecked::rot90(const ConstView &image, int k, const View &out, const Options &options) {
  Turning<Rot90>::run(image, out, options, params_of(k));
}
void rot90(const ConstView &image, int k, const View &out, const Options &options) {
  Turning<Rot90>::into(image, out, options, params_of(k));
}
Image rot90(const ConstView &image, int k, const Options &options) {
  return Turning<Rot90>::fresh(image, options, params_of(k));
}

} // namespace switchyard
