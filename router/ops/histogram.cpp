#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "histogram";

Extents result_shape(const ConstView &image, Over over) {
  return {1, 1, 256, over == Over::global ? 1 : image.channels()};
}

// `masks`: one or none.
void check(const ConstView &image, std::initializer_list<const ConstView *> masks, Over over,
           const Options &options) {
  validate::image(kOp, "image", image, {Dtype::u8});
  if (over != Over::global && over != Over::per_channel) {
    throw Error(kOp, "over", "another form", "global, per_channel");
  }
  for (const ConstView *mask : masks) {
    validate::image(kOp, "mask", *mask, {Dtype::u8});
    Extents shape = image.shape;
    shape[kC] = 1;
    validate::same_shape(kOp, "mask", *mask, shape);
  }
  validate::options(kOp, options);
}

const VariantHandle &variant_of(bool masked, Over over) {
  static constinit const VariantHandle together("histogram/together");
  static constinit const VariantHandle per_channel("histogram/per_channel");
  static constinit const VariantHandle together_masked("histogram/together_masked");
  static constinit const VariantHandle per_channel_masked("histogram/per_channel_masked");
  if (over == Over::global) {
    return masked ? together_masked : together;
  }
  return masked ? per_channel_masked : per_channel;
}

// The forms of calls with a mask, or none.
template <class... Mask> struct Forms {
  static_assert(sizeof...(Mask) <= 1);
  static constexpr int kInputs = 1 + int{sizeof...(Mask)};
  static constexpr bool kMasked = sizeof...(Mask) == 1;

  static void run(const ConstView &image, const Mask &...mask, Over over, const View &out,
                  const Options &options) {
    const Known *known = into_of(image, mask..., over, out, options).find_unchecked();
    if (known == nullptr || !run_settled(*known, known_call(*known, image, mask..., out)))
        [[unlikely]] {
      run_otherwise(known, image, mask..., over, out, options);
    }
  }
  static void into(const ConstView &image, const Mask &...mask, Over over, const View &out,
                   const Options &options) {
    const Known *known = into_of(image, mask..., over, out, options).find_checked();
    if (known == nullptr || !run_settled(*known, known_call(*known, image, mask..., out)))
        [[unlikely]] {
      into_otherwise(known, image, mask..., over, out, options);
    }
  }

  static Image fresh(const ConstView &image, const Mask &...mask, Over over,
                     const Options &options) {
    const Repeat<kInputs, 0> repeat(variant_of(kMasked, over), OutputMode::fresh,
                                    static_cast<std::uint32_t>(over), {&image, &mask...}, options);
    const Known *known = repeat.find_checked();
    if (known == nullptr) {
      check(image, {&mask...}, over, options);
    }
    Image out(result_shape(image, over), Dtype::u64);
    if (!again(known, image, mask..., out)) {
      repeat.dispatch_first(variant_of(kMasked, over), call_of(image, mask..., out), true);
    }
    return out;
  }

private:
  [[gnu::noinline]] static void run_otherwise(const Known *known, const ConstView &image,
                                              const Mask &...mask, Over over, const View &out,
                                              const Options &options) {
    if (!again(known, image, mask..., out)) {
      into_of(image, mask..., over, out, options)
          .dispatch_first(variant_of(kMasked, over), call_of(image, mask..., out), false);
    }
  }
  [[gnu::noinline]] static void into_otherwise(const Known *known, const ConstView &image,
                                               const Mask &...mask, Over over, const View &out,
                                               const Options &options) {
    if (again(known, image, mask..., out)) {
      return;
    }
    check(image, {&mask...}, over, options);
    validate::output(kOp, "out", out, result_shape(image, over), {Dtype::u64});
    validate::overlap(kOp, "image", out, image, false);
    (validate::overlap(kOp, "mask", out, mask, false), ...);
    into_of(image, mask..., over, out, options)
        .dispatch_first(variant_of(kMasked, over), call_of(image, mask..., out), true);
  }

  // `over` may be no form that there is.
  static Repeat<kInputs> into_of(const ConstView &image, const Mask &...mask, Over over,
                                 const View &out, const Options &options) {
    return {variant_of(kMasked, over),
            OutputMode::into,
            static_cast<std::uint32_t>(over),
            {&image, &mask..., &out},
            options};
  }
  static Call call_of(const ConstView &image, const Mask &...mask, const View &out) {
    Call call;
    call.in = {&image, &mask...};
    call.out = {&out};
    return call;
  }
  static Call known_call(const Known &known, const ConstView &image, const Mask &...mask,
                         const View &out) {
    return edge::call_again(known, {&image, &mask...}, {&out}, nullptr);
  }
  static bool again(const Known *known, const ConstView &image, const Mask &...mask,
                    const View &out) {
    return known != nullptr && run_again(*known, known_call(*known, image, mask..., out));
  }
};
using Plain = Forms<>;
using Masked = Forms<ConstView>;

} // namespace

void unchecked::histogram(const ConstView &image, Over over, const View &out,
                          const Options &options) {
  Plain::run(image, over, out, options);
}
void unchecked::histogram(const ConstView &image, const ConstView &mask, Over over, const View &out,
                          const Options &options) {
  Masked::run(image, mask, over, out, options);
}

void histogram(const ConstView &image, Over over, const View &out, const Options &options) {
  Plain::into(image, over, out, options);
}
void histogram(const ConstView &image, const ConstView &mask, Over over, const View &out,
               const Options &options) {
  Masked::into(image, mask, over, out, options);
}

Image histogram(const ConstView &image, Over over, const Options &options) {
  return Plain::fresh(image, over, options);
}
Image histogram(const ConstView &image, const ConstView &mask, Over over, const Options &options) {
  return Masked::fresh(image, mask, over, options);
}

} // namespace switchyard
