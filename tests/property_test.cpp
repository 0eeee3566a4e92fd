// What must hold between calls of the public functions, on problems that RapidCheck draws: shapes,
// layouts (crops, planes, reversed and repeated axes, odd addresses), channels and parameters.
// Whether single results are right is for the conformance and golden tests to say.
//
// The seed is fixed, so that every run checks the same problems; RC_PARAMS="seed=…" in the
// environment draws others.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

// Checks a property on this many problems.
template <class Property> void holds(int problems, Property &&property) {
  setenv("RC_PARAMS", "seed=20260731", 0); // which RapidCheck reads once, and prints
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = problems;
  const auto result = rc::detail::checkTestable(std::forward<Property>(property),
                                                rc::detail::TestMetadata(), params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  INFO(message.str());
  CHECK(result.template is<rc::detail::SuccessResult>());
}

int drawn(int low, int high) {                                                // inclusive
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1)); // of all sizes alike
}
bool chance(int one_in) {
  return drawn(1, one_in) == one_in;
}

// ---- arrays

template <class Each> void for_each_index(const Extents &shape, Each &&each) {
  for (std::int64_t x = 0; x < shape[kX]; ++x) {
    for (std::int64_t h = 0; h < shape[kH]; ++h) {
      for (std::int64_t w = 0; w < shape[kW]; ++w) {
        for (std::int64_t c = 0; c < shape[kC]; ++c) {
          each(x, h, w, c);
        }
      }
    }
  }
}

void copy_elements(const ConstView &from, const View &to) {
  const auto size = static_cast<std::size_t>(size_of(from.dtype));
  for_each_index(from.shape, [&](auto... i) { std::memcpy(to.at(i...), from.at(i...), size); });
}

Image copy_of(const ConstView &view) {
  Image copy(view.shape, view.dtype, view.rank);
  copy_elements(view, copy);
  return copy;
}

// The same elements to the bit; a NaN may have any payload if `any_nan`.
bool same(const ConstView &a, const ConstView &b, bool any_nan = false) {
  if (a.shape != b.shape || a.dtype != b.dtype) {
    return false;
  }
  bool equal = true;
  const auto size = static_cast<std::size_t>(size_of(a.dtype));
  for_each_index(a.shape, [&](auto... i) {
    if (std::memcmp(a.at(i...), b.at(i...), size) == 0) {
      return;
    }
    float x = 0;
    float y = 0;
    double u = 0;
    double v = 0;
    if (a.dtype == Dtype::f32) {
      std::memcpy(&x, a.at(i...), sizeof x);
      std::memcpy(&y, b.at(i...), sizeof y);
    } else if (a.dtype == Dtype::f64) {
      std::memcpy(&u, a.at(i...), sizeof u);
      std::memcpy(&v, b.at(i...), sizeof v);
    }
    const bool nans = (std::isnan(x) && std::isnan(y)) || (std::isnan(u) && std::isnan(v));
    equal = equal && any_nan && nans;
  });
  return equal;
}

template <class T> T value_at(const ConstView &view, std::int64_t i) { // contiguous ones
  T value;
  std::memcpy(&value, static_cast<const std::byte *>(view.data) + i * std::int64_t{sizeof value},
              sizeof value);
  return value;
}
template <class T> std::vector<T> values_of(const ConstView &view) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(view.elements()));
  for_each_index(view.shape, [&](auto... i) {
    T value;
    std::memcpy(&value, view.at(i...), sizeof value);
    values.push_back(value);
  });
  return values;
}

// ---- drawn arrays

// How an array of some shape lies in a larger one.
struct Layout {
  std::array<int, 4> before{}, after{};
  std::array<bool, 4> reversed{}, repeated{};
  int address = 0; // bytes past an aligned one
};

Layout drawn_layout(bool for_reading) {
  Layout layout;
  if (chance(3)) {
    return layout; // contiguous
  }
  for (std::size_t axis = 0; axis < 4; ++axis) {
    layout.before[axis] = chance(3) ? drawn(0, 3) : 0;
    layout.after[axis] = chance(3) ? drawn(0, 3) : 0;
    layout.reversed[axis] = chance(5);
    layout.repeated[axis] = for_reading && chance(12);
  }
  layout.address = chance(4) ? drawn(1, 7) : 0;
  return layout;
}

