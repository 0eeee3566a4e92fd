// Calls that repeat an earlier one take a shorter way through validation: it must stop what the
// long one stops.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "router/validate.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

constexpr std::int64_t kBytes = 4096;

// Room for views that may overlap.
struct Memory {
  alignas(64) std::array<std::uint8_t, kBytes> bytes{};

  template <class T> View at(std::int64_t offset, std::int64_t h = 5, std::int64_t w = 7) {
    return hwc(reinterpret_cast<T *>(bytes.data() + offset), h, w, 3);
  }
};

// A call that is right, made twice; then one that is not.
template <class Right, class Wrong> void stays_wrong(const Right &right, const Wrong &wrong) {
  for (int i = 0; i < 2; ++i) {
    right();
  }
  CHECK_THROWS_AS(wrong(), Error);
  right();
  CHECK_THROWS_AS(wrong(), Error);
}

} // namespace

TEST_CASE("A repeated call of one image is refused for what is wrong this time", "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0);
  const View out = memory.at<std::uint8_t>(1024);
  const auto right = [&] { multiply_add(image, 1.5, 2, out); };
  const std::vector<double> two{1, 2};
  Options none;
  none.threads = 0;
  Options odd;
  odd.rounding = static_cast<Rounding>(9);
  Options inexact;
  inexact.exactness = Exactness::unsupported;
  View nowhere = out;
  nowhere.data = nullptr;
  ConstView no_image = image;
  no_image.data = nullptr;
  View flat = out;
  flat.strides[kH] = 0;
  View wide = memory.at<float>(1024);
  wide.strides = out.strides;

  stays_wrong(right, [&] { multiply_add(image, two, 2, out); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, two, out); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, out, none); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, out, odd); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, out, inexact); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, nowhere); });
  stays_wrong(right, [&] { multiply_add(no_image, 1.5, 2, out); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, flat); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, wide); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, memory.at<std::uint8_t>(1)); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, memory.at<std::uint8_t>(104)); });
  stays_wrong(right, [&] { multiply_add(memory.at<std::uint8_t>(1100), 1.5, 2, out); });
  stays_wrong(right, [&] { multiply_add(image, 1.5, 2, memory.at<std::uint8_t>(1024, 7, 5)); });
  multiply_add(image, 1.5, 2, memory.at<std::uint8_t>(105)); // the first byte behind it
  multiply_add(memory.at<std::uint8_t>(1129), 1.5, 2, out);
  multiply_add(image, 1.5, 2, image);
}

TEST_CASE("In place is for the very same view", "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0);
  stays_wrong([&] { multiply_add(image, 1.5, 2, image); },
              [&] { multiply_add(image, 1.5, 2, reversed(image, kW)); });
  const View floats = memory.at<float>(0);
  const View bytes = memory.at<std::uint8_t>(0);
  stays_wrong([&] { clip(floats, 0, 1, floats); }, [&] { clip(floats, 0, 1, bytes); });
  stays_wrong([&] { clip(floats, 0, 1, memory.at<std::uint8_t>(2048)); },
              [&] { clip(floats, 0, 1, bytes); });
  stays_wrong([&] { hflip(image, memory.at<std::uint8_t>(2048)); }, [&] { hflip(image, image); });
}

TEST_CASE("Parameters are looked at in every call", "[repeated]") {
  Memory memory;
  const View image = memory.at<float>(0);
  const View out = memory.at<float>(2048);
  stays_wrong([&] { clip(image, 0, 1, out); }, [&] { clip(image, 1, 0, out); });
  stays_wrong([&] { clip(image, {0, 0, 0}, 1, out); }, [&] { clip(image, {0, 2, 0}, 1, out); });
  stays_wrong(
      [&] {
        normalize(image, {1, 2, 3}, 1, out);
      },
      [&] {
        normalize(image, {1, 2, 3, 4}, 1, out);
      });
  const View square = memory.at<std::uint8_t>(0, 5, 7);
  stays_wrong([&] { rot90(square, 1, memory.at<std::uint8_t>(1024, 7, 5)); },
              [&] { rot90(square, 2, memory.at<std::uint8_t>(1024, 7, 5)); });
}

