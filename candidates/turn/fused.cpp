// Turns in one pass: rows of pixels copied or reversed, or blocks transposed in registers, where
// pixels are dense; else element by element.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/turn/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/flip/flip-inl.hpp"
#include "kernels/transpose/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void FlipRows(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride,
              size_t rows, size_t pixels, size_t bytes) {
  ReverseRows(in, in_stride, out, out_stride, rows, pixels, bytes);
}

void CopyPixelRows(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride,
                   size_t rows, size_t bytes) {
  CopyRows(in, in_stride, out, out_stride, rows, bytes);
}

void TransposePixels(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride,
                     size_t rows, size_t columns, size_t bytes) {
  Transpose({in, in_stride, out, out_stride, rows, columns, bytes});
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "candidates/common/domain.hpp"
#include "candidates/turn/adapters.hpp"

namespace switchyard::kernels {
HWY_EXPORT(CopyPixelRows);
HWY_EXPORT(FlipRows);
HWY_EXPORT(TransposePixels);
} // namespace switchyard::kernels

namespace switchyard::candidates::turn {
namespace {

using namespace kernels; // a build for one SIMD target dispatches plain names alone

// Two planes of `rows` × `columns` pixels of `bytes` dense bytes.
struct Plane {
  const std::byte *in;
  std::byte *out;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t bytes;
  std::int64_t in_row; // byte strides
  std::int64_t in_column;
  std::int64_t out_row;
  std::int64_t out_column;
};

const std::uint8_t *bytes_of(const std::byte *address) {
  return reinterpret_cast<const std::uint8_t *>(address);
}
std::uint8_t *bytes_of(std::byte *address) {
  return reinterpret_cast<std::uint8_t *>(address);
}

// Strides of axes of length 1 have no say: they become what dense pixels have.
ConstView plain(ConstView view, std::int64_t pixel) {
  if (view.shape[kC] == 1) {
    view.strides[kC] = size_of(view.dtype);
  }
  if (view.shape[kW] == 1) {
    view.strides[kW] = pixel;
  }
  if (view.shape[kH] == 1) {
    view.strides[kH] = pixel * view.shape[kW];
  }
  return view;
}

// Longer rows are left to the C library, which knows when to write past the caches.
constexpr std::int64_t kLongestShortRow = 4096;

void copy_rows(const Plane &plane) {
  const std::int64_t row = plane.columns * plane.bytes;
  const bool joined = plane.in_row == row && plane.out_row == row;
  if (!joined && row <= kLongestShortRow) {
    HWY_DYNAMIC_DISPATCH(CopyPixelRows)
    (bytes_of(plane.in), plane.in_row, bytes_of(plane.out), plane.out_row,
     static_cast<std::size_t>(plane.rows), static_cast<std::size_t>(row));
    return;
  }
  const std::int64_t runs = joined ? 1 : plane.rows;
  const auto size = static_cast<std::size_t>(joined ? row * plane.rows : row);
  for (std::int64_t h = 0; h < runs; ++h) {
    std::memcpy(plane.out + h * plane.out_row, plane.in + h * plane.in_row, size);
  }
}

void reverse_rows(const Plane &plane) {
  const std::byte *first = plane.in + (plane.columns - 1) * plane.in_column;
  HWY_DYNAMIC_DISPATCH(FlipRows)
  (bytes_of(first), plane.in_row, bytes_of(plane.out), plane.out_row,
   static_cast<std::size_t>(plane.rows), static_cast<std::size_t>(plane.columns),
   static_cast<std::size_t>(plane.bytes));
}

// Columns of the input are dense, or are once the rows of both planes are taken from the last on.
void transpose(Plane plane) {
  if (plane.in_row < 0) {
    plane.in += (plane.rows - 1) * plane.in_row;
    plane.out += (plane.rows - 1) * plane.out_row;
    plane.out_row = -plane.out_row;
  }
  HWY_DYNAMIC_DISPATCH(TransposePixels)
  (bytes_of(plane.in), plane.in_column, bytes_of(plane.out), plane.out_row,
   static_cast<std::size_t>(plane.rows), static_cast<std::size_t>(plane.columns),
   static_cast<std::size_t>(plane.bytes));
}

// Copies a plane whose rows or columns are dense on both sides; false: it has none.
bool copy_dense(Plane plane) {
  if (plane.out_column != plane.bytes && plane.out_row == plane.bytes) {
    std::swap(plane.rows, plane.columns); // columns of the result are its dense lines
    std::swap(plane.in_row, plane.in_column);
    std::swap(plane.out_row, plane.out_column);
  }
  if (plane.out_column != plane.bytes) {
    return false;
  }
  if (plane.in_column == plane.bytes) {
    copy_rows(plane);
  } else if (plane.in_column == -plane.bytes) {
    reverse_rows(plane);
  } else if (plane.in_row == plane.bytes || plane.in_row == -plane.bytes) {
    transpose(plane);
  } else {
    return false;
  }
  return true;
}

template <std::size_t kSize>
void copy_line(const std::byte *from, std::int64_t from_stride, std::byte *to,
               std::int64_t to_stride, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    std::memcpy(to, from, kSize);
    from += from_stride;
    to += to_stride;
  }
}

// n pixels of a row, element by element; the longer of the two axes is the inner loop.
template <std::size_t kSize>
void copy_pixels(const std::byte *from, const ConstView &in, std::byte *to, const View &out,
                 std::int64_t n) {
  const std::int64_t channels = in.shape[kC];
  if (channels < n) {
    for (std::int64_t c = 0; c < channels; ++c) {
      copy_line<kSize>(from + c * in.strides[kC], in.strides[kW], to + c * out.strides[kC],
                       out.strides[kW], n);
    }
    return;
  }
  for (std::int64_t k = 0; k < n; ++k) {
    copy_line<kSize>(from + k * in.strides[kW], in.strides[kC], to + k * out.strides[kW],
                     out.strides[kC], channels);
  }
}

// Row by row, or in tiles where the input's rows are closer together than its pixels, so that the
// cache lines of both sides are used up while they are there.
template <std::size_t kSize> void copy_each(const ConstView &in, const View &out, std::int64_t x) {
  const std::int64_t rows = in.shape[kH];
  const std::int64_t columns = in.shape[kW];
  const bool crossed = std::abs(in.strides[kH]) < std::abs(in.strides[kW]);
  const std::int64_t tile_rows = crossed ? 32 : 1;
  const std::int64_t tile_columns = crossed ? 32 : columns;
  for (std::int64_t top = 0; top < rows; top += tile_rows) {
    for (std::int64_t left = 0; left < columns; left += tile_columns) {
      for (std::int64_t h = top; h < std::min(top + tile_rows, rows); ++h) {
        copy_pixels<kSize>(in.at(x, h, left, 0), in, out.at(x, h, left, 0), out,
                           std::min(tile_columns, columns - left));
      }
    }
  }
}

void copy_any(const ConstView &in, const View &out, std::int64_t x) {
  switch (size_of(in.dtype)) {
  case 1:
    return copy_each<1>(in, out, x);
  case 2:
    return copy_each<2>(in, out, x);
  default:
    return copy_each<4>(in, out, x);
  }
}

// The plane of pixels, or of one channel's elements, at index x.
Plane plane_of(const ConstView &in, const View &out, std::int64_t x, std::int64_t c,
               std::int64_t bytes) {
  return {in.at(x, 0, 0, c), out.at(x, 0, 0, c), in.shape[kH],    in.shape[kW],   bytes,
          in.strides[kH],    in.strides[kW],     out.strides[kH], out.strides[kW]};
}

void copy_item(const ConstView &in, const View &out, std::int64_t x) {
  const std::int64_t size = size_of(in.dtype);
  const std::int64_t channels = in.shape[kC];
  if (in.strides[kC] == size && out.strides[kC] == size &&
      copy_dense(plane_of(in, out, x, 0, size * channels))) {
    return;
  }
  for (std::int64_t c = 0; c < channels; ++c) {
    if (!copy_dense(plane_of(in, out, x, c, size))) {
      return copy_any(in, out, x); // at the first: the strides of all channels are the same
    }
  }
}

} // namespace

void run_fused(const Call &call, const Turn &turn) {
  const ConstView &image = *call.in[0];
  if (image.empty()) {
    return;
  }
  const std::int64_t pixel = image.channels() * size_of(image.dtype);
  const ConstView in = plain(turned(image, turn), pixel);
  const ConstView target = plain(*call.out[0], pixel);
  const View out(const_cast<void *>(target.data), target.shape, target.strides, target.dtype);
  for (std::int64_t x = 0; x < in.shape[kX]; ++x) {
    copy_item(in, out, x);
  }
}

} // namespace switchyard::candidates::turn
#endif
