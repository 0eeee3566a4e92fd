// Moves bytes and computes nothing: every byte is loaded or stored once, as wide as the target
// can. Included once per SIMD target.
//
// All loads are joined by OR, and functions return whether anything but zeros was read; so no load
// can be left out, and a test sees that each byte is read. Addresses may have any alignment, and
// nothing outside the given bytes is written. A single output of the first input's element size
// becomes a copy of it and may be the same memory; others are filled with kFill.
#if defined(SWITCHYARD_KERNELS_TRAFFIC_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_TRAFFIC_INL_HPP_
#undef SWITCHYARD_KERNELS_TRAFFIC_INL_HPP_
#else
#define SWITCHYARD_KERNELS_TRAFFIC_INL_HPP_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/traffic/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DByte = hn::ScalableTag<uint8_t>;
using VByte = hn::Vec<DByte>;

inline constexpr size_t kVector = hn::MaxLanes(DByte()); // bytes
inline constexpr size_t kGroup = 4;                      // vectors that one step moves

// Not 0, which some CPUs store faster, and a normal float in every element type.
inline constexpr uint8_t kFill = 0x3F;

// Everything that was read. Several accumulators, so that loads don't wait for each other.
struct Seen {
  VByte a, b, c, e;
  uint64_t bits = 0;

  HWY_INLINE Seen()
      : a(hn::Zero(DByte())), b(hn::Zero(DByte())), c(hn::Zero(DByte())), e(hn::Zero(DByte())) {}

  HWY_INLINE void Add(VByte v0, VByte v1, VByte v2, VByte v3) {
    a = hn::Or(a, v0);
    b = hn::Or(b, v1);
    c = hn::Or(c, v2);
    e = hn::Or(e, v3);
  }
  HWY_INLINE bool Any() const {
    const VByte all = hn::Or(hn::Or(a, b), hn::Or(c, e));
    return bits != 0 || !hn::AllTrue(DByte(), hn::Eq(all, hn::Zero(DByte())));
  }
};

template <class T> HWY_INLINE uint64_t LoadBits(const uint8_t *in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  return value;
}
template <class T> HWY_INLINE void StoreFill(uint8_t *out) {
  T value;
  std::memset(&value, kFill, sizeof value);
  std::memcpy(out, &value, sizeof value);
}

// ---- One run ------------------------------------------------------------------------------------

// Reads four parts of a long run side by side, and returns how many bytes those are. Caches are as
// fast either way, but from memory one stream was 1.3 times slower: it leaves the prefetchers idle.
HWY_INLINE size_t ReadStreams(const uint8_t *in, size_t n, Seen &seen) {
  const DByte d;
  constexpr size_t kStreams = 4;
  constexpr size_t kStep = kGroup * kVector;
  const size_t part = n / kStreams / kStep * kStep;
  for (size_t i = 0; i < part; i += kStep) {
    for (size_t s = 0; s < kStreams; ++s) {
      const uint8_t *at = in + s * part + i;
      seen.Add(hn::LoadU(d, at), hn::LoadU(d, at + kVector), hn::LoadU(d, at + 2 * kVector),
               hn::LoadU(d, at + 3 * kVector));
    }
  }
  return kStreams * part;
}

HWY_INLINE void ReadRun(const uint8_t *in, size_t n, Seen &seen) {
  const DByte d;
  if (n < kVector) {
    for (; n >= 8; n -= 8, in += 8) {
      seen.bits |= LoadBits<uint64_t>(in);
    }
    for (; n > 0; --n, ++in) {
      seen.bits |= *in;
    }
    return;
  }
  constexpr size_t kLong = size_t{1} << 16;
  size_t i = n >= kLong ? ReadStreams(in, n, seen) : 0;
  for (; i + kGroup * kVector <= n; i += kGroup * kVector) {
    seen.Add(hn::LoadU(d, in + i), hn::LoadU(d, in + i + kVector),
             hn::LoadU(d, in + i + 2 * kVector), hn::LoadU(d, in + i + 3 * kVector));
  }
  for (; i + kVector <= n; i += kVector) {
    seen.a = hn::Or(seen.a, hn::LoadU(d, in + i));
  }
  if (i < n) {
    seen.b = hn::Or(seen.b, hn::LoadU(d, in + n - kVector));
  }
}