TEST_CASE("A repeated call of two images is refused for either", "[repeated]") {
  Memory memory;
  const View a = memory.at<std::uint8_t>(0);
  const View b = memory.at<std::uint8_t>(1024);
  const View out = memory.at<std::uint8_t>(2048);
  const auto right = [&] { add_weighted(a, 0.5, b, 0.5, out); };
  View wide = memory.at<float>(1024);
  wide.strides = b.strides;
  ConstView nowhere = b;
  nowhere.data = nullptr;
  stays_wrong(right, [&] { add_weighted(a, 0.5, b, 0.5, memory.at<std::uint8_t>(1030)); });
  stays_wrong(right, [&] { add_weighted(a, 0.5, b, 0.5, memory.at<std::uint8_t>(6)); });
  stays_wrong(right, [&] { add_weighted(a, 0.5, wide, 0.5, out); });
  stays_wrong(right, [&] { add_weighted(a, 0.5, nowhere, 0.5, out); });
  // In place with one of them, and overlapping the other.
  stays_wrong([&] { add_weighted(a, 0.5, b, 0.5, a); },
              [&] { add_weighted(a, 0.5, memory.at<std::uint8_t>(9), 0.5, a); });
  add_weighted(a, 0.5, b, 0.5, b);
  add_weighted(a, 0.5, a, 0.5, a);

  const auto sum = [&] { add(a, b, out); };
  stays_wrong(sum, [&] { add(a, nowhere, out); });
  stays_wrong(sum, [&] { add(a, b, memory.at<std::uint8_t>(1030)); });
  ConstView doubles = hwc(static_cast<const double *>(nullptr), 5, 7, 3);
  stays_wrong(sum, [&] { add(a, doubles, out); });
  CHECK_THROWS_AS(add(a, doubles, out), Error); // nothing is read before it is checked
}

TEST_CASE("A repeated lookup is refused for its table", "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0);
  const View out = memory.at<std::uint8_t>(1024);
  const ConstView table = hwc(std::as_const(memory.bytes).data() + 2048, 1, 256, 1);
  const ConstView channels = hwc(std::as_const(memory.bytes).data() + 2048, 1, 256, 3);
  const auto right = [&] { lut(image, table, out); };
  stays_wrong(right, [&] { lut(image, channel(slice(table, kW, 0, 255), 0), out); });
  stays_wrong(right, [&] { lut(image, hwc(memory.bytes.data() + 1000, 1, 256, 1), out); });
  const std::array<float, 256> floats{};
  stays_wrong(right, [&] { lut(image, hwc(floats.data(), 1, 256, 1), out); });
  stays_wrong([&] { lut(image, channels, out); },
              [&] { lut(image, hwc(std::as_const(memory.bytes).data() + 2048, 1, 256, 2), out); });
}

TEST_CASE("What only unchecked calls have made is not taken for checked", "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0, 3, 11);
  View flat = memory.at<std::uint8_t>(1024, 3, 11);
  flat.strides[kH] = 0; // three rows of one: undefined, but of bytes that exist
  unchecked::multiply_add(image, 1, 0, flat);
  unchecked::multiply_add(image, 1, 0, flat);
  CHECK_THROWS_AS(multiply_add(image, 1, 0, flat), Error);
}

