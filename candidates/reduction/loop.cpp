// Reductions in plain loops, a tile after the other, and the contract's reference.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "candidates/reduction/adapters.hpp"
#include "candidates/reduction/moments.hpp"
#include "candidates/reduction/plan.hpp"

namespace switchyard::candidates::reduction {
namespace {

constexpr std::int64_t kColumns = 64; // of a tile

// Calls begin(), add(block, rows) for each block, and finish(tile), for every tile; blocks are
// dense or evenly spaced rows of the tile's columns.
template <class T, class Begin, class Add, class Finish>
void for_each_block(const Call &call, Begin begin, Add add, Finish finish) {
  const Plan plan(call, Order::fixed);
  const std::int64_t block = std::min(kBlock, plan.count);
  std::vector<T> buffer(static_cast<std::size_t>(block * kColumns));
  const Reader<T> reader(plan, 1, buffer);
  for_each_tile(plan, kColumns, [&](const Tile &tile) {
    begin();
    reader.blocks(tile, block, [&](const Rows<T> &rows) { add(rows, tile.columns); });
    finish(tile, plan.count);
  });
}

template <Asked kAsked> void run_bytes(const Call &call) {
  std::vector<ByteSums> sums(kColumns);
  for_each_block<std::uint8_t>(
      call, [&] { std::fill(sums.begin(), sums.end(), ByteSums{}); },
      [&](const Rows<std::uint8_t> &rows, std::int64_t columns) {
        for (std::int64_t r = 0; r < rows.rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            const std::uint32_t value = rows.data[r * rows.stride + c];
            sums[static_cast<std::size_t>(c)].sum += value;
            sums[static_cast<std::size_t>(c)].squares += value * value;
          }
        }
      },
      [&](const Tile &tile, std::int64_t n) { store_all<kAsked>(call, tile, sums.data(), n); });
}

// Sums of term(value, column) over a block, by the lanes and the tree of the contract.
template <class Term>
void block_sums(const Rows<float> &rows, std::int64_t columns, std::vector<double> &sums,
                std::vector<double> &lanes, Term term) {
  std::fill(lanes.begin(), lanes.end(), 0.0);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    double *lane = lanes.data() + r % kLanes * columns;
    for (std::int64_t c = 0; c < columns; ++c) {
      lane[c] += term(static_cast<double>(rows.data[r * rows.stride + c]), c);
    }
  }
  for (std::int64_t half = kLanes / 2 * columns; half >= columns; half /= 2) {
    for (std::int64_t k = 0; k < half; ++k) {
      lanes[static_cast<std::size_t>(k)] += lanes[static_cast<std::size_t>(half + k)];
    }
  }
  std::copy_n(lanes.begin(), columns, sums.begin());
}

// Sums of squared deviations from the means that `sums` give: Σx² − s²/n where that keeps enough of
// its digits, else summed up as such.
void block_deviations(const Rows<float> &rows, std::int64_t columns,
                      const std::vector<double> &sums, std::vector<double> &squares,
                      std::vector<double> &lanes) {
  const auto n = static_cast<double>(rows.rows);
  std::vector<double> centered(squares.size());
  block_sums(rows, columns, squares, lanes,
             [](double value, std::int64_t) { return value * value; });
  block_sums(rows, columns, centered, lanes, [&](double value, std::int64_t c) {
    const double deviation = value - sums[static_cast<std::size_t>(c)] / n;
    return deviation * deviation;
  });
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
    const double taken = sums[c] * sums[c] / n;
    const double left = squares[c] - taken;
    squares[c] = left >= kSafeSpread * taken ? left : centered[c];
  }
}

template <Asked kAsked> void run_floats(const Call &call) {
  std::vector<Moments> moments(kColumns);
  std::vector<double> lanes(static_cast<std::size_t>(kLanes * kColumns));
  std::vector<double> sums(kColumns);
  std::vector<double> squares(kColumns);
  for_each_block<float>(
      call, [&] { std::fill(moments.begin(), moments.end(), Moments()); },
      [&](const Rows<float> &rows, std::int64_t columns) {
        block_sums(rows, columns, sums, lanes, [](double value, std::int64_t) { return value; });
        if constexpr (asks_std(kAsked)) {
          block_deviations(rows, columns, sums, squares, lanes);
        }
        for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
          asks_std(kAsked) ? moments[c].add(rows.rows, sums[c], squares[c])
                           : moments[c].add_sum(rows.rows, sums[c]);
        }
      },
      [&](const Tile &tile, std::int64_t n) { store_all<kAsked>(call, tile, moments.data(), n); });
}

// The range of values seen. −0 lies below +0.
template <class T> struct Range {
  T low = std::numeric_limits<T>::max();
  T high = std::numeric_limits<T>::lowest();
  bool any = false;
  bool nan = false;

  void add(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      nan = nan || std::isnan(value);
    }
    low = !any || is_below(value, low) ? value : low;
    high = !any || is_below(high, value) ? value : high;
    any = true;
  }

private:
  static bool is_below(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    } else {
      return a < b;
    }
  }
};

template <class T> void run_min_max(const Call &call) {
  std::vector<Range<T>> ranges(kColumns);
  for_each_block<T>(
      call, [&] { std::fill(ranges.begin(), ranges.end(), Range<T>()); },
      [&](const Rows<T> &rows, std::int64_t columns) {
        for (std::int64_t r = 0; r < rows.rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            ranges[static_cast<std::size_t>(c)].add(rows.data[r * rows.stride + c]);
          }
        }
      },
      [&](const Tile &tile, std::int64_t) {
        constexpr T kNan = std::numeric_limits<T>::quiet_NaN(); // 0 of integers
        for (std::int64_t c = 0; c < tile.columns; ++c) {
          const Range<T> &range = ranges[static_cast<std::size_t>(c)];
          tile.store(0, c, range.nan ? kNan : range.low);
          tile.store(1, c, range.nan ? kNan : range.high);
        }
      });
}

} // namespace

template <Asked kAsked> void run_loop(const Call &call) {
  if constexpr (kAsked == Asked::min_max) {
    run_by_dtype<kAsked>(call, run_min_max<std::uint8_t>, run_min_max<float>);
  } else {
    run_by_dtype<kAsked>(call, run_bytes<kAsked>, run_floats<kAsked>);
  }
}

SWITCHYARD_INSTANTIATE_REDUCTIONS(run_loop);

} // namespace switchyard::candidates::reduction
