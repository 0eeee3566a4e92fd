// Shapes that break candidates, as data: shared by the tests and the gate.
#pragma once

#include <array>
#include <cstdint>

#include "switchyard/core/view.hpp"

namespace switchyard::conformance {

// Every length up to two of the widest vectors, and both sides of larger powers of two.
inline constexpr std::int64_t kDenseTails = 70; // 1 … 70
inline constexpr std::array<std::int64_t, 9> kFurtherTails = {127, 128,  129,  255, 256,
                                                              257, 1023, 1024, 1025};

inline constexpr std::array<std::int64_t, 7> kChannels = {1, 2, 3, 4, 5, 9, 33};

struct ImageSize {
  std::int64_t height;
  std::int64_t width;
};
inline constexpr std::array<ImageSize, 3> kImages = {{{7, 13}, {24, 32}, {37, 53}}};
inline constexpr std::array<ImageSize, 6> kShortAxes = {
    {{1, 1}, {1, 17}, {17, 1}, {2, 3}, {1, 64}, {64, 1}}};

// Batches and volumes: X, H, W, C.
inline constexpr std::array<Extents, 5> kRank4 = {
    {{2, 5, 7, 3}, {3, 1, 17, 1}, {1, 4, 6, 2}, {2, 3, 5, 33}, {4, 6, 1, 9}}};

// One pass through any buffer of a few thousand elements, with a rest.
inline constexpr std::array<Extents, 3> kLong = {
    {{1, 1, 5000, 1}, {1, 2, 1111, 3}, {1, 3, 70, 33}}};

struct EmptyShape {
  Extents shape;
  std::uint8_t rank;
};
inline constexpr std::array<EmptyShape, 5> kEmpty = {{{{1, 0, 5, 3}, 3},
                                                      {{1, 5, 0, 3}, 3},
                                                      {{1, 5, 3, 0}, 3},
                                                      {{0, 5, 3, 2}, 4},
                                                      {{2, 0, 3, 1}, 4}}};

} // namespace switchyard::conformance
