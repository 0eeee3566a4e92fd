// Rows of pixels in reverse order. Included once per SIMD target.
//
// A pixel is a number of bytes: the kernels know no element types and keep every bit, and addresses
// may have any alignment. As many pixels as fit 16 bytes are reversed by one shuffle. Such a block
// may hold slack besides whole pixels: it is loaded with the slack in front and stored with the
// slack behind, where the next store covers it, and blocks stop while both still lie in the row.
// Nothing outside the rows is read or written; they must not overlap.
#if defined(SWITCHYARD_KERNELS_FLIP_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_FLIP_INL_HPP_
#undef SWITCHYARD_KERNELS_FLIP_INL_HPP_
#else
#define SWITCHYARD_KERNELS_FLIP_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#define SWITCHYARD_FLIP_SHUFFLES (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

// The row's pixels one by one.
template <size_t kBytes>
HWY_INLINE void ReverseEach(const uint8_t *in, uint8_t *out, size_t pixels) {
  for (size_t j = 0; j < pixels; ++j) {
    std::memcpy(out + j * kBytes, in + (pixels - 1 - j) * kBytes, kBytes);
  }
}
HWY_INLINE void ReverseEach(const uint8_t *in, uint8_t *out, size_t pixels, size_t bytes) {
  switch (bytes) {
  case 1:
    return ReverseEach<1>(in, out, pixels);
  case 2:
    return ReverseEach<2>(in, out, pixels);
  case 3:
    return ReverseEach<3>(in, out, pixels);
  case 4:
    return ReverseEach<4>(in, out, pixels);
  case 8:
    return ReverseEach<8>(in, out, pixels);
  case 12:
    return ReverseEach<12>(in, out, pixels);
  case 16:
    return ReverseEach<16>(in, out, pixels);
  default:
    break;
  }
  for (size_t j = 0; j < pixels; ++j) {
    std::memcpy(out + j * bytes, in + (pixels - 1 - j) * bytes, bytes);
  }
}

#if SWITCHYARD_FLIP_SHUFFLES

inline constexpr size_t kBlockBytes = 16;
using DBlock = hn::FixedTag<uint8_t, kBlockBytes>;
using DWide = hn::ScalableTag<uint8_t>;

// Pixels of 16 bytes and more, each by whole blocks, the last one overlapping the one before.
HWY_INLINE void ReverseLarge(const uint8_t *in, uint8_t *out, size_t pixels, size_t bytes) {
  const DBlock d;
  const size_t last = bytes - kBlockBytes;
  const uint8_t *from = in + pixels * bytes;
  for (size_t j = 0; j < pixels; ++j) {
    from -= bytes;
    for (size_t k = 0; k < last; k += kBlockBytes) {
      hn::StoreU(hn::LoadU(d, from + k), d, out + k);
    }
    hn::StoreU(hn::LoadU(d, from + last), d, out + last);
    out += bytes;
  }
}

// Where byte i of a stored block comes from in the loaded one.
HWY_INLINE void FillOrder(size_t bytes, uint8_t *order) {
  size_t to = 0;
  for (size_t end = kBlockBytes; end >= bytes; end -= bytes) {
    for (size_t k = 0; k < bytes; ++k) {
      order[to++] = static_cast<uint8_t>(end - bytes + k);
    }
  }
  while (to < kBlockBytes) {
    order[to++] = 0; // slack
  }
}

// Pixels that fill 16 bytes: wide vectors, then blocks, the last one overlapping the one before.
HWY_INLINE void ReversePowers(const uint8_t *in, uint8_t *out, size_t size, const uint8_t *order) {
  const DWide d;
  const DBlock block;
  const size_t lanes = hn::Lanes(d);
  const auto wide_order = hn::LoadDup128(d, order);
  const auto block_order = hn::LoadU(block, order);
  size_t left = size;
  for (; left >= lanes; left -= lanes) {
    const auto v = hn::TableLookupBytes(hn::LoadU(d, in + left - lanes), wide_order);
    hn::StoreU(hn::ReverseBlocks(d, v), d, out + size - left);
  }
  while (left > 0) {
    left = left > kBlockBytes ? left : kBlockBytes;
    const auto v = hn::TableLookupBytes(hn::LoadU(block, in + left - kBlockBytes), block_order);
    hn::StoreU(v, block, out + size - left);
    left -= kBlockBytes;
  }
}

// Pixels with slack.
HWY_INLINE void ReverseOdd(const uint8_t *in, uint8_t *out, size_t size, size_t bytes,
                           const uint8_t *order) {
  const DBlock d;
  const size_t payload = kBlockBytes / bytes * bytes;
  const auto from = hn::LoadU(d, order);
  size_t left = size;
  for (; left >= kBlockBytes; left -= payload) {
    const auto v = hn::TableLookupBytes(hn::LoadU(d, in + left - kBlockBytes), from);
    hn::StoreU(v, d, out + size - left);
  }
  ReverseEach(in, out + size - left, left / bytes, bytes);
}

#endif // SWITCHYARD_FLIP_SHUFFLES

// Rows at distances of *_stride bytes, which may be negative; each holds `pixels` pixels of
// `bytes` > 0 bytes. Pixel j of a row of `out` is pixel pixels - 1 - j of that row of `in`.
template <class Row>
HWY_INLINE void ForRows(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride,
                        size_t rows, Row row) {
  for (size_t h = 0; h < rows; ++h) {
    const auto at = static_cast<ptrdiff_t>(h);
    row(in + at * in_stride, out + at * out_stride);
  }
}

HWY_INLINE void ReverseRows(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                            ptrdiff_t out_stride, size_t rows, size_t pixels, size_t bytes) {
#if SWITCHYARD_FLIP_SHUFFLES
  const size_t size = pixels * bytes;
  if (size >= kBlockBytes && bytes >= kBlockBytes) {
    return ForRows(in, in_stride, out, out_stride, rows,
                   [&](const uint8_t *from, uint8_t *to)
                       HWY_ATTR { ReverseLarge(from, to, pixels, bytes); });
  }
  if (size >= kBlockBytes) {
    HWY_ALIGN uint8_t order[kBlockBytes];
    FillOrder(bytes, order);
    const bool fills = kBlockBytes % bytes == 0;
    return ForRows(
        in, in_stride, out, out_stride, rows, [&](const uint8_t *from, uint8_t *to) HWY_ATTR {
          fills ? ReversePowers(from, to, size, order) : ReverseOdd(from, to, size, bytes, order);
        });
  }
#endif
  ForRows(in, in_stride, out, out_stride, rows,
          [&](const uint8_t *from, uint8_t *to) HWY_ATTR { ReverseEach(from, to, pixels, bytes); });
}

#undef SWITCHYARD_FLIP_SHUFFLES

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_FLIP_INL_HPP_
