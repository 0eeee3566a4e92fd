// matmul and pairwise_distances_squared beyond their conformance cells: errors, bits that no
// blocking may change, tolerances on the data that they are stated for, and what raw library calls
// get wrong.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/matmul/params.hpp"
#include "candidates/pairwise_distances_squared/params.hpp"
#include "candidates/registry.hpp"
#include "router/split.hpp"
#include "switchyard/switchyard.hpp"
#include "tests/support/every_candidate.hpp"

using namespace switchyard;

using switchyard::test::with_every_candidate;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
ConstView matrix(const std::vector<T> &values, std::int64_t rows, std::int64_t columns) {
  return hwc(values.data(), rows, columns, 1);
}

ConstView transposed_view(ConstView view) {
  std::swap(view.shape[kH], view.shape[kW]);
  std::swap(view.strides[kH], view.strides[kW]);
  return view;
}

std::vector<float> uniform(std::size_t n, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  std::generate(values.begin(), values.end(),
                [&] { return low + (high - low) * static_cast<float>(random() >> 8) * 0x1p-24F; });
  return values;
}

std::vector<std::uint8_t> bytes(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> values(n);
  std::generate(values.begin(), values.end(),
                [&] { return static_cast<std::uint8_t>(random() >> 11); });
  return values;
}

std::string message_of(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

template <class T> bool same_bits(const Image &a, const Image &b) {
  return a.view().shape == b.view().shape &&
         std::memcmp(a.data<T>(), b.data<T>(),
                     sizeof(T) * static_cast<std::size_t>(a.view().elements())) == 0;
}

} // namespace

TEST_CASE("matmul multiplies a small matrix by hand") {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};
  const std::vector<float> b{7, 8, 9, 10, 11, 12};
  const std::array<float, 4> expected{58, 64, 139, 154};
  CHECK(with_every_candidate("matmul", [&](const Options &options) {
          const Image out = matmul(matrix(a, 2, 3), matrix(b, 3, 2), options);
          CHECK(out.view().shape == Extents{1, 2, 2, 1});
          CHECK(std::equal(expected.begin(), expected.end(), out.data<float>()));
        }) >= 2);
}

TEST_CASE("matmul reads transposed and reversed views as they lie") {
  const std::vector<float> a = uniform(std::size_t{13} * 37, 1);
  const std::vector<float> b = uniform(std::size_t{37} * 21, 2);
  std::vector<float> a_columns(a.size());
  std::vector<float> b_columns(b.size());
  for (std::size_t k = 0; k < 37; ++k) {
    for (std::size_t m = 0; m < 13; ++m) {
      a_columns[k * 13 + m] = a[m * 37 + k];
    }
    for (std::size_t n = 0; n < 21; ++n) {
      b_columns[n * 37 + k] = b[k * 21 + n];
    }
  }
  CHECK(with_every_candidate("matmul", [&](const Options &options) {
          const Image plain = matmul(matrix(a, 13, 37), matrix(b, 37, 21), options);
          const Image turned = matmul(transposed_view(matrix(a_columns, 37, 13)),
                                      transposed_view(matrix(b_columns, 21, 37)), options);
          for (int i = 0; i < 13 * 21; ++i) {
            REQUIRE(turned.data<float>()[i] == Approx(plain.data<float>()[i]).margin(1e-5));
          }
        }) >= 2);
  Options bitwise;
  bitwise.exactness = Exactness::bitwise;
  // Backwards along the depth, twice: the same sums in the other order.
  const ConstView a_back = reversed(matrix(a, 13, 37), kW);
  const ConstView b_back = reversed(matrix(b, 37, 21), kH);
  const Image forth = matmul(matrix(a, 13, 37), matrix(b, 37, 21), bitwise);
  const Image back = matmul(a_back, b_back, bitwise);
  CHECK_FALSE(same_bits<float>(forth, back)); // the order is part of the reference
  for (int i = 0; i < 13 * 21; ++i) {
    REQUIRE(back.data<float>()[i] == Approx(forth.data<float>()[i]).margin(1e-5));
  }
}

