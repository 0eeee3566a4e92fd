// The contract of reductions: sums, means, population deviations (÷ n) plus eps, smallest and
// largest values, over any of the axes X, H, W, C.
//
// Exact sums of u8 are u64. Faithful results of f32: |sum − exact| ≤ 1e-12 · Σ|x|, |mean − exact| ≤
// 1e-12 · Σ|x| / n; std before eps within 1e-6 of the exact one, relative, where that is at least
// 1e-8 · |mean|, below that in [0, exact + 1e-8 · |mean|]; equal values give exactly eps. NaN and
// Inf go through as in f64: a NaN, or infinities of both signs, make sum and mean NaN, and any NaN
// or Inf makes std NaN. A NaN makes both min and max NaN.
//
// Bits of the reference, u8: with the integers S = Σx and Q = Σx², f64(S) / n and
// √f64(n·Q − S²) / n + eps; the integer under the root is exact and rounded once.
//
// Bits of the reference, f32: the values of a result in the order X, H, W, C, without the axes that
// are kept, form blocks of 2048; the last may be shorter. A block has 16 partial sums, all
// beginning at 0; its value k is added to number k mod 16, in order. They are joined in a tree:
// number i takes in number i + 8, then i + 4, i + 2, i + 1. The block's sum s is that of its m
// values; its q is Σx², summed up in the same way, less s²/m where that difference is at least
// 1e-4 · s²/m, and else the same sum over (x − s/m)²; each operation is rounded to f64. Blocks are
// joined in order to n, H + L and M, all 0 at first, L being the rounding errors that H has lost:
//   unless n = 0: M += d²·(n·m / (n + m)), d = s/m − mean;   M += q;   (H, L) += s;   n += m
// where mean = r + (fma(−r, n, H) + L) / n with r = H / n, or r itself where it is not finite.
// The results are H + L (H itself where it is not finite), mean and √(M / n) + eps.
//
// Of zeros, −0 is the smaller: bitwise min_max tells them apart, faithful need not.
#include "candidates/contracts/reductions.hpp"

#include <cmath>
#include <limits>

#include "candidates/contracts/moments.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/reduction/params.hpp"

namespace switchyard::oracle {
namespace {

using candidates::reduction::Asked;
using Values = std::span<const double>; // of one result

// The values of all results, one result after the other, and how many each has.
struct Grouped {
  std::vector<double> values;
  std::size_t count = 1;

