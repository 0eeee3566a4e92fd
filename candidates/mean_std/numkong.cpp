// mean_std through NumKong's strided sums and sums of squares, channel by channel within pieces
// that stay in the cache.
//
// u8 sums are exact. f32 gives f64 sums, from which E[x²] − mean² loses digits where the deviation
// is small beside the mean: such pieces get a pass over their deviations.
#include "candidates/common/numkong_kernels.hpp"

#include <vector>

#include "candidates/common/domain.hpp"
#include "candidates/common/read_runs.hpp"
#include "candidates/mean_std/moments.hpp"
#include "candidates/mean_std/pieces.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::mean_std {
namespace {

// 7.6.0's AVX2 kernel adds squares of u8 in 32 bits: pieces of at most kSafeTerms cannot overflow.
void moments_u8(const std::byte *data, std::int64_t n, std::int64_t stride, ByteSums &sums) {
  auto *kernel = nk_reduce_moments_u8_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    kernel = nk_reduce_moments_u8_haswell;
  }
#endif
  nk_u64_t sum = 0;
  nk_u64_t squares = 0;
  kernel(reinterpret_cast<const nk_u8_t *>(data), static_cast<nk_size_t>(n),
         static_cast<nk_size_t>(stride), &sum, &squares);
  sums.sum += sum;
  sums.squares += squares;
}

void moments_f32(const std::byte *data, std::int64_t n, std::int64_t stride, Moments &moments) {
  auto *kernel = nk_reduce_moments_f32_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    kernel = nk_reduce_moments_f32_haswell;
  }
#endif
  double sum = 0;
  double squares = 0;
  kernel(reinterpret_cast<const nk_f32_t *>(data), static_cast<nk_size_t>(n),
         static_cast<nk_size_t>(stride), &sum, &squares);
  const auto count = static_cast<double>(n);
  const double mean = sum / count;
  const double variance = squares / count - mean * mean;
  add_guarded(moments, StridedFloats{data, 1, 0, n, stride}, mean, variance);
}

} // namespace

const char *accepts_numkong(const Call &call) {
  const ConstView &image = *call.in[0];
  if (!is_aligned(image)) {
    return "not aligned to whole elements";
  }
  for (int axis = 0; axis < 4; ++axis) {
    const std::int64_t stride = image.strides[axis];
    if (image.shape[axis] > 1 &&
        (stride == 0 || stride > INT32_MAX / 8 || stride < -INT32_MAX / 8)) {
      return "a stride of 0, or one that NumKong's 32-bit indices cannot hold";
    }
  }
  return nullptr;
}

void run_global_numkong(const Call &call) {
  const ConstView image = forward(*call.in[0], false);
  ByteSums sums;
  Moments moments;
  for_each_piece(image, kSafeTerms, [&](const std::byte *at, std::int64_t n, std::int64_t stride) {
    image.dtype == Dtype::u8 ? moments_u8(at, n, stride, sums)
                             : moments_f32(at, n, stride, moments);
  });
  store(call, 0, image.dtype == Dtype::u8 ? sums.result(image.elements()) : moments.result());
}

void run_per_channel_numkong(const Call &call) {
  const ConstView image = forward(*call.in[0], true);
  const std::int64_t channels = image.channels();
  std::vector<ByteSums> sums(static_cast<std::size_t>(channels));
  std::vector<Moments> moments(static_cast<std::size_t>(channels));
  for_each_piece(channel(image, 0), kSafeTerms,
                 [&](const std::byte *at, std::int64_t n, std::int64_t stride) {
                   for (std::size_t c = 0; c < sums.size(); ++c, at += image.strides[kC]) {
                     image.dtype == Dtype::u8 ? moments_u8(at, n, stride, sums[c])
                                              : moments_f32(at, n, stride, moments[c]);
                   }
                 });
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto i = static_cast<std::size_t>(c);
    store(call, c,
          image.dtype == Dtype::u8 ? sums[i].result(image.elements() / channels)
                                   : moments[i].result());
  }
}

} // namespace switchyard::candidates::mean_std