TEST_CASE("bitwise matmul gives one element's bits in every size, thread count and target") {
  constexpr std::int64_t kDepth = 700;
  const std::vector<float> a = uniform(std::size_t{61} * kDepth, 3);
  const std::vector<float> b = uniform(std::size_t{kDepth} * 75, 4);
  std::vector<float> expected;
  for (std::int64_t m = 0; m < 61; ++m) {
    for (std::int64_t n = 0; n < 75; ++n) {
      volatile float sum = 0; // rounds every step
      for (std::int64_t k = 0; k < kDepth; ++k) {
        const volatile float product =
            a[static_cast<std::size_t>(m * kDepth + k)] * b[static_cast<std::size_t>(k * 75 + n)];
        sum = sum + product;
      }
      expected.push_back(static_cast<float>(sum));
    }
  }
  Options options;
  options.exactness = Exactness::bitwise;
  conformance::for_each_simd_target([&](const std::string &target) {
    INFO(target);
    for (const std::string_view candidate : {"fused", "loop"}) {
      options.candidate = candidate;
      for (const int threads : {1, 2}) {
        options.threads = threads;
        const Image out = matmul(matrix(a, 61, kDepth), matrix(b, kDepth, 75), options);
        CHECK(std::memcmp(out.data<float>(), expected.data(), 4 * expected.size()) == 0);
      }
      // A part of the problem, and its transpose, which fused computes for a few columns.
      const ConstView right = crop(matrix(b, kDepth, 75), 0, 9, kDepth, 2);
      const Image part = matmul(crop(matrix(a, 61, kDepth), 7, 0, 50, kDepth), right, options);
      for (std::int64_t m = 0; m < 50; ++m) {
        for (std::int64_t n = 0; n < 2; ++n) {
          REQUIRE(part.data<float>()[m * 2 + n] ==
                  expected[static_cast<std::size_t>((m + 7) * 75 + n + 9)]);
        }
      }
    }
  });
}

TEST_CASE("matmul of f32 in [-1, 1] is within 1e-4 for up to 1024 terms") {
  for (const std::int64_t depth : {10, 320, 1024}) {
    const std::vector<float> a = uniform(static_cast<std::size_t>(40 * depth), 5);
    const std::vector<float> b = uniform(static_cast<std::size_t>(depth * 30), 6);
    CHECK(with_every_candidate("matmul", [&](const Options &options) {
            const Image out = matmul(matrix(a, 40, depth), matrix(b, depth, 30), options);
            for (std::int64_t m = 0; m < 40; ++m) {
              for (std::int64_t n = 0; n < 30; ++n) {
                double exact = 0;
                for (std::int64_t k = 0; k < depth; ++k) {
                  exact += static_cast<double>(a[static_cast<std::size_t>(m * depth + k)]) *
                           static_cast<double>(b[static_cast<std::size_t>(k * 30 + n)]);
                }
                const double got = static_cast<double>(out.data<float>()[m * 30 + n]);
                REQUIRE(std::fabs(got - exact) <= 1e-4 * std::fabs(exact) + 1e-4);
              }
            }
          }) >= 2);
  }
}

TEST_CASE("MAT-02: a product of u8 is an exact i32") {
  const std::vector<std::uint8_t> all(4, 200);
  for (const bool turned : {false, true}) {
    const ConstView plain = matrix(all, 2, 2);
    const ConstView a = turned ? transposed_view(plain) : plain;
    CHECK(with_every_candidate("matmul", [&](const Options &options) {
            const Image out = matmul(a, plain, options);
            REQUIRE(out.view().dtype == Dtype::i32);
            for (int i = 0; i < 4; ++i) {
              CHECK(out.data<std::int32_t>()[i] == 80000);
            }
          }) >= 2);
  }
}

