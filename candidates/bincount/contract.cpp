// The contract of bincount: bin b of the result is how many labels are b, exactly, or the sum of
// their weights in f64. Labels equal to the ignored one count nowhere.
//
// Bits of the reference, weights: added one after the other in the order X, H, W, C, from 0 on.
// Faithful sums lie within 1e-12 · Σ|weight| of the label's exact one.
#include <cmath>
#include <limits>

#include "candidates/bincount/params.hpp"
#include "candidates/contracts/oracle.hpp"

namespace switchyard::candidates::bincount {
namespace {

// What problems are drawn by, beside what a candidate gets to know.
struct Drawn : BincountParams {
  std::int64_t labels = 0; // different ones, from 0 on
  bool sparse = false;     // nine of ten are 0, in runs
};

// Calls each(label, element index) for those that count.
template <class Each> void for_each_label(const Call &call, Each &&each) {
  const auto &params = call.params_as<BincountParams>();
  const auto ignored = static_cast<double>(params.ignored);
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double label = oracle::read(*call.in[0], x, h, w, c);
    if (!params.ignores || label != ignored) {
      each(static_cast<std::size_t>(label), Extents{x, h, w, c});
    }
  });
}

void expect_counts(const Call &call, int /*which*/, std::span<Expected> expected) {
  std::fill(expected.begin(), expected.end(), Expected{});
  for_each_label(call, [&](std::size_t label, const Extents &) {
    Expected &count = expected[label];
    count.value = count.low = count.high = count.value + 1;
  });
}

void expect_sums(const Call &call, int /*which*/, std::span<Expected> expected) {
  struct Sum {
    double reference = 0;
    long double exact = 0;
    long double size = 0;
  };
  std::vector<Sum> sums(expected.size());
  for_each_label(call, [&](std::size_t label, const Extents &at) {
    const double weight = oracle::read(*call.in[1], at[kX], at[kH], at[kW], at[kC]);
    sums[label].reference += weight;
    sums[label].exact += weight;
    sums[label].size += std::fabs(weight);
  });
  for (std::size_t bin = 0; bin < sums.size(); ++bin) {
    const Sum &sum = sums[bin];
    const long double reach = 1e-12L * sum.size;
    expected[bin] = {sum.reference, sum.reference, sum.reference};
    if (std::isfinite(sum.reference)) {
      expected[bin].low = std::min(sum.reference, static_cast<double>(sum.exact - reach));
      expected[bin].high = std::max(sum.reference, static_cast<double>(sum.exact + reach));
    }
  }
}

// ---- inputs ------------------------------------------------------------------------------------

// Writes a label as an element of this dtype.
void write(std::byte *at, Dtype dtype, std::int64_t label) {
  const auto store = [&]<class T>(T value) { std::memcpy(at, &value, sizeof value); };
  switch (dtype) {
  case Dtype::u8:
    return store(static_cast<std::uint8_t>(label));
  case Dtype::u16:
    return store(static_cast<std::uint16_t>(label));
  case Dtype::i32:
    return store(static_cast<std::int32_t>(label));
  default:
    return store(label);
  }
}

void fill_labels(const View &labels, const Drawn &params, Random &random) {
  std::int64_t last = 0;
  oracle::for_each_index(labels.shape, [&](auto x, auto h, auto w, auto c) {
    const std::uint64_t draw = random();
    const auto any =
        static_cast<std::int64_t>((draw >> 16) % static_cast<std::uint64_t>(params.labels));
    if (!params.sparse) {
      last = any;
    } else if (draw % 8 == 0) { // a run ends; runs of other labels than 0 are rare
      last = (draw >> 8) % 10 == 0 ? any : 0;
    }
    const bool ignored = params.ignores && (draw >> 4) % 4 == 0;
    write(labels.at(x, h, w, c), labels.dtype, ignored ? params.ignored : last);
  });
}

template <class T> void fill_weights(const View &weights, bool special, Random &random) {
  using Limits = std::numeric_limits<T>;
  constexpr T kSpecial[] = {Limits::quiet_NaN(),
                            Limits::infinity(),
                            -Limits::infinity(),
                            T(-0.0),
                            Limits::denorm_min(),
                            T(1e30),
                            T(-1e30)};
  oracle::for_each_index(weights.shape, [&](auto x, auto h, auto w, auto c) {
    const std::uint64_t draw = random();
    const T usual = static_cast<T>(std::ldexp(static_cast<double>(draw >> 11), -53) * 2 - 0.5);
    const T value = special && draw % 64 == 0 ? kSpecial[(draw >> 8) % std::size(kSpecial)] : usual;
    std::memcpy(weights.at(x, h, w, c), &value, sizeof value);
  });
}