TEST_CASE("Repeated calls report their route, also after others took their place", "[repeated]") {
  Memory memory;
  std::vector<std::uint8_t> room(std::size_t{200} * 7 * 3 * 2);
  const View image = memory.at<std::uint8_t>(0);
  const View out = memory.at<std::uint8_t>(1024);
  multiply_add(image, 1.5, 2, out);
  multiply_add(image, 1.5, 2, out);
  const RouteInfo first = last_route();
  CHECK(first.variant == "multiply_add/scalar");
  CHECK(first.threads == 1);
  // Calls of more heights than a thread remembers; the last known one is overwritten by an error.
  for (std::int64_t h = 1; h < 100; ++h) {
    hflip(hwc(room.data(), h, 7, 3), hwc(room.data() + 200 * 21, h, 7, 3));
    REQUIRE(last_route().variant == "hflip");
  }
  multiply_add(image, 1.5, 2, out);
  CHECK(last_route().variant == "multiply_add/scalar");
  CHECK(last_route().candidate == first.candidate);
}

TEST_CASE("A repeated statistic is refused for its results", "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0);
  const View out = hwc(reinterpret_cast<double *>(memory.bytes.data() + 1024), 1, 1, 3);
  const View one = hwc(reinterpret_cast<double *>(memory.bytes.data() + 1024), 1, 1, 1);
  const View inside = hwc(reinterpret_cast<double *>(memory.bytes.data() + 96), 1, 1, 3);
  const View floats = hwc(reinterpret_cast<float *>(memory.bytes.data() + 1024), 1, 1, 3);
  Options none;
  none.threads = 0;
  const auto right = [&] { mean(image, out, Over::per_channel); };
  stays_wrong(right, [&] { mean(image, one, Over::per_channel); });
  stays_wrong(right, [&] { mean(image, inside, Over::per_channel); });
  stays_wrong(right, [&] { mean(image, floats, Over::per_channel); });
  stays_wrong(right, [&] { mean(image, out, Over::global); });
  stays_wrong(right, [&] { mean(image, out, Axes{kW, kC}); });
  stays_wrong(right, [&] { mean(image, out, Over::per_channel, none); });
  stays_wrong(right, [&] { mean(memory.at<std::uint8_t>(960), out, Over::per_channel); });
  stays_wrong([&] { mean(image, one, Over::global); }, [&] { mean(image, out, Over::global); });
  // As many results, in other places.
  const View square = memory.at<std::uint8_t>(0, 3, 3);
  const View rows = strided(reinterpret_cast<double *>(memory.bytes.data() + 1024), {1, 1, 3, 3},
                            {72, 72, 24, 8});
  const View kept = strided(reinterpret_cast<double *>(memory.bytes.data() + 1024), {1, 3, 1, 3},
                            {72, 24, 24, 8});
  stays_wrong([&] { mean(square, rows, Axes{kH}); },
              [&] { mean(square, rows, keepdims(Axes{kW})); });
  stays_wrong([&] { mean(square, kept, keepdims(Axes{kW})); },
              [&] { mean(square, kept, Axes{kW}); });
}

TEST_CASE("A repeated statistic of two results keeps them apart", "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0);
  const auto at = [&](std::int64_t offset) { return hwc(memory.bytes.data() + offset, 1, 1, 3); };
  const auto right = [&] { min_max(image, at(1024), at(1027), Over::per_channel); };
  stays_wrong(right, [&] { min_max(image, at(1024), at(1024), Over::per_channel); });
  stays_wrong(right, [&] { min_max(image, at(1024), at(1026), Over::per_channel); });
  stays_wrong(right, [&] { min_max(image, at(1024), at(1022), Over::per_channel); });
  stays_wrong(right, [&] { min_max(image, at(104), at(1027), Over::per_channel); });
  stays_wrong(right, [&] { min_max(image, at(1024), at(2), Over::per_channel); });
  min_max(image, at(1027), at(1024), Over::per_channel);
  // Results that lie between one another are good as they are, and at no other distance.
  const auto every_second = [&](std::int64_t offset) {
    return strided(memory.bytes.data() + offset, {1, 1, 1, 3}, {6, 6, 6, 2}, 3);
  };
  stays_wrong([&] { min_max(image, every_second(1024), every_second(1025), Over::per_channel); },
              [&] { min_max(image, every_second(1024), every_second(1026), Over::per_channel); });
}

