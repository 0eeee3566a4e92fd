// A reduction of any axes as loops over results and, within them, loops over the values of one
// result; and its values in dense or evenly spaced rows for kernels that know no axes.
//
// A tile is a number of results side by side in memory (columns), reduced together: channels of an
// interleaved image, or the pixels of a row where H is reduced. Where the values of one result
// are what lies side by side, a tile is a single column.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "candidates/reduction/params.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::reduction {

using ResultStrides = std::array<std::int64_t, 2>; // bytes, per output

struct Loop {
  std::int64_t extent = 1;
  std::int64_t stride = 0; // bytes
  ResultStrides results{}; // of loops over results
};

// Up to four loops, outermost first.
class Loops {
public:
  // Adds a loop within the others; one that continues the innermost is merged with it.
  void append(const Loop &next) {
    if (count_ > 0) {
      Loop &outer = loops_[count_ - 1];
      bool merges = outer.stride == next.stride * next.extent;
      for (std::size_t i = 0; i < next.results.size(); ++i) {
        merges = merges && outer.results[i] == next.results[i] * next.extent;
      }
      if (merges) {
        outer = {outer.extent * next.extent, next.stride, next.results};
        return;
      }
    }
    loops_[count_++] = next;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const Loop &operator[](std::size_t i) const { return loops_[i]; }
  // The innermost, or a loop of one turn where there is none.
  [[nodiscard]] Loop inner() const { return count_ > 0 ? loops_[count_ - 1] : Loop{}; }

private:
  std::array<Loop, 4> loops_{};
  std::size_t count_ = 0;
};

// Whether the values of a result have to be taken in the order X, H, W, C.
enum class Order : std::uint8_t { any, fixed };

// The loops of a call.
struct Plan {
  const std::byte *data = nullptr;
  std::array<std::byte *, 2> out{};
  Loops kept;
  Loops reduced;
  std::int64_t count = 1;   // values of a result
  bool side_by_side = true; // tiles have more than one column

  Plan(const Call &call, Order order) : data(static_cast<const std::byte *>(call.in[0]->data)) {
    const AxisMask mask = call.params_as<ReductionParams>().axes;
    for (std::size_t i = 0; i < out.size() && call.out[i] != nullptr; ++i) {
      out[i] = static_cast<std::byte *>(call.out[i]->mutable_data());
    }
    std::array<Loop, 4> loops{};
    for (const int axis : {kX, kH, kW, kC}) {
      loops[axis] = loop_over(call, axis, has_axis(mask, axis));
      count *= has_axis(mask, axis) ? loops[axis].extent : 1;
      if (!has_axis(mask, axis) || order == Order::any) {
        turn_forward(loops[axis]);
      }
    }
    const std::array<int, 4> by_distance = outermost_first(loops);
    for (int i = 0; i < 4; ++i) {
      const int axis = order == Order::any ? by_distance[i] : i;
      if (has_axis(mask, axis) && loops[axis].extent > 1) {
        reduced.append(loops[axis]);
      }
      if (!has_axis(mask, by_distance[i]) && loops[by_distance[i]].extent > 1) {
        kept.append(loops[by_distance[i]]);
      }
    }
    side_by_side = kept.count() > 0 && (count < kFewValues || results_are_inside());
  }

  // Whether all values have addresses that are multiples of `alignment`.
  [[nodiscard]] bool is_aligned(std::size_t alignment) const {
    auto bits = reinterpret_cast<std::uintptr_t>(data);
    for (const Loops &loops : {kept, reduced}) {
      for (std::size_t i = 0; i < loops.count(); ++i) {
        bits |= static_cast<std::uintptr_t>(loops[i].stride);
      }
    }
    return bits % alignment == 0;
  }