// Memory with a view of any layout into it.
class Array {
public:
  Array(const Extents &shape, Dtype dtype, std::uint8_t rank, const Layout &layout) {
    Extents whole = shape;
    for (std::size_t axis = 0; axis < 4; ++axis) {
      whole[axis] += layout.before[axis] + layout.after[axis];
    }
    memory_.resize(static_cast<std::size_t>(element_count(whole) * size_of(dtype)) + 8);
    view_ = View(memory_.data() + layout.address, whole, contiguous_strides(whole, size_of(dtype)),
                 dtype, rank);
    for (const Axis axis : {kX, kH, kW, kC}) {
      const std::int64_t begin = layout.before[axis];
      view_ = slice(view_, axis, begin, begin + shape[axis]);
      if (layout.reversed[axis]) {
        view_ = reversed(view_, axis);
      }
      if (layout.repeated[axis]) {
        view_.strides[axis] = 0;
      }
    }
  }

  [[nodiscard]] const View &view() const { return view_; }
  [[nodiscard]] std::vector<std::byte> &memory() { return memory_; }

private:
  std::vector<std::byte> memory_;
  View view_;
};

float drawn_float(std::mt19937 &random, bool special) {
  constexpr float kSpecial[] = {std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                0.0F,
                                -0.0F,
                                1e-42F,
                                std::numeric_limits<float>::max()};
  const unsigned bits = random();
  if (special && bits % 23 == 0) {
    return kSpecial[bits / 23 % std::size(kSpecial)];
  }
  return 8 * (static_cast<float>(bits >> 8) * 0x1p-24F - 0.5F);
}

void fill(const View &view, unsigned seed, bool special) {
  std::mt19937 random(seed);
  for_each_index(view.shape, [&](auto... i) {
    if (view.dtype == Dtype::f32) {
      const float value = drawn_float(random, special);
      std::memcpy(view.at(i...), &value, sizeof value);
    } else {
      const unsigned bits = random() >> 7;
      std::memcpy(view.at(i...), &bits, static_cast<std::size_t>(size_of(view.dtype)));
    }
  });
}

Extents drawn_shape(bool batch, bool may_be_empty = false) {
  constexpr int kChannels[] = {1, 1, 2, 3, 3, 4, 5, 9};
  const int height = may_be_empty && chance(30) ? 0 : drawn(1, 9);
  return {batch ? drawn(1, 3) : 1, height, chance(4) ? drawn(30, 80) : drawn(1, 20),
          kChannels[drawn(0, 7)]};
}

// An image that may be read: u8, u16 or f32.
Array drawn_image(Dtype dtype, const Extents &shape, bool special = true) {
  Array array(shape, dtype, shape[kX] == 1 && !chance(4) ? std::uint8_t{3} : std::uint8_t{4},
              drawn_layout(true));
  fill(array.view(), static_cast<unsigned>(drawn(0, 1000000)), special);
  RC_LOG() << name_of(dtype) << " " << shape[kX] << "x" << shape[kH] << "x" << shape[kW] << "x"
           << shape[kC] << ", strides " << array.view().strides[kX] << " "
           << array.view().strides[kH] << " " << array.view().strides[kW] << " "
           << array.view().strides[kC] << "\n";
  return array;
}
Array drawn_image(Dtype dtype, bool special = true) {
  return drawn_image(dtype, drawn_shape(chance(3)), special);
}

double drawn_number() {
  return drawn(-300, 300) / 16.0 + (chance(3) ? 0.1 : 0.0);
}

// One number, or one per channel.
std::vector<double> drawn_numbers(std::int64_t channels) {
  std::vector<double> values(chance(2) ? static_cast<std::size_t>(channels) : 1);
  std::generate(values.begin(), values.end(), drawn_number);
  return values;
}

const Options &bitwise() {
  static const Options kBitwise = [] {
    Options options;
    options.exactness = Exactness::bitwise;
    return options;
  }();
  return kBitwise;
}

// ---- ops of one image, with drawn parameters

struct Operation {
  std::string name;
  Dtype in, out;
  std::function<void(const ConstView &, const View &, const Options &)> call;
  bool in_place = true; // if the dtypes are the same
  bool per_item = true; // a batch is its items, one after the other
  std::function<Extents(const Extents &)> shape = [](const Extents &same) { return same; };

  [[nodiscard]] Image result(const ConstView &image, const Options &options) const {
    Image result(shape(image.shape), out, image.rank);
    call(image, result, options);
    return result;
  }
};

using Numbers = std::vector<double>;

