// The contract of normalize_per_image: an f32 image of (x − offset) / divisor, clamped.
//
// image modes: offset and divisor are mean and standard deviation + 1e-4 as mean_std computes them,
// narrowed to f32; clamped to [−20, 20]. min_max modes: the least value, and the greatest less the
// least in f32, or 1 if that is 0; clamped to [0, 1]. Where finite values are further apart than
// FLT_MAX, every value is halved first. A NaN makes its channel, or all of a joint image, NaN.
//
// The reference rounds difference and quotient to f32. Faithful results lie within 2 ulp of the
// exact quotient by an offset and a divisor that are, before they are narrowed, within
// 1e-12 · Σ|x| / n of the mean and within 1e-8, relative, of the deviation. Equal values give 0.
#include <cfloat>
#include <cmath>
#include <limits>

#include "candidates/contracts/moments.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/normalize_per_image/params.hpp"

namespace switchyard::candidates::normalize_per_image {
namespace {

using Channel = std::vector<double>; // the values behind one offset and divisor

std::vector<Channel> channels_of(const ConstView &image, bool per_channel) {
  std::vector<Channel> channels(per_channel ? static_cast<std::size_t>(image.channels()) : 1);
  for (Channel &channel : channels) {
    channel.reserve(static_cast<std::size_t>(image.elements()) / channels.size());
  }
  oracle::for_each_index(image.shape, [&](auto x, auto h, auto w, auto c) {
    channels[per_channel ? static_cast<std::size_t>(c) : 0].push_back(
        oracle::read(image, x, h, w, c));
  });
  return channels;
}

constexpr double kEps = 1e-4;

struct Interval {
  float low = 0;
  float high = 0;
};

// What the elements of one channel are judged by.
struct Judge {
  float offset = 0; // the reference's
  float divisor = 1;
  Interval offsets; // that faithful candidates may have
  Interval divisors;
  float factor = 1;
  float least = 0; // of results
  float greatest = 0;
  bool flat = false;
  bool has_ends = false; // the least element gives exactly 0, the greatest exactly 1
  float top = 0;         // the greatest element

