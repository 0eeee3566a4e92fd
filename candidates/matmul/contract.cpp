// The contract of matmul. The problem's extents are X, M, K and N.
//
// A faithful result lies within (K + 2) · 2^-p · Σ|a·b| of the exact one, p being 24 or 53: what
// any order of K sums and products may lose. f32 results of K ≤ 1024 values in [−1, 1] lie within
// 1e-4 · |exact| + 1e-4 as well.
#include <algorithm>
#include <array>
#include <cmath>

#include "candidates/common/matrix.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/matmul/params.hpp"

namespace switchyard::candidates::matmul {
namespace {

// One right-hand matrix for each of the batch, or one for all.
constexpr ParamSet kSets[] = {{"plain", true}, {"shared"}};

constexpr ShapeCase kShapes[] = {
    {{1, 10000, 10, 2}, 3, Use::quick},
    {{1, 240, 320, 160}, 3, Use::quick},
    {{1, 480, 640, 320}, 3, Use::quick},
    {{1, 24, 16, 32}, 3, Use::quick},
    {{1, 45, 61, 31}, 3, Use::quick}, // ragged, as most are
    {{1, 64, 80, 48}, 3, Use::full},
    {{1, 1024, 1024, 1024}, 3, Use::full},
    {{8, 64, 96, 80}, 4, Use::full},
    {{1, 37, 53, 29}, 3, Use::unseen},
    {{1, 333, 227, 100}, 3, Use::unseen},
    {{1, 5000, 7, 3}, 3, Use::unseen},
    {{1, 719, 512, 401}, 3, Use::unseen},
    // Tails of tiles and vectors, of rows, columns and depth
    {{1, 1, 1, 1}},
    {{1, 1, 17, 1}},
    {{1, 1, 5, 33}},
    {{1, 1, 300, 70}},
    {{1, 5, 1, 7}},
    {{1, 2, 3, 5}},
    {{1, 7, 13, 9}},
    {{1, 6, 16, 16}},
    {{1, 12, 8, 32}},
    {{1, 13, 31, 33}},
    {{1, 47, 9, 15}},
    {{1, 48, 64, 17}},
    {{1, 49, 65, 31}},
    {{1, 50, 7, 2}},
    {{1, 70, 6, 1}},
    {{1, 131, 5, 3}},
    {{1, 33, 4, 4}},
    {{1, 9, 255, 11}},
    {{1, 11, 256, 5}},
    {{1, 5, 257, 12}},
    {{1, 4, 259, 3}},
    {{1, 55, 513, 37}},
    {{1, 3, 1100, 18}},
    {{1, 20, 24, 130}},
    // Batches
    {{2, 5, 7, 3}, 4},
    {{3, 1, 17, 9}, 4},
    {{1, 4, 6, 2}, 4},
    {{4, 13, 11, 33}, 4},
    // Nothing, and sums of nothing
    {{1, 0, 5, 3}},
    {{1, 5, 0, 3}},
    {{1, 5, 3, 0}},
    {{0, 5, 3, 2}, 4},
    {{2, 3, 0, 4}, 4},
    {{1, 0, 0, 0}},
};

std::shared_ptr<const void> make(int set, std::int64_t columns, int, Random &) {
  return std::make_shared<const MatmulParams>(MatmulParams{columns, set == 1});
}

Extents factor_shape(int which, const Extents &problem, const void *params) {
  const bool shared = static_cast<const MatmulParams *>(params)->shared;
  return which == 0 ? Extents{problem[kX], problem[kH], problem[kW], 1}
                    : Extents{shared ? std::int64_t{1} : problem[kX], problem[kW], problem[kC], 1};
}

Extents product_shape(int /*which*/, const Extents &a, const void *params) {
  return {a[kX], a[kH], static_cast<const MatmulParams *>(params)->columns, 1};
}

// Values whose products and sums neither overflow nor depend on the order in which they would.
template <class T> void write_float(std::byte *at, bool special, Random &random) {
  constexpr std::array<double, 10> kSpecial = {
      std::numeric_limits<double>::quiet_NaN(),
      std::numeric_limits<double>::infinity(),
      -std::numeric_limits<double>::infinity(),
      0.0,
      -0.0,
      1e-40,
      -1e-30,
      1e15,
      -1e12,
      1.0,
  };
  const std::uint64_t bits = random();
  // Few enough infinities and NaN that many results stay finite.
  const double magnitude = static_cast<double>(bits >> 12) * 0x1p-51 - 1;
  const std::size_t rare = bits % 256 < 3 ? bits % 256 : 3 + bits % 7;
  const double value = special && (bits >> 8) % 4 == 0 ? kSpecial[rare] : magnitude;
  const T element = static_cast<T>(value);
  std::memcpy(at, &element, sizeof element);
}

void fill(const View &input, int /*which*/, bool special, Random &random) {
  oracle::for_each_index(input.shape, [&](auto x, auto h, auto w, auto c) {
    std::byte *at = input.at(x, h, w, c);
    if (input.dtype == Dtype::u8) {
      const std::uint64_t bits = random();
      *at = special && bits % 2 == 0 ? std::byte{255} : static_cast<std::byte>(bits >> 16);
    } else if (input.dtype == Dtype::f32) {
      write_float<float>(at, special, random);
    } else {
      write_float<double>(at, special, random);
    }
  });
}

// One element's sums, exact ones in long double, and those of the reference's roundings.
struct Sums {
  long double exact = 0;
  long double terms = 0;
  float narrow = 0;
  double wide = 0;
};

Expected expect_f32(const Sums &sums, std::int64_t depth, bool unit) {
  const auto exact = static_cast<double>(sums.exact);
  const auto reference = static_cast<double>(sums.narrow);
  const auto terms = static_cast<double>(sums.terms);
  if (!std::isfinite(terms) || std::isnan(reference)) {
    return {reference, reference, reference};
  }
  const auto steps = static_cast<double>(depth + 2);
  double reach = steps * (0x1p-24 * terms + 0x1p-149);
  if (unit && depth <= 1024) {
    reach = std::min(reach, 1e-4 * std::fabs(exact) + 1e-4);
  }
  return {reference, std::min(reference, exact - reach), std::max(reference, exact + reach)};
}

Expected expect_f64(const Sums &sums, std::int64_t depth) {
  if (!std::isfinite(sums.terms) || std::isnan(sums.wide)) {
    return {sums.wide, sums.wide, sums.wide};
  }
  const auto exact = static_cast<double>(sums.exact);
  const double reach = static_cast<double>(depth + 3) * (0x1p-53 * static_cast<double>(sums.terms) +
                                                         std::numeric_limits<double>::denorm_min());
  return {sums.wide, std::min(sums.wide, exact - reach), std::max(sums.wide, exact + reach)};
}

Expected expect_one(const Sums &sums, std::int64_t depth, Dtype dtype, bool unit) {
  switch (dtype) {
  case Dtype::u8: {
    const auto exact = static_cast<double>(sums.exact);
    return {exact, exact, exact};
  }
  case Dtype::f32:
    return expect_f32(sums, depth, unit);
  default:
    return expect_f64(sums, depth);
  }
}

// The elements of matrix x, row by row.
std::vector<double> elements_of(const ConstView &batch, std::int64_t x) {
  std::vector<double> elements;
  elements.reserve(static_cast<std::size_t>(batch.shape[kH] * batch.shape[kW]));
  const std::int64_t at = batch.shape[kX] == 1 ? 0 : x;
  for (std::int64_t h = 0; h < batch.shape[kH]; ++h) {
    for (std::int64_t w = 0; w < batch.shape[kW]; ++w) {
      elements.push_back(oracle::read(batch, at, h, w, 0));
    }
  }
  return elements;
}

bool within_unit(const std::vector<double> &elements) {
  return std::all_of(elements.begin(), elements.end(), [](double x) { return std::fabs(x) <= 1; });
}

// One row of the result; the innermost loop runs along it, so that memory is read in order.
void add_row(const double *row, const std::vector<double> &b, std::vector<Sums> &sums,
             std::int64_t depth) {
  const std::size_t columns = sums.size();
  for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
    const double factor = row[k];
    const auto narrow = static_cast<float>(factor);
    for (std::size_t n = 0; n < columns; ++n) {
      const double other = b[k * columns + n];
      const long double term = static_cast<long double>(factor) * other;
      sums[n].exact += term;
      sums[n].terms += std::fabs(term);
      const float product = narrow * static_cast<float>(other);
      sums[n].narrow = sums[n].narrow + product;
      sums[n].wide += factor * other;
    }
  }
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &a = *call.in[0];
  const ConstView &b = *call.in[1];
  const std::int64_t depth = a.shape[kW];
  std::size_t i = 0;
  for (std::int64_t x = 0; x < a.shape[kX]; ++x) {
    const std::vector<double> left = elements_of(a, x);
    const std::vector<double> right = elements_of(b, x);
    const bool unit = within_unit(left) && within_unit(right);
    for (std::int64_t m = 0; m < a.shape[kH]; ++m) {
      std::vector<Sums> sums(static_cast<std::size_t>(b.shape[kW]));
      add_row(left.data() + m * depth, right, sums, depth);
      for (const Sums &one : sums) {
        expected[i++] = expect_one(one, depth, a.dtype, unit);
      }
    }
  }
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract matmul;
    matmul.variant = "matmul";
    matmul.inputs = 2;
    matmul.row_local = true;
    matmul.param_sets = kSets;
    matmul.shapes = kShapes;
    matmul.make_params = make;
    matmul.fill = fill;
    matmul.input_shape = factor_shape;
    matmul.output_shape = product_shape;
    matmul.part = matrix::part;
    matmul.oracle = expect;
    return matmul;
  }()};
  static const OpContract kContract{"matmul", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::matmul