  // Byte offset of value `index` of a result.
  [[nodiscard]] std::int64_t offset_of(std::int64_t index) const {
    std::int64_t offset = 0;
    for (std::size_t i = reduced.count(); i > 0; --i) {
      const Loop &loop = reduced[i - 1];
      offset += index % loop.extent * loop.stride;
      index /= loop.extent;
    }
    return offset;
  }

private:
  // Results of fewer values are computed side by side however they lie.
  static constexpr std::int64_t kFewValues = 64;

  static Loop loop_over(const Call &call, int axis, bool reduces) {
    const ConstView &image = *call.in[0];
    Loop loop{image.shape[axis], image.shape[axis] > 1 ? image.strides[axis] : 0, {}};
    for (std::size_t i = 0; i < loop.results.size() && call.out[i] != nullptr && !reduces; ++i) {
      loop.results[i] = call.out[i]->strides[axis];
    }
    return loop;
  }

  static std::int64_t distance(std::int64_t stride) { return stride < 0 ? -stride : stride; }

  void turn_forward(Loop &loop) {
    if (loop.stride < 0) {
      data += (loop.extent - 1) * loop.stride;
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] != nullptr) {
          out[i] += (loop.extent - 1) * loop.results[i];
        }
        loop.results[i] = -loop.results[i];
      }
      loop.stride = -loop.stride;
    }
  }

  static std::array<int, 4> outermost_first(const std::array<Loop, 4> &loops) {
    std::array<int, 4> order{kX, kH, kW, kC};
    for (int i = 1; i < 4; ++i) {
      for (int j = i;
           j > 0 && distance(loops[order[j - 1]].stride) < distance(loops[order[j]].stride); --j) {
        std::swap(order[j - 1], order[j]);
      }
    }
    return order;
  }

  [[nodiscard]] bool results_are_inside() const {
    const std::int64_t nearest = kept.inner().stride;
    bool inside = true;
    for (std::size_t i = 0; i < reduced.count(); ++i) {
      inside = inside && nearest <= distance(reduced[i].stride);
    }
    return inside;
  }
};

struct Tile {
  const std::byte *data = nullptr; // the first value of the first result
  std::int64_t columns = 1;
  std::int64_t stride = 0; // bytes from a column to the next
  std::array<std::byte *, 2> out{};
  ResultStrides out_strides{};

  // Writes the result of a column to an output.
  template <class T> void store(std::size_t which, std::int64_t column, T value) const {
    std::memcpy(out[which] + column * out_strides[which], &value, sizeof value);
  }
};

// Calls body(tile) for all results, tiles of at most `widest` columns.
template <class Body> void for_each_tile(const Plan &plan, std::int64_t widest, Body &&body) {
  const Loop columns = plan.side_by_side ? plan.kept.inner() : Loop{};
  const std::size_t outer = plan.kept.count() - (plan.side_by_side ? 1 : 0);
  std::int64_t turns = 1;
  for (std::size_t i = 0; i < outer; ++i) {
    turns *= plan.kept[i].extent;
  }
  Tile first{plan.data, 1, columns.stride, plan.out, columns.results};
  std::array<std::int64_t, 4> index{};
  const auto move = [&first](const Loop &loop, std::int64_t steps) {
    first.data += steps * loop.stride;
    for (std::size_t o = 0; o < first.out.size(); ++o) {
      first.out[o] += steps * loop.results[o];
    }
  };
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    Tile tile = first;
    for (std::size_t i = outer; i > 0; --i) { // to the next turn, like an odometer
      const Loop &loop = plan.kept[i - 1];
      if (++index[i - 1] < loop.extent) {
        move(loop, 1);
        break;
      }
      move(loop, 1 - loop.extent);
      index[i - 1] = 0;
    }
    for (std::int64_t done = 0; done < columns.extent; done += tile.columns) {
      tile.columns = std::min(widest, columns.extent - done);
      body(static_cast<const Tile &>(tile));
      tile.data += tile.columns * columns.stride;
      for (std::size_t o = 0; o < tile.out.size(); ++o) {
        tile.out[o] += tile.columns * columns.results[o];
      }
    }
  }
}

