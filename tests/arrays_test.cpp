// Pointwise ops with array operands beyond the conformance problems: which overload a call takes,
// values worked out by hand, mixed dtypes, precision, aliasing and errors.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "router/router.hpp"
#include "switchyard/switchyard.hpp"

namespace switchyard {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

template <class T>
ConstView view_of(const std::vector<T> &values, std::int64_t channels = 1,
                  std::int64_t height = 1) {
  const auto n = static_cast<std::int64_t>(values.size());
  const Extents shape{1, height, n / channels / height, channels};
  return strided(values.data(), shape, contiguous_strides(shape, sizeof(T)), 3);
}
template <class T> View writable(std::vector<T> &values, std::int64_t channels = 1) {
  return hwc(values.data(), 1, static_cast<std::int64_t>(values.size()) / channels, channels);
}
template <class T> std::vector<T> values_of(const Image &image) {
  return {image.data<T>(), image.data<T>() + image.view().elements()};
}

// each(options) for every candidate of the variant that accepts the problem; returns how many.
template <class Each> int with_candidates(std::string_view variant, Options options, Each &&each) {
  int ran = 0;
  for (const std::string_view id : candidates_of(variant)) {
    options.candidate = id;
    INFO(id);
    try {
      each(options);
    } catch (const Error &error) {
      REQUIRE(error.argument() == "candidate");
      continue;
    }
    ++ran;
  }
  return ran;
}

Options rounded(Rounding rounding) {
  Options options;
  options.rounding = rounding;
  return options;
}

// Converts to any of the operand dtypes.
template <class T> std::vector<T> as(const std::vector<int> &values) {
  return {values.begin(), values.end()};
}

} // namespace

TEST_CASE("Numbers, lists, views and images each reach the overload that is theirs") {
  const Image image({1, 2, 2, 3}, Dtype::u8);
  std::fill_n(image.data<std::uint8_t>(), 12, std::uint8_t{10});
  const Image other = add(image, 0);
  const ConstView view = other.view();
  const auto variant = [] { return std::string(last_route().variant); };
  CHECK(*add(image, 3.0).data<std::uint8_t>() == 13);
  CHECK(variant() == "add/scalar");
  CHECK(*add(image, 3).data<std::uint8_t>() == 13);
  CHECK(variant() == "add/scalar");
  CHECK(*add(image, {1, 2, 3}).data<std::uint8_t>() == 11);
  CHECK(variant() == "add/vector");
  // 0 is a null pointer as well, and a view begins with a pointer.
  CHECK(*add(image, {0, 2, 3}).data<std::uint8_t>() == 10);
  CHECK(variant() == "add/vector");
  CHECK(*add(image, {0}).data<std::uint8_t>() == 10);
  CHECK(variant() == "add/scalar");
  CHECK(*add(image, std::vector<double>{1, 2, 3}).data<std::uint8_t>() == 11);
  CHECK(variant() == "add/vector");
  CHECK(*add(image, other).data<std::uint8_t>() == 20);
  CHECK(variant() == "add/array");
  CHECK(*add(image, view).data<std::uint8_t>() == 20);
  CHECK(*add(image, other.view()).data<std::uint8_t>() == 20);
  CHECK(*add(image, add(image, other)).data<std::uint8_t>() == 30);
  CHECK(*multiply(image, other, rounded(Rounding::half_even)).data<std::uint8_t>() == 100);
  CHECK(variant() == "multiply/array");
  CHECK(*power(image, other).data<std::uint8_t>() == 255);
  CHECK(variant() == "power/array");

  CHECK(*multiply_add(image, 2, {0, 1, 2}).data<std::uint8_t>() == 20);
  CHECK(variant() == "multiply_add/vector");
  CHECK(*multiply_add(image, other, {0, 1, 2}).data<std::uint8_t>() == 100);
  CHECK(variant() == "multiply_add/array");
  CHECK(*multiply_add(image, {0, 0, 0}, view).data<std::uint8_t>() == 10);
  CHECK(*multiply_add(image, 2, other).data<std::uint8_t>() == 30);
  CHECK(*multiply_add(image, other, 2.5).data<std::uint8_t>() == 102);
  CHECK(*multiply_add(image, other, view).data<std::uint8_t>() == 110);
  CHECK(variant() == "multiply_add/array");

  const Image out({1, 2, 2, 3}, Dtype::u8);
  add(image, other, out);
  multiply(image, other, out);
  multiply_add(image, other, 1, out);
  unchecked::add(image, other, out);
  CHECK(*out.data<std::uint8_t>() == 20);
  unchecked::multiply(image, view, out);
  CHECK(*out.data<std::uint8_t>() == 100);
  unchecked::multiply_add(image, 3, view, out);
  CHECK(*out.data<std::uint8_t>() == 40);
  unchecked::multiply_add(image, view, 3, out);
  CHECK(*out.data<std::uint8_t>() == 103);
  unchecked::multiply_add(image, view, view, out);
  CHECK(*out.data<std::uint8_t>() == 110);
  unchecked::power(image, view, out);
  CHECK(*out.data<std::uint8_t>() == 255);
}

