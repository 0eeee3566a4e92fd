// The public edge: what it refuses, what it lets through, and that nothing is written on an error.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "router/validate.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

// The bytes of a view's elements, found one by one.
std::set<const std::byte *> bytes_of(const ConstView &view) {
  std::set<const std::byte *> bytes;
  for (std::int64_t x = 0; x < view.shape[kX]; ++x) {
    for (std::int64_t h = 0; h < view.shape[kH]; ++h) {
      for (std::int64_t w = 0; w < view.shape[kW]; ++w) {
        for (std::int64_t c = 0; c < view.shape[kC]; ++c) {
          for (std::int64_t b = 0; b < size_of(view.dtype); ++b) {
            bytes.insert(view.at(x, h, w, c) + b);
          }
        }
      }
    }
  }
  return bytes;
}

bool really_share(const ConstView &a, const ConstView &b) {
  const auto bytes = bytes_of(a);
  for (const std::byte *byte : bytes_of(b)) {
    if (bytes.count(byte) != 0) {
      return true;
    }
  }
  return false;
}

// A random view inside `size` bytes of `memory`.
ConstView random_view(std::vector<std::byte> &memory, std::mt19937 &random) {
  const auto below = [&](int n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  while (true) {
    ConstView view;
    view.dtype = below(2) == 0 ? Dtype::u8 : Dtype::f32;
    for (int axis = 0; axis < 4; ++axis) {
      view.shape[axis] = 1 + below(4);
      view.strides[axis] = below(61) - 30;
    }
    const std::int64_t start = below(static_cast<int>(memory.size()));
    view.data = memory.data() + start;
    std::int64_t low = start;
    std::int64_t high = start + size_of(view.dtype);
    for (int axis = 0; axis < 4; ++axis) {
      const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
      (reach < 0 ? low : high) += reach;
    }
    if (low >= 0 && high <= static_cast<std::int64_t>(memory.size())) {
      return view;
    }
  }
}

} // namespace

TEST_CASE("Shared memory is found exactly, for any strides") {
  std::vector<std::byte> memory(400);
  std::mt19937 random(7);
  int shared = 0;
  constexpr int kPairs = 20000;
  for (int i = 0; i < kPairs; ++i) {
    const ConstView a = random_view(memory, random);
    const ConstView b = random_view(memory, random);
    const bool expected = really_share(a, b);
    shared += expected ? 1 : 0;
    REQUIRE(validate::share_memory(a, b) == expected);
  }
  CHECK(shared > kPairs / 10);
  CHECK(shared < kPairs * 9 / 10);
}

TEST_CASE("Views that interleave without sharing an element are apart") {
  std::vector<std::uint8_t> memory(std::size_t{480} * 640 * 3);
  const View image = hwc(memory.data(), 480, 640, 3);
  CHECK_FALSE(validate::share_memory(channel(image, 0), channel(image, 2)));
  CHECK_FALSE(validate::share_memory(crop(image, 0, 0, 480, 320), crop(image, 0, 320, 480, 320)));
  CHECK(validate::share_memory(crop(image, 0, 0, 480, 321), crop(image, 0, 320, 480, 320)));
  CHECK(validate::share_memory(image, reversed(image, kW)));
  CHECK_FALSE(validate::share_memory(slice(image, kH, 0, 240), slice(image, kH, 240, 480)));
}

TEST_CASE("Large views that interleave without sharing an element are apart") {
  std::vector<float> memory(480 * 640 * 4 + 1);
  const View image = hwc(memory.data(), 480, 640, 4);
  CHECK_FALSE(validate::share_memory(slice(image, kC, 0, 2), slice(image, kC, 2, 4)));
  CHECK(validate::share_memory(slice(image, kC, 0, 2), slice(image, kC, 1, 4)));
  View even = image;
  even.shape[kW] /= 2;
  even.strides[kW] *= 2;
  View odd = even;
  odd.data = image.at(0, 0, 1, 0);
  CHECK_FALSE(validate::share_memory(even, odd));
  odd.data = image.at(0, 0, 0, 3);
  CHECK(validate::share_memory(even, odd));
}