// Some values of each column: `rows` values of the first one lie `stride` elements apart, each
// followed by those of the other columns. A single column is dense.
template <class T> struct Rows {
  const T *data;
  std::int64_t rows;
  std::int64_t stride;
};

// Copies rows of elements to dense rows: to[r · columns + c] = the element row_stride · r + stride
// · c bytes behind `from`.
template <class T>
using RowCopy = void(const std::byte *from, std::ptrdiff_t row_stride, std::ptrdiff_t stride, T *to,
                     std::size_t rows, std::size_t columns);

// Along whichever of rows and columns is longer.
template <class T>
void copy_rows(const std::byte *from, std::ptrdiff_t row_stride, std::ptrdiff_t stride, T *to,
               std::size_t rows, std::size_t columns) {
  constexpr std::ptrdiff_t kSize = sizeof(T);
  const bool dense = columns == 1 || stride == kSize;
  if (dense && (rows == 1 || row_stride == static_cast<std::ptrdiff_t>(columns) * kSize)) {
    std::memcpy(to, from, rows * columns * sizeof(T));
  } else if (dense && columns * sizeof(T) >= 32) {
    for (std::size_t r = 0; r < rows; ++r, from += row_stride) {
      std::memcpy(to + r * columns, from, columns * sizeof(T));
    }
  } else if (columns >= rows) {
    for (std::size_t r = 0; r < rows; ++r, from += row_stride) {
      for (std::size_t c = 0; c < columns; ++c) {
        std::memcpy(to++, from + static_cast<std::ptrdiff_t>(c) * stride, sizeof(T));
      }
    }
  } else {
    for (std::size_t c = 0; c < columns; ++c, from += stride) {
      for (std::size_t r = 0; r < rows; ++r) {
        std::memcpy(to + r * columns + c, from + static_cast<std::ptrdiff_t>(r) * row_stride,
                    sizeof(T));
      }
    }
  }
}