TEST_CASE("add of u8 truncates an array in its own dtype, before it is narrowed, and saturates") {
  const Bytes in(40, 100);
  const auto expect = [&](const ConstView &value, const Bytes &first) {
    const int ran = with_candidates("add/array", {}, [&](const Options &o) {
      const Bytes got = values_of<std::uint8_t>(add(view_of(in), value, o));
      for (std::size_t i = 0; i < got.size(); ++i) {
        REQUIRE(int{got[i]} == int{first[i % first.size()]});
      }
    });
    CHECK(ran >= 2);
  };
  const auto repeat = []<class T>(const std::vector<T> &values) {
    std::vector<T> all;
    while (all.size() < 40) {
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const auto doubles = repeat(
      std::vector<double>{0.99999999, -0.99999999, 1.9, -1.9, 155.99999999, -100.5, kNan, kInf});
  expect(view_of(doubles), {100, 100, 101, 99, 255, 0, 0, 255});
  const auto floats = repeat(std::vector<float>{0.9F, -0.9F, -100.9F, 1e38F, -1e38F,
                                                static_cast<float>(-kInf), 154.999F, -0.0F});
  expect(view_of(floats), {100, 100, 0, 255, 0, 0, 254, 100});
  const auto shorts = repeat(std::vector<std::int16_t>{-20, 20, -32768, 32767});
  expect(view_of(shorts), {80, 120, 0, 255});
  const auto words = repeat(std::vector<std::uint16_t>{155, 156, 65535, 0});
  expect(view_of(words), {255, 255, 255, 100});
  const auto signed_bytes = repeat(std::vector<std::int8_t>{-128, 127, -1, 1});
  expect(view_of(signed_bytes), {0, 227, 99, 101});
}

TEST_CASE("A rounding that is asked for acts on the real result, with arrays as with numbers") {
  const Bytes in(50, 1);
  const Floats half(50, 0.5F);
  struct Case {
    Rounding rounding;
    int product;
    int sum;
  };
  for (const Case &c : {Case{Rounding::by_op, 0, 1},
                        {Rounding::truncate, 0, 1},
                        {Rounding::half_even, 0, 2},
                        {Rounding::half_up, 1, 2}}) {
    INFO(name_of(c.rounding));
    CHECK(with_candidates("multiply/array", rounded(c.rounding), [&](const Options &o) {
            const Bytes got = values_of<std::uint8_t>(multiply(view_of(in), view_of(half), o));
            REQUIRE(got == Bytes(50, static_cast<std::uint8_t>(c.product)));
          }) >= 2);
    CHECK(with_candidates("add/array", rounded(c.rounding), [&](const Options &o) {
            const Bytes got = values_of<std::uint8_t>(add(view_of(in), view_of(half), o));
            REQUIRE(got == Bytes(50, static_cast<std::uint8_t>(c.sum)));
          }) >= 2);
  }
  // By its own rule the operand is truncated, which differs from the sum below 0.
  const Floats less(50, -0.5F);
  CHECK(values_of<std::uint8_t>(add(view_of(in), view_of(less))) == in);
  CHECK(values_of<std::uint8_t>(add(view_of(in), view_of(less), rounded(Rounding::truncate))) ==
        Bytes(50, 0));
}

namespace {

template <class T, class Factor, class Value> void check_mixed() {
  std::vector<int> levels(77);
  std::iota(levels.begin(), levels.end(), 0);
  const auto image = as<T>(levels);
  std::vector<Factor> factor;
  std::vector<Value> value;
  for (int i = 0; i < 77; ++i) {
    factor.push_back(static_cast<Factor>(i % 5));
    value.push_back(static_cast<Value>(i % 11 + 3));
  }
  CHECK(with_candidates("multiply_add/array", {}, [&](const Options &o) {
          const auto got =
              values_of<T>(multiply_add(view_of(image), view_of(factor), view_of(value), o));
          for (int i = 0; i < 77; ++i) {
            const int exact = i * (i % 5) + i % 11 + 3;
            const int expected = std::is_same_v<T, std::uint8_t> ? std::min(exact, 255) : exact;
            REQUIRE(static_cast<int>(got[static_cast<std::size_t>(i)]) == expected);
          }
        }) >= 2);
}
template <class T, class Factor> void check_mixed_values() {
  check_mixed<T, Factor, std::uint8_t>();
  check_mixed<T, Factor, std::int8_t>();
  check_mixed<T, Factor, std::uint16_t>();
  check_mixed<T, Factor, std::int16_t>();
  check_mixed<T, Factor, float>();
  check_mixed<T, Factor, double>();
}
template <class T> void check_mixed_factors() {
  check_mixed_values<T, std::uint8_t>();
  check_mixed_values<T, std::int8_t>();
  check_mixed_values<T, std::uint16_t>();
  check_mixed_values<T, std::int16_t>();
  check_mixed_values<T, float>();
  check_mixed_values<T, double>();
}

} // namespace

TEST_CASE("multiply_add takes arrays of any two dtypes") {
  check_mixed_factors<std::uint8_t>();
  check_mixed_factors<float>();
}

TEST_CASE("An array of one channel or one item is repeated, in every channel count and layout") {
  for (const std::int64_t c : {1, 2, 3, 4, 5, 9, 16, 17, 31, 32, 33, 100}) {
    for (const std::int64_t items : {1, 3}) {
      INFO(c << " channels, " << items << " items");
      const std::int64_t h = 5;
      const std::int64_t w = 71;
      const Image image({items, h, w, c}, Dtype::f32, 4);
      for (std::int64_t i = 0; i < image.view().elements(); ++i) {
        image.data<float>()[i] = static_cast<float>(i % 101);
      }
      std::vector<std::uint16_t> mask(static_cast<std::size_t>(h * w));
      for (std::size_t i = 0; i < mask.size(); ++i) {
        mask[i] = static_cast<std::uint16_t>(i % 7);
      }
      const ConstView plane = hwc(std::as_const(mask).data(), h, w, 1);
      // Every second column, and upside down.
      const ConstView narrow = reversed(slice(image.view(), kW, 0, 35), kH);
      ConstView every_second = reversed(slice(plane, kW, 0, 35), kH);
      every_second.strides[kW] *= 2;
      for (const auto &[x, a] :
           {std::pair<ConstView, ConstView>{image.view(), plane}, {narrow, every_second}}) {
        const auto expected = [&, &x = x, &a = a](std::int64_t i, std::int64_t y,
                                                  std::int64_t column, std::int64_t k) {
          float pixel = 0;
          std::uint16_t factor = 0;
          std::memcpy(&pixel, x.at(i, y, column, k), sizeof pixel);
          std::memcpy(&factor, a.at(0, y, column, 0), sizeof factor);
          return pixel * static_cast<float>(factor);
        };
        with_candidates("multiply/array", {}, [&, &x = x, &a = a](const Options &o) {
          const Image out = multiply(x, a, o);
          for (std::int64_t i = 0; i < items; ++i) {
            for (std::int64_t y = 0; y < h; ++y) {
              for (std::int64_t column = 0; column < x.shape[kW]; ++column) {
                for (std::int64_t k = 0; k < c; ++k) {
                  float got = 0;
                  std::memcpy(&got, out.view().at(i, y, column, k), sizeof got);
                  REQUIRE(got == expected(i, y, column, k));
                }
              }
            }
          }
        });
      }
    }
  }
}

TEST_CASE("Threads do not change what an operand is repeated to") {
  const Image image({6, 40, 50, 3}, Dtype::u8, 4);
  for (std::int64_t i = 0; i < image.view().elements(); ++i) {
    image.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 7);
  }
  Floats mask(40 * 50);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = static_cast<float>(i % 13) / 12;
  }
  const ConstView plane = hwc(std::as_const(mask).data(), 40, 50, 1);
  for (const std::int64_t items : {1, 6}) {
    const ConstView part = slice(image.view(), kX, 0, items);
    with_candidates("multiply_add/array", {}, [&](Options options) {
      const Bytes one = values_of<std::uint8_t>(multiply_add(part, plane, {1, 20, -30}, options));
      options.threads = 4;
      const Bytes four = values_of<std::uint8_t>(multiply_add(part, plane, {1, 20, -30}, options));
      CHECK(four == one);
    });
  }
}