Operation drawn_affine(std::int64_t channels, Dtype dtype) {
  const Numbers a = drawn_numbers(channels);
  const Numbers b = drawn_numbers(channels);
  switch (drawn(0, 3)) {
  case 0:
    return {"add", dtype, dtype, [a](const auto &image, const auto &out, const auto &options) {
              add(image, a, out, options);
            }};
  case 1:
    return {"multiply", dtype, dtype, [a](const auto &image, const auto &out, const auto &options) {
              multiply(image, a, out, options);
            }};
  case 2:
    return {"multiply_add", dtype, dtype,
            [a, b](const auto &image, const auto &out, const auto &options) {
              multiply_add(image, a, b, out, options);
            }};
  default:
    return {"normalize", dtype, Dtype::f32,
            [a, b](const auto &image, const auto &out, const auto &options) {
              normalize(image, a, b, out, options);
            }};
  }
}

Operation drawn_power_or_clip(std::int64_t channels, Dtype dtype) {
  Numbers low = drawn_numbers(channels);
  Numbers high = low;
  std::for_each(high.begin(), high.end(), [](double &value) { value += 20; });
  if (chance(2)) {
    return {"clip", dtype, dtype,
            [low, high](const auto &image, const auto &out, const auto &options) {
              clip(image, low, high, out, options);
            }};
  }
  std::for_each(low.begin(), low.end(), [](double &value) { value /= 8; });
  return {"power", dtype, dtype, [low](const auto &image, const auto &out, const auto &options) {
            power(image, low, out, options);
          }};
}

Operation drawn_function() {
  const int which = drawn(0, 2);
  return {"exp, log or sqrt", Dtype::f32, Dtype::f32,
          [which](const auto &image, const auto &out, const auto &options) {
            if (which == 0) {
              exp(image, out, options);
            } else if (which == 1) {
              log(image, out, options);
            } else {
              sqrt(image, out, options);
            }
          }};
}

Operation drawn_conversion() {
  const bool wide = chance(2);
  const Dtype levels = wide ? Dtype::u16 : Dtype::u8;
  if (chance(2)) {
    return {"to_float", levels, Dtype::f32,
            [](const auto &image, const auto &out, const auto &options) {
              to_float(image, out, {}, options);
            }};
  }
  return {"from_float", Dtype::f32, levels,
          [](const auto &image, const auto &out, const auto &options) {
            from_float(image, out, {}, options);
          }};
}

Operation drawn_move(Dtype dtype) {
  const int k = drawn(-5, 5);
  const auto turned = [](const Extents &in) { return Extents{in[kX], in[kW], in[kH], in[kC]}; };
  switch (drawn(0, 3)) {
  case 0:
    return {
        "hflip", dtype, dtype,
        [](const auto &image, const auto &out, const auto &options) { hflip(image, out, options); },
        false};
  case 1:
    return {
        "vflip", dtype, dtype,
        [](const auto &image, const auto &out, const auto &options) { vflip(image, out, options); },
        false};
  case 2:
    return {"transpose",
            dtype,
            dtype,
            [](const auto &image, const auto &out, const auto &options) {
              transpose(image, out, options);
            },
            false,
            true,
            turned};
  default:
    return {"rot90 " + std::to_string(k),
            dtype,
            dtype,
            [k](const auto &image, const auto &out, const auto &options) {
              rot90(image, k, out, options);
            },
            false,
            true,
            [k, turned](const Extents &in) { return k % 2 != 0 ? turned(in) : in; }};
  }
}

Operation drawn_per_image(Dtype dtype) {
  const auto mode = static_cast<Normalization>(drawn(0, 3));
  const bool per_item = chance(2);
  return {"normalize_per_image " + std::to_string(static_cast<int>(mode)),
          dtype,
          Dtype::f32,
          [mode, per_item](const auto &image, const auto &out, const auto &options) {
            normalize_per_image(image, mode, out, per_item, options);
          },
          true,
          per_item};
}

Operation drawn_lut(std::int64_t channels) {
  const Dtype dtype = chance(2) ? Dtype::u8 : Dtype::f32;
  const Extents shape{1, 1, 256, chance(2) ? channels : 1};
  const auto table = std::make_shared<Array>(shape, dtype, std::uint8_t{3}, drawn_layout(true));
  fill(table->view(), static_cast<unsigned>(drawn(0, 1000)), true);
  return {"lut", Dtype::u8, dtype,
          [table](const auto &image, const auto &out, const auto &options) {
            lut(image, table->view(), out, options);
          }};
}

