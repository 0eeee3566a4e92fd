// hflip, vflip, transpose and rot90: one edge for all, since they differ in the result's shape and
// in the variant alone.
#include "candidates/rot90/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

using candidates::Rot90Params;

// The call of one op on one image.
struct Turning {
  std::string_view op;
  const VariantHandle &variant;
  bool swaps = false; // height and width change places
  const Rot90Params *params = nullptr;

  [[nodiscard]] Extents shape(const ConstView &image) const {
    Extents shape = image.shape;
    if (swaps) {
      std::swap(shape[kH], shape[kW]);
    }
    return shape;
  }

  [[nodiscard]] Call call(const ConstView &image, const View &out) const {
    Call call;
    call.in = {&image};
    call.out = {&out};
    call.params = params;
    call.dtype_case = image.dtype == Dtype::u16 ? std::uint8_t{2} : edge::u8_or_f32(image);
    return call;
  }
  void unchecked(const ConstView &image, const View &out, const Options &options) const {
    const Repeat<1> repeat(variant, OutputMode::into, turns(), {&image, &out}, options);
    if (!again(repeat.find_unchecked(), image, out)) [[unlikely]] {
      repeat.dispatch_first(variant, call(image, out), false);
    }
  }
  void into(const ConstView &image, const View &out, const Options &options) const {
    const Repeat<1> repeat(variant, OutputMode::into, turns(), {&image, &out}, options);
    if (again(repeat.find_checked(), image, out)) [[likely]] {
      return;
    }
    check(image, options);
    validate::output(op, "out", out, shape(image), {image.dtype});
    validate::overlap(op, "image", out, image, false);
    repeat.dispatch_first(variant, call(image, out), true);
  }
  [[nodiscard]] Image fresh(const ConstView &image, const Options &options) const {
    const Repeat<1, 0> repeat(variant, OutputMode::fresh, turns(), {&image}, options);
    const Known *known = repeat.find_checked();
    if (known == nullptr) {
      check(image, options);
    }
    Image out(shape(image), image.dtype, image.rank);
    if (!again(known, image, out)) {
      repeat.dispatch_first(variant, call(image, out), true);
    }
    return out;
  }

private:
  // The shape of the result and the class depend on them.
  [[nodiscard]] std::uint32_t turns() const {
    return params == nullptr ? 0U : static_cast<std::uint32_t>(params->quarter_turns);
  }
  [[nodiscard]] bool again(const Known *known, const ConstView &image, const View &out) const {
    return known != nullptr &&
           run_again(*known, edge::call_again(*known, {&image}, {&out}, params));
  }
  void check(const ConstView &image, const Options &options) const {
    validate::image(op, "image", image, {Dtype::u8, Dtype::u16, Dtype::f32});
    validate::options(op, options);
  }
};

Turning horizontal() {
  static constinit const VariantHandle variant("hflip");
  return {"hflip", variant};
}
Turning vertical() {
  static constinit const VariantHandle variant("vflip");
  return {"vflip", variant};
}
Turning exchange() {
  static constinit const VariantHandle variant("transpose");
  return {"transpose", variant, true};
}
Turning quarter_turns(const Rot90Params &params) {
  static constinit const VariantHandle variant("rot90");
  return {"rot90", variant, params.quarter_turns % 2 == 1, &params};
}

// Any number of turns, also of clockwise ones, as 0 … 3.
Rot90Params params_of(int k) {
  return {(k % 4 + 4) % 4};
}

} // namespace

void unchecked::hflip(const ConstView &image, const View &out, const Options &options) {
  horizontal().unchecked(image, out, options);
}
void hflip(const ConstView &image, const View &out, const Options &options) {
  horizontal().into(image, out, options);
}
Image hflip(const ConstView &image, const Options &options) {
  return horizontal().fresh(image, options);
}

void unchecked::vflip(const ConstView &image, const View &out, const Options &options) {
  vertical().unchecked(image, out, options);
}
void vflip(const ConstView &image, const View &out, const Options &options) {
  vertical().into(image, out, options);
}
Image vflip(const ConstView &image, const Options &options) {
  return vertical().fresh(image, options);
}

void unchecked::transpose(const ConstView &image, const View &out, const Options &options) {
  exchange().unchecked(image, out, options);
}
void transpose(const ConstView &image, const View &out, const Options &options) {
  exchange().into(image, out, options);
}
Image transpose(const ConstView &image, const Options &options) {
  return exchange().fresh(image, options);
}

void unchecked::rot90(const ConstView &image, int k, const View &out, const Options &options) {
  const Rot90Params params = params_of(k);
  quarter_turns(params).unchecked(image, out, options);
}
void rot90(const ConstView &image, int k, const View &out, const Options &options) {
  const Rot90Params params = params_of(k);
  quarter_turns(params).into(image, out, options);
}
Image rot90(const ConstView &image, int k, const Options &options) {
  const Rot90Params params = params_of(k);
  return quarter_turns(params).fresh(image, options);
}

} // namespace switchyard
