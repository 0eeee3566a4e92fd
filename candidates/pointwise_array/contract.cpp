#include "candidates/pointwise_array/contract.hpp"

#include <array>

namespace switchyard::oracle {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- shapes ------------------------------------------------------------------------------------

// Which axes an operand has; it is repeated along the others.
struct Shape {
  bool x = true;
  bool rows_and_columns = true;
  bool channels = true;
};
constexpr Shape kArray{};
constexpr Shape kShared{false, true, true}; // by all items of a batch
constexpr Shape kPlanes{true, true, false}; // by all channels
constexpr Shape kPlane{false, true, false};
constexpr Shape kVector{false, false, true};
constexpr Shape kScalar{false, false, false};

// What Call::params points to comes first.
struct Drawn {
  ArrayParams params;
  std::array<Shape, 2> operands;
};

Extents shape_of(int which, const Extents &problem, const void *params) {
  if (which == 0) {
    return problem;
  }
  const auto &drawn = *static_cast<const Drawn *>(params);
  const Shape &shape = drawn.operands[static_cast<std::size_t>(which - 1)];
  return {shape.x ? problem[kX] : 1, shape.rows_and_columns ? problem[kH] : 1,
          shape.rows_and_columns ? problem[kW] : 1, shape.channels ? problem[kC] : 1};
}

template <std::size_t N>
std::shared_ptr<const void> make(const std::array<Drawn, N> &sets, int set) {
  return std::make_shared<Drawn>(sets[static_cast<std::size_t>(set)]);
}

constexpr ParamSet kOneSets[] = {{"array", true}, {"shared"},  {"planes"},   {"plane"},
                                 {"half_even"},   {"half_up"}, {"truncate"}, {"plane_half_up"}};

std::shared_ptr<const void> make_one(int set, std::int64_t, int, Random &) {
  constexpr std::array<Drawn, std::size(kOneSets)> kSets = {{
      {{}, {kArray}},
      {{}, {kShared}},
      {{}, {kPlanes}},
      {{}, {kPlane}},
      {{Rounding::half_even}, {kArray}},
      {{Rounding::half_up}, {kArray}},
      {{Rounding::truncate}, {kShared}},
      {{Rounding::half_up}, {kPlane}},
  }};
  return make(kSets, set);
}

constexpr ParamSet kTwoSets[] = {
    {"arrays", true}, {"array_scalar"},  {"scalar_array"}, {"array_vector"}, {"vector_array"},
    {"plane_array"},  {"planes_shared"}, {"plane_plane"},  {"half_even"},    {"half_up"},
};

std::shared_ptr<const void> make_two(int set, std::int64_t, int, Random &) {
  constexpr std::array<Drawn, std::size(kTwoSets)> kSets = {{
      {{}, {kArray, kArray}},
      {{}, {kArray, kScalar}},
      {{}, {kScalar, kShared}},
      {{}, {kPlanes, kVector}},
      {{}, {kVector, kArray}},
      {{}, {kPlane, kArray}},
      {{}, {kPlanes, kShared}},
      {{}, {kPlane, kPlane}},
      {{Rounding::half_even}, {kArray, kArray}},
      {{Rounding::half_up}, {kArray, kVector}},
  }};
  return make(kSets, set);
}

// ---- elements ----------------------------------------------------------------------------------

// In [0, 1), the same on every standard library.
double unit(std::uint64_t bits) {
  return std::ldexp(static_cast<double>(bits >> 11), -53);
}

// Around [-2, 2], with numbers of the size of a level and some beside integers.
double ordinary(std::uint64_t bits) {
  const double u = unit(bits);
  switch (bits % 16) { // the low bits, which unit() leaves out
  case 0:
    return 600 * u - 300;
  case 1:
    return std::floor(512 * u) - 256 + 0.5;
  case 2:
    return std::floor(512 * u) - 256 - 1e-9;
  case 3:
    return std::floor(512 * u) - 256;
  default:
    return 4 * u - 2;
  }
}

// `wide` adds what is finite beyond f32; one of them changes the precision of the whole op.
double special_number(std::uint64_t bits, bool wide) {
  constexpr double kMagnitudes[] = {kNan,      kInf, 0.0,     0x1p-149, 0x1p-127, 0x1p-126,
                                    FLT_MAX,   0.5,  254.5,   255,      255.5,    256,
                                    16777217., 1e10, 0x1p-23, 1e38,     1e39,     DBL_MAX};
  constexpr std::uint64_t kNarrow = std::size(kMagnitudes) - 2;
  const double magnitude = kMagnitudes[(bits >> 8) % (wide ? std::size(kMagnitudes) : kNarrow)];
  return (bits >> 7) % 2 == 0 ? magnitude : -magnitude;
}

template <class T, class Draw> void fill_with(const View &view, Random &random, Draw draw) {
  for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    const auto element = static_cast<T>(draw(random()));
    std::memcpy(view.at(x, h, w, c), &element, sizeof element);
  });
}