Operation drawn_operation(std::int64_t channels) {
  const Dtype dtype = chance(2) ? Dtype::u8 : Dtype::f32;
  const auto draw = [&]() -> Operation {
    switch (drawn(0, 6)) {
    case 0:
      return drawn_affine(channels, dtype);
    case 1:
      return drawn_power_or_clip(channels, dtype);
    case 2:
      return drawn_function();
    case 3:
      return drawn_conversion();
    case 4:
      return drawn_move(chance(3) ? Dtype::u16 : dtype);
    case 5:
      return drawn_per_image(dtype);
    default:
      return drawn_lut(channels);
    }
  };
  Operation operation = draw();
  RC_LOG() << operation.name << " ";
  return operation;
}

// ---- properties of all ops

TEST_CASE("a strided image gives the bits of its contiguous copy") {
  holds(2000, [] {
    const Extents shape = drawn_shape(chance(3), true);
    const Operation operation = drawn_operation(shape[kC]);
    const Array image = drawn_image(operation.in, shape);
    const Image copy = copy_of(image.view());
    RC_ASSERT(same(operation.result(image.view(), bitwise()), operation.result(copy, bitwise()),
                   operation.name != "lut"));
  });
}

TEST_CASE("a strided out gets the result and nothing beside it changes") {
  holds(2000, [] {
    const Extents shape = drawn_shape(chance(3), true);
    const Operation operation = drawn_operation(shape[kC]);
    const Array image = drawn_image(operation.in, shape);
    const Image expected = operation.result(image.view(), bitwise());
    Array out(expected.view().shape, operation.out, image.view().rank, drawn_layout(false));
    std::vector<std::byte> &memory = out.memory();
    std::generate(memory.begin(), memory.end(),
                  [random = std::mt19937(3)]() mutable { return std::byte(random() & 255U); });
    const std::vector<std::byte> before = memory;
    operation.call(image.view(), out.view(), bitwise());
    RC_ASSERT(same(expected, out.view(), true));
    // What was there, put back where the result is, restores the memory.
    const auto size = static_cast<std::size_t>(size_of(operation.out));
    for_each_index(out.view().shape, [&](auto... i) {
      std::byte *to = out.view().at(i...);
      std::memcpy(to, before.data() + (to - memory.data()), size);
    });
    RC_ASSERT(memory == before);
  });
}

TEST_CASE("in place gives what out of place gives") {
  holds(2000, [] {
    const Extents shape = drawn_shape(chance(3), true);
    const Operation operation = drawn_operation(shape[kC]);
    RC_PRE(operation.in_place && operation.in == operation.out);
    const Image image = copy_of(drawn_image(operation.in, shape).view());
    const Image expected = operation.result(image, bitwise());
    const Array canvas(shape, operation.in, image.view().rank, drawn_layout(false));
    copy_elements(image, canvas.view());
    operation.call(canvas.view(), canvas.view(), bitwise());
    RC_ASSERT(same(expected, canvas.view(), true));
  });
}

TEST_CASE("a batch gives what its items give") {
  holds(2000, [] {
    const Extents shape = drawn_shape(true, true);
    const Operation operation = drawn_operation(shape[kC]);
    RC_PRE(operation.per_item);
    const Array batch = drawn_image(operation.in, shape);
    const Image whole = operation.result(batch.view(), bitwise());
    for (std::int64_t x = 0; x < shape[kX]; ++x) {
      ConstView item = slice(ConstView(batch.view()), kX, x, x + 1);
      item.rank = 3;
      RC_ASSERT(
          same(operation.result(item, bitwise()), slice(ConstView(whole), kX, x, x + 1), true));
    }
  });
}

TEST_CASE("every bitwise candidate gives the route's bits on one thread and on several") {
  holds(1000, [] {
    const Extents shape = drawn_shape(chance(2), true);
    const Operation operation = drawn_operation(shape[kC]);
    const Array image = drawn_image(operation.in, shape);
    const Image expected = operation.result(image.view(), bitwise());
    int taken = 0;
    for (const std::string_view candidate : candidates_of(last_route().variant)) {
      for (const int threads : {1, 2, 3}) {
        Options options = bitwise();
        options.candidate = candidate;
        options.threads = threads;
        try {
          const Image actual = operation.result(image.view(), options);
          RC_ASSERT(same(expected, actual, true));
          ++taken;
        } catch (const Error &error) {
          RC_ASSERT(error.argument() == "candidate"); // refused, not wrong
        }
      }
    }
    RC_ASSERT(taken >= 3); // loop
  });
}