TEST_CASE("matmul of u8 is exact up to the depth whose sums fit i32, and an error beyond") {
  constexpr std::int64_t kMost = candidates::kMostByteProducts;
  STATIC_REQUIRE(kMost * 255 * 255 <= std::numeric_limits<std::int32_t>::max());
  STATIC_REQUIRE((kMost + 1) * 255 * 255 > std::numeric_limits<std::int32_t>::max());
  const std::vector<std::uint8_t> most(static_cast<std::size_t>(kMost * 3), 255);
  CHECK(with_every_candidate("matmul", [&](const Options &options) {
          const Image out = matmul(matrix(most, 3, kMost), matrix(most, kMost, 3), options);
          for (int i = 0; i < 9; ++i) {
            CHECK(out.data<std::int32_t>()[i] == kMost * 255 * 255);
          }
        }) >= 2);
  const std::vector<std::uint8_t> more(static_cast<std::size_t>(kMost + 1));
  std::int32_t untouched = 7;
  const View out = hwc(&untouched, 1, 1, 1);
  const std::string message =
      message_of([&] { matmul(matrix(more, 1, kMost + 1), matrix(more, kMost + 1, 1), out); });
  CHECK_THAT(message, Catch::Contains("33026 columns") && Catch::Contains("33025"));
  CHECK(untouched == 7);
  // No such bound for f32.
  const std::vector<float> ones(static_cast<std::size_t>(kMost + 1), 1);
  CHECK(*matmul(matrix(ones, 1, kMost + 1), matrix(ones, kMost + 1, 1)).data<float>() ==
        static_cast<float>(kMost + 1));
}

TEST_CASE("random u8 products around the blocks of exact sums agree with integers") {
  for (const std::int64_t depth : {255, 256, 257, 258, 259, 515}) {
    const auto a = bytes(static_cast<std::size_t>(9 * depth), 7);
    const auto b = bytes(static_cast<std::size_t>(depth * 11), 8);
    CHECK(with_every_candidate("matmul", [&](const Options &options) {
            const Image out = matmul(matrix(a, 9, depth), matrix(b, depth, 11), options);
            for (std::int64_t m = 0; m < 9; ++m) {
              for (std::int64_t n = 0; n < 11; ++n) {
                std::int32_t sum = 0;
                for (std::int64_t k = 0; k < depth; ++k) {
                  sum += a[static_cast<std::size_t>(m * depth + k)] *
                         b[static_cast<std::size_t>(k * 11 + n)];
                }
                REQUIRE(out.data<std::int32_t>()[m * 11 + n] == sum);
              }
            }
          }) >= 2);
  }
}

TEST_CASE("matmul skips no zero and keeps infinities, in f32 and f64") {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    const T inf = std::numeric_limits<T>::infinity();
    // Row 0 meets an infinity with a zero, row 1 with a number, row 2 with one of the other sign.
    std::vector<T> a{0, 1, 2, 1, 1, 1, 1, 1, -inf};
    std::vector<T> b{inf, 1, 1, 1, 1, 1};
    CHECK(with_every_candidate("matmul", [&](const Options &options) {
            const Image out = matmul(matrix(a, 3, 3), matrix(b, 3, 2), options);
            const T *values = out.data<T>();
            CHECK(std::isnan(values[0]));
            CHECK(values[1] == T{3});
            CHECK(values[2] == inf);
            CHECK(values[3] == T{3});
            CHECK(std::isnan(values[4]));
            CHECK(values[5] == -inf);
          }) >= 2);
  };
  check(0.0F);
  check(0.0);
}

TEST_CASE("matmul of nothing: zeros where there is no depth, else an empty result") {
  const std::vector<float> none;
  const Image zeros = matmul(matrix(none, 3, 0), matrix(none, 0, 2));
  CHECK(zeros.view().shape == Extents{1, 3, 2, 1});
  CHECK(std::all_of(zeros.data<float>(), zeros.data<float>() + 6, [](float x) { return x == 0; }));
  const std::vector<float> six(6, 1);
  CHECK(matmul(matrix(none, 0, 3), matrix(six, 3, 2)).view().shape == Extents{1, 0, 2, 1});
  CHECK(matmul(matrix(six, 2, 3), matrix(none, 3, 0)).view().shape == Extents{1, 2, 0, 1});
}