// Streaming stores go to multiples of the vector's size.
template <bool kStream> HWY_INLINE void StoreAt(VByte v, uint8_t *out) {
  if constexpr (kStream) {
    hn::Stream(v, DByte(), out);
  } else {
    hn::StoreU(v, DByte(), out);
  }
}

// Bytes from `out` to the next multiple of the vector's size.
HWY_INLINE size_t ToBoundary(const uint8_t *out) {
  return (kVector - reinterpret_cast<uintptr_t>(out) % kVector) % kVector;
}

template <bool kStream> HWY_INLINE void FillRun(uint8_t *out, size_t n) {
  const DByte d;
  if (n < kVector) {
    std::memset(out, kFill, n);
    return;
  }
  const VByte fill = hn::Set(d, kFill);
  size_t i = 0;
  if (kStream && ToBoundary(out) != 0) {
    hn::StoreU(fill, d, out);
    i = ToBoundary(out);
  }
  for (; i + kGroup * kVector <= n; i += kGroup * kVector) {
    StoreAt<kStream>(fill, out + i);
    StoreAt<kStream>(fill, out + i + kVector);
    StoreAt<kStream>(fill, out + i + 2 * kVector);
    StoreAt<kStream>(fill, out + i + 3 * kVector);
  }
  for (; i + kVector <= n; i += kVector) {
    StoreAt<kStream>(fill, out + i);
  }
  if (i < n) {
    hn::StoreU(fill, d, out + n - kVector);
  }
}

// Short: what is left of a row. In place, `out` is `in`.
HWY_INLINE void CopyRest(const uint8_t *in, uint8_t *out, size_t n, Seen &seen) {
  const DByte d;
  if (n < kVector) {
    ReadRun(in, n, seen);
    std::memmove(out, in, n);
    return;
  }
  for (size_t i = 0; i < n; i += kVector) {
    const size_t at = std::min(i, n - kVector);
    const VByte v = hn::LoadU(d, in + at);
    seen.a = hn::Or(seen.a, v);
    hn::StoreU(v, d, out + at);
  }
}

// ---- Rows of several arrays ---------------------------------------------------------------------

// How far the arrays advance while the one of the smallest elements advances by a group of vectors.
struct Pace {
  int log_elements = 0; // log2 of the elements in one step: sizes are powers of two
  size_t in_groups[TrafficRows::kMostInputs] = {};
  size_t out_groups[TrafficRows::kMostOutputs] = {};
};

HWY_INLINE Pace PaceOf(const TrafficRows &rows) {
  size_t smallest = rows.in_size[0];
  for (size_t i = 1; i < rows.inputs; ++i) {
    smallest = std::min(smallest, rows.in_size[i]);
  }
  for (size_t o = 0; o < rows.outputs; ++o) {
    smallest = std::min(smallest, rows.out_size[o]);
  }
  smallest = std::min(smallest, kGroup * kVector); // on targets without vectors
  Pace pace;
  const int log_smallest = std::countr_zero(smallest);
  pace.log_elements = std::countr_zero(kGroup * kVector) - log_smallest;
  for (size_t i = 0; i < rows.inputs; ++i) {
    pace.in_groups[i] = rows.in_size[i] >> log_smallest;
  }
  for (size_t o = 0; o < rows.outputs; ++o) {
    pace.out_groups[o] = rows.out_size[o] >> log_smallest;
  }
  return pace;
}

template <bool kStream> HWY_INLINE void CopyGroup(const uint8_t *in, uint8_t *out, Seen &seen) {
  const DByte d;
  const VByte v0 = hn::LoadU(d, in);
  const VByte v1 = hn::LoadU(d, in + kVector);
  const VByte v2 = hn::LoadU(d, in + 2 * kVector);
  const VByte v3 = hn::LoadU(d, in + 3 * kVector);
  seen.Add(v0, v1, v2, v3);
  StoreAt<kStream>(v0, out);
  StoreAt<kStream>(v1, out + kVector);
  StoreAt<kStream>(v2, out + 2 * kVector);
  StoreAt<kStream>(v3, out + 3 * kVector);
}

HWY_INLINE void ReadGroup(const uint8_t *in, Seen &seen) {
  const DByte d;
  seen.Add(hn::LoadU(d, in), hn::LoadU(d, in + kVector), hn::LoadU(d, in + 2 * kVector),
           hn::LoadU(d, in + 3 * kVector));
}