// ---- moves and tables

TEST_CASE("flips, turns and transpositions compose as they do on paper") {
  holds(1000, [] {
    const Dtype dtypes[] = {Dtype::u8, Dtype::u16, Dtype::f32};
    const Array array = drawn_image(dtypes[drawn(0, 2)]);
    const ConstView image = array.view();
    const int j = drawn(-9, 9);
    const int k = drawn(-9, 9);
    RC_ASSERT(same(hflip(hflip(image)), image));
    RC_ASSERT(same(vflip(vflip(image)), image));
    RC_ASSERT(same(transpose(transpose(image)), image));
    RC_ASSERT(same(rot90(rot90(rot90(rot90(image)))), image));
    RC_ASSERT(same(rot90(rot90(image, j), k), rot90(image, j + k)));
    RC_ASSERT(same(rot90(image, 2), hflip(vflip(image))));
    RC_ASSERT(same(rot90(image, 1), vflip(transpose(image))));
    RC_ASSERT(same(hflip(image), reversed(image, kW)));
    RC_ASSERT(same(vflip(image), reversed(image, kH)));
  });
}

TEST_CASE("the identity table copies, and tables compose") {
  holds(1000, [] {
    const Array image = drawn_image(Dtype::u8);
    std::array<std::uint8_t, 256> identity{};
    std::iota(identity.begin(), identity.end(), std::uint8_t{0});
    auto first = identity;
    auto second = identity;
    std::shuffle(first.begin(), first.end(), std::mt19937(static_cast<unsigned>(drawn(0, 999))));
    std::shuffle(second.begin(), second.end(), std::mt19937(static_cast<unsigned>(drawn(0, 999))));
    std::array<std::uint8_t, 256> both{};
    std::transform(first.begin(), first.end(), both.begin(), [&](auto v) { return second[v]; });
    const auto table = [](const auto &entries) { return array_1d(entries.data(), 256); };
    RC_ASSERT(same(lut(image.view(), table(identity)), image.view()));
    RC_ASSERT(
        same(lut(lut(image.view(), table(first)), table(second)), lut(image.view(), table(both))));
  });
}

TEST_CASE("a pointwise op of u8 is the table of its 256 results") {
  holds(1000, [] {
    const Operation operation =
        chance(2) ? drawn_affine(1, Dtype::u8) : drawn_power_or_clip(1, Dtype::u8);
    std::array<std::uint8_t, 256> levels{};
    std::iota(levels.begin(), levels.end(), std::uint8_t{0});
    const Image table = operation.result(array_1d(levels.data(), 256), bitwise());
    const Array image = drawn_image(Dtype::u8);
    RC_ASSERT(same(operation.result(image.view(), bitwise()), lut(image.view(), table), true));
  });
}

// ---- arithmetic

TEST_CASE("levels survive the way to floats and back") {
  holds(1000, [] {
    const Dtype dtype = chance(2) ? Dtype::u8 : Dtype::u16;
    const Array image = drawn_image(dtype);
    RC_ASSERT(same(from_float(to_float(image.view()), dtype), image.view()));
  });
}

TEST_CASE("a constant array, a vector of equal values and their number are the same operand") {
  holds(1000, [] {
    const Array image = drawn_image(chance(2) ? Dtype::u8 : Dtype::f32);
    const auto number = static_cast<float>(drawn_number());
    Extents shape = image.view().shape;
    shape[kC] = chance(2) ? 1 : shape[kC];
    const ConstView array = strided(&number, shape, {0, 0, 0, 0}, image.view().rank);
    const Numbers vector(static_cast<std::size_t>(image.view().channels()), double{number});
    const Image sum = add(image.view(), double{number}, bitwise());
    const Image product = multiply(image.view(), double{number}, bitwise());
    RC_ASSERT(same(sum, add(image.view(), array, bitwise()), true));
    RC_ASSERT(same(sum, add(image.view(), vector, bitwise()), true));
    RC_ASSERT(same(product, multiply(image.view(), array, bitwise()), true));
    RC_ASSERT(same(product, multiply(image.view(), vector, bitwise()), true));
    RC_ASSERT(same(multiply_add(image.view(), array, 1.5, bitwise()),
                   multiply_add(image.view(), vector, 1.5, bitwise()), true));
  });
}