TEST_CASE("matmul of a batch multiplies each by its own matrix or all by one") {
  const std::vector<float> a = uniform(std::size_t{3} * 4 * 5, 9);
  const std::vector<float> b = uniform(std::size_t{3} * 5 * 6, 10);
  const ConstView left = xhwc(a.data(), 3, 4, 5, 1);
  const ConstView right = xhwc(b.data(), 3, 5, 6, 1);
  for (const int threads : {1, 2}) {
    CHECK(
        with_every_candidate("matmul", [&](Options options) {
          options.threads = threads;
          const Image each = matmul(left, right, options);
          const Image shared = matmul(left, slice(right, kX, 1, 2), options);
          CHECK(each.view().shape == Extents{3, 4, 6, 1});
          CHECK(each.view().rank == 4);
          for (std::int64_t x = 0; x < 3; ++x) {
            const Image one =
                matmul(slice(left, kX, x, x + 1), slice(right, kX, x, x + 1), options);
            const Image by_one = matmul(slice(left, kX, x, x + 1), slice(right, kX, 1, 2), options);
            for (int i = 0; i < 24; ++i) {
              REQUIRE(each.data<float>()[x * 24 + i] == Approx(one.data<float>()[i]).margin(1e-6));
              REQUIRE(shared.data<float>()[x * 24 + i] ==
                      Approx(by_one.data<float>()[i]).margin(1e-6));
            }
          }
        }) >= 2);
  }
}

TEST_CASE("bands of rows of square matrices all see the whole right-hand matrix") {
  const std::vector<float> a = uniform(std::size_t{64} * 64, 11);
  const std::vector<float> b = uniform(std::size_t{64} * 64, 12);
  for (const std::string_view variant : {"matmul", "pairwise_distances_squared"}) {
    const bool product = variant == "matmul";
    const candidates::MatmulParams product_params{64, true};
    const candidates::PairwiseParams distance_params{64};
    const ConstView left = matrix(a, 64, 64);
    const ConstView right = matrix(b, 64, 64);
    const Image whole({1, 64, 64, 1}, Dtype::f32);
    const Image split({1, 64, 64, 1}, Dtype::f32);
    Call call;
    call.in = {&left, &right};
    call.params = product ? static_cast<const void *>(&product_params) : &distance_params;
    call.dtype_case = product ? 1 : 0;
    for (const Candidate &candidate : candidates::find_variant(variant)->candidates) {
      call.out[0] = &whole.view();
      if (candidate.refuses(call) != nullptr) {
        continue;
      }
      candidate.run(call);
      call.out[0] = &split.view();
      std::fill_n(split.data<float>(), 64 * 64, -1.0F);
      static_cast<void>(run_split(candidate, call, 2));
      INFO(variant << " " << candidate.id);
      for (int i = 0; i < 64 * 64; ++i) {
        REQUIRE(split.data<float>()[i] == Approx(whole.data<float>()[i]).margin(1e-5));
      }
    }
  }
}

TEST_CASE("matmul and pairwise_distances_squared name the argument that is wrong") {
  std::vector<float> values(64, 1);
  const ConstView a = matrix(values, 4, 5);
  const std::vector<double> doubles(64);
  const std::vector<std::uint16_t> shorts(64);
  CHECK_THAT(message_of([&] { (void)matmul(a, matrix(values, 4, 5)); }),
             Catch::Contains("matmul: b: got 4x5 elements") && Catch::Contains("5 rows"));
  CHECK_THAT(message_of([&] { (void)matmul(a, matrix(doubles, 5, 2)); }),
             Catch::Contains("matmul: b: got dtype f64"));
  CHECK_THAT(message_of([&] { (void)matmul(matrix(shorts, 4, 5), matrix(shorts, 5, 4)); }),
             Catch::Contains("matmul: a: got dtype u16"));
  CHECK_THAT(message_of([&] { (void)matmul(hwc(values.data(), 2, 2, 2), a); }),
             Catch::Contains("2 channels"));
  CHECK_THAT(message_of([&] {
               (void)matmul(xhwc(values.data(), 3, 2, 4, 1), xhwc(values.data(), 2, 4, 2, 1));
             }),
             Catch::Contains("2 matrices") && Catch::Contains("1 or 3"));
  const View whole = hwc(values.data(), 4, 4, 1);
  CHECK_THROWS_AS(matmul(whole, whole, whole), Error); // no overlap
  CHECK_THROWS_AS(pairwise_distances_squared(whole, whole, whole), Error);
  CHECK_THAT(message_of([&] { (void)pairwise_distances_squared(a, matrix(values, 3, 4)); }),
             Catch::Contains("points of 5 coordinates"));
  CHECK_THAT(
      message_of([&] { (void)pairwise_distances_squared(xhwc(values.data(), 2, 2, 2, 1), a); }),
      Catch::Contains("2 matrices"));
  // A column that repeats one element takes no memory, whatever its length.
  ConstView column = matrix(values, 1, 1);
  column.shape[kH] = std::int64_t{1} << 31;
  column.strides[kH] = 0;
  CHECK_THAT(message_of([&] { (void)matmul(column, transposed_view(column)); }),
             Catch::Contains("matmul: result: got shape 2147483648x2147483648x1 of f32"));
  const std::vector<std::uint8_t> small(20);
  CHECK_THROWS_AS(pairwise_distances_squared(matrix(small, 4, 5), matrix(small, 4, 5)), Error);
  CHECK(std::all_of(values.begin(), values.end(), [](float x) { return x == 1; }));
}