template <bool kStream> HWY_INLINE void FillGroup(VByte fill, uint8_t *out) {
  StoreAt<kStream>(fill, out);
  StoreAt<kStream>(fill, out + kVector);
  StoreAt<kStream>(fill, out + 2 * kVector);
  StoreAt<kStream>(fill, out + 3 * kVector);
}

// Where a row of each array begins.
template <size_t kIn, size_t kOut> struct RowAt {
  const uint8_t *in[kIn];
  uint8_t *out[kOut == 0 ? 1 : kOut];
};

// Elements that don't fill a step.
template <bool kCopy, size_t kIn, size_t kOut>
HWY_INLINE void MoveRest(const TrafficRows &rows, RowAt<kIn, kOut> &at, size_t elements,
                         Seen &seen) {
  if (elements == 0) {
    return;
  }
  for (size_t i = kCopy ? 1 : 0; i < kIn; ++i) {
    ReadRun(at.in[i], elements * rows.in_size[i], seen);
  }
  for (size_t o = 0; o < kOut; ++o) {
    const size_t bytes = elements * rows.out_size[o];
    if constexpr (kCopy) {
      CopyRest(at.in[0], at.out[o], bytes, seen);
    } else {
      FillRun<false>(at.out[o], bytes);
    }
  }
  for (size_t i = 0; i < kIn; ++i) {
    at.in[i] += elements * rows.in_size[i];
  }
  for (size_t o = 0; o < kOut; ++o) {
    at.out[o] += elements * rows.out_size[o];
  }
}

template <bool kStream, bool kCopy, size_t kIn, size_t kOut>
HWY_INLINE void MoveSteps(const Pace &pace, RowAt<kIn, kOut> &at, size_t steps, Seen &seen) {
  constexpr size_t kStep = kGroup * kVector;
  const VByte fill = hn::Set(DByte(), kFill);
  const RowAt<kIn, kOut> start = at;
  for (size_t step = 0; step < steps; ++step) {
    for (size_t i = kCopy ? 1 : 0; i < kIn; ++i) {
      const uint8_t *in = start.in[i] + step * pace.in_groups[i] * kStep;
      for (size_t g = 0; g < pace.in_groups[i]; ++g) {
        ReadGroup(in + g * kStep, seen);
      }
    }
    for (size_t o = 0; o < kOut; ++o) {
      const size_t groups = pace.out_groups[o];
      for (size_t g = step * groups; g < (step + 1) * groups; ++g) {
        if constexpr (kCopy) {
          CopyGroup<kStream>(start.in[0] + g * kStep, start.out[o] + g * kStep, seen);
        } else {
          FillGroup<kStream>(fill, start.out[o] + g * kStep);
        }
      }
    }
  }
  for (size_t i = 0; i < kIn; ++i) {
    at.in[i] = start.in[i] + steps * pace.in_groups[i] * kStep;
  }
  for (size_t o = 0; o < kOut; ++o) {
    at.out[o] = start.out[o] + steps * pace.out_groups[o] * kStep;
  }
}

template <bool kStream, bool kCopy, size_t kIn, size_t kOut>
HWY_NOINLINE bool MoveAll(const TrafficRows &rows) {
  const Pace pace = PaceOf(rows);
  Seen seen;
  for (size_t row = 0; row < rows.rows; ++row) {
    const auto r = static_cast<ptrdiff_t>(row);
    RowAt<kIn, kOut> at;
    for (size_t i = 0; i < kIn; ++i) {
      at.in[i] = rows.in[i] + r * rows.in_stride[i];
    }
    for (size_t o = 0; o < kOut; ++o) {
      at.out[o] = rows.out[o] + r * rows.out_stride[o];
    }
    size_t left = rows.elements;
    if constexpr (kStream) {
      const size_t head =
          std::min(left, ToBoundary(at.out[0]) >> std::countr_zero(rows.out_size[0]));
      MoveRest<kCopy>(rows, at, head, seen);
      left -= head;
    }
    MoveSteps<kStream, kCopy>(pace, at, left >> pace.log_elements, seen);
    MoveRest<kCopy>(rows, at, left & ((size_t{1} << pace.log_elements) - 1), seen);
  }
  if constexpr (kStream) {
    hwy::FlushStream();
  }
  return seen.Any();
}