TEST_CASE("images and their weights may be exchanged") {
  holds(1000, [] {
    const Extents shape = drawn_shape(chance(3));
    const Dtype dtype = chance(2) ? Dtype::u8 : Dtype::f32;
    const Array a = drawn_image(dtype, shape);
    const Array b = drawn_image(dtype, shape);
    const double v = drawn_number();
    const double w = drawn_number();
    RC_ASSERT(same(add_weighted(a.view(), v, b.view(), w, bitwise()),
                   add_weighted(b.view(), w, a.view(), v, bitwise()), true));
  });
}

TEST_CASE("clipping again changes nothing, and no result is outside") {
  holds(1000, [] {
    const Array image = drawn_image(Dtype::f32);
    const double low = static_cast<float>(drawn_number());
    const double high = static_cast<float>(low + drawn(0, 16));
    const Image once = clip(image.view(), low, high, bitwise());
    RC_ASSERT(same(clip(once, low, high, bitwise()), once));
    for (const float value : values_of<float>(once)) {
      RC_ASSERT(std::isnan(value) || (low <= value && value <= high));
    }
  });
}

TEST_CASE("normalizing and its inverse, exp and log, power and sqrt cancel") {
  holds(1000, [] {
    const Array image = drawn_image(Dtype::f32, false);
    const double mean = drawn_number();
    const double scale = drawn(1, 64) / 16.0;
    const Image back = multiply_add(normalize(image.view(), mean, scale), 1 / scale, mean);
    const Image logs = log(exp(image.view()));
    const Image roots = sqrt(power(image.view(), 2.0));
    const std::vector<float> values = values_of<float>(image.view());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const double terms = std::abs(values[i]) + 2 * std::abs(mean);
      RC_ASSERT(std::abs(value_at<float>(back, at) - values[i]) <= 0x1p-20 * terms);
      RC_ASSERT(std::abs(value_at<float>(logs, at) - values[i]) <= 0x1p-20 * (1 + terms));
      RC_ASSERT(std::abs(value_at<float>(roots, at) - std::abs(values[i])) <= 0x1p-20 * terms);
    }
  });
}

TEST_CASE("operands of any layout give what their copies give") {
  holds(2000, [] {
    const Extents shape = drawn_shape(chance(3), true);
    const Dtype dtype = chance(2) ? Dtype::u8 : Dtype::f32;
    const Dtype dtypes[] = {Dtype::u8, Dtype::i8, Dtype::u16, Dtype::i16, Dtype::f32};
    const Array image = drawn_image(dtype, shape);
    Extents of_operand = shape;
    of_operand[kX] = chance(2) ? 1 : shape[kX];
    of_operand[kC] = chance(2) ? 1 : shape[kC];
    const Array operand = drawn_image(dtypes[drawn(0, 4)], of_operand);
    const Array other = drawn_image(dtype, shape);
    const Image image_copy = copy_of(image.view());
    const Image operand_copy = copy_of(operand.view());
    const Image other_copy = copy_of(other.view());
    const Options &options = bitwise();
    const double number = drawn_number();
    RC_ASSERT(same(add(image.view(), operand.view(), options),
                   add(image_copy, operand_copy, options), true));
    RC_ASSERT(same(multiply(image.view(), operand.view(), options),
                   multiply(image_copy, operand_copy, options), true));
    RC_ASSERT(same(multiply_add(image.view(), operand.view(), number, options),
                   multiply_add(image_copy, operand_copy, number, options), true));
    RC_ASSERT(same(power(image.view(), operand.view(), options),
                   power(image_copy, operand_copy, options), true));
    RC_ASSERT(same(add_weighted(image.view(), number, other.view(), 0.5, options),
                   add_weighted(image_copy, number, other_copy, 0.5, options), true));
  });
}

// ---- statistics

Axes drawn_axes() {
  Axes axes{};
  for (const Axis axis : {kX, kH, kW, kC}) {
    if (chance(2)) {
      axes.add(axis);
    }
  }
  return axes;
}

