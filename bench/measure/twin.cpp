#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/measure/twin.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/traffic/traffic-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

// NOLINTBEGIN(readability-identifier-naming): named as kernels are
bool MoveRows(const TrafficRows &rows, bool stream) {
  return MoveTrafficRows(rows, stream);
}
bool ReadDense(const uint8_t *in, size_t n) {
  Seen seen;
  ReadRun(in, n, seen);
  return seen.Any();
}
bool ReadSpaced(const uint8_t *in, size_t count, ptrdiff_t stride, size_t bytes) {
  return ReadSpacedRuns(in, count, stride, bytes);
}
void FillDense(uint8_t *out, size_t n, bool stream) {
  stream ? FillRun<true>(out, n) : FillRun<false>(out, n);
}
void FillSpaced(uint8_t *out, size_t count, ptrdiff_t stride, size_t bytes) {
  FillSpacedRuns(out, count, stride, bytes);
}
// NOLINTEND(readability-identifier-naming)

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "bench/measure/twin.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace switchyard::kernels {
HWY_EXPORT(MoveRows);
HWY_EXPORT(ReadDense);
HWY_EXPORT(ReadSpaced);
HWY_EXPORT(FillDense);
HWY_EXPORT(FillSpaced);
} // namespace switchyard::kernels

namespace switchyard::measure {
namespace {

using namespace kernels; // a build for one SIMD target dispatches plain names alone

constexpr std::int64_t kLine = 64; // bytes

struct Steps {
  std::int64_t count = 1;
  std::int64_t stride = 0; // bytes
};

// The distinct elements of a view in the order of their addresses: units of `unit` dense bytes,
// `inner.count` of them `inner.stride` apart, and that along up to three outer axes.
class Walk {
public:
  Walk() = default;
  explicit Walk(const ConstView &view) : at_(static_cast<const std::byte *>(view.data)) {
    unit_ = size_of(view.dtype);
    if (view.empty()) {
      inner_ = {0, unit_};
      return;
    }
    if (view.strides == contiguous_strides(view.shape, unit_)) { // the usual case, cheaply
      inner_ = {view.elements(), unit_};
      return;
    }
    collect_axes(view);
    choose_unit();
  }