// Reads tiles as Rows, through a buffer where memory has another form.
template <class T> class Reader {
public:
  // Rows that are neither dense nor as wide as this pass through the buffer.
  Reader(const Plan &plan, std::int64_t narrowest, std::span<T> buffer,
         RowCopy<T> *copy = copy_rows<T>)
      : plan_(plan), inner_(plan.reduced.inner()), narrowest_(narrowest), buffer_(buffer),
        copy_(copy), aligned_(plan.is_aligned(alignof(T))) {}

  // Calls body(rows) for the tile's values in order, `block` of each column at a time. The buffer
  // holds that many rows.
  template <class Body> void blocks(const Tile &tile, std::int64_t block, Body &&body) const {
    const bool direct = is_direct(tile);
    if (direct && is_one_run(block)) {
      return body(Rows<T>{reinterpret_cast<const T *>(tile.data), plan_.count, row_stride(tile)});
    }
    for (std::int64_t done = 0; done < plan_.count; done += block) {
      const std::int64_t n = std::min(block, plan_.count - done);
      if (direct && done % inner_.extent + n <= inner_.extent) {
        body(Rows<T>{reinterpret_cast<const T *>(tile.data + plan_.offset_of(done)), n,
                     row_stride(tile)});
      } else {
        gather(tile, done, n);
        body(Rows<T>{buffer_.data(), n, tile.columns});
      }
    }
  }

  // Calls body(rows) for the tile's values in whatever pieces suit memory, of at most `longest`
  // values of a column.
  template <class Body> void runs(const Tile &tile, std::int64_t longest, Body &&body) const {
    if (is_one_run(longest) && is_direct(tile)) {
      return body(Rows<T>{reinterpret_cast<const T *>(tile.data), plan_.count, row_stride(tile)});
    }
    const auto capacity = static_cast<std::int64_t>(buffer_.size());
    const bool is_long = plan_.reduced.count() <= 1 || inner_.extent * tile.columns >= capacity / 2;
    if (!is_long || !is_direct(tile)) {
      blocks(tile, std::max<std::int64_t>(1, std::min(longest, capacity / tile.columns)), body);
      return;
    }
    const std::int64_t stride = row_stride(tile);
    for (std::int64_t done = 0; done < plan_.count; done += inner_.extent) {
      const T *run = reinterpret_cast<const T *>(tile.data + plan_.offset_of(done));
      for (std::int64_t at = 0; at < inner_.extent; at += longest) {
        body(Rows<T>{run + at * stride, std::min(longest, inner_.extent - at), stride});
      }
    }
  }

private:
  static constexpr std::int64_t kSize = sizeof(T);

  [[nodiscard]] bool is_one_run(std::int64_t longest) const {
    return plan_.reduced.count() <= 1 && plan_.count > 0 && plan_.count <= longest;
  }

  [[nodiscard]] std::int64_t row_stride(const Tile &tile) const {
    return inner_.extent > 1 ? inner_.stride / kSize : tile.columns;
  }

  [[nodiscard]] bool is_direct(const Tile &tile) const {
    const bool dense_rows = inner_.extent == 1 || inner_.stride == tile.columns * kSize;
    return aligned_ && (tile.columns == 1 || tile.stride == kSize) &&
           (dense_rows || (tile.columns > 1 && tile.columns >= narrowest_));
  }

  // Copies values [from, from + n) of each column to the buffer, as dense rows. Short inner loops
  // of a single column are columns themselves, of the rows that the next loop is: pixels of planes.
  void gather(const Tile &tile, std::int64_t from, std::int64_t n) const {
    constexpr std::int64_t kShort = 64;
    const bool pairs = tile.columns == 1 && plan_.reduced.count() > 1 && inner_.extent <= kShort;
    const Loop outer = pairs ? plan_.reduced[plan_.reduced.count() - 2] : Loop{};
    T *to = buffer_.data();
    while (n > 0) {
      const std::byte *at = tile.data + plan_.offset_of(from);
      std::int64_t count = std::min(inner_.extent - from % inner_.extent, n);
      if (pairs && count == inner_.extent) {
        const std::int64_t turn = from / inner_.extent % outer.extent;
        const std::int64_t turns = std::min(outer.extent - turn, n / inner_.extent);
        count = turns * inner_.extent;
        copy_run(at, outer.stride, inner_.stride, to, turns, inner_.extent);
      } else {
        copy_run(at, inner_.stride, tile.stride, to, count, tile.columns);
      }
      to += count * tile.columns;
      from += count;
      n -= count;
    }
  }

  void copy_run(const std::byte *from, std::int64_t row_stride, std::int64_t stride, T *to,
                std::int64_t rows, std::int64_t columns) const {
    copy_(from, row_stride, stride, to, static_cast<std::size_t>(rows),
          static_cast<std::size_t>(columns));
  }

  const Plan &plan_;
  Loop inner_;
  std::int64_t narrowest_;
  std::span<T> buffer_;
  RowCopy<T> *copy_;
  bool aligned_;
};

// reduce_sum of an empty image: zeros, as many as there are results.
inline bool stored_zeros(const Call &call) {
  if (!call.in[0]->empty()) {
    return false;
  }
  const View &out = *call.out[0];
  for (std::int64_t x = 0; x < out.shape[kX]; ++x) {
    for (std::int64_t h = 0; h < out.shape[kH]; ++h) {
      for (std::int64_t w = 0; w < out.shape[kW]; ++w) {
        for (std::int64_t c = 0; c < out.shape[kC]; ++c) {
          std::memset(out.at(x, h, w, c), 0, static_cast<std::size_t>(size_of(out.dtype)));
        }
      }
    }
  }
  return true;
}

} // namespace switchyard::candidates::reduction
