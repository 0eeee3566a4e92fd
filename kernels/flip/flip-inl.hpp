// Rows of pixels in reverse order, and short rows as they are. Included once per SIMD target.
//
// A pixel is a number of bytes: the kernels know no element types and keep every bit, and addresses
// may have any alignment. As many pixels as fit a block are reversed by one shuffle: 16 bytes, or
// a wider vector of 4-byte lanes. A block may hold slack besides whole pixels: it is loaded with
// the slack in front and stored with the slack behind, where a later store covers it, and blocks
// stop while both still lie in the row.
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

// Where unit i of a stored block of `units` comes from in the loaded one; a pixel has `pixel`
// units.
template <class Index> HWY_INLINE void FillOrder(size_t units, size_t pixel, Index *order) {
  size_t to = 0;
  for (size_t end = units; end >= pixel; end -= pixel) {
    for (size_t k = 0; k < pixel; ++k) {
      order[to++] = static_cast<Index>(end - pixel + k);
    }
  }
  while (to < units) {
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

// Pixels of more than 16 bytes, each by whole blocks, the last one overlapping the one before.
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

// Pixels of whole 4-byte lanes, as many as fit a vector wider than 16 bytes at a time. Returns the
// bytes that are left: those of the first pixels of `in`, the last of `out`.
HWY_INLINE size_t ReverseLanes(const uint8_t *in, uint8_t *out, size_t size, size_t bytes,
                               const int32_t *order) {
  const DWide d;
  const hn::RepartitionToWide<hn::RepartitionToWide<DWide>> d32;
  const size_t vector = hn::Lanes(d);
  const size_t payload = vector / bytes * bytes;
  const auto from = hn::SetTableIndices(d32, order);
  size_t left = size;
  for (; left >= vector; left -= payload) {
    const auto v = hn::BitCast(d32, hn::LoadU(d, in + left - vector));
    hn::StoreU(hn::BitCast(d, hn::TableLookupLanes(v, from)), d, out + size - left);
  }
  return left;
}

HWY_INLINE bool FitsLanes(size_t bytes) {
  return bytes % sizeof(int32_t) == 0 && kBlockBytes % bytes != 0 && bytes <= hn::Lanes(DWide());
}

// Reverses rows of one kind, the orders of its shuffles prepared.
class RowReverser {
public:
  HWY_INLINE RowReverser(size_t pixels, size_t bytes) : size_(pixels * bytes), bytes_(bytes) {
    if (bytes <= kBlockBytes) {
      FillOrder(kBlockBytes, bytes, order_);
    }
    if (FitsLanes(bytes)) {
      FillOrder(hn::Lanes(DWide()) / sizeof(int32_t), bytes / sizeof(int32_t), lane_order_);
    }
  }

  HWY_INLINE void operator()(const uint8_t *in, uint8_t *out) const {
    const size_t left =
        FitsLanes(bytes_) ? ReverseLanes(in, out, size_, bytes_, lane_order_) : size_;
    out += size_ - left;
    if (bytes_ > kBlockBytes) {
      ReverseLarge(in, out, left / bytes_, bytes_);
    } else if (left < kBlockBytes) {
      ReverseEach(in, out, left / bytes_, bytes_);
    } else if (kBlockBytes % bytes_ == 0) {
      ReversePowers(in, out, left, order_);
    } else {
      ReverseOdd(in, out, left, bytes_, order_);
    }
  }

private:
  size_t size_;
  size_t bytes_;
  HWY_ALIGN uint8_t order_[kBlockBytes];
  HWY_ALIGN int32_t lane_order_[hn::MaxLanes(DWide()) / sizeof(int32_t)];
};

#endif // SWITCHYARD_FLIP_SHUFFLES

// Rows at distances of *_stride bytes, which may be negative; each holds `pixels` pixels of
// `bytes` > 0 bytes. Pixel j of a row of `out` is pixel pixels - 1 - j of that row of `in`.
HWY_INLINE void ReverseRows(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                            ptrdiff_t out_stride, size_t rows, size_t pixels, size_t bytes) {
#if SWITCHYARD_FLIP_SHUFFLES
  const RowReverser reverse(pixels, bytes);
#endif
  for (size_t h = 0; h < rows; ++h) {
    const auto at = static_cast<ptrdiff_t>(h);
#if SWITCHYARD_FLIP_SHUFFLES
    reverse(in + at * in_stride, out + at * out_stride);
#else
    ReverseEach(in + at * in_stride, out + at * out_stride, pixels, bytes);
#endif
  }
}

#if SWITCHYARD_FLIP_SHUFFLES
// A row of at least a vector: the last one overlaps the one before.
template <class D> HWY_INLINE void CopyRow(D d, const uint8_t *in, uint8_t *out, size_t bytes) {
  const size_t last = bytes - hn::Lanes(d);
  for (size_t k = 0; k < last; k += hn::Lanes(d)) {
    hn::StoreU(hn::LoadU(d, in + k), d, out + k);
  }
  hn::StoreU(hn::LoadU(d, in + last), d, out + last);
}
#endif

// Rows of `bytes` bytes at distances of *_stride bytes, which may be negative, without a call a
// row.
HWY_INLINE void CopyRows(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride,
                         size_t rows, size_t bytes) {
  for (size_t h = 0; h < rows; ++h) {
#if SWITCHYARD_FLIP_SHUFFLES
    if (bytes >= hn::Lanes(DWide())) {
      CopyRow(DWide(), in, out, bytes);
    } else if (bytes >= kBlockBytes) {
      CopyRow(DBlock(), in, out, bytes);
    } else {
      std::memcpy(out, in, bytes);
    }
#else
    std::memcpy(out, in, bytes);
#endif
    in += in_stride;
    out += out_stride;
  }
}

#undef SWITCHYARD_FLIP_SHUFFLES

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_FLIP_INL_HPP_
