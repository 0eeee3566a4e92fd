// Williams designs: orders of n alternatives that are balanced for carry-over.
//
// Over all rows every alternative stands equally often in every place, and equally often right
// after every other one. In a merely rotated order each would always follow the same one and be
// timed with what that left in the caches.
#pragma once

#include <cstddef>
#include <vector>

namespace switchyard::measure {

// Rows of the design: n for even n, 2n for odd n, where a single square cannot be balanced.
constexpr std::size_t williams_rows(std::size_t n) {
  return n % 2 == 0 || n == 1 ? n : 2 * n;
}

// Row `row` modulo williams_rows(n), a permutation of 0 … n − 1. Row 0 zigzags 0, 1, n − 1, 2,
// n − 2, …, whose neighbours differ by every amount once; adding 1 to all of it gives the other
// rows. The second half, for odd n, is the first one backwards.
inline std::vector<std::size_t> williams_row(std::size_t n, std::size_t row) {
  std::vector<std::size_t> order(n);
  if (n == 0) {
    return order;
  }
  row %= williams_rows(n);
  const bool backwards = row >= n;
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t step = (place + 1) / 2;
    const std::size_t zigzag = place % 2 == 1 ? step : (n - step) % n;
    order[backwards ? n - 1 - place : place] = (zigzag + row) % n;
  }
  return order;
}

} // namespace switchyard::measure
