// hflip in one pass: shuffles of whole pixels where rows are dense, else element by element.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/hflip/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/flip/flip-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void FlipRows(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride,
              size_t rows, size_t pixels, size_t bytes) {
  ReverseRows(in, in_stride, out, out_stride, rows, pixels, bytes);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cstring>
#include <utility>

#include "candidates/common/domain.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::kernels {
HWY_EXPORT(FlipRows);
} // namespace switchyard::kernels

namespace switchyard::candidates::hflip {
namespace {

// Gives axes of length 1 the strides that a contiguous row has: theirs have no say.
ConstView plain(ConstView view) {
  const std::int64_t size = size_of(view.dtype);
  if (view.shape[kC] == 1) {
    view.strides[kC] = size;
  }
  if (view.shape[kW] == 1) {
    view.strides[kW] = size * view.shape[kC];
  }
  return view;
}

std::uint8_t *bytes_at(const ConstView &view, std::int64_t x, std::int64_t c) {
  return reinterpret_cast<std::uint8_t *>(const_cast<std::byte *>(view.at(x, 0, 0, c)));
}

// Rows of W dense pixels of `bytes` bytes at index x, from channel c on.
void reverse_rows(const ConstView &in, const ConstView &out, std::int64_t x, std::int64_t c,
                  std::int64_t bytes) {
  HWY_DYNAMIC_DISPATCH(kernels::FlipRows)
  (bytes_at(in, x, c), in.strides[kH], bytes_at(out, x, c), out.strides[kH],
   static_cast<std::size_t>(in.shape[kH]), static_cast<std::size_t>(in.shape[kW]),
   static_cast<std::size_t>(bytes));
}

// Any strides; the shorter of the two axes within a row is the outer loop.
template <std::size_t kSize>
void copy_row(const std::byte *from, std::byte *to, const ConstView &in, const ConstView &out) {
  int outer = kC;
  int inner = kW;
  if (in.shape[kC] > in.shape[kW]) {
    std::swap(outer, inner);
  }
  for (std::int64_t i = 0; i < in.shape[outer]; ++i) {
    const std::byte *source = from + i * in.strides[outer];
    std::byte *target = to + i * out.strides[outer];
    for (std::int64_t k = 0; k < in.shape[inner]; ++k) {
      std::memcpy(target, source, kSize);
      source += in.strides[inner];
      target += out.strides[inner];
    }
  }
}

void copy_rows(const ConstView &in, const ConstView &out, std::int64_t x) {
  for (std::int64_t h = 0; h < in.shape[kH]; ++h) {
    auto *to = const_cast<std::byte *>(out.at(x, h, 0, 0));
    if (size_of(in.dtype) == 1) {
      copy_row<1>(in.at(x, h, 0, 0), to, in, out);
    } else {
      copy_row<4>(in.at(x, h, 0, 0), to, in, out);
    }
  }
}

bool is_dense_plane(const ConstView &view) {
  return view.strides[kW] == size_of(view.dtype);
}

} // namespace

void run_fused(const Call &call) {
  if (call.in[0]->empty()) {
    return;
  }
  const ConstView in = plain(*call.in[0]);
  const ConstView out = plain(*call.out[0]);
  const std::int64_t size = size_of(in.dtype);
  for (std::int64_t x = 0; x < in.shape[kX]; ++x) {
    if (has_dense_rows(in) && has_dense_rows(out)) {
      reverse_rows(in, out, x, 0, in.shape[kC] * size);
    } else if (is_dense_plane(in) && is_dense_plane(out)) {
      for (std::int64_t c = 0; c < in.shape[kC]; ++c) {
        reverse_rows(in, out, x, c, size);
      }
    } else {
      copy_rows(reversed(in, kW), out, x);
    }
  }
}

} // namespace switchyard::candidates::hflip
#endif
