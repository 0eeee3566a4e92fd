// The problems on which routes are verified: none of them is in the benchmark matrix.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bench/measure/matrix.hpp"

namespace switchyard::verify {

// A star of its own: sizes and channels that the matrix does not have, and every other axis of
// the matrix at a few of them. At most 40 cells per variant and dtype on two cores, for one set of
// parameters.
[[nodiscard]] std::span<const measure::MatrixPoint> unseen_points();

// Points for "37x53x3,4x100x90x1": shapes H x W x C or X x H x W x C, comma-separated, each
// contiguous, into a buffer, with one thread and with every larger budget. Throws
// std::invalid_argument, which begins with the text at fault, for anything else and for more than
// 2^28 elements.
[[nodiscard]] std::vector<measure::MatrixPoint> points_of(std::string_view shapes);

// The order in which a time budget is spent: one cell of every group after the other, and within a
// group in leaps, so that any beginning is a small star of each group. `sizes` holds the number of
// cells by group; the result (group, cell) pairs.
struct Turn {
  std::size_t group = 0;
  std::size_t cell = 0;
  friend bool operator==(const Turn &, const Turn &) = default;
};
[[nodiscard]] std::vector<Turn> even_order(std::span<const std::size_t> sizes);

} // namespace switchyard::verify