TEST_CASE("An error names op, argument, given and accepted, and writes nothing") {
  std::vector<std::uint8_t> in(60, 9);
  std::vector<std::uint8_t> out(60, 77);
  const View image = hwc(in.data(), 4, 5, 3);
  const View result = hwc(out.data(), 4, 5, 3);
  const std::vector<std::uint8_t> before = out;

  const auto fails = [&](auto &&call, std::string_view argument, std::string_view given,
                         std::string_view accepted) {
    try {
      call();
      FAIL("no error for " << argument);
    } catch (const Error &error) {
      CHECK(error.argument() == argument);
      CHECK(error.given() == given);
      CHECK(error.accepted() == accepted);
      CHECK(std::string(error.what()) == error.op() + ": " + error.argument() + ": got " +
                                             error.given() + "; accepted: " + error.accepted());
    }
    CHECK(out == before);
    CHECK(in == std::vector<std::uint8_t>(60, 9));
  };

  std::vector<std::int16_t> wrong(60);
  fails([&] { multiply_add(hwc(wrong.data(), 4, 5, 3), 1, 0, result); }, "image", "dtype i16",
        "u8, f32");
  fails([&] { multiply_add(image, {1, 2}, 0, result); }, "factor", "2 values", "1 or 3 values");
  fails([&] { multiply_add(image, 1, std::vector<double>{}, result); }, "value", "0 values",
        "1 or 3 values");
  fails([&] { multiply_add(image, 1, 0, hwc(out.data(), 5, 4, 3)); }, "out", "shape 1x5x4x3",
        "1x4x5x3");
  std::vector<float> floats(60);
  fails([&] { multiply_add(image, 1, 0, hwc(floats.data(), 4, 5, 3)); }, "out", "dtype f32", "u8");
  View negative = image;
  negative.shape[kW] = -5;
  fails([&] { multiply_add(negative, 1, 0, result); }, "image", "shape 4x-5x3", "extents ≥ 0");
  View huge = image;
  huge.shape = {1, std::int64_t{1} << 40, std::int64_t{1} << 40, 3};
  fails([&] { multiply_add(huge, 1, 0, result); }, "image",
        "shape 1099511627776x1099511627776x3 of u8", "a size that fits 63 bits");
  View nowhere = image;
  nowhere.data = nullptr;
  fails([&] { multiply_add(nowhere, 1, 0, result); }, "image", "no address",
        "an address for a view that is not empty");
  View repeated = result;
  repeated.strides[kH] = 0;
  fails([&] { multiply_add(image, 1, 0, repeated); }, "out", "stride 0 on an axis of length 4",
        "an output whose elements are distinct");
  fails([&] { multiply_add(image, 1, 0, reversed(image, kW)); }, "out",
        "memory that overlaps image", "memory of its own, or exactly that view");
  fails([&] { hflip(image, image); }, "out", "memory that overlaps image", "memory of its own");
  Options none;
  none.threads = 0;
  fails([&] { multiply_add(image, 1, 0, result, none); }, "threads", "0", "1 or more");
  Options odd;
  odd.exactness = Exactness::unsupported;
  fails([&] { hflip(image, result, odd); }, "exactness", "no such class", "faithful, bitwise");
  odd.exactness = static_cast<Exactness>(77);
  fails([&] { hflip(image, result, odd); }, "exactness", "no such class", "faithful, bitwise");
  odd.exactness = Exactness::faithful;
  odd.rounding = static_cast<Rounding>(9);
  fails([&] { hflip(image, result, odd); }, "rounding", "no such rounding",
        "by_op, truncate, half_even, half_up");
  fails([&] { add_weighted(image, 1, hwc(in.data(), 5, 4, 3), 0, result); }, "b", "shape 1x5x4x3",
        "1x4x5x3");
  fails([&] { add_weighted(image, 1, hwc(floats.data(), 4, 5, 3), 0, result); }, "b", "dtype f32",
        "u8");
  std::array<std::uint8_t, 256> table{};
  fails([&] { lut(image, hwc(table.data(), 1, 128, 2), result); }, "table", "shape 1x1x128x2",
        "1x1x256x3");
  fails([&] { lut(hwc(floats.data(), 4, 5, 3), array_1d(table.data(), 256), result); }, "image",
        "dtype f32", "u8");
  std::array<double, 3> numbers{};
  fails(
      [&] {
        mean_std(hwc(in.data(), 0, 5, 3), hwc(numbers.data(), 1, 1, 1),
                 hwc(numbers.data() + 1, 1, 1, 1), Over::global);
      },
      "image", "an empty image", "one element or more");
  fails(
      [&] {
        mean_std(image, hwc(numbers.data(), 1, 1, 3), hwc(numbers.data(), 1, 1, 3),
                 Over::per_channel);
      },
      "std", "memory that overlaps mean", "memory of its own");
}