TEST_CASE("Statistics of different axes, forms and values are told apart", "[repeated]") {
  std::vector<float> pixels(2 * 3 * 3 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<float>(i * i % 101);
  }
  const ConstView image = xhwc(std::as_const(pixels).data(), 2, 3, 3, 3);
  const auto average = [&](int axis, std::int64_t x, std::int64_t h, std::int64_t w,
                           std::int64_t c) {
    std::array<std::int64_t, 4> at{x, h, w, c};
    const auto extent = image.shape[static_cast<std::size_t>(axis)];
    double sum = 0;
    for (std::int64_t i = 0; i < extent; ++i) {
      at[static_cast<std::size_t>(axis)] = i;
      sum += pixels[static_cast<std::size_t>(((at[0] * 3 + at[1]) * 3 + at[2]) * 3 + at[3])];
    }
    return sum / static_cast<double>(extent);
  };
  std::array<double, 18> into{};
  for (int i = 0; i < 3; ++i) {
    for (const Axis axis : {kH, kW, kC}) {
      const Image plain = mean(image, Axes{axis});
      const Image kept = mean(image, keepdims(Axes{axis}));
      CHECK(plain.view().shape == Extents{1, 2, 3, 3});
      CHECK(kept.view().shape[axis] == 1);
      mean(image, strided(into.data(), {1, 2, 3, 3}, {144, 72, 24, 8}), Axes{axis});
      const std::array<std::int64_t, 4> last = {1, axis == kH ? 0 : 2, axis == kW ? 0 : 2,
                                                axis == kC ? 0 : 2};
      const double expected = average(axis, last[0], last[1], last[2], last[3]);
      CHECK(plain.data<double>()[17] == Approx(expected));
      CHECK(kept.data<double>()[17] == Approx(expected));
      CHECK(into[17] == Approx(expected));
    }
    CHECK(last_route().variant == "mean/axes");
    const Image items = reduce_sum(image, Over::per_item);
    CHECK(last_route().variant == "reduce_sum/per_item");
    CHECK(items.view().shape == Extents{1, 1, 1, 2});
    const Image all = reduce_sum(image, Over::global);
    CHECK(last_route().variant == "reduce_sum/global");
    CHECK(all.data<double>()[0] == Approx(items.data<double>()[0] + items.data<double>()[1]));
    const double near = switchyard::std(image, Over::global, 0).data<double>()[0];
    const double far = switchyard::std(image, Over::global, 1).data<double>()[0];
    CHECK(far == Approx(near + 1));
  }
}

TEST_CASE("Repeated calls that allocate look at what they are given", "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0);
  const View floats = memory.at<float>(0);
  ConstView nowhere = image;
  nowhere.data = nullptr;
  const std::vector<double> two{1, 2};
  Options none;
  none.threads = 0;
  const auto right = [&] { (void)multiply_add(image, 1.5, 2); };
  stays_wrong(right, [&] { (void)multiply_add(nowhere, 1.5, 2); });
  stays_wrong(right, [&] { (void)multiply_add(image, 1.5, two); });
  stays_wrong(right, [&] { (void)multiply_add(image, 1.5, 2, none); });
  stays_wrong([&] { (void)hflip(image); }, [&] { (void)hflip(nowhere); });
  stays_wrong([&] { (void)mean(image, Over::global); }, [&] { (void)mean(nowhere, Over::global); });
  stays_wrong([&] { (void)clip(floats, 0, 1); }, [&] { (void)clip(floats, 1, 0); });
  for (int i = 0; i < 3; ++i) {
    CHECK(from_float(floats, Dtype::u8).view().dtype == Dtype::u8);
    CHECK(from_float(floats, Dtype::u16).view().dtype == Dtype::u16);
    View four = image;
    four.rank = 4;
    CHECK(hflip(image).view().rank == 3);
    CHECK(hflip(four).view().rank == 4);
    CHECK(rot90(image, 1).view().shape == Extents{1, 7, 5, 3});
    CHECK(rot90(image, 2).view().shape == Extents{1, 5, 7, 3});
  }
}