  [[nodiscard]] const std::byte *data() const { return at_; }
  [[nodiscard]] std::int64_t unit() const { return unit_; }
  [[nodiscard]] const Steps &inner() const { return inner_; }
  [[nodiscard]] int outer_axes() const { return outers_; }
  [[nodiscard]] const Steps &outer(int i) const { return outer_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool dense() const { return inner_.stride == unit_; }
  [[nodiscard]] std::int64_t units() const {
    std::int64_t units = inner_.count;
    for (int i = 0; i < outers_; ++i) {
      units *= outer(i).count;
    }
    return units;
  }
  [[nodiscard]] std::int64_t bytes() const { return units() * unit_; }

  // Calls each(address, number of units) for the pieces of units [from, to), which lie
  // inner().stride apart.
  template <class Each> void pieces(std::int64_t from, std::int64_t to, Each &&each) const {
    while (from < to) {
      const std::int64_t first = from % inner_.count;
      const std::int64_t count = std::min(inner_.count - first, to - from);
      const std::byte *at = at_ + first * inner_.stride;
      std::int64_t index = from / inner_.count;
      for (int i = outers_ - 1; i >= 0; --i) {
        at += index % outer(i).count * outer(i).stride;
        index /= outer(i).count;
      }
      each(at, count);
      from += count;
    }
  }

private:
  // Axes that matter, forwards, from the largest stride to the smallest, those that continue one
  // another joined.
  void collect_axes(const ConstView &view) {
    for (const Axis axis : {kX, kH, kW, kC}) {
      Steps steps{view.shape[axis], view.strides[axis]};
      if (steps.count == 1 || steps.stride == 0) {
        continue;
      }
      if (steps.stride < 0) {
        at_ += (steps.count - 1) * steps.stride;
        steps.stride = -steps.stride;
      }
      int place = outers_++;
      for (; place > 0 && outer(place - 1).stride < steps.stride; --place) {
        outer_[static_cast<std::size_t>(place)] = outer(place - 1);
      }
      outer_[static_cast<std::size_t>(place)] = steps;
    }
    int kept = 0;
    for (int i = 0; i < outers_; ++i) {
      const bool continues = kept > 0 && outer(kept - 1).stride == outer(i).stride * outer(i).count;
      const std::int64_t before = continues ? outer(--kept).count : 1;
      outer_[static_cast<std::size_t>(kept++)] = {outer(i).count * before, outer(i).stride};
    }
    outers_ = kept;
  }

  // Pixels of a few bytes with gaps between them are better walked as units than one by one.
  void choose_unit() {
    if (outers_ > 1 && outer(outers_ - 1).stride == unit_ &&
        outer(outers_ - 1).count * unit_ < kLine) {
      unit_ *= outer(--outers_).count;
    }
    inner_ = outers_ > 0 ? outer(--outers_) : Steps{1, unit_};
  }

  const std::byte *at_ = nullptr; // the lowest element
  std::int64_t unit_ = 1;
  Steps inner_;
  std::array<Steps, 4> outer_;
  int outers_ = 0;
};

const std::uint8_t *bytes_at(const std::byte *at) {
  return reinterpret_cast<const std::uint8_t *>(at);
}
std::uint8_t *mutable_bytes_at(const std::byte *at) {
  return reinterpret_cast<std::uint8_t *>(const_cast<std::byte *>(at));
}

bool read(const Walk &walk, std::int64_t from, std::int64_t to) {
  bool seen = false;
  const auto unit = static_cast<std::size_t>(walk.unit());
  walk.pieces(from, to, [&](const std::byte *at, std::int64_t count) {
    const std::int64_t stride = walk.inner().stride;
    if (stride < kLine || walk.dense()) {
      const auto enclosing = static_cast<std::size_t>((count - 1) * stride) + unit;
      seen |= HWY_DYNAMIC_DISPATCH(ReadDense)(bytes_at(at), enclosing);
    } else {
      seen |= HWY_DYNAMIC_DISPATCH(ReadSpaced)(bytes_at(at), static_cast<std::size_t>(count),
                                               stride, unit);
    }
  });
  return seen;
}

void write(const Walk &walk, std::int64_t from, std::int64_t to, Stores stores) {
  const auto unit = static_cast<std::size_t>(walk.unit());
  walk.pieces(from, to, [&](const std::byte *at, std::int64_t count) {
    if (walk.dense()) {
      HWY_DYNAMIC_DISPATCH(FillDense)
      (mutable_bytes_at(at), static_cast<std::size_t>(count) * unit, stores == Stores::streaming);
    } else {
      HWY_DYNAMIC_DISPATCH(FillSpaced)
      (mutable_bytes_at(at), static_cast<std::size_t>(count), walk.inner().stride, unit);
    }
  });
}

// The walks of a call's arrays.
struct Arrays {
  std::array<Walk, 3> in;
  std::array<Walk, 2> out;
  std::size_t inputs = 0;
  std::size_t outputs = 0;