  [[nodiscard]] Values of(std::size_t result) const {
    return std::span(values).subspan(result * count, count);
  }
};

Extents reduced_shape(const Extents &shape, AxisMask axes) {
  Extents result = shape;
  for (int axis = 0; axis < 4; ++axis) {
    result[axis] = has_axis(axes, axis) ? 1 : shape[axis];
  }
  return result;
}

Grouped group(const ConstView &image, AxisMask axes) {
  const Extents results = reduced_shape(image.shape, axes);
  Grouped grouped;
  for (int axis = 0; axis < 4; ++axis) {
    grouped.count *= has_axis(axes, axis) ? static_cast<std::size_t>(image.shape[axis]) : 1;
  }
  grouped.values.resize(static_cast<std::size_t>(element_count(results)) * grouped.count);
  std::vector<std::size_t> filled(static_cast<std::size_t>(element_count(results)), 0);
  const Extents steps = contiguous_strides(results, 1);
  for_each_index(image.shape, [&](auto x, auto h, auto w, auto c) {
    std::int64_t result = 0;
    const Extents index{x, h, w, c};
    for (int axis = 0; axis < 4; ++axis) {
      result += has_axis(axes, axis) ? 0 : index[axis] * steps[axis];
    }
    const auto at = static_cast<std::size_t>(result);
    grouped.values[at * grouped.count + filled[at]++] = read(image, x, h, w, c);
  });
  return grouped;
}

// `reference` or anything within `reach` of the exact value.
Expected within(double reference, long double exact, long double reach) {
  Expected expected{reference, reference, reference};
  if (std::isfinite(reference) && reach > 0) {
    expected.low = static_cast<double>(exact - reach);
    expected.high = static_cast<double>(exact + reach);
  }
  return expected;
}

Expected expect_std(Values values, const Reference &reference, const Exact &exact, double eps) {
  const double value = reference.std + eps;
  Expected expected{value, value, value};
  if (!std::isfinite(reference.std) || all_equal(values)) {
    return expected; // of equal values: eps itself
  }
  const bool tiny = exact.std < 1e-8L * std::fabs(exact.mean);
  const long double low = tiny ? 0 : exact.std * (1 - 1e-6L);
  const long double high =
      tiny ? exact.std + 1e-8L * std::fabs(exact.mean) : exact.std * (1 + 1e-6L);
  // The sum with eps rounds as well.
  expected.low = static_cast<double>(low) + eps;
  expected.high =
      std::nextafter(static_cast<double>(high) + eps, std::numeric_limits<double>::infinity());
  if (!tiny) {
    expected.low = std::nextafter(expected.low, -std::numeric_limits<double>::infinity());
  }
  return expected;
}

// Output `which` of mean_std is the mean or the deviation.
template <Asked kAsked> Expected expect_moment(Values values, bool bytes, int which, double eps) {
  const bool std = kAsked == Asked::std || (kAsked == Asked::mean_std && which == 1);
  const auto [reference, exact] = judge(values, bytes, std);
  if (std) {
    return expect_std(values, reference, exact, eps);
  }
  const long double reach = 1e-12L * exact.magnitude;
  return kAsked == Asked::sum
             ? within(reference.sum, exact.sum, reach)
             : within(reference.mean, exact.mean, reach / static_cast<long double>(values.size()));
}

Expected expect_range(Values values, int which) {
  const auto is_below = [](double a, double b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  };
  if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) {
    return {std::numeric_limits<double>::quiet_NaN(), 0, 0};
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end(), is_below);
  const double value = which == 0 ? *low : *high;
  return {value, value, value};
}

template <Asked kAsked> void expect(const Call &call, int which, std::span<Expected> expected) {
  const auto &params = call.params_as<ReductionParams>();
  const bool bytes = call.in[0]->dtype == Dtype::u8;
  const Grouped grouped = group(*call.in[0], params.axes);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (grouped.count == 0) { // a sum of nothing
      expected[i] = {};
    } else if (kAsked == Asked::min_max) {
      expected[i] = expect_range(grouped.of(i), which);
    } else {
      expected[i] = expect_moment<kAsked>(grouped.of(i), bytes, which, params.eps);
    }
  }
}

// ---- inputs ------------------------------------------------------------------------------------

double unit(Random &random) {
  return std::ldexp(static_cast<double>(random() >> 11), -53);
}

// What makes a deviation hard to compute. `place` says which element this is.
double hard_u8(std::uint64_t kind, std::int64_t place, Random &random) {
  switch (kind % 4) {
  case 0: // constant, where the sums are largest
    return 255;
  case 1: // constant but for a few values
    return random() % 512 == 0 ? 254 : 255;
  case 2: // extremes
    return random() % 2 == 0 ? 0 : 255;
  default: // a first value far from all others
    return place == 0 ? 0 : 200 + static_cast<double>(random() % 2);
  }
}

double hard_f32(std::uint64_t kind, std::int64_t place, Random &random) {
  using Limits = std::numeric_limits<float>;
  const bool rare = random() % 512 == 0;
  switch (kind % 10) {
  case 0:
    return 123456.789F;
  case 1:
    return 0.1F;
  case 2: // two neighbouring values
    return rare ? std::nextafter(1000000.5F, 2e6F) : 1000000.5F;
  case 3: // a spread of a millionth of the mean
    return 1e6 + std::floor(32 * unit(random)) / 16;
  case 4: // a first value far from all others
    return place == 0 ? -3e7 : 1e4 + unit(random);
  case 5: // largest magnitudes
    return random() % 2 == 0 ? Limits::max() : Limits::lowest();
  case 6: // subnormals, −0
    return random() % 3 == 0 ? -0.0 : static_cast<double>(Limits::denorm_min()) * (random() % 64);
  case 7:
    return rare ? Limits::quiet_NaN() : unit(random);
  case 8:
    return rare ? Limits::infinity() : unit(random);
  default: // infinities of both signs
    return rare ? (random() % 2 == 0 ? -1 : 1) * Limits::infinity() : unit(random);
  }
}