TEST_CASE("Numbers beyond f32 are computed as such after others", "[repeated]") {
  std::array<float, 4> pixels{1e-30F, 2e-30F, -1e-30F, 0};
  const ConstView image = hwc(std::as_const(pixels).data(), 1, 4, 1);
  std::array<float, 4> out{};
  const View result = hwc(out.data(), 1, 4, 1);
  for (int i = 0; i < 3; ++i) {
    multiply(image, 2, result);
    CHECK(out[0] == 2e-30F);
    multiply(image, 1e60, result);
    CHECK(out[0] == Approx(1e30));
    unchecked::multiply(image, 1e60, result);
    CHECK(out[1] == Approx(2e30));
    CHECK(multiply(image, 1e60).data<float>()[2] == Approx(-1e30));
    CHECK(multiply(image, 2).data<float>()[1] == 4e-30F);
  }
}

TEST_CASE("In place and into another image take turns", "[repeated]") {
  std::vector<std::uint8_t> pixels(std::size_t{5} * 7 * 3, 10);
  std::vector<std::uint8_t> other(pixels.size());
  const View image = hwc(pixels.data(), 5, 7, 3);
  const View out = hwc(other.data(), 5, 7, 3);
  for (int i = 0; i < 4; ++i) {
    add(image, 1, image);
    add(image, 1, out);
    unchecked::add(image, 1, image);
    unchecked::add(image, 1, out);
    CHECK(pixels[104] == 12 + 2 * i);
    CHECK(other[104] == 13 + 2 * i);
  }
}

TEST_CASE("Repeated counts, products and moments are refused for what is wrong this time",
          "[repeated]") {
  Memory memory;
  const View image = memory.at<std::uint8_t>(0);
  const View counts = hwc(reinterpret_cast<std::uint64_t *>(memory.bytes.data() + 2048), 1, 256, 1);
  View near = counts;
  near.data = memory.bytes.data() + 100;
  const View mask = hwc(memory.bytes.data() + 512, 5, 7, 1);
  const auto count = [&] { histogram(image, Over::global, counts); };
  stays_wrong(count, [&] { histogram(image, Over::per_channel, counts); });
  stays_wrong(count, [&] { histogram(image, static_cast<Over>(7), counts); });
  stays_wrong(count, [&] { histogram(image, Over::global, near); });
  stays_wrong(
      [&] { histogram(image, mask, Over::global, counts); },
      [&] { histogram(image, hwc(memory.bytes.data() + 512, 7, 5, 1), Over::global, counts); });

  const auto matrix = [&](std::int64_t offset, std::int64_t h, std::int64_t w) {
    return hwc(reinterpret_cast<float *>(memory.bytes.data() + offset), h, w, 1);
  };
  const auto product = [&] { matmul(matrix(0, 4, 5), matrix(256, 5, 6), matrix(512, 4, 6)); };
  stays_wrong(product, [&] { matmul(matrix(0, 4, 5), matrix(256, 4, 6), matrix(512, 4, 6)); });
  stays_wrong(product, [&] { matmul(matrix(0, 4, 5), matrix(256, 5, 6), matrix(264, 4, 6)); });
  stays_wrong(
      [&] { pairwise_distances_squared(matrix(0, 4, 5), matrix(256, 3, 5), matrix(512, 4, 3)); },
      [&] { pairwise_distances_squared(matrix(0, 4, 5), matrix(256, 3, 5), matrix(4, 4, 3)); });

  const View result = memory.at<float>(1024);
  const auto moments = [&] { normalize_per_image(image, Normalization::image, result); };
  stays_wrong(moments,
              [&] { normalize_per_image(image, Normalization::image, memory.at<float>(96)); });
  stays_wrong(moments, [&] { normalize_per_image(image, Normalization::image, image); });
}
