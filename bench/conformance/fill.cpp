// The default distribution of inputs.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bench/conformance/memory.hpp"

namespace switchyard::conformance {
namespace {

// In [0, 1), the same on every standard library (its distributions are not).
double unit(std::uint64_t bits) {
  return std::ldexp(static_cast<double>(bits >> 11), -53);
}

template <class T> T ordinary_float(std::uint64_t bits) {
  const double u = unit(bits);
  switch (bits % 16) { // the low bits, which unit() leaves out
  case 0:
    return static_cast<T>(600 * u - 300);
  case 1:
    return static_cast<T>(std::floor(512 * u) - 128 + 0.5);
  case 2:
  case 3:
  case 4:
  case 5:
  case 6:
    return static_cast<T>(u);
  default:
    return static_cast<T>(4 * u - 2);
  }
}

template <class T> T special_float(std::uint64_t bits) {
  using Limits = std::numeric_limits<T>;
  constexpr std::array<T, 16> kMagnitudes = {Limits::quiet_NaN(),
                                             Limits::infinity(),
                                             T{0},
                                             Limits::denorm_min(),
                                             Limits::min() / 2,
                                             Limits::min(),
                                             Limits::max(),
                                             T{0.5},
                                             T{1.5},
                                             T{254.5},
                                             T{255},
                                             T{255.5},
                                             T{256},
                                             T{16777216},
                                             T{1e10},
                                             Limits::epsilon()};
  const T magnitude = kMagnitudes[(bits >> 8) % kMagnitudes.size()];
  return std::copysign(magnitude, (bits >> 7) % 2 == 0 ? T{1} : T{-1});
}

template <class T> T draw(bool special, std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    return special && (bits >> 4) % 3 == 0 ? special_float<T>(mix(bits)) : ordinary_float<T>(bits);
  } else {
    using Limits = std::numeric_limits<T>;
    const unsigned edge = special ? 2 : 16; // one in this many is an extreme value
    if (bits % edge == 0) {
      constexpr std::array<T, 4> kEdges = {Limits::min(), Limits::max(), T{1},
                                           static_cast<T>(Limits::max() - 1)};
      return kEdges[(bits >> 8) % kEdges.size()];
    }
    return static_cast<T>(bits >> 16);
  }
}

template <class T> void fill(const View &view, bool special, Random &random) {
  const auto &[xs, hs, ws, cs] = view.shape;
  for (std::int64_t x = 0; x < xs; ++x) {
    for (std::int64_t h = 0; h < hs; ++h) {
      for (std::int64_t w = 0; w < ws; ++w) {
        for (std::int64_t c = 0; c < cs; ++c) {
          const T value = draw<T>(special, random());
          std::memcpy(view.at(x, h, w, c), &value, sizeof value);
        }
      }
    }
  }
}

} // namespace

void fill_default(const View &view, bool special, Random &random) {
  switch (view.dtype) {
  case Dtype::u8:
    return fill<std::uint8_t>(view, special, random);
  case Dtype::i8:
    return fill<std::int8_t>(view, special, random);
  case Dtype::u16:
    return fill<std::uint16_t>(view, special, random);
  case Dtype::i16:
    return fill<std::int16_t>(view, special, random);
  case Dtype::i32:
    return fill<std::int32_t>(view, special, random);
  case Dtype::i64:
    return fill<std::int64_t>(view, special, random);
  case Dtype::u64:
    return fill<std::uint64_t>(view, special, random);
  case Dtype::f32:
    return fill<float>(view, special, random);
  case Dtype::f64:
    return fill<double>(view, special, random);
  }
}

} // namespace switchyard::conformance