template <class T> void fill_integers(const View &view, bool special, Random &random) {
  fill_with<T>(view, random, [&](std::uint64_t bits) {
    using Limits = std::numeric_limits<T>;
    constexpr std::array<T, 4> kEdges = {Limits::min(), Limits::max(), T{1},
                                         static_cast<T>(Limits::max() - 1)};
    // Operands of 16 bits are mostly of the size of a level.
    const std::uint64_t size = (bits >> 4) % 4 == 0 ? 65536 : 256;
    return bits % (special ? 2 : 16) == 0 ? kEdges[(bits >> 8) % 4]
                                          : static_cast<T>((bits >> 16) % size);
  });
}

// An f64 operand with a finite element beyond f32.
std::uint32_t input_flags(const Call &call) {
  bool wide = false;
  for (std::size_t i = 1; i < call.in.size() && call.in[i] != nullptr; ++i) {
    const ConstView &operand = *call.in[i];
    for_each_index(operand.shape, [&](auto x, auto h, auto w, auto c) {
      const double value = read(operand, x, h, w, c);
      wide = wide || finite_beyond_f32({&value, 1});
    });
  }
  return wide ? std::uint32_t{kWide} : 0U;
}

VariantContract arrays(std::string_view variant, int operands, std::span<const ParamSet> sets,
                       decltype(VariantContract::make_params) make,
                       decltype(VariantContract::oracle) expect) {
  VariantContract contract = pointwise(variant, sets, make, nullptr, expect);
  contract.inputs = 1 + operands;
  contract.input_shape = shape_of;
  contract.fill = fill_arrays;
  contract.input_flags = input_flags;
  return contract;
}

} // namespace

void fill_arrays(const View &input, int /*which*/, bool special, Random &random) {
  const bool wide = random() % 2 == 0;
  const auto draw = [&](bool may_be_wide) {
    return [special, may_be_wide](std::uint64_t bits) {
      return special && (bits >> 4) % 3 == 0 ? special_number(bits, may_be_wide) : ordinary(bits);
    };
  };
  switch (input.dtype) {
  case Dtype::u8:
    return fill_integers<std::uint8_t>(input, special, random);
  case Dtype::i8:
    return fill_integers<std::int8_t>(input, special, random);
  case Dtype::u16:
    return fill_integers<std::uint16_t>(input, special, random);
  case Dtype::i16:
    return fill_integers<std::int16_t>(input, special, random);
  case Dtype::f32:
    return fill_with<float>(input, random, draw(false));
  default:
    return fill_with<double>(input, random, draw(wide));
  }
}

VariantContract one_array(std::string_view variant, decltype(VariantContract::oracle) expect) {
  return arrays(variant, 1, kOneSets, make_one, expect);
}
VariantContract two_arrays(std::string_view variant, decltype(VariantContract::oracle) expect) {
  return arrays(variant, 2, kTwoSets, make_two, expect);
}

} // namespace switchyard::oracle
