// Flips, transpose and rot90 beyond what their contracts state in numbers: bits, neighbouring
// memory, shapes, errors.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/contracts/guarded_bytes.hpp"
#include "candidates/registry.hpp"
#include "candidates/rot90/params.hpp"
#include "router/split.hpp"
#include "switchyard/core/contract.hpp"
#include "switchyard/switchyard.hpp"

namespace switchyard {
namespace {

using oracle::GuardedBytes;

struct Shape {
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  std::int64_t element;
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(height * width * channels * element);
  }
};

// What an op does, told by where the pixel (h, w) of the result comes from.
struct Op {
  std::string variant;
  bool swaps;
  int quarter_turns; // of rot90
  std::array<std::int64_t, 2> (*source)(std::int64_t h, std::int64_t w, const Shape &in);
};

const std::vector<Op> &ops() {
  using Pixel = std::array<std::int64_t, 2>;
  static const std::vector<Op> kOps{
      {"hflip", false, 0,
       [](auto h, auto w, auto &in) {
         return Pixel{h, in.width - 1 - w};
       }},
      {"vflip", false, 0,
       [](auto h, auto w, auto &in) {
         return Pixel{in.height - 1 - h, w};
       }},
      {"transpose", true, 0,
       [](auto h, auto w, auto & /*in*/) {
         return Pixel{w, h};
       }},
      {"rot90", false, 0,
       [](auto h, auto w, auto & /*in*/) {
         return Pixel{h, w};
       }},
      {"rot90", true, 1,
       [](auto h, auto w, auto &in) {
         return Pixel{w, in.width - 1 - h};
       }},
      {"rot90", false, 2,
       [](auto h, auto w, auto &in) {
         return Pixel{in.height - 1 - h, in.width - 1 - w};
       }},
      {"rot90", true, 3,
       [](auto h, auto w, auto &in) {
         return Pixel{in.height - 1 - w, h};
       }},
  };
  return kOps;
}

Extents result_shape(const Op &op, const Shape &in) {
  return op.swaps ? Extents{1, in.width, in.height, in.channels}
                  : Extents{1, in.height, in.width, in.channels};
}

// The result, byte by byte.
std::vector<std::byte> moved(const Op &op, const Shape &in, const std::byte *bytes) {
  std::vector<std::byte> out;
  const std::int64_t pixel = in.channels * in.element;
  const Extents shape = result_shape(op, in);
  for (std::int64_t h = 0; h < shape[kH]; ++h) {
    for (std::int64_t w = 0; w < shape[kW]; ++w) {
      const auto [from_h, from_w] = op.source(h, w, in);
      const std::byte *from = bytes + (from_h * in.width + from_w) * pixel;
      out.insert(out.end(), from, from + pixel);
    }
  }
  return out;
}

// Every candidate on every SIMD target, in memory that ends or begins at an inaccessible page.
int check(const Op &op, const Shape &in, bool at_end) {
  const GuardedBytes source(in.bytes(), at_end);
  const GuardedBytes target(in.bytes(), at_end);
  Random random(3);
  for (std::size_t i = 0; i < in.bytes(); ++i) {
    // Every fourth byte makes an f32 NaN or an infinity of any payload.
    source.data()[i] = static_cast<std::byte>(i % 4 == 3   ? 0x7F
                                              : i % 4 == 2 ? 0x80 | random()
                                                           : random());
  }
  const std::vector<std::byte> expected = moved(op, in, source.data());
  const Dtype dtype = in.element == 1 ? Dtype::u8 : in.element == 2 ? Dtype::u16 : Dtype::f32;
  const Extents shape{1, in.height, in.width, in.channels};
  const ConstView view{source.data(), shape, contiguous_strides(shape, in.element), dtype, 3};
  const Extents moved_shape = result_shape(op, in);
  const View result(target.data(), moved_shape, contiguous_strides(moved_shape, in.element), dtype);
  const candidates::Rot90Params params{op.quarter_turns};
  Call call;
  call.in[0] = &view;
  call.out[0] = &result;
  call.params = &params;
  call.dtype_case = in.element == 1 ? 0 : in.element == 2 ? 2 : 1;
  int taken = 0;
  conformance::for_each_simd_target([&](const std::string &name) {
    for (const Candidate &candidate : candidates::find_variant(op.variant)->candidates) {
      if (candidate.refuses(call) == nullptr) {
        std::memset(target.data(), 0, in.bytes());
        candidate.run(call);
        INFO(op.variant << " " << op.quarter_turns << " " << candidate.id << " on " << name << ", "
                        << in.height << " x " << in.width << " pixels of " << in.channels
                        << " channels of " << in.element << " bytes");
        CHECK(std::memcmp(target.data(), expected.data(), in.bytes()) == 0);
        ++taken;
      }
    }
  });
  return taken;
}

std::vector<std::uint8_t> counted(std::int64_t n) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  return values;
}

bool same(const Image &a, const Image &b) {
  return a.view().shape == b.view().shape && a.view().rank == b.view().rank &&
         std::memcmp(a.view().data, b.view().data,
                     static_cast<std::size_t>(a.view().elements() * size_of(a.view().dtype))) == 0;
}

TEST_CASE("hflip keeps every bit and touches nothing beside its images") {
  for (const bool at_end : {false, true}) {
    for (const std::int64_t element : {1, 2, 4}) {
      for (std::int64_t channels = 1; channels <= 18; ++channels) {
        for (const std::int64_t width : {1, 2, 3, 5, 6, 16, 17, 31, 67, 130}) {
          CHECK(check(ops().front(), {3, width, channels, element}, at_end) >= 2);
        }
      }
    }
  }
}