TEST_CASE("Pins that cannot apply are errors") {
  std::vector<float> pixels(30, 2.0F);
  const View image = hwc(pixels.data(), 2, 3, 5);
  Options options;
  options.candidate = "no_such_candidate";
  CHECK_THROWS_WITH(multiply_add(image, 1, 0, image, options),
                    Catch::Contains("no_such_candidate (unknown)") && Catch::Contains("loop"));
  options.candidate = "lut"; // a table has no f32 index
  CHECK_THROWS_WITH(multiply_add(image, 1, 0, image, options),
                    Catch::Contains("lut (dtype not supported)"));
  options.candidate = "loop";
  multiply_add(image, 1.5, 1, image, options);
  CHECK(pixels[0] == 4.0F);
  CHECK(last_route().candidate == "loop");
  CHECK(last_route().grade == Grade::pinned);
}

TEST_CASE("Empty images, in place, strided and broadcast inputs go through") {
  std::vector<std::uint8_t> pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const View image = hwc(pixels.data(), 2, 2, 3);
  multiply_add(hwc(pixels.data(), 0, 2, 3), 1, 0, hwc(pixels.data(), 0, 2, 3));
  const Image nothing = multiply_add(hwc(pixels.data(), 2, 0, 3), 2, 1);
  CHECK(nothing.view().elements() == 0);
  // A contiguous batch of nothing has strides of 0 on axes that are longer than 1.
  multiply_add(xhwc(pixels.data(), 2, 0, 2, 3), 2, 1, xhwc(pixels.data(), 2, 0, 2, 3));
  CHECK(transpose(hwc(pixels.data(), 0, 2, 3)).view().elements() == 0);

  multiply_add(channel(image, 1), 10, 0, channel(image, 1)); // one plane, in place
  CHECK(pixels == std::vector<std::uint8_t>{1, 20, 3, 4, 50, 6, 7, 80, 9, 10, 110, 12});

  ConstView repeated = image;
  repeated.strides[kH] = 0; // the first row twice
  const Image twice = multiply_add(repeated, 1, 0);
  CHECK(std::memcmp(twice.data<std::uint8_t>() + 6, pixels.data(), 6) == 0);

  const Image flipped = multiply_add(reversed(image, kH), 1, 0);
  CHECK(std::memcmp(flipped.data<std::uint8_t>(), pixels.data() + 6, 6) == 0);
}

TEST_CASE("An image that was moved from is empty") {
  Image image({1, 2, 3, 1}, Dtype::u8);
  std::fill_n(image.data<std::uint8_t>(), 6, std::uint8_t{5});
  const Image other = std::move(image);
  CHECK(image.view().empty()); // NOLINT: what is left is what is tested
  CHECK(other.view().elements() == 6);
  CHECK(hflip(image).view().empty());
}

TEST_CASE("Strides of axes of length 1 mean nothing") {
  std::vector<std::uint8_t> pixels(20);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::uint8_t>(i);
  }
  for (const std::int64_t stride :
       {std::int64_t{2147483647}, std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}}) {
    ConstView image = hwc(std::as_const(pixels).data(), 10, 1, 2);
    image.strides[kW] = stride;
    image.strides[kX] = stride;
    const Image out = multiply_add(image, 1, 1);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      REQUIRE(out.data<std::uint8_t>()[i] == pixels[i] + 1);
    }
  }
}
