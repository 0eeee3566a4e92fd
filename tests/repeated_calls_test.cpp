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