template <size_t kIn> HWY_INLINE bool MoveFrom(const TrafficRows &rows, bool stream) {
  if (rows.outputs == 0) {
    return MoveAll<false, false, kIn, 0>(rows);
  }
  if (rows.outputs == 2) {
    return MoveAll<false, false, kIn, 2>(rows);
  }
  const bool copy = rows.in_size[0] == rows.out_size[0];
  if (stream) {
    return copy ? MoveAll<true, true, kIn, 1>(rows) : MoveAll<true, false, kIn, 1>(rows);
  }
  return copy ? MoveAll<false, true, kIn, 1>(rows) : MoveAll<false, false, kIn, 1>(rows);
}

// Reads all input rows and writes all output rows, side by side. `stream`: a single output whose
// elements are aligned is written past the caches; returns when that is visible to this thread.
HWY_INLINE bool MoveTrafficRows(const TrafficRows &rows, bool stream) {
  return rows.inputs == 1   ? MoveFrom<1>(rows, stream)
         : rows.inputs == 2 ? MoveFrom<2>(rows, stream)
                            : MoveFrom<3>(rows, stream);
}

// ---- Runs at a distance -------------------------------------------------------------------------

template <class T> HWY_INLINE uint64_t ReadEach(const uint8_t *in, size_t count, ptrdiff_t stride) {
  uint64_t even = 0;
  uint64_t odd = 0;
  size_t i = 0;
  for (; i + 2 <= count; i += 2, in += 2 * stride) {
    even |= LoadBits<T>(in);
    odd |= LoadBits<T>(in + stride);
  }
  return i < count ? even | odd | LoadBits<T>(in) : even | odd;
}

// `count` runs of `bytes` bytes, `stride` bytes apart.
HWY_INLINE bool ReadSpacedRuns(const uint8_t *in, size_t count, ptrdiff_t stride, size_t bytes) {
  switch (bytes) {
  case 1:
    return ReadEach<uint8_t>(in, count, stride) != 0;
  case 2:
    return ReadEach<uint16_t>(in, count, stride) != 0;
  case 4:
    return ReadEach<uint32_t>(in, count, stride) != 0;
  case 8:
    return ReadEach<uint64_t>(in, count, stride) != 0;
  default:
    break;
  }
  Seen seen;
  for (size_t i = 0; i < count; ++i) {
    ReadRun(in + static_cast<ptrdiff_t>(i) * stride, bytes, seen);
  }
  return seen.Any();
}

// Calls fill(out) for each run, which stores with two overlapping words at most.
template <class Fill>
HWY_INLINE void FillEach(uint8_t *out, size_t count, ptrdiff_t stride, Fill fill) {
  for (; count >= 4; count -= 4, out += 4 * stride) {
    fill(out);
    fill(out + stride);
    fill(out + 2 * stride);
    fill(out + 3 * stride);
  }
  for (; count > 0; --count, out += stride) {
    fill(out);
  }
}

template <class T>
HWY_INLINE void FillOverlapping(uint8_t *out, size_t count, ptrdiff_t stride, size_t bytes) {
  if (bytes == sizeof(T)) {
    FillEach(out, count, stride, [](uint8_t *at) { StoreFill<T>(at); });
  } else {
    FillEach(out, count, stride, [bytes](uint8_t *at) {
      StoreFill<T>(at);
      StoreFill<T>(at + bytes - sizeof(T));
    });
  }
}

// Writes `count` runs of `bytes` bytes, `stride` bytes apart, and none of the bytes between them.
HWY_INLINE void FillSpacedRuns(uint8_t *out, size_t count, ptrdiff_t stride, size_t bytes) {
  if (bytes == 1) {
    FillOverlapping<uint8_t>(out, count, stride, bytes);
  } else if (bytes < 4) {
    FillOverlapping<uint16_t>(out, count, stride, bytes);
  } else if (bytes < 8) {
    FillOverlapping<uint32_t>(out, count, stride, bytes);
  } else if (bytes <= 16) {
    FillOverlapping<uint64_t>(out, count, stride, bytes);
  } else {
    for (size_t i = 0; i < count; ++i) {
      FillRun<false>(out + static_cast<ptrdiff_t>(i) * stride, bytes);
    }
  }
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_TRAFFIC_INL_HPP_