TEST_CASE("sums over some axes, summed, are the sum of all") {
  holds(1000, [] {
    const Array image = drawn_image(Dtype::u8);
    const auto total = value_at<std::uint64_t>(reduce_sum(image.view(), Over::global), 0);
    const std::vector<std::uint8_t> values = values_of<std::uint8_t>(image.view());
    RC_ASSERT(total == std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
    const auto part = values_of<std::uint64_t>(reduce_sum(image.view(), drawn_axes()));
    RC_ASSERT(std::accumulate(part.begin(), part.end(), std::uint64_t{0}) == total);
  });
}

TEST_CASE("statistics of a layout are those of its copy; mean and std agree with mean_std") {
  holds(1000, [] {
    const Array image = drawn_image(chance(2) ? Dtype::u8 : Dtype::f32, !chance(3));
    const Image copy = copy_of(image.view());
    const Reduction over = chance(3) ? keepdims(drawn_axes()) : Reduction(drawn_axes());
    const MeanStd both = mean_std(image.view(), over, 0.25, bitwise());
    RC_ASSERT(same(both.mean, mean(copy, over, bitwise()), true));
    RC_ASSERT(same(both.std, switchyard::std(copy, over, 0.25, bitwise()), true));
    RC_ASSERT(
        same(reduce_sum(image.view(), over, bitwise()), reduce_sum(copy, over, bitwise()), true));
    RC_ASSERT(
        same(min_max(image.view(), over, bitwise()).min, min_max(copy, over, bitwise()).min, true));
  });
}

TEST_CASE("any slice has the statistics that it has alone") {
  holds(1000, [] {
    const Array image = drawn_image(chance(2) ? Dtype::u8 : Dtype::f32, drawn_shape(true));
    const MeanStd items = mean_std(image.view(), Over::per_item, 1e-4, bitwise());
    for (std::int64_t x = 0; x < image.view().shape[kX]; ++x) {
      const ConstView item = slice(ConstView(image.view()), kX, x, x + 1);
      const MeanStd alone = mean_std(item, Over::global, 1e-4, bitwise());
      RC_ASSERT(same(alone.mean, slice(ConstView(items.mean), kC, x, x + 1), true));
      RC_ASSERT(same(alone.std, slice(ConstView(items.std), kC, x, x + 1), true));
    }
  });
}

TEST_CASE("means lie between the least and the greatest value, which the image holds") {
  holds(1000, [] {
    const Array image = drawn_image(Dtype::f32, false);
    const MinMax ends = min_max(image.view(), Over::global);
    const auto low = value_at<float>(ends.min, 0);
    const auto high = value_at<float>(ends.max, 0);
    const std::vector<float> values = values_of<float>(image.view());
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    RC_ASSERT(low == *least);
    RC_ASSERT(high == *most);
    const auto middle = value_at<double>(mean(image.view(), Over::global), 0);
    RC_ASSERT(low - 1e-9 <= middle);
    RC_ASSERT(middle <= high + 1e-9);
    const auto spread = value_at<double>(switchyard::std(image.view(), Over::global, 0.0), 0);
    RC_ASSERT(spread <= (high - low) / 2.0 + 1e-6); // Popoviciu's inequality
  });
}

TEST_CASE("images normalized by their range reach from 0 to 1") {
  holds(1000, [] {
    const Array image = drawn_image(chance(2) ? Dtype::u8 : Dtype::f32, false);
    const Image result = normalize_per_image(image.view(), Normalization::min_max);
    const std::vector<float> values = values_of<float>(result);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    RC_ASSERT(*least == 0.0F);
    RC_ASSERT(*most == 1.0F || *most == 0.0F); // of equal values
    const Image again = normalize_per_image(result, Normalization::min_max);
    RC_ASSERT(same(again, result)); // (v − 0) / 1
  });
}

// ---- counting

TEST_CASE("histograms and bincount count every element once") {
  holds(1000, [] {
    const Array image = drawn_image(Dtype::u8);
    const auto together = values_of<std::uint64_t>(histogram(image.view(), Over::global));
    RC_ASSERT(std::accumulate(together.begin(), together.end(), std::uint64_t{0}) ==
              static_cast<std::uint64_t>(image.view().elements()));
    BincountOptions bins;
    bins.min_length = 256;
    RC_ASSERT(values_of<std::uint64_t>(bincount(image.view(), bins)) == together);
    const auto apart = values_of<std::uint64_t>(histogram(image.view(), Over::per_channel));
    const auto channels = static_cast<std::ptrdiff_t>(image.view().channels());
    for (std::size_t level = 0; level < 256; ++level) {
      const auto row = apart.begin() + static_cast<std::ptrdiff_t>(level) * channels;
      RC_ASSERT(std::accumulate(row, row + channels, std::uint64_t{0}) == together[level]);
    }
  });
}

TEST_CASE("what a mask takes and what it leaves make up the histogram") {
  holds(1000, [] {
    const Array image = drawn_image(Dtype::u8);
    Extents shape = image.view().shape;
    shape[kC] = 1;
    Image mask(shape, Dtype::u8, image.view().rank);
    fill(mask, static_cast<unsigned>(drawn(0, 999)), false);
    Image rest(shape, Dtype::u8, image.view().rank);
    for (std::int64_t i = 0; i < mask.view().elements(); ++i) {
      mask.data<std::uint8_t>()[i] = mask.data<std::uint8_t>()[i] % 3 == 0 ? 0 : 7;
      rest.data<std::uint8_t>()[i] = mask.data<std::uint8_t>()[i] == 0 ? 255 : 0;
    }
    for (const Over over : {Over::global, Over::per_channel}) {
      auto sum = values_of<std::uint64_t>(histogram(image.view(), mask, over));
      const auto others = values_of<std::uint64_t>(histogram(image.view(), rest, over));
      std::transform(sum.begin(), sum.end(), others.begin(), sum.begin(), std::plus<>());
      RC_ASSERT(sum == values_of<std::uint64_t>(histogram(image.view(), over)));
    }
  });
}

TEST_CASE("weights of 1 count") {
  holds(1000, [] {
    const Array labels = drawn_image(chance(2) ? Dtype::u8 : Dtype::u16, drawn_shape(false));
    const float one = 1;
    const ConstView weights = strided(&one, labels.view().shape, {0, 0, 0, 0}, labels.view().rank);
    const auto counts = values_of<std::uint64_t>(bincount(labels.view()));
    const auto sums = values_of<double>(bincount_weights(labels.view(), weights));
    RC_ASSERT(std::equal(
        counts.begin(), counts.end(), sums.begin(), sums.end(),
        [](std::uint64_t count, double sum) { return static_cast<double>(count) == sum; }));
  });
}

// ---- matrices

Array drawn_matrix(Dtype dtype, int rows, int columns) {
  return drawn_image(dtype, {1, rows, columns, 1}, false);
}
ConstView transposed(ConstView view) {
  std::swap(view.shape[kH], view.shape[kW]);
  std::swap(view.strides[kH], view.strides[kW]);
  return view;
}

TEST_CASE("the transposed product is the product of the transposed, exchanged") {
  holds(1000, [] {
    const Dtype dtype = chance(3) ? Dtype::u8 : Dtype::f32;
    const int inner = drawn(1, 70);
    const Array a = drawn_matrix(dtype, drawn(1, 12), inner);
    const Array b = drawn_matrix(dtype, inner, drawn(1, 40));
    const Image product = matmul(a.view(), b.view(), bitwise());
    const Image exchanged = matmul(transposed(b.view()), transposed(a.view()), bitwise());
    RC_ASSERT(same(transposed(product), exchanged));
    Options threads = bitwise();
    threads.threads = 2;
    RC_ASSERT(same(matmul(a.view(), b.view(), threads), product));
  });
}

TEST_CASE("the unit matrix changes nothing") {
  holds(1000, [] {
    const int inner = drawn(1, 40);
    const Array a = drawn_matrix(Dtype::f32, drawn(1, 12), inner);
    std::vector<float> unit(static_cast<std::size_t>(inner * inner));
    for (std::size_t i = 0; i < unit.size(); i += static_cast<std::size_t>(inner) + 1) {
      unit[i] = 1;
    }
    const ConstView matrix = hwc(static_cast<const float *>(unit.data()), inner, inner, 1);
    RC_ASSERT(values_of<float>(matmul(a.view(), matrix)) == values_of<float>(a.view()));
  });
}

TEST_CASE("distances are symmetric, and 0 from a point to itself") {
  holds(1000, [] {
    const int coordinates = drawn(1, 140);
    const Array a = drawn_matrix(Dtype::f32, drawn(1, 9), coordinates);
    const Array b = drawn_matrix(Dtype::f32, drawn(1, 9), coordinates);
    const Image there = pairwise_distances_squared(a.view(), b.view(), bitwise());
    const Image back = pairwise_distances_squared(b.view(), a.view(), bitwise());
    RC_ASSERT(same(transposed(there), back));
    const Image own = pairwise_distances_squared(a.view(), a.view());
    for (std::int64_t i = 0; i < a.view().shape[kH]; ++i) {
      RC_ASSERT(value_at<float>(own, i * (a.view().shape[kH] + 1)) == 0.0F);
    }
  });
}

} // namespace
