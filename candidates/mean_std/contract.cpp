// The contract of mean_std: f64 mean and population deviation (÷ n) plus eps, over X, H and W, and
// over C as well in mean_std/global.
//
// Faithful results: |mean − exact| ≤ 1e-12 · Σ|x| / n; std before eps within 1e-6 of the exact
// one, relative, where that is at least 1e-8 · |mean|, below that in [0, exact + 1e-8 · |mean|];
// equal values give exactly eps. NaN and Inf go through as in f64: a NaN, or infinities of both
// signs, make the mean NaN, and any NaN or Inf makes std NaN.
//
// Bits of the reference, u8: with the integers S = Σx and Q = Σx², f64(S) / n and
// √f64(n·Q − S²) / n + eps; the integer under the root is exact and rounded once.
//
// Bits of the reference, f32: a channel's values in the order X, H, W (global: all values in the
// order X, H, W, C) form blocks of 2048; the last may be shorter. A block has 16 partial sums, all
// beginning at 0; its value k is added to number k mod 16, in order. They are joined in a tree:
// number i takes in number i + 8, then i + 4, i + 2, i + 1. The block's sum s is that of its m
// values; its q is the same sum over (x − s/m)², each operation rounded to f64. Blocks are joined
// in order to n, H + L and M, all 0 at first, L being the rounding errors that H has lost:
//   unless n = 0: M += d²·(n·m / (n + m)), d = s/m − mean;   M += q;   (H, L) += s;   n += m
// where mean = r + (fma(−r, n, H) + L) / n with r = H / n, or r itself where it is not finite.
// The results are mean and √(M / n) + eps.
#include <cmath>
#include <limits>

#include "candidates/contracts/oracle.hpp"
#include "candidates/mean_std/params.hpp"

namespace switchyard::candidates::mean_std {
namespace {

using Channel = std::vector<double>; // the values of one result

std::vector<Channel> channels_of(const ConstView &image, bool global) {
  std::vector<Channel> channels(global ? 1 : static_cast<std::size_t>(image.channels()));
  for (Channel &channel : channels) {
    channel.reserve(static_cast<std::size_t>(image.elements()) / channels.size());
  }
  oracle::for_each_index(image.shape, [&](auto x, auto h, auto w, auto c) {
    channels[global ? 0 : static_cast<std::size_t>(c)].push_back(oracle::read(image, x, h, w, c));
  });
  return channels;
}

struct MeanStd {
  double mean = 0;
  double std = 0; // without eps
};

// Exact to far more digits than the tolerances need.
struct Exact {
  long double mean = 0;
  long double std = 0;
  long double magnitude = 0; // Σ|x| / n
};

struct Judgement {
  MeanStd reference;
  Exact exact;
};

Judgement judge_bytes(const Channel &values) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (const double value : values) {
    const auto x = static_cast<std::uint64_t>(value);
    sum += x;
    squares += x * x;
  }
  const Wide under_root = Wide{values.size()} * squares - Wide{sum} * sum;
  const auto n = static_cast<double>(values.size());
  Judgement result;
  result.reference = {static_cast<double>(sum) / n, std::sqrt(static_cast<double>(under_root)) / n};
  result.exact.mean = static_cast<long double>(sum) / n;
  result.exact.std = std::sqrt(static_cast<long double>(under_root)) / n;
  result.exact.magnitude = result.exact.mean;
  return result;
}

// The sum of a block: 16 partial sums, joined as a tree.
template <class Term> double block_sum(std::span<const double> block, Term term) {
  double partial[16] = {};
  for (std::size_t k = 0; k < block.size(); ++k) {
    partial[k % 16] += term(block[k]);
  }
  for (std::size_t distance = 8; distance > 0; distance /= 2) {
    for (std::size_t i = 0; i < distance; ++i) {
      partial[i] += partial[i + distance];
    }
  }
  return partial[0];
}

// The deviation is left out where nobody asks for it: large images are judged as well.
MeanStd floats_reference(const Channel &values, bool with_std) {
  double n = 0;
  double h = 0;
  double l = 0;
  double m = 0;
  const auto mean = [&] {
    const double r = h / n;
    return std::isfinite(r) ? r + (std::fma(-r, n, h) + l) / n : r;
  };
  for (std::size_t from = 0; from < values.size(); from += 2048) {
    const auto block =
        std::span(values).subspan(from, std::min<std::size_t>(2048, values.size() - from));
    const auto size = static_cast<double>(block.size());
    const double s = block_sum(block, [](double x) { return x; });
    const double center = s / size;
    if (with_std) {
      const double d = n > 0 ? center - mean() : 0;
      m += n > 0 ? d * d * (n * size / (n + size)) : 0;
      m += block_sum(block, [&](double x) { return (x - center) * (x - center); });
    }
    const double sum = h + s;
    const double taken = sum - h; // of s
    l += (h - (sum - taken)) + (s - taken);
    h = sum;
    n += size;
  }
  return {mean(), std::sqrt(m / n)};
}

// Two passes with 64 bits of precision.
Exact exact_of(const Channel &values, bool with_std) {
  Exact exact;
  const auto n = static_cast<long double>(values.size());
  for (const double value : values) {
    exact.mean += value;
    exact.magnitude += std::fabs(value);
  }
  exact.mean /= n;
  exact.magnitude /= n;
  if (with_std) {
    for (const double value : values) {
      exact.std += (value - exact.mean) * (value - exact.mean);
    }
    exact.std = std::sqrt(exact.std / n);
  }
  return exact;
}

bool all_equal(const Channel &values) {
  return std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); });
}

