// The contract of pairwise_distances_squared. The problem's extents are 1, N, D and M.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "candidates/common/matrix.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/pairwise_distances_squared/params.hpp"

namespace switchyard::candidates::pairwise_distances_squared {
namespace {

constexpr ParamSet kSets[] = {{"plain", true}};

constexpr ShapeCase kShapes[] = {
    {{1, 24, 3, 16}, 3, Use::quick},
    {{1, 48, 32, 64}, 3, Use::quick},
    {{1, 10000, 2, 10}, 3, Use::quick},
    {{1, 61, 33, 83}, 3, Use::quick}, // ragged, as most are
    {{1, 500, 64, 300}, 3, Use::full},
    {{1, 211, 31, 151}, 3, Use::full},
    {{1, 64, 512, 96}, 3, Use::full},
    {{1, 37, 5, 53}, 3, Use::unseen},
    {{1, 5000, 3, 7}, 3, Use::unseen},
    {{1, 100, 128, 333}, 3, Use::unseen},
    {{1, 227, 17, 227}, 3, Use::unseen},
    {{1, 1, 1, 1}},
    {{1, 1, 5, 33}},
    {{1, 1, 3000, 9}},
    {{1, 7, 1, 1}},
    {{1, 5, 2, 7}},
    {{1, 13, 63, 15}},
    {{1, 9, 64, 16}},
    {{1, 6, 65, 17}},
    {{1, 49, 4, 31}},
    {{1, 47, 129, 35}},
    {{1, 131, 3, 2}},
    {{1, 70, 2, 1}},
    {{1, 20, 200, 130}},
    {{1, 3, 4097, 5}},
    {{1, 0, 5, 3}},
    {{1, 5, 0, 3}},
    {{1, 5, 3, 0}},
};

std::shared_ptr<const void> make(int, std::int64_t points, int, Random &) {
  return std::make_shared<const PairwiseParams>(PairwiseParams{points});
}

Extents points_shape(int which, const Extents &problem, const void * /*params*/) {
  return {problem[kX], which == 0 ? problem[kH] : problem[kC], problem[kW], 1};
}

Extents distances_shape(int /*which*/, const Extents &a, const void *params) {
  return {a[kX], a[kH], static_cast<const PairwiseParams *>(params)->points, 1};
}

// Points about an origin far away: their distances have lost all digits that an expansion into
// norms would need. Some pairs coincide in coordinates.
double ordinary(std::uint64_t bits) {
  const double step = static_cast<double>(bits >> 40) * 0x1p-24;
  return bits % 8 == 0 ? 1000.5 : 1000 + step;
}

double special(std::uint64_t bits) {
  constexpr std::array<double, 10> kValues = {
      std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::quiet_NaN(),
      0.0,
      -0.0,
      1e-40,
      3e-23,
      -1e15,
      1e25,
      -FLT_MAX,
      1.0,
  };
  return kValues[bits % 128 < 2 ? bits % 2 : 2 + bits % 8];
}

void fill(const View &input, int /*which*/, bool is_special, Random &random) {
  const bool near = random() % 2 == 0; // the origin
  oracle::for_each_index(input.shape, [&](auto x, auto h, auto w, auto c) {
    const std::uint64_t bits = random();
    const double value = is_special && (bits >> 8) % 4 == 0
                             ? special(bits >> 16)
                             : ordinary(bits) - (is_special && near ? 1000 : 0);
    const auto narrow = static_cast<float>(value);
    input.dtype == Dtype::f32 ? std::memcpy(input.at(x, h, w, c), &narrow, sizeof narrow)
                              : std::memcpy(input.at(x, h, w, c), &value, sizeof value);
  });
}

// The reference of f32: blocks of 64 squares in f32, their sums in f64.
class Reference {
public:
  explicit Reference(bool narrow) : narrow_(narrow) {}
  void add(double a, double b) {
    if (!narrow_) {
      const double difference = a - b;
      total_ += difference * difference;
      return;
    }
    const float difference = static_cast<float>(a) - static_cast<float>(b);
    const float square = difference * difference;
    block_ = block_ + square;
    if (++filled_ == 64) {
      total_ += static_cast<double>(block_);
      block_ = 0;
      filled_ = 0;
    }
  }
  [[nodiscard]] double result() const {
    return oracle::to_f32(total_ + static_cast<double>(block_));
  }

private:
  bool narrow_;
  double total_ = 0;
  float block_ = 0;
  int filled_ = 0;
};

// Within 1e-5 of the exact distance, and 2^-149 for each square that may be subnormal.
Expected expect_one(double reference, long double exact, std::int64_t depth) {
  if (std::isnan(exact)) {
    return {reference, reference, reference};
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const long double reach = exact * 1e-5L + static_cast<long double>(depth + 1) * 0x1p-149L;
  const long double low = exact - reach;
  const long double high = exact + reach;
  const double least = low > FLT_MAX ? FLT_MAX : std::max(static_cast<double>(low), 0.0);
  return {reference, std::min(reference, std::isinf(exact) ? kInf : least),
          std::max(reference, high > FLT_MAX ? kInf : static_cast<double>(high))};
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &a = *call.in[0];
  const ConstView &b = *call.in[1];
  const std::int64_t depth = a.shape[kW];
  std::size_t i = 0;
  for (std::int64_t n = 0; n < a.shape[kH]; ++n) {
    for (std::int64_t m = 0; m < b.shape[kH]; ++m) {
      Reference reference(a.dtype == Dtype::f32);
      long double exact = 0;
      for (std::int64_t d = 0; d < depth; ++d) {
        const double left = oracle::read(a, 0, n, d, 0);
        const double right = oracle::read(b, 0, m, d, 0);
        reference.add(left, right);
        const long double difference = static_cast<long double>(left) - right;
        exact += difference * difference;
      }
      expected[i++] = expect_one(reference.result(), exact, depth);
    }
  }
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {[] {
    VariantContract pairwise;
    pairwise.variant = "pairwise_distances_squared";
    pairwise.inputs = 2;
    pairwise.row_local = true;
    pairwise.param_sets = kSets;
    pairwise.shapes = kShapes;
    pairwise.make_params = make;
    pairwise.fill = fill;
    pairwise.input_shape = points_shape;
    pairwise.output_shape = distances_shape;
    pairwise.part = matrix::part;
    pairwise.oracle = expect;
    return pairwise;
  }()};
  static const OpContract kContract{"pairwise_distances_squared", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::pairwise_distances_squared