void fill(const View &input, int which, const void *params, bool special, Random &random) {
  if (which == 0) {
    const auto *given = static_cast<const BincountParams *>(params);
    return fill_labels(input, *static_cast<const Drawn *>(given), random);
  }
  input.dtype == Dtype::f32 ? fill_weights<float>(input, special, random)
                            : fill_weights<double>(input, special, random);
}

// ---- table -------------------------------------------------------------------------------------

enum class Ignores : std::uint8_t { none, within, outside };

struct Set {
  std::int64_t labels;
  std::int64_t bins;
  bool sparse;
  Ignores ignores;
};
constexpr Set kDrawn[] = {
    {2, 2, false, Ignores::none},         {16, 16, false, Ignores::none},
    {256, 256, false, Ignores::none},     {4096, 4096, false, Ignores::none},
    {65536, 65536, false, Ignores::none}, {256, 256, true, Ignores::none},
    {65536, 65536, true, Ignores::none},  {1, 1, false, Ignores::none},
    {11, 13, true, Ignores::within},      {11, 13, false, Ignores::outside},
    {300, 700, false, Ignores::outside},  {1000, 1025, false, Ignores::within},
};
constexpr ParamSet kSets[] = {
    {"2", true},          {"16", true},          {"256", true},          {"4096", true},
    {"65536", true},      {"256_sparse", true},  {"65536_sparse", true}, {"1"},
    {"13_ignore_within"}, {"13_ignore_outside"}, {"700_ignore_outside"}, {"1025_ignore_within"},
};

// The largest label of this dtype that the sets ask for, and one that is ignored.
std::int64_t most_labels(Dtype dtype) {
  return dtype == Dtype::u8 ? 256 : 65536;
}
std::int64_t outside(Dtype dtype) {
  switch (dtype) {
  case Dtype::u8:
    return 255;
  case Dtype::u16:
    return 65535;
  case Dtype::i32:
    return -1;
  default:
    return std::numeric_limits<std::int64_t>::min();
  }
}

std::shared_ptr<const void> make(int set, Dtype dtype) {
  const Set &drawn = kDrawn[static_cast<std::size_t>(set)];
  const auto params = std::make_shared<Drawn>();
  params->bins = drawn.bins;
  params->labels = std::min(drawn.labels, most_labels(dtype));
  params->sparse = drawn.sparse;
  // 255 is a bin of the larger sets: u8 has no label outside those.
  params->ignores = drawn.ignores != Ignores::none;
  params->ignored = drawn.ignores == Ignores::within ? 5 : outside(dtype);
  return {params, static_cast<const BincountParams *>(params.get())};
}

constexpr Dtype kLabelTypes[] = {Dtype::u8, Dtype::u16, Dtype::i32, Dtype::i64};

std::shared_ptr<const void> make_params(int set, std::int64_t, int dtype_case, Random &) {
  return make(set, kLabelTypes[dtype_case % 4]); // as both variants list them
}

Extents bins_of(int /*which*/, const Extents & /*in*/, const void *params) {
  return {1, 1, static_cast<const BincountParams *>(params)->bins, 1};
}

constexpr ShapeCase kShapes[] = {
    {{1, 1, 4096, 1}, 3, Use::quick},
    {{1, 480, 640, 1}, 3, Use::quick},
    {{1, 1, 65536, 1}, 3, Use::full},
    {{1, 1, 1048576, 1}, 3, Use::full},
    {{1, 1, 10007, 1}, 3, Use::unseen},
    {{1, 333, 517, 1}, 3, Use::unseen},
    {{1, 1, 1, 1}},
    {{1, 1, 7, 1}},
    {{1, 1, 31, 1}},
    {{1, 1, 33, 1}},
    {{1, 1, 257, 1}},
    {{1, 1, 5000, 1}},
    {{1, 37, 53, 1}},
    {{1, 7, 13, 3}},
    {{2, 5, 7, 2}, 4},
    {{1, 0, 5, 1}},
};

VariantContract counting(std::string_view variant, int inputs,
                         decltype(VariantContract::oracle) oracle) {
  VariantContract contract;
  contract.variant = variant;
  contract.inputs = inputs;
  contract.param_sets = kSets;
  contract.shapes = kShapes;
  contract.make_params = make_params;
  contract.fill_for = fill;
  contract.output_shape = bins_of;
  contract.oracle = oracle;
  return contract;
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      counting("bincount/counts", 1, expect_counts),
      counting("bincount/weights", 2, expect_sums),
  };
  static const OpContract kContract{"bincount", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::bincount
