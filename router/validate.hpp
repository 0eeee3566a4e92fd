// Checks of the public edge. Each throws Error that names op, argument, given and accepted.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "switchyard/core/error.hpp"
#include "switchyard/core/values.hpp"
#include "switchyard/core/view.hpp"
#include "switchyard/options.hpp"

namespace switchyard::validate {

// The extents are not negative, their product fits, a non-empty view has an address, and the
// dtype is one of `accepted`.
void image(std::string_view op, std::string_view argument, const ConstView &view,
           std::initializer_list<Dtype> accepted);

// As image(); besides, `out` has this shape and, unless it is empty, no stride of 0 on an axis
// longer than 1.
void output(std::string_view op, std::string_view argument, const View &out, const Extents &shape,
            std::initializer_list<Dtype> accepted);

// What an op is to return can have this size. Throws Error that names the op's `result`.
void result(std::string_view op, const Extents &shape, Dtype dtype, std::uint8_t rank);

void same_shape(std::string_view op, std::string_view argument, const ConstView &view,
                const Extents &shape);

// The operand's height and width are those of `image`; its C and X are, too, or 1.
void repeats_to(std::string_view op, std::string_view argument, const ConstView &operand,
                const ConstView &image);

// One value or `channels` values.
void parameter(std::string_view op, std::string_view argument, const Values &values,
               std::int64_t channels);
[[nodiscard]] inline bool is_parameter(const Values &values, std::int64_t channels) {
  return values.size == 1 || values.size == channels;
}

// `out` shares no element with `input`, or, where `in_place` is allowed, is exactly that view.
// `out_name` is the argument that `out` was given as.
void overlap(std::string_view op, std::string_view argument, const View &out,
             const ConstView &input, bool in_place, std::string_view out_name = "out");

void options(std::string_view op, const Options &options);

// Views of the same elements in the same order.
[[nodiscard]] bool same_view(const ConstView &a, const ConstView &b);

// True where some byte of one view is a byte of the other; exact for the strides that images
// have. A search that would take too long answers true.
[[nodiscard]] bool share_memory(const ConstView &a, const ConstView &b);

// Few instructions, for what nearly all parameters are: few and small. Said by integers, since a
// comparison of doubles would raise what the caller may have trapped.
[[nodiscard]] inline bool is_surely_narrow(Values values) {
  constexpr std::int64_t kTopOfMost = 0x47EFFFFF; // the upper half of FLT_MAX as a double
  constexpr std::int64_t kFew = 8;
  constexpr int kUpperHalf = std::endian::native == std::endian::little ? 4 : 0;
  if (values.size == 1) [[likely]] {
    std::uint32_t half = 0;
    std::memcpy(&half, reinterpret_cast<const char *>(values.data) + kUpperHalf, sizeof half);
    return (half & 0x7FFFFFFFU) < kTopOfMost;
  }
  if (values.size <= 0 || values.size > kFew) [[unlikely]] {
    return values.size <= 0;
  }
  using Pair = std::int64_t __attribute__((vector_size(16)));
  constexpr std::int64_t kMagnitude = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMost = kTopOfMost << 32;
  const auto negative_where_small = [&](std::int64_t at) {
    Pair pair;
    std::memcpy(&pair, values.data + at, sizeof pair);
    return (pair & Pair{kMagnitude, kMagnitude}) - Pair{kMost, kMost};
  };
  Pair small = negative_where_small(0) & negative_where_small(values.size - 2);
  if (values.size > 4) {
    small &= negative_where_small(2) & negative_where_small(values.size - 4);
  }
#if defined(__SSE2__)
  return _mm_movemask_pd(reinterpret_cast<__m128d>(small)) == 3;
#else
  return (small[0] & small[1]) < 0;
#endif
}

// The same of values that are a parameter.
[[nodiscard]] inline bool is_narrow_parameter(const Values &values, std::int64_t channels) {
  return values.size == 1 ? is_surely_narrow(values)
                          : values.size == channels && is_surely_narrow(values);
}

// A finite value exceeds FLT_MAX.
[[nodiscard]] bool is_wide(Values values);
// Only f64 has such elements; others are not read.
[[nodiscard]] bool is_wide(const ConstView &view);

} // namespace switchyard::validate