template <class T, class Value> void fill_with(const View &view, Value value) {
  std::int64_t place = 0;
  for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    const T element = static_cast<T>(value(place++));
    std::memcpy(view.at(x, h, w, c), &element, sizeof element);
  });
}

void fill(const View &input, int /*which*/, bool special, Random &random) {
  // Problems of one seed and different shapes get different kinds.
  std::uint64_t kind = random();
  for (const std::int64_t extent : input.shape) {
    kind = kind * 31 + static_cast<std::uint64_t>(extent);
  }
  kind >>= 3;
  if (input.dtype == Dtype::u8) {
    fill_with<std::uint8_t>(input, [&](std::int64_t place) {
      return special ? hard_u8(kind, place, random) : static_cast<double>(random() % 256);
    });
  } else {
    fill_with<float>(input, [&](std::int64_t place) {
      return special ? hard_f32(kind, place, random) : unit(random);
    });
  }
}

// ---- table -------------------------------------------------------------------------------------

// Of the fixed forms; eps means nothing to other ops than std and mean_std.
constexpr ParamSet kFixedSets[] = {{"default", true}, {"no_eps"}, {"large_eps"}};
constexpr double kEps[] = {1e-4, 0, 1e3};

constexpr ParamSet kAxesSets[] = {{"h", true}, {"c", true}, {"hw"}, {"wc"}, {"hc"},  {"w"},
                                  {"x"},       {"xc"},      {"xw"}, {"xh"}, {"xwc"}, {"none"}};

template <AxisMask kAxes> std::shared_ptr<const void> make(int set, std::int64_t, int, Random &) {
  return std::make_shared<const ReductionParams>(ReductionParams{kEps[set], kAxes});
}

std::shared_ptr<const void> make_axes(int set, std::int64_t, int, Random &) {
  AxisMask axes = 0;
  const std::string_view name = kAxesSets[set].name;
  for (const char letter : name == "none" ? std::string_view() : name) {
    axes |= mask_of(static_cast<Axis>(std::string_view("xhwc").find(letter)));
  }
  return std::make_shared<const ReductionParams>(ReductionParams{kEps[set % 2], axes});
}

Extents result_shape(int /*which*/, const Extents &in, const void *params) {
  return reduced_shape(in, static_cast<const ReductionParams *>(params)->axes);
}

decltype(VariantContract::oracle) oracle_of(Asked asked) {
  switch (asked) {
  case Asked::sum:
    return expect<Asked::sum>;
  case Asked::mean:
    return expect<Asked::mean>;
  case Asked::std:
    return expect<Asked::std>;
  case Asked::mean_std:
    return expect<Asked::mean_std>;
  case Asked::min_max:
    break;
  }
  return expect<Asked::min_max>;
}

} // namespace

std::array<VariantContract, 4> reductions(Asked asked,
                                          const std::array<std::string_view, 4> &variants) {
  const bool with_eps = asked == Asked::std || asked == Asked::mean_std;
  const std::span<const ParamSet> fixed(kFixedSets, with_eps ? 3 : 1);
  const std::array<decltype(VariantContract::make_params), 4> makers{
      make<kAllAxes>, make<kPixelAxes>, make<kItemAxes>, make_axes};
  std::array<VariantContract, 4> contracts;
  for (std::size_t i = 0; i < contracts.size(); ++i) {
    VariantContract &contract = contracts[i];
    contract.variant = variants[i];
    contract.outputs = asked == Asked::mean_std || asked == Asked::min_max ? 2 : 1;
    contract.takes_empty = asked == Asked::sum;
    contract.param_sets = makers[i] == make_axes ? std::span<const ParamSet>(kAxesSets) : fixed;
    contract.make_params = makers[i];
    contract.fill = fill;
    contract.output_shape = result_shape;
    contract.oracle = oracle_of(asked);
  }
  return contracts;
}

} // namespace switchyard::oracle