Expected expect_mean(const MeanStd &reference, const Exact &exact) {
  Expected expected{reference.mean, reference.mean, reference.mean};
  if (std::isfinite(reference.mean)) {
    const long double reach = 1e-12L * exact.magnitude;
    expected.low = static_cast<double>(exact.mean - reach);
    expected.high = static_cast<double>(exact.mean + reach);
  }
  return expected;
}

Expected expect_std(const Channel &values, const MeanStd &reference, const Exact &exact,
                    double eps) {
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

template <bool kGlobal> void expect(const Call &call, int which, std::span<Expected> expected) {
  const double eps = call.params_as<MeanStdParams>().eps;
  const bool u8 = call.in[0]->dtype == Dtype::u8;
  std::size_t i = 0;
  for (const Channel &values : channels_of(*call.in[0], kGlobal)) {
    const bool with_std = which == 1;
    const auto [reference, exact] =
        u8 ? judge_bytes(values)
           : Judgement{floats_reference(values, with_std), exact_of(values, with_std)};
    expected[i++] =
        which == 0 ? expect_mean(reference, exact) : expect_std(values, reference, exact, eps);
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
  oracle::for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
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

constexpr ParamSet kSets[] = {{"default", true}, {"no_eps"}, {"large_eps"}};

std::shared_ptr<const void> make(int set, std::int64_t, int, Random &) {
  constexpr double kEps[] = {1e-4, 0, 1e3};
  return std::make_shared<const MeanStdParams>(MeanStdParams{kEps[set]});
}

Extents one_result(int /*which*/, const Extents & /*in*/, const void * /*params*/) {
  return {1, 1, 1, 1};
}
Extents result_per_channel(int /*which*/, const Extents &in, const void * /*params*/) {
  return {1, 1, 1, in[kC]};
}

VariantContract statistics(std::string_view variant, decltype(VariantContract::output_shape) shape,
                           decltype(VariantContract::oracle) oracle) {
  VariantContract contract;
  contract.variant = variant;
  contract.outputs = 2;
  contract.takes_empty = false;
  contract.param_sets = kSets;
  contract.make_params = make;
  contract.fill = fill;
  contract.output_shape = shape;
  contract.oracle = oracle;
  return contract;
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      statistics("mean_std/global", one_result, expect<true>),
      statistics("mean_std/per_channel", result_per_channel, expect<false>),
  };
  static const OpContract kContract{"mean_std", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::mean_std
