// The ops. Each takes the fastest correct route for the shape, dtype, layout and thread budget.
//
// Common to all: images are channel-last views of any strides (bytes). `out` has the shape that
// the op states and never shares memory with an input, except that for pointwise ops it may be
// exactly the same view as an input (in place). Errors are thrown as switchyard::Error before any
// byte is written. Forms without `out` return a new contiguous image. `unchecked::` has the forms
// with `out` for callers who have validated already: there a wrong argument is undefined
// behaviour. docs/contracts.md states what each op computes.
#pragma once

#include <optional>

#include "switchyard/core/error.hpp"
#include "switchyard/core/view.hpp"
#include "switchyard/image.hpp"
#include "switchyard/options.hpp"
#include "switchyard/parameter.hpp"
#include "switchyard/reduction.hpp"

namespace switchyard {

// out = image + value, per channel; u8 or f32, out of the same dtype.
// f32: one addition in f32. u8: the value is truncated toward zero (in f64) before it is added, and
// the sum saturates; NaN → 0. A rounding asked for by the options applies to the real sum instead.
// Semantics: Albucore's add.
void add(const ConstView &image, const Parameter &value, const View &out,
         const Options &options = kDefaultOptions);
[[nodiscard]] Image add(const ConstView &image, const Parameter &value,
                        const Options &options = kDefaultOptions);
// The same with an element of `value` per pixel (see ArrayOperand), truncated in its own dtype for
// u8. `out` may be exactly the view `value`.
void add(const ConstView &image, const ArrayOperand &value, const View &out,
         const Options &options = kDefaultOptions);
[[nodiscard]] Image add(const ConstView &image, const ArrayOperand &value,
                        const Options &options = kDefaultOptions);

// out = image · factor, per channel; u8 or f32, out of the same dtype.
// f32 arithmetic, one rounding. u8: truncated and saturated, NaN → 0. Semantics: Albucore's
// multiply.
void multiply(const ConstView &image, const Parameter &factor, const View &out,
              const Options &options = kDefaultOptions);
[[nodiscard]] Image multiply(const ConstView &image, const Parameter &factor,
                             const Options &options = kDefaultOptions);
// The same with an element of `factor` per pixel. `out` may be exactly the view `factor`.
void multiply(const ConstView &image, const ArrayOperand &factor, const View &out,
              const Options &options = kDefaultOptions);
[[nodiscard]] Image multiply(const ConstView &image, const ArrayOperand &factor,
                             const Options &options = kDefaultOptions);

// out = image · factor + value, per channel; u8 or f32, out of the same dtype.
// f32 arithmetic, two roundings. u8: truncated and saturated, NaN → 0.
// Semantics: Albucore's multiply_add.
void multiply_add(const ConstView &image, const Parameter &factor, const Parameter &value,
                  const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image multiply_add(const ConstView &image, const Parameter &factor,
                                 const Parameter &value, const Options &options = kDefaultOptions);
// The same where factor, value or both have an element per pixel; an array may have any of the
// operand dtypes. `out` may be exactly the view of an operand.
void multiply_add(const ConstView &image, const ArrayOperand &factor, const ArrayOperand &value,
                  const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image multiply_add(const ConstView &image, const ArrayOperand &factor,
                                 const ArrayOperand &value,
                                 const Options &options = kDefaultOptions);
void multiply_add(const ConstView &image, const ArrayOperand &factor, const Parameter &value,
                  const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image multiply_add(const ConstView &image, const ArrayOperand &factor,
                                 const Parameter &value, const Options &options = kDefaultOptions);
void multiply_add(const ConstView &image, const Parameter &factor, const ArrayOperand &value,
                  const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image multiply_add(const ConstView &image, const Parameter &factor,
                                 const ArrayOperand &value,
                                 const Options &options = kDefaultOptions);

// out = a · weight_a + b · weight_b; a, b and out of one shape and dtype, u8 or f32.
// Two products and a sum, each rounded to f32. u8: half to even, saturated, NaN → 0. No term is
// skipped for a weight of 0. `out` may be a or b. Semantics: Albucore's add_weighted.
void add_weighted(const ConstView &a, double weight_a, const ConstView &b, double weight_b,
                  const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image add_weighted(const ConstView &a, double weight_a, const ConstView &b,
                                 double weight_b, const Options &options = kDefaultOptions);

// out = image^exponent, per channel, as C's pow has it: 0, negative bases, infinities and NaN
// included; u8 or f32, out of the same dtype. f32: within 4 units in the last place. u8: the f32
// power of the level itself (not of level / 255), truncated and saturated, NaN → 0. In bitwise
// calls f32 is correctly rounded. Semantics: Albucore's power.
void power(const ConstView &image, const Parameter &exponent, const View &out,
           const Options &options = kDefaultOptions);
[[nodiscard]] Image power(const ConstView &image, const Parameter &exponent,
                          const Options &options = kDefaultOptions);
// The same with an element of `exponent` per pixel. `out` may be exactly the view `exponent`.
void power(const ConstView &image, const ArrayOperand &exponent, const View &out,
           const Options &options = kDefaultOptions);
[[nodiscard]] Image power(const ConstView &image, const ArrayOperand &exponent,
                          const Options &options = kDefaultOptions);

// out = e^image, ln image and √image; f32, out of the same dtype. IEEE special values at every
// size; exp and log within 4 units in the last place, in bitwise calls correctly rounded, as sqrt
// always is. Semantics: NumPy's functions of these names.
void exp(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image exp(const ConstView &image, const Options &options = kDefaultOptions);
void log(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image log(const ConstView &image, const Options &options = kDefaultOptions);
void sqrt(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image sqrt(const ConstView &image, const Options &options = kDefaultOptions);

// out = (image − mean) · scale, per channel; image u8, u16 or f32, out f32. Two roundings.
// In place for f32 alone. Semantics: Albucore's normalize, with scale = 1 / std.
void normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
               const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
                              const Options &options = kDefaultOptions);

// out = image / max_value in f32; image u8, u16 or f32, out f32. An f32 image is copied bit for
// bit. max_value: 255 for u8 and 65535 for u16 unless given. Semantics: Albucore's to_float.
void to_float(const ConstView &image, const View &out, std::optional<double> max_value = {},
              const Options &options = kDefaultOptions);
[[nodiscard]] Image to_float(const ConstView &image, std::optional<double> max_value = {},
                             const Options &options = kDefaultOptions);

// out = image · max_value in f32, rounded half to even and saturated; image f32, out u8, u16 or
// f32. An f32 result is a copy, bit for bit. NaN → 0. Semantics: Albucore's from_float.
void from_float(const ConstView &image, const View &out, std::optional<double> max_value = {},
                const Options &options = kDefaultOptions);
[[nodiscard]] Image from_float(const ConstView &image, Dtype dtype,
                               std::optional<double> max_value = {},
                               const Options &options = kDefaultOptions);

// out = min(max(image, low), high), per channel; u8 → u8, f32 → f32 or u8 (truncated, saturated).
// Bounds are narrowed to the image's dtype (u8: half to even, saturated). NaN stays NaN in f32 and
// becomes 0 in u8. low > high, or a bound of NaN, is an Error. Semantics: Albucore's clip.
void clip(const ConstView &image, const Parameter &low, const Parameter &high, const View &out,
          const Options &options = kDefaultOptions);
[[nodiscard]] Image clip(const ConstView &image, const Parameter &low, const Parameter &high,
                         const Options &options = kDefaultOptions);

// out = table[image]; image u8, table and out u8 or f32. The table is a 1 × 256 × 1 view (shared by
// all channels) or 1 × 256 × C (per channel), of any strides. Exact; f32 entries keep their bits.
// Semantics: OpenCV's LUT, Albucore's sz_lut and apply_uint8_lut.
void lut(const ConstView &image, const ConstView &table, const View &out,
         const Options &options = kDefaultOptions);
[[nodiscard]] Image lut(const ConstView &image, const ConstView &table,
                        const Options &options = kDefaultOptions);

// Moves within the height/width plane, at every rank; u8, u16 or f32, out of the same dtype; exact,
// bits of NaN included; not in place: any overlap is an Error.
//   hflip: out[…, h, w, c] = image[…, h, W − 1 − w, c]      numpy.flip along axis −2
//   vflip: out[…, h, w, c] = image[…, H − 1 − h, w, c]      numpy.flip along axis −3
//   transpose: out[…, h, w, c] = image[…, w, h, c]          numpy.swapaxes(−3, −2)
//   rot90: k quarter turns counter-clockwise, clockwise where k is negative: numpy.rot90 in those
//   axes. k = 1: out[…, h, w, c] = image[…, w, W − 1 − h, c]
// `out` has the shape of the image; of transpose, and of rot90 with an odd k, with H and W
// exchanged.
void hflip(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image hflip(const ConstView &image, const Options &options = kDefaultOptions);
void vflip(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image vflip(const ConstView &image, const Options &options = kDefaultOptions);
void transpose(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
[[nodiscard]] Image transpose(const ConstView &image, const Options &options = kDefaultOptions);
void rot90(const ConstView &image, int k, const View &out,
           const Options &options = kDefaultOptions);
[[nodiscard]] Image rot90(const ConstView &image, int k = 1,
                          const Options &options = kDefaultOptions);

// out = a · b. Matrices are views of one channel, height the rows and width the columns: a is M ×
// K, b is K × N, out is M × N, of any strides, so that transposed views serve as they are. f32 and
// f64 give their own dtype; u8 gives i32, exactly, for K of at most 33 025. Of rank 4, X counts
// matrices; b has as many as a, or one for all. K = 0 gives zeros. NaN and infinities propagate: no
// zero is skipped. `out` overlaps no input. Semantics: numpy.matmul, but for u8, which it wraps.
void matmul(const ConstView &a, const ConstView &b, const View &out,
            const Options &options = kDefaultOptions);
[[nodiscard]] Image matmul(const ConstView &a, const ConstView &b,
                           const Options &options = kDefaultOptions);

// out[n, m] = Σ (a[n, d] − b[m, d])². a is N × D and b is M × D, of one channel, both f32 or both
// f64; out is N × M of f32, never negative, and within a relative 1e-5 also far from the origin.
// `out` overlaps no input. Semantics: scipy's cdist "sqeuclidean", Albucore's
// pairwise_distances_squared.
void pairwise_distances_squared(const ConstView &a, const ConstView &b, const View &out,
                                const Options &options = kDefaultOptions);
[[nodiscard]] Image pairwise_distances_squared(const ConstView &a, const ConstView &b,
                                               const Options &options = kDefaultOptions);

// Statistics of u8 or f32 images over all values, per channel, per item of a batch or volume, or
// over any axes; switchyard/reduction.hpp says what `over` may be and which shape results have.

// Σ x: exact as u64 of u8; as f64 of f32, within 1e-12 · Σ|x|. An empty image gives zeros.
// Semantics: NumPy's sum with these accumulators.
void reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                const Options &options = kDefaultOptions);
[[nodiscard]] Image reduce_sum(const ConstView &image, const Reduction &over,
                               const Options &options = kDefaultOptions);

// Σ x / n as f64. An empty image is an Error. Semantics: Albucore's mean.
void mean(const ConstView &image, const View &out, const Reduction &over,
          const Options &options = kDefaultOptions);
[[nodiscard]] Image mean(const ConstView &image, const Reduction &over,
                         const Options &options = kDefaultOptions);

// Population standard deviation sqrt(Σ(x − mean)² / n) + eps as f64. An empty image is an Error.
// Semantics: Albucore's std.
void std(const ConstView &image, const View &out, const Reduction &over, double eps = 1e-4,
         const Options &options = kDefaultOptions);
[[nodiscard]] Image std(const ConstView &image, const Reduction &over, double eps = 1e-4,
                        const Options &options = kDefaultOptions);

// mean() and std() at once. The two results may not overlap. Semantics: Albucore's mean_std.
struct MeanStd {
  Image mean, std;
};
void mean_std(const ConstView &image, const View &mean, const View &std, const Reduction &over,
              double eps = 1e-4, const Options &options = kDefaultOptions);
[[nodiscard]] MeanStd mean_std(const ConstView &image, const Reduction &over, double eps = 1e-4,
                               const Options &options = kDefaultOptions);

// Smallest and largest value, of the image's dtype, in one pass. A NaN makes both NaN, wherever it
// is. An empty image is an Error. The two results may not overlap. Semantics: NumPy's min and max.
struct MinMax {
  Image min, max;
};
void min_max(const ConstView &image, const View &min, const View &max, const Reduction &over,
             const Options &options = kDefaultOptions);
[[nodiscard]] MinMax min_max(const ConstView &image, const Reduction &over,
                             const Options &options = kDefaultOptions);

// out = (image − offset) / divisor in f32, by statistics of the image itself; image u8 or f32, out
// f32 of its shape. `image` modes: mean, and population deviation + 1e-4, both narrowed to f32; the
// result is clamped to [−20, 20]. `min_max` modes: the least value, and the greatest less the
// least; the result lies in [0, 1], its ends are exact, and a NaN makes its channel (or the whole)
// NaN. Equal values give 0. `per_channel` modes take statistics per channel. They span all of a
// batch or volume, or, `per_item`, each index of X. In place for f32. Semantics: Albucore's
// normalize_per_image.
enum class Normalization : std::uint8_t { image, image_per_channel, min_max, min_max_per_channel };
void normalize_per_image(const ConstView &image, Normalization mode, const View &out,
                         bool per_item = false, const Options &options = kDefaultOptions);
[[nodiscard]] Image normalize_per_image(const ConstView &image, Normalization mode,
                                        bool per_item = false,
                                        const Options &options = kDefaultOptions);

// How often each value from 0 to 255 occurs, in all channels together (Over::global; out is
// 1 × 256 × 1) or per channel (1 × 256 × C). image u8, out u64. With a mask, a u8 plane of the
// image's X, H and W, pixels count where it is not 0. An empty image gives zeros. Semantics:
// numpy.bincount with 256 bins.
void histogram(const ConstView &image, Over over, const View &out,
               const Options &options = kDefaultOptions);
void histogram(const ConstView &image, const ConstView &mask, Over over, const View &out,
               const Options &options = kDefaultOptions);
[[nodiscard]] Image histogram(const ConstView &image, Over over,
                              const Options &options = kDefaultOptions);
[[nodiscard]] Image histogram(const ConstView &image, const ConstView &mask, Over over,
                              const Options &options = kDefaultOptions);

// How often each label from 0 on occurs, in u64; bincount_weights: with weights of the labels'
// shape, f32 or f64, the sum of each label's weights in f64, added in the order X, H, W, C. labels
// u8, u16, i32 or i64; a negative one is an Error that names it. Labels equal to `ignore_label`,
// which may be any number, are left out before all else. The result has max(greatest label + 1,
// min_length) bins, at most 2^27, in an array 1 × bins × 1. Given `out`, its bins are those, and a
// label beyond them is an Error. Semantics: numpy.bincount.
struct BincountOptions {
  std::int64_t min_length = 0;
  std::optional<std::int64_t> ignore_label;
};
[[nodiscard]] Image bincount(const ConstView &labels, const BincountOptions &bins = {},
                             const Options &options = kDefaultOptions);
[[nodiscard]] Image bincount_weights(const ConstView &labels, const ConstView &weights,
                                     const BincountOptions &bins = {},
                                     const Options &options = kDefaultOptions);
void bincount(const ConstView &labels, const View &out,
              std::optional<std::int64_t> ignore_label = {},
              const Options &options = kDefaultOptions);
void bincount_weights(const ConstView &labels, const ConstView &weights, const View &out,
                      std::optional<std::int64_t> ignore_label = {},
                      const Options &options = kDefaultOptions);

namespace unchecked {
void add(const ConstView &image, const Parameter &value, const View &out,
         const Options &options = kDefaultOptions);
void add(const ConstView &image, const ArrayOperand &value, const View &out,
         const Options &options = kDefaultOptions);
void multiply(const ConstView &image, const Parameter &factor, const View &out,
              const Options &options = kDefaultOptions);
void multiply(const ConstView &image, const ArrayOperand &factor, const View &out,
              const Options &options = kDefaultOptions);
void power(const ConstView &image, const Parameter &exponent, const View &out,
           const Options &options = kDefaultOptions);
void power(const ConstView &image, const ArrayOperand &exponent, const View &out,
           const Options &options = kDefaultOptions);
void exp(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
void log(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
void sqrt(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
void to_float(const ConstView &image, const View &out, std::optional<double> max_value = {},
              const Options &options = kDefaultOptions);
void from_float(const ConstView &image, const View &out, std::optional<double> max_value = {},
                const Options &options = kDefaultOptions);
void clip(const ConstView &image, const Parameter &low, const Parameter &high, const View &out,
          const Options &options = kDefaultOptions);
void multiply_add(const ConstView &image, const Parameter &factor, const Parameter &value,
                  const View &out, const Options &options = kDefaultOptions);
void multiply_add(const ConstView &image, const ArrayOperand &factor, const ArrayOperand &value,
                  const View &out, const Options &options = kDefaultOptions);
void multiply_add(const ConstView &image, const ArrayOperand &factor, const Parameter &value,
                  const View &out, const Options &options = kDefaultOptions);
void multiply_add(const ConstView &image, const Parameter &factor, const ArrayOperand &value,
                  const View &out, const Options &options = kDefaultOptions);
void add_weighted(const ConstView &a, double weight_a, const ConstView &b, double weight_b,
                  const View &out, const Options &options = kDefaultOptions);
void normalize(const ConstView &image, const Parameter &mean, const Parameter &scale,
               const View &out, const Options &options = kDefaultOptions);
void lut(const ConstView &image, const ConstView &table, const View &out,
         const Options &options = kDefaultOptions);
void hflip(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
void vflip(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
void transpose(const ConstView &image, const View &out, const Options &options = kDefaultOptions);
void rot90(const ConstView &image, int k, const View &out,
           const Options &options = kDefaultOptions);
void matmul(const ConstView &a, const ConstView &b, const View &out,
            const Options &options = kDefaultOptions);
void pairwise_distances_squared(const ConstView &a, const ConstView &b, const View &out,
                                const Options &options = kDefaultOptions);
void reduce_sum(const ConstView &image, const View &out, const Reduction &over,
                const Options &options = kDefaultOptions);
void mean(const ConstView &image, const View &out, const Reduction &over,
          const Options &options = kDefaultOptions);
void std(const ConstView &image, const View &out, const Reduction &over, double eps = 1e-4,
         const Options &options = kDefaultOptions);
void mean_std(const ConstView &image, const View &mean, const View &std, const Reduction &over,
              double eps = 1e-4, const Options &options = kDefaultOptions);
void min_max(const ConstView &image, const View &min, const View &max, const Reduction &over,
             const Options &options = kDefaultOptions);
void normalize_per_image(const ConstView &image, Normalization mode, const View &out,
                         bool per_item = false, const Options &options = kDefaultOptions);
void histogram(const ConstView &image, Over over, const View &out,
               const Options &options = kDefaultOptions);
void histogram(const ConstView &image, const ConstView &mask, Over over, const View &out,
               const Options &options = kDefaultOptions);
void bincount(const ConstView &labels, const View &out,
              std::optional<std::int64_t> ignore_label = {},
              const Options &options = kDefaultOptions);
void bincount_weights(const ConstView &labels, const ConstView &weights, const View &out,
                      std::optional<std::int64_t> ignore_label = {},
                      const Options &options = kDefaultOptions);
} // namespace unchecked

} // namespace switchyard