TEST_CASE("One element beyond f32 moves the whole op to f64, wherever it sits") {
  // 2^24 + 1.000000001 is 2^24 in f32, where the summand is 1, and 2^24 + 2 if the sum is f64.
  for (const std::int64_t n : {3, 255, 256, 257, 1000}) {
    Floats in(static_cast<std::size_t>(n), 16777216.0F);
    std::vector<double> value(in.size(), 1.000000001);
    Floats sums = values_of<float>(add(view_of(in), view_of(value)));
    CHECK(sums[0] == 16777216.0F);
    for (const std::size_t place : {std::size_t{0}, in.size() / 2, in.size() - 1}) {
      std::vector<double> wide = value;
      wide[place] = place % 2 == 0 ? 1e300 : -1e39;
      INFO(n << " elements, at " << place);
      const std::size_t other = place == 1 ? 0 : 1;
      sums = values_of<float>(add(view_of(in), view_of(wide)));
      CHECK(sums[other] == 16777218.0F);
      CHECK(static_cast<double>(sums[place]) == (place % 2 == 0 ? kInf : -kInf));
      // The same through strides that are neither dense nor positive.
      std::vector<double> spread(2 * wide.size(), 0.0);
      for (std::size_t i = 0; i < wide.size(); ++i) {
        spread[2 * i] = wide[i];
      }
      const ConstView sparse = strided(std::as_const(spread).data(), {1, 1, n, 1}, {0, 0, 16, 8});
      CHECK(values_of<float>(add(view_of(in), sparse)) == sums);
      Floats backwards = values_of<float>(add(view_of(in), reversed(sparse, kW)));
      std::reverse(backwards.begin(), backwards.end());
      CHECK(backwards == sums);
    }
  }
  // What narrows to FLT_MAX but is beyond it counts; infinities and NaN do not.
  const Floats one{16777216.0F, 16777216.0F};
  const std::vector<double> beside{1.000000001, FLT_MAX * (1 + 1e-9)};
  CHECK(values_of<float>(add(view_of(one), view_of(beside)))[0] == 16777218.0F);
  const std::vector<double> infinite{1.000000001, kInf};
  CHECK(values_of<float>(add(view_of(one), view_of(infinite)))[0] == 16777216.0F);
  // A number beyond f32 beside an array, too.
  const Floats zero(2, 0.0F);
  CHECK(std::isnan(values_of<float>(multiply_add(view_of(zero), view_of(one), kInf * 0))[0]));
  CHECK(values_of<float>(multiply_add(view_of(zero), 1e300, view_of(one)))[0] == 16777216.0F);
}

