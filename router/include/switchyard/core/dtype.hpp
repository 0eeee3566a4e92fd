// Element types of images, operand arrays and results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace switchyard {

enum class Dtype : std::uint8_t { u8, i8, u16, i16, i32, i64, u64, f32, f64 };

inline constexpr int kDtypeCount = 9;

namespace detail {
inline constexpr std::int64_t kDtypeSizes[kDtypeCount] = {1, 1, 2, 2, 4, 8, 8, 4, 8};
} // namespace detail

// Size of one element in bytes.
constexpr std::int64_t size_of(Dtype dtype) {
  return detail::kDtypeSizes[static_cast<int>(dtype)];
}

// The name used in evidence, on the command line and in messages: "u8", "f32", …
constexpr std::string_view name_of(Dtype dtype) {
  constexpr std::string_view kNames[kDtypeCount] = {"u8",  "i8",  "u16", "i16", "i32",
                                                    "i64", "u64", "f32", "f64"};
  return kNames[static_cast<int>(dtype)];
}

template <class T> inline constexpr bool kHasDtype = false;
template <class T> inline constexpr Dtype kDtypeOf = Dtype::u8;

#define SWITCHYARD_MAP_DTYPE(TYPE, NAME)                                                           \
  template <> inline constexpr bool kHasDtype<TYPE> = true;                                        \
  template <> inline constexpr Dtype kDtypeOf<TYPE> = Dtype::NAME
SWITCHYARD_MAP_DTYPE(std::uint8_t, u8);
SWITCHYARD_MAP_DTYPE(std::int8_t, i8);
SWITCHYARD_MAP_DTYPE(std::uint16_t, u16);
SWITCHYARD_MAP_DTYPE(std::int16_t, i16);
SWITCHYARD_MAP_DTYPE(std::int32_t, i32);
SWITCHYARD_MAP_DTYPE(std::int64_t, i64);
SWITCHYARD_MAP_DTYPE(std::uint64_t, u64);
SWITCHYARD_MAP_DTYPE(float, f32);
SWITCHYARD_MAP_DTYPE(double, f64);
#undef SWITCHYARD_MAP_DTYPE

} // namespace switchyard