TEST_CASE("flips, transpose and rot90 keep every bit and touch nothing beside their images") {
  for (const Op &op : ops()) {
    for (const bool at_end : {false, true}) {
      for (const std::int64_t element : {1, 2, 4}) {
        for (const std::int64_t channels : {1, 2, 3, 4, 5, 7, 9, 33}) {
          for (const auto &[height, width] : std::vector<std::array<std::int64_t, 2>>{
                   {1, 1}, {1, 9}, {3, 5}, {6, 4}, {7, 6}, {16, 33}, {37, 18}, {70, 300}}) {
            CHECK(check(op, {height, width, channels, element}, at_end) >= 2);
          }
        }
      }
    }
  }
}

TEST_CASE("transposed columns further apart than a page, and in spans, arrive") {
  // Wider than a span of columns and taller than a strip of rows, for pixels of every kind.
  for (const std::int64_t channels : {1, 3, 4, 7, 17}) {
    const Op &transposition = ops()[2];
    CHECK(check(transposition, {131, 600, channels, 1}, true) >= 2);
    CHECK(check(transposition, {67, 530, channels, 4}, true) >= 2);
  }
}

TEST_CASE("rot90 takes any whole number of turns, counter-clockwise where positive") {
  const auto values = counted(6 * 5 * 3);
  const ConstView image = hwc(values.data(), 6, 5, 3);
  for (int k = -9; k <= 9; ++k) {
    Image expected = rot90(image, 0);
    for (int turn = 0; turn < (k % 4 + 4) % 4; ++turn) {
      expected = rot90(expected);
    }
    CHECK(same(rot90(image, k), expected));
  }
  CHECK(same(rot90(image, 2), vflip(hflip(image))));
  CHECK(same(rot90(image, 1), vflip(transpose(image))));
  CHECK(same(rot90(image, -1), hflip(transpose(image))));
  CHECK(same(rot90(image, std::numeric_limits<int>::min()), rot90(image, 0)));
  CHECK(same(rot90(image, std::numeric_limits<int>::max()), rot90(image, 3)));
  // The top right corner of the image turns to the top left.
  CHECK(*rot90(image).view().at(0, 0, 0, 2) == *image.at(0, 0, 4, 2));
}

TEST_CASE("transpose exchanges height and width at rank 4 and leaves the batch alone") {
  const auto values = counted(2 * 3 * 4 * 2);
  const ConstView batch = xhwc(values.data(), 2, 3, 4, 2);
  const Image out = transpose(batch);
  CHECK(out.view().shape == Extents{2, 4, 3, 2});
  CHECK(out.view().rank == 4);
  for (std::int64_t x = 0; x < 2; ++x) {
    CHECK(*out.view().at(x, 3, 1, 1) == *batch.at(x, 1, 3, 1));
  }
}

TEST_CASE("bands of a flip, a transpose or a rot90 are computed from their part of the image") {
  const auto values = counted(2 * 37 * 19 * 3);
  for (const std::int64_t items : {1, 2}) {
    const ConstView image = xhwc(values.data(), items, 37, 19, 3);
    for (const Op &op : ops()) {
      Extents shape = image.shape;
      if (op.swaps) {
        std::swap(shape[kH], shape[kW]);
      }
      const Image whole(shape, Dtype::u8, 4);
      const Image split(shape, Dtype::u8, 4);
      const candidates::Rot90Params params{op.quarter_turns};
      Call call;
      call.in[0] = &image;
      call.params = &params;
      for (const Candidate &candidate : candidates::find_variant(op.variant)->candidates) {
        INFO(op.variant << " " << op.quarter_turns << " " << candidate.id);
        call.out[0] = &whole.view();
        if (candidate.refuses(call) != nullptr) {
          continue;
        }
        candidate.run(call);
        call.out[0] = &split.view();
        std::memset(split.data<std::uint8_t>(), 0xAA, static_cast<std::size_t>(image.elements()));
        static_cast<void>(run_split(candidate, call, 2));
        CHECK(same(whole, split));
      }
    }
  }
}

TEST_CASE("flips, transpose and rot90 refuse what their contract excludes before writing") {
  std::vector<std::uint8_t> values = counted(6 * 6 * 3);
  const std::vector<std::uint8_t> before = values;
  const View square = hwc(values.data(), 6, 6, 3);
  std::vector<std::uint8_t> other(values.size());
  const View out = hwc(other.data(), 6, 6, 3);
  CHECK_THROWS_AS(hflip(square, square), Error); // not in place
  CHECK_THROWS_AS(vflip(square, square), Error);
  CHECK_THROWS_AS(transpose(square, square), Error);
  CHECK_THROWS_AS(rot90(square, 1, square), Error);
  CHECK_THROWS_AS(rot90(square, 0, square), Error);
  CHECK_THROWS_AS(vflip(crop(square, 0, 0, 3, 6), crop(square, 2, 0, 3, 6)), Error);
  const ConstView oblong = crop(ConstView(square), 0, 0, 4, 5);
  CHECK_THROWS_AS(transpose(oblong, crop(out, 0, 0, 4, 5)), Error); // 5 × 4 is right
  CHECK_THROWS_AS(rot90(oblong, 3, crop(out, 0, 0, 4, 5)), Error);
  CHECK_THROWS_AS(rot90(oblong, 2, crop(out, 0, 0, 5, 4)), Error);
  const std::vector<std::int16_t> signed_values(12);
  CHECK_THROWS_AS(transpose(hwc(signed_values.data(), 2, 2, 3)), Error);
  CHECK(values == before);
  CHECK(std::count(other.begin(), other.end(), 0) == static_cast<std::ptrdiff_t>(other.size()));
  transpose(oblong, crop(out, 0, 0, 5, 4));
  CHECK(*out.at(0, 4, 3, 1) == *square.at(0, 3, 4, 1));
}

} // namespace
} // namespace switchyard