TEST_CASE("The output may be exactly the image or an operand, in every candidate") {
  Floats image(100);
  std::iota(image.begin(), image.end(), 1.0F);
  const Floats factor(image.rbegin(), image.rend());
  Floats value(100);
  std::iota(value.begin(), value.end(), -50.0F);
  Floats expected;
  for (std::size_t i = 0; i < 100; ++i) {
    expected.push_back(image[i] * factor[i] + value[i]);
  }
  CHECK(with_candidates("multiply_add/array", {}, [&](const Options &o) {
          for (const int aliased : {0, 1, 2}) {
            Floats x = image;
            Floats a = factor;
            Floats b = value;
            Floats &out = aliased == 0 ? x : aliased == 1 ? a : b;
            multiply_add(view_of(x), view_of(a), view_of(b), writable(out), o);
            REQUIRE(out == expected);
          }
          Floats same = image;
          multiply_add(view_of(same), view_of(same), view_of(same), writable(same), o);
          REQUIRE(same[9] == 110);
        }) >= 2);
  CHECK(with_candidates("power/array", {}, [&](const Options &o) {
          Floats x{4, 9, 16, 25};
          Floats a(4, 0.5F);
          power(view_of(x), view_of(a), writable(a), o);
          for (std::size_t i = 0; i < 4; ++i) {
            REQUIRE(a[i] == Approx(2 + static_cast<double>(i)).epsilon(1e-6));
          }
        }) >= 2);
}