  [[nodiscard]] Expected operator()(double element) const {
    const float x = static_cast<float>(element) * factor;
    const float difference = x - offset;
    // No result is −0 for lack of a difference.
    float value = (difference == 0 && has_ends ? 0.0F : difference) / divisor;
    value = value < least ? least : value > greatest ? greatest : value;
    Expected expected{static_cast<double>(value), static_cast<double>(value),
                      static_cast<double>(value)};
    const bool is_end = has_ends && (x == offset || x == top);
    if (flat || is_end || !std::isfinite(difference) || !std::isfinite(value)) {
      return expected;
    }
    for (const float o : {offsets.low, offsets.high}) {
      for (const float d : {divisors.low, divisors.high}) {
        widen(expected, (static_cast<long double>(x) - o) / d);
      }
    }
    return expected;
  }

private:
  void widen(Expected &expected, long double exact) const {
    const long double size = std::fabs(exact);
    const int exponent = size < FLT_MIN ? -149 : std::ilogb(size) - 23;
    const long double reach = std::ldexp(2.0L, exponent);
    const auto clamp = [&](long double v) {
      return static_cast<double>(std::min<long double>(std::max<long double>(v, least), greatest));
    };
    expected.low = std::min(expected.low, clamp(exact - reach));
    expected.high = std::max(expected.high, clamp(exact + reach));
  }
};

Judge standard_of(const Channel &values, Dtype dtype) {
  const auto [reference, exact] = oracle::judge(values, dtype == Dtype::u8, true);
  Judge judge;
  judge.offset = static_cast<float>(reference.mean);
  judge.divisor = static_cast<float>(reference.std + kEps);
  const long double reach =
      1e-12L *
      std::max(exact.magnitude / static_cast<long double>(values.size()), std::fabs(exact.mean));
  judge.offsets = {static_cast<float>(exact.mean - reach), static_cast<float>(exact.mean + reach)};
  judge.divisors = {static_cast<float>(exact.std * (1 - 1e-8L) + kEps),
                    static_cast<float>(exact.std * (1 + 1e-8L) + kEps)};
  judge.least = -20;
  judge.greatest = 20;
  judge.flat = oracle::all_equal(values);
  return judge;
}

Judge range_of(const Channel &values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (std::isnan(value)) {
      low = high = value;
      break;
    }
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Judge judge;
  const bool halves = std::isfinite(low) && std::isfinite(high) && high - low > FLT_MAX &&
                      std::isinf(static_cast<float>(high) - static_cast<float>(low));
  judge.factor = halves ? 0.5F : 1.0F;
  judge.offset = static_cast<float>(low) * judge.factor;
  judge.has_ends = true;
  judge.top = static_cast<float>(high) * judge.factor;
  const float range = judge.top - judge.offset;
  judge.divisor = range == 0 ? 1 : range;
  judge.offsets = {judge.offset, judge.offset};
  judge.divisors = {judge.divisor, judge.divisor};
  judge.greatest = 1;
  return judge;
}

template <bool kPerChannel, bool kRange>
void expect_item(const ConstView &image, std::span<Expected> expected) {
  const std::vector<Channel> channels = channels_of(image, kPerChannel);
  std::vector<Judge> judges;
  judges.reserve(channels.size());
  for (const Channel &values : channels) {
    judges.push_back(kRange ? range_of(values) : standard_of(values, image.dtype));
  }
  std::size_t i = 0;
  oracle::for_each_index(image.shape, [&](auto x, auto h, auto w, auto c) {
    const Judge &judge = judges[kPerChannel ? static_cast<std::size_t>(c) : 0];
    expected[i++] = judge(oracle::read(image, x, h, w, c));
  });
}

template <bool kPerChannel, bool kRange>
void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &image = *call.in[0];
  if (image.empty()) {
    return;
  }
  if (!call.params_as<NormalizePerImageParams>().per_item) {
    return expect_item<kPerChannel, kRange>(image, expected);
  }
  const auto items = static_cast<std::size_t>(image.shape[kX]);
  const std::size_t size = expected.size() / items;
  for (std::size_t x = 0; x < items; ++x) {
    const auto at = static_cast<std::int64_t>(x);
    expect_item<kPerChannel, kRange>(slice(image, kX, at, at + 1),
                                     expected.subspan(x * size, size));
  }
}

// ---- inputs ------------------------------------------------------------------------------------

double unit(Random &random) {
  return std::ldexp(static_cast<double>(random() >> 11), -53);
}

// Channels whose statistics are hard. `place` counts elements, `c` channels.
double hard_u8(std::uint64_t kind, std::int64_t place, std::int64_t c, Random &random) {
  switch (kind % 5) {
  case 0: // equal values
    return 7;
  case 1: // one flat channel among others
    return c == 0 ? 200 : static_cast<double>(random() % 256);
  case 2: // a rare value, clamped in large images
    return random() % 4096 == 0 ? 255 : 3;
  case 3:
    return random() % 2 == 0 ? 0 : 255;
  default: // a first value far from all others
    return place == 0 ? 0 : 200 + static_cast<double>(random() % 2);
  }
}

double hard_f32(std::uint64_t kind, std::int64_t place, std::int64_t c, Random &random) {
  using Limits = std::numeric_limits<float>;
  const bool rare = random() % 512 == 0;
  switch (kind % 12) {
  case 0:
    return 123456.789F;
  case 1:
    return c == 0 ? 0.1F : unit(random);
  case 2: // two neighbouring values
    return rare ? std::nextafter(1000000.5F, 2e6F) : 1000000.5F;
  case 3: // a spread of a millionth of the mean
    return 1e6 + std::floor(32 * unit(random)) / 16;
  case 4:
    return random() % 4096 == 0 ? 3e7 : unit(random);
  case 5: // further apart than FLT_MAX
    return (unit(random) < 0.5 ? -1 : 1) * static_cast<double>(Limits::max()) * unit(random);
  case 6: // subnormals and zeros of both signs
    return random() % 3 == 0 ? -0.0 : static_cast<double>(Limits::denorm_min()) * (random() % 64);
  case 7:
    return rare || place == 0 ? Limits::quiet_NaN() : unit(random);
  case 8:
    return rare ? Limits::infinity() : unit(random);
  case 9: // a NaN in one channel alone
    return c == 0 && rare ? Limits::quiet_NaN() : unit(random) - 0.5;
  case 10: // zeros of both signs alone
    return random() % 2 == 0 ? 0.0 : -0.0;
  default:
    return rare ? (random() % 2 == 0 ? -1 : 1) * Limits::infinity() : unit(random);
  }
}

template <class T, class Value> void fill_with(const View &view, Value value) {
  std::int64_t place = 0;
  oracle::for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    const T element = static_cast<T>(value(place++, c));
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
    fill_with<std::uint8_t>(input, [&](std::int64_t place, std::int64_t c) {
      return special ? hard_u8(kind, place, c, random) : static_cast<double>(random() % 256);
    });
  } else {
    fill_with<float>(input, [&](std::int64_t place, std::int64_t c) {
      return special ? hard_f32(kind, place, c, random) : unit(random) * 3 - 1;
    });
  }
}

// ---- table -------------------------------------------------------------------------------------

constexpr ParamSet kSets[] = {{"whole", true}, {"per_item"}};

std::shared_ptr<const void> make(int set, std::int64_t, int, Random &) {
  return std::make_shared<const NormalizePerImageParams>(NormalizePerImageParams{set == 1});
}

VariantContract normalization(std::string_view variant, decltype(VariantContract::oracle) oracle) {
  VariantContract contract;
  contract.variant = variant;
  contract.in_place = true;
  contract.param_sets = kSets;
  contract.make_params = make;
  contract.fill = fill;
  contract.oracle = oracle;
  return contract;
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      normalization("normalize_per_image/image", expect<false, false>),
      normalization("normalize_per_image/image_per_channel", expect<true, false>),
      normalization("normalize_per_image/min_max", expect<false, true>),
      normalization("normalize_per_image/min_max_per_channel", expect<true, true>),
  };
  static const OpContract kContract{"normalize_per_image", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::normalize_per_image
