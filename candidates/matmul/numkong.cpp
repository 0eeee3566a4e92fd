// matmul through NumKong's packed dot products of rows.
//
// They take the right-hand matrix as its transpose, and f32 adds in f64 to a result in f64, which
// is narrowed here. f64 is left out: its compensated sums turn an infinite result into NaN.
#include "candidates/common/numkong_kernels.hpp"

#include <memory>

#include "candidates/common/domain.hpp"
#include "candidates/common/passes.hpp"
#include "candidates/matmul/adapters.hpp"
#include "candidates/matrix/operands.hpp"
#include "candidates/turn/turn.hpp"

namespace switchyard::candidates::matmul {

#if NK_TARGET_HASWELL
namespace {

// Matrices with dense rows, as the kernels address them.
struct Rows {
  const void *data;
  nk_size_t count;
  nk_size_t length;
  nk_size_t stride; // bytes

  explicit Rows(const ConstView &view)
      : data(view.data), count(static_cast<nk_size_t>(view.shape[kH])),
        length(static_cast<nk_size_t>(view.shape[kW])),
        stride(static_cast<nk_size_t>(view.strides[kH])) {}
};

struct BytePacking {
  static nk_size_t size(nk_size_t columns, nk_size_t depth) {
    return nk_dots_packed_size_u8_haswell(columns, depth);
  }
  static void pack(const Rows &b, void *to) {
    nk_dots_pack_u8_haswell(static_cast<const nk_u8_t *>(b.data), b.count, b.length, b.stride, to);
  }
};
struct FloatPacking {
  static nk_size_t size(nk_size_t columns, nk_size_t depth) {
    return nk_dots_packed_size_f32_haswell(columns, depth);
  }
  static void pack(const Rows &b, void *to) {
    nk_dots_pack_f32_haswell(static_cast<const nk_f32_t *>(b.data), b.count, b.length, b.stride,
                             to);
  }
};

// The packed form of b, a matrix of the element type T, whose columns are made rows first.
template <class T, class Packing> std::unique_ptr<std::byte[]> packed(const ConstView &b) {
  const ConstView columns = transposed(b);
  const Temporary<T> dense(columns.shape);
  pass<T, T>(columns, dense.view(), [](T x) { return x; });
  const Rows rows(dense.view());
  auto memory = std::make_unique_for_overwrite<std::byte[]>(Packing::size(rows.count, rows.length));
  Packing::pack(rows, memory.get());
  return memory;
}

void multiply_bytes(const ConstView &a, const ConstView &b, const View &out) {
  const auto right = packed<std::uint8_t, BytePacking>(b);
  const Rows left(a);
  const Rows result(out);
  nk_dots_packed_u8_haswell(static_cast<const nk_u8_t *>(left.data), right.get(),
                            static_cast<nk_u32_t *>(out.mutable_data()), left.count, result.length,
                            left.length, left.stride, result.stride);
}

void multiply_floats(const ConstView &a, const ConstView &b, const View &out) {
  const auto right = packed<float, FloatPacking>(b);
  const Temporary<double> wide(out.shape);
  const Rows left(a);
  const Rows result(wide.view());
  nk_dots_packed_f32_haswell(static_cast<const nk_f32_t *>(left.data), right.get(),
                             static_cast<nk_f64_t *>(wide.view().mutable_data()), left.count,
                             result.length, left.length, left.stride, result.stride);
  pass<double, float>(wide.view(), out, [](double x) { return static_cast<float>(x); });
}

} // namespace

void run_numkong(const Call &call) {
  for (std::int64_t x = 0; x < call.out[0]->shape[kX]; ++x) {
    const ConstView a = matrix::item(*call.in[0], x);
    const ConstView b = matrix::item(*call.in[1], x);
    const View out = matrix::item(*call.out[0], x);
    a.dtype == Dtype::u8 ? multiply_bytes(a, b, out) : multiply_floats(a, b, out);
  }
}
#else
void run_numkong(const Call & /*call*/) {} // its domain refuses every call
#endif

const char *accepts_numkong(const Call &call) {
  if (!numkong_has_haswell()) {
    return "NumKong has no kernel for this CPU";
  }
  for (const ConstView *view : {call.in[0], call.in[1]}) {
    if (view->empty()) {
      return "an empty matrix";
    }
  }
  const ConstView &a = *call.in[0];
  const ConstView &out = *call.out[0];
  if (!has_dense_rows(a) || !is_aligned(a)) {
    return "rows of the first matrix are not dense and aligned";
  }
  if (a.dtype == Dtype::u8 && (!has_dense_rows(out) || !is_aligned(out))) {
    return "rows of the result are not dense and aligned";
  }
  return nullptr;
}

} // namespace switchyard::candidates::matmul