TEST_CASE("An expanded operand is read as often as its shape says") {
  const Bytes in{1, 2, 3, 4, 5, 6};
  const float half = 2.5F;
  const ConstView expanded = strided(&half, {1, 1, 2, 3}, {0, 0, 0, 0});
  CHECK(with_candidates("multiply/array", {}, [&](const Options &o) {
          const Bytes got = values_of<std::uint8_t>(multiply(view_of(in, 3), expanded, o));
          REQUIRE(got == Bytes{2, 5, 7, 10, 12, 15});
        }) >= 2);
}

TEST_CASE("power of arrays has C's special cases element by element") {
  const Floats base{0, -0.0F, -2, -2, 1, 2, static_cast<float>(kNan), 0.5F, 3, -8};
  const Floats exponent{-1,
                        -3,
                        3,
                        0.5F,
                        static_cast<float>(kNan),
                        static_cast<float>(kInf),
                        0.0F,
                        static_cast<float>(-kInf),
                        2,
                        -0.0F};
  CHECK(with_candidates("power/array", {}, [&](const Options &o) {
          const Floats got = values_of<float>(power(view_of(base), view_of(exponent), o));
          for (std::size_t i = 0; i < base.size(); ++i) {
            const float expected = std::pow(base[i], exponent[i]);
            INFO(base[i] << " ^ " << exponent[i]);
            REQUIRE((std::isnan(expected) ? std::isnan(got[i]) : got[i] == expected));
          }
        }) >= 3);
  const Bytes levels{0, 2, 3, 255, 16, 4};
  const Floats powers{-1, 7, 5, 1, 0.5F, static_cast<float>(kNan)};
  CHECK(with_candidates("power/array", {}, [&](const Options &o) {
          const Bytes got = values_of<std::uint8_t>(power(view_of(levels), view_of(powers), o));
          REQUIRE(got == Bytes{255, 128, 243, 255, 4, 0});
        }) >= 2);
}