  explicit Arrays(const Call &call) {
    while (inputs < in.size() && call.in[inputs] != nullptr) {
      in[inputs] = Walk(*call.in[inputs]);
      ++inputs;
    }
    while (outputs < out.size() && call.out[outputs] != nullptr) {
      out[outputs] = Walk(*call.out[outputs]);
      ++outputs;
    }
  }
  template <class Each> void each(Each &&visit) const {
    for (std::size_t i = 0; i < inputs; ++i) {
      visit(in[i]);
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      visit(out[i]);
    }
  }
};

// Rows and elements per row that all arrays can be seen as.
struct Grid {
  std::int64_t rows = 0; // 0: there is no such grid
  std::int64_t elements = 0;
};

Grid common_grid(const Arrays &arrays) {
  Grid grid{1, arrays.in[0].units()};
  bool fits = arrays.inputs > 0 && grid.elements > 0;
  arrays.each([&](const Walk &walk) {
    fits = fits && walk.dense() && walk.outer_axes() <= 1 && walk.unit() <= 8 &&
           walk.units() == grid.rows * grid.elements;
    if (fits && walk.outer_axes() == 1 && grid.rows == 1) {
      grid = {walk.outer(0).count, walk.inner().count};
    }
    fits = fits && (walk.outer_axes() == 0 || walk.inner().count == grid.elements);
  });
  return fits ? grid : Grid{};
}

std::ptrdiff_t row_stride(const Walk &walk, const Grid &grid) {
  return walk.outer_axes() == 1 ? walk.outer(0).stride : grid.elements * walk.unit();
}

kernels::TrafficRows rows_of(const Arrays &arrays, const Grid &grid) {
  kernels::TrafficRows rows;
  rows.inputs = arrays.inputs;
  rows.outputs = arrays.outputs;
  for (std::size_t i = 0; i < arrays.inputs; ++i) {
    rows.in[i] = bytes_at(arrays.in[i].data());
    rows.in_stride[i] = row_stride(arrays.in[i], grid);
    rows.in_size[i] = static_cast<std::size_t>(arrays.in[i].unit());
  }
  for (std::size_t o = 0; o < arrays.outputs; ++o) {
    rows.out[o] = mutable_bytes_at(arrays.out[o].data());
    rows.out_stride[o] = row_stride(arrays.out[o], grid);
    rows.out_size[o] = static_cast<std::size_t>(arrays.out[o].unit());
  }
  rows.rows = static_cast<std::size_t>(grid.rows);
  rows.elements = static_cast<std::size_t>(grid.elements);
  return rows;
}

bool is_contiguous(const ConstView &view) {
  return view.strides == contiguous_strides(view.shape, size_of(view.dtype));
}

// The usual case, seen in a few nanoseconds: contiguous arrays of one size, as a single row. No
// rows: it is another case.
kernels::TrafficRows contiguous_rows(const Call &call) {
  kernels::TrafficRows rows;
  const std::int64_t elements = call.in[0]->elements();
  for (const ConstView *in : call.in) {
    if (in != nullptr) {
      if (!is_contiguous(*in) || in->elements() != elements) {
        return {};
      }
      rows.in[rows.inputs] = bytes_at(static_cast<const std::byte *>(in->data));
      rows.in_size[rows.inputs++] = static_cast<std::size_t>(size_of(in->dtype));
    }
  }
  for (const View *out : call.out) {
    if (out != nullptr) {
      if (!is_contiguous(*out) || out->elements() != elements) {
        return {};
      }
      rows.out[rows.outputs] = mutable_bytes_at(static_cast<const std::byte *>(out->data));
      rows.out_size[rows.outputs++] = static_cast<std::size_t>(size_of(out->dtype));
    }
  }
  rows.elements = static_cast<std::size_t>(elements);
  rows.rows = elements > 0 ? 1 : 0;
  return rows;
}

// Streaming stores need elements at multiples of their size.
bool can_stream(const kernels::TrafficRows &rows) {
  const std::size_t bits =
      reinterpret_cast<std::uintptr_t>(rows.out[0]) | static_cast<std::size_t>(rows.out_stride[0]);
  return rows.outputs == 1 && bits % rows.out_size[0] == 0;
}

// The C library's copy knows its machine; in rows this long it may beat plain vectors. It has to be
// seen to move what it moves, so the last byte of each row is looked at.
bool copy_rows(const kernels::TrafficRows &rows) {
  std::uint8_t seen = 0;
  const std::size_t bytes = rows.elements * rows.in_size[0];
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const auto r = static_cast<std::ptrdiff_t>(row);
    std::memcpy(rows.out[0] + r * rows.out_stride[0], rows.in[0] + r * rows.in_stride[0], bytes);
    seen |= rows.out[0][r * rows.out_stride[0] + static_cast<std::ptrdiff_t>(bytes) - 1];
  }
  return seen != 0;
}

bool may_copy(const kernels::TrafficRows &rows) {
  // Below, its call costs more than it gains; above, it streams, as the other twin does.
  constexpr std::size_t kFrom = std::size_t{1} << 18; // bytes of a row
  constexpr std::size_t kTo = std::size_t{1} << 22;
  const std::size_t bytes = rows.elements * rows.in_size[0];
  return rows.inputs == 1 && rows.outputs == 1 && rows.in_size[0] == rows.out_size[0] &&
         rows.in[0] != rows.out[0] && kFrom <= bytes && bytes <= kTo;
}

bool move_rows(const kernels::TrafficRows &rows, Stores stores) {
  if (stores == Stores::ordinary && may_copy(rows)) {
    return copy_rows(rows);
  }
  return HWY_DYNAMIC_DISPATCH(MoveRows)(rows, stores == Stores::streaming && can_stream(rows));
}

// Arrays that have no grid in common: chunk by chunk, each array at its own pace; at once where all
// but one are small, since beginning a chunk takes a tenth of its time.
bool move_chunks(const Arrays &arrays, Stores stores) {
  constexpr std::int64_t kChunk = 8192; // bytes of the largest array
  constexpr std::int64_t kSmall = 64;   // times smaller than the largest
  std::int64_t most = 0;
  std::int64_t all = 0;
  arrays.each([&](const Walk &walk) {
    most = std::max(most, walk.bytes());
    all += walk.bytes();
  });
  const std::int64_t chunks = (all - most) * kSmall < most ? 1 : (most + kChunk - 1) / kChunk;
  bool seen = false;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const auto part = [&](const Walk &walk) {
      return std::pair(walk.units() * chunk / chunks, walk.units() * (chunk + 1) / chunks);
    };
    for (std::size_t i = 0; i < arrays.inputs; ++i) {
      const auto [from, to] = part(arrays.in[i]);
      seen |= read(arrays.in[i], from, to);
    }
    for (std::size_t o = 0; o < arrays.outputs; ++o) {
      const auto [from, to] = part(arrays.out[o]);
      write(arrays.out[o], from, to, stores);
    }
  }
  if (stores == Stores::streaming) {
    hwy::FlushStream();
  }
  return seen;
}

// Keeps a result alive that nobody uses.
void keep(bool seen) {
  asm volatile("" : : "r"(seen) : "memory");
}

void run_twin(const Call &call) {
  keep(move_traffic(call, Stores::ordinary));
}
void run_twin_stream(const Call &call) {
  keep(move_traffic(call, Stores::streaming));
}

constexpr std::array<Exactness, kMaxDtypeCases> kAny = [] {
  std::array<Exactness, kMaxDtypeCases> all{};
  all.fill(Exactness::bitwise);
  return all;
}();
constexpr Candidate kTwins[] = {
    {"twin", 2, "", nullptr, kAny, {1, 1}, Split::rows, run_twin},
    {"twin_stream", 2, "", nullptr, kAny, {1, 1}, Split::rows, run_twin_stream},
};

} // namespace