TEST_CASE("distances far from the origin keep their digits, in every candidate") {
  // Near 4096 a norm has an error of about 2 where these distances are about 1e-6.
  for (const std::int64_t coordinates : {2, 3, 32, 100, 1000, 4000}) {
    std::vector<float> a = uniform(static_cast<std::size_t>(6 * coordinates), 13, 4096, 4096.01F);
    std::vector<float> b = uniform(static_cast<std::size_t>(9 * coordinates), 14, 4096, 4096.01F);
    std::copy_n(a.begin(), coordinates, b.begin()); // a pair that coincides
    CHECK(with_every_candidate("pairwise_distances_squared", [&](const Options &options) {
            const Image out = pairwise_distances_squared(matrix(a, 6, coordinates),
                                                         matrix(b, 9, coordinates), options);
            REQUIRE(out.view().shape == Extents{1, 6, 9, 1});
            CHECK(out.data<float>()[0] == 0);
            for (std::int64_t n = 0; n < 6; ++n) {
              for (std::int64_t m = 0; m < 9; ++m) {
                double exact = 0;
                for (std::int64_t d = 0; d < coordinates; ++d) {
                  const double difference =
                      static_cast<double>(a[static_cast<std::size_t>(n * coordinates + d)]) -
                      static_cast<double>(b[static_cast<std::size_t>(m * coordinates + d)]);
                  exact += difference * difference;
                }
                const auto got = static_cast<double>(out.data<float>()[n * 9 + m]);
                REQUIRE(got >= 0);
                REQUIRE(std::fabs(got - exact) <= 1e-5 * exact);
              }
            }
          }) >= 2);
  }
}

TEST_CASE("distances of f64 points are taken in f64 and narrowed once") {
  const std::vector<double> a{1e9 + 1e-3, 2e9, 1e200, 0};
  const std::vector<double> b{1e9, 2e9, 0, 0};
  CHECK(with_every_candidate("pairwise_distances_squared", [&](const Options &options) {
          const Image out = pairwise_distances_squared(matrix(a, 2, 2), matrix(b, 2, 2), options);
          CHECK(out.data<float>()[0] == Approx(1e-6).epsilon(1e-3)); // 1e9 + 1e-3 is rounded
          CHECK(static_cast<double>(out.data<float>()[2]) == kInf);
        }) >= 2);
}

TEST_CASE("distances of no points, and of points without coordinates") {
  const std::vector<float> none;
  const std::vector<float> six(6, 1);
  CHECK(pairwise_distances_squared(matrix(none, 0, 3), matrix(six, 2, 3)).view().shape ==
        Extents{1, 0, 2, 1});
  const Image zeros = pairwise_distances_squared(matrix(none, 3, 0), matrix(none, 2, 0));
  CHECK(zeros.view().shape == Extents{1, 3, 2, 1});
  CHECK(std::all_of(zeros.data<float>(), zeros.data<float>() + 6, [](float x) { return x == 0; }));
}