TEST_CASE("Errors name the op and the operand, and come before the first byte") {
  const Bytes in(2 * 3 * 4, 7);
  const ConstView image = view_of(in, 4, 2);
  Bytes out(in.size(), 9);
  const View result = hwc(out.data(), 2, 3, 4);
  const std::vector<std::int32_t> ints(in.size());
  const auto refused = [&](const auto &call, const char *starts, const char *contains) {
    CHECK_THROWS_WITH(call(), Catch::StartsWith(starts) && Catch::Contains(contains));
    CHECK(out == Bytes(in.size(), 9));
  };
  refused([&] { add(image, view_of(ints, 4, 2), result); }, "add: value", "i32");
  refused([&] { multiply(image, view_of(ints, 4, 2), result); }, "multiply: factor", "i32");
  refused([&] { power(image, view_of(ints, 4, 2), result); }, "power: exponent", "i32");
  refused([&] { multiply_add(image, 2, view_of(ints, 4, 2), result); }, "multiply_add: value",
          "i32");
  refused([&] { multiply_add(image, view_of(ints, 4, 2), image, result); }, "multiply_add: factor",
          "i32");
  // Shapes: another height, two channels of four, a batch beside one image.
  refused([&] { add(image, view_of(in, 4, 1), result); }, "add: value", "2x3x4 or 1");
  refused([&] { add(image, view_of(in, 2, 2), result); }, "add: value", "shape 2x6x2");
  refused([&] { add(image, view_of(in, 1, 2), result); }, "add: value", "shape 2x12x1");
  refused([&] { add(image, xhwc(in.data(), 2, 2, 3, 2), result); }, "add: value", "shape 2x2x3x2");
  refused(
      [&] {
        multiply_add(image, image, {1, 2, 3}, result);
      },
      "multiply_add: value", "3 values");
  // An output of another shape, dtype, or with elements that share an address.
  refused([&] { add(image, image, hwc(out.data(), 2, 4, 3)); }, "add: out", "shape");
  Floats real(in.size());
  refused([&] { add(image, image, hwc(real.data(), 2, 3, 4)); }, "add: out", "f32");
  refused(
      [&] {
        add(image, image, strided(out.data(), {1, 2, 3, 4}, {0, 0, 4, 1}, 3));
      },
      "add: out", "stride 0");
  // Overlap that is not the same view: with the image, and with an operand of either place.
  const ConstView whole = hwc(in.data(), 2, 3, 2);
  const ConstView target = hwc(std::as_const(out).data(), 2, 3, 2);
  const View beside = hwc(out.data() + 1, 2, 3, 2);
  refused([&] { add(target, whole, beside); }, "add: out", "overlaps image");
  refused([&] { add(whole, target, beside); }, "add: out", "overlaps value");
  refused([&] { multiply_add(whole, 2, target, beside); }, "multiply_add: out", "overlaps value");
  refused([&] { multiply_add(whole, target, whole, beside); }, "multiply_add: out",
          "overlaps factor");
  // The same address is no excuse where the shape or the dtype differs.
  refused([&] { add(image, hwc(std::as_const(out).data(), 2, 3, 1), result); }, "add: out",
          "overlaps value");
  refused(
      [&] { add(image, hwc(reinterpret_cast<const std::int8_t *>(out.data()), 2, 3, 4), result); },
      "add: out", "overlaps value");
}

TEST_CASE("An empty image with an array is an empty image") {
  const Bytes none;
  const ConstView empty = hwc(none.data(), 0, 5, 3);
  CHECK(add(empty, empty).view().empty());
  CHECK(multiply_add(empty, empty, 2).view().empty());
  CHECK(power(empty, hwc(none.data(), 0, 5, 1)).view().empty());
  CHECK_THROWS_AS(add(empty, hwc(none.data(), 0, 4, 3)), Error);
}

TEST_CASE("An operand that is repeated counts by its own layout") {
  const Bytes pixels(4 * 6 * 8 * 3);
  const Floats mask(6 * 8);
  const double number = 2;
  const ConstView image = xhwc(pixels.data(), 4, 6, 8, 3);
  const ConstView plane = hwc(mask.data(), 6, 8, 1);
  const ConstView scalar = hwc(&number, 1, 1, 1);
  const View out(const_cast<std::uint8_t *>(pixels.data()), image.shape, image.strides, Dtype::u8);
  Call call;
  call.in = {&image, &plane, &scalar};
  call.out = {&out};
  CHECK(layout_of(call) == LayoutClass::contiguous);
  const ConstView cropped = crop(hwc(mask.data(), 6, 8, 1), 1, 1, 5, 6);
  call.in[1] = &cropped;
  CHECK(layout_of(call) == LayoutClass::rows);
}

} // namespace switchyard