bool move_traffic(const Call &call, Stores stores) {
  if (const kernels::TrafficRows rows = contiguous_rows(call); rows.rows > 0) {
    return move_rows(rows, stores);
  }
  const Arrays arrays(call);
  const Grid grid = common_grid(arrays);
  return grid.rows > 0 ? move_rows(rows_of(arrays, grid), stores) : move_chunks(arrays, stores);
}

bool read_outputs(const Call &call) {
  bool seen = false;
  for (const View *out : call.out) {
    if (out != nullptr) {
      const Walk walk(*out);
      seen |= read(walk, 0, walk.units());
    }
  }
  return seen;
}

Moved moved_by(const Call &call) {
  const Arrays arrays(call);
  Moved moved;
  for (std::size_t i = 0; i < arrays.inputs; ++i) {
    moved.read += arrays.in[i].bytes();
  }
  for (std::size_t o = 0; o < arrays.outputs; ++o) {
    moved.written += arrays.out[o].bytes();
  }
  return moved;
}

std::span<const Candidate> twins() {
  return kTwins;
}

std::span<const Candidate> twins_of(const Call &call) {
  constexpr std::int64_t kFew = 64; // times less is written than read
  const Moved moved = moved_by(call);
  return std::span(kTwins).first(moved.written * kFew < moved.read ? 1 : 2);
}

} // namespace switchyard::measure
#endif
