// Squared distances from differences, and the contract's reference. f32: blocks of 64 coordinates
// add their squares in f32, blocks are added in f64. f64: one sum. The result is narrowed once.
#include <algorithm>
#include <vector>

#include "candidates/common/passes.hpp"
#include "candidates/common/turn.hpp"
#include "candidates/pairwise_distances_squared/adapters.hpp"

namespace switchyard::candidates::pairwise_distances_squared {
namespace {

constexpr std::int64_t kBlock = 64;

template <class T> T element(const ConstView &view, std::int64_t h, std::int64_t w) {
  T value;
  std::memcpy(&value, view.at(0, h, w, 0), sizeof value);
  return value;
}

// Adds the squares of coordinates [from, to) between point n of a and every column of `rows`.
template <class T>
void add_squares(const ConstView &a, std::int64_t n, const T *rows, std::int64_t from,
                 std::int64_t to, std::vector<T> &sums) {
  std::fill(sums.begin(), sums.end(), T{0});
  for (std::int64_t d = from; d < to; ++d) {
    const T coordinate = element<T>(a, n, d);
    const T *row = rows + d * static_cast<std::int64_t>(sums.size());
    for (std::size_t m = 0; m < sums.size(); ++m) {
      const T difference = coordinate - row[m];
      sums[m] = sums[m] + difference * difference;
    }
  }
}

template <class T> void measure(const ConstView &a, const ConstView &b, const View &out) {
  // A row for each coordinate, so that the innermost loop is over points.
  const ConstView coordinates = transposed(b);
  const Temporary<T> dense(coordinates.shape);
  pass<T, T>(coordinates, dense.view(), [](T x) { return x; });
  const auto *rows = static_cast<const T *>(dense.view().data);
  const std::int64_t depth = a.shape[kW];
  const std::int64_t block = std::is_same_v<T, float> ? kBlock : std::max<std::int64_t>(depth, 1);
  std::vector<T> block_sums(static_cast<std::size_t>(out.shape[kW]));
  std::vector<double> sums(block_sums.size());
  for (std::int64_t n = 0; n < out.shape[kH]; ++n) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::int64_t from = 0; from < depth; from += block) {
      add_squares(a, n, rows, from, std::min(from + block, depth), block_sums);
      for (std::size_t m = 0; m < sums.size(); ++m) {
        sums[m] += static_cast<double>(block_sums[m]);
      }
    }
    for (std::int64_t m = 0; m < out.shape[kW]; ++m) {
      const auto sum = static_cast<float>(sums[static_cast<std::size_t>(m)]);
      std::memcpy(out.at(0, n, m, 0), &sum, sizeof sum);
    }
  }
}

} // namespace

void run_loop(const Call &call) {
  call.in[0]->dtype == Dtype::f32 ? measure<float>(*call.in[0], *call.in[1], *call.out[0])
                                  : measure<double>(*call.in[0], *call.in[1], *call.out[0]);
}

} // namespace switchyard::candidates::pairwise_distances_squared
