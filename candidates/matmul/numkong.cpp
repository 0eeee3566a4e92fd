// matmul through NumKong's packed dot products of rows.
//
// They take the right-hand matrix as its transpose, and f32 adds in f64 to a result in f64, which
// is narrowed here.
#include "candidates/common/numkong_kernels.hpp"

#include <memory>

#include "candidates/common/domain.hpp"
#include "candidates/common/matrix.hpp"
#include "candidates/common/passes.hpp"
#include "candidates/common/turn.hpp"
#include "candidates/matmul/adapters.hpp"

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

// The kernels of one element type: those of the inputs and of the result.
struct Bytes {
  using In = nk_u8_t;
  using Out = nk_u32_t;
  static constexpr auto kSize = nk_dots_packed_size_u8_haswell;
  static constexpr auto kPack = nk_dots_pack_u8_haswell;
  static constexpr auto kMultiply = nk_dots_packed_u8_haswell;
};
struct Floats {
  using In = nk_f32_t;
  using Out = nk_f64_t;
  static constexpr auto kSize = nk_dots_packed_size_f32_haswell;
  static constexpr auto kPack = nk_dots_pack_f32_haswell;
  static constexpr auto kMultiply = nk_dots_packed_f32_haswell;
};
struct Doubles {
  using In = nk_f64_t;
  using Out = nk_f64_t;
  static constexpr auto kSize = nk_dots_packed_size_f64_haswell;
  static constexpr auto kPack = nk_dots_pack_f64_haswell;
  static constexpr auto kMultiply = nk_dots_packed_f64_haswell;
};

// The packed form of b, whose columns are made rows first.
template <class Kernels> std::unique_ptr<std::byte[]> packed(const ConstView &b) {
  using In = typename Kernels::In;
  const ConstView columns = transposed(b);
  const Temporary<In> dense(columns.shape);
  pass<In, In>(columns, dense.view(), [](In x) { return x; });
  const Rows rows(dense.view());
  auto memory =
      std::make_unique_for_overwrite<std::byte[]>(Kernels::kSize(rows.count, rows.length));
  Kernels::kPack(static_cast<const In *>(rows.data), rows.count, rows.length, rows.stride,
                 memory.get());
  return memory;
}

template <class Kernels> void multiply(const ConstView &a, const ConstView &b, const View &out) {
  const auto right = packed<Kernels>(b);
  const Rows left(a);
  const Rows result(out);
  Kernels::kMultiply(static_cast<const typename Kernels::In *>(left.data), right.get(),
                     static_cast<typename Kernels::Out *>(out.mutable_data()), left.count,
                     result.length, left.length, left.stride, result.stride);
}

} // namespace

void run_numkong(const Call &call) {
  for (std::int64_t x = 0; x < call.out[0]->shape[kX]; ++x) {
    const ConstView a = matrix::item(*call.in[0], x);
    const ConstView b = matrix::item(*call.in[1], x);
    const View out = matrix::item(*call.out[0], x);
    if (a.dtype == Dtype::u8) {
      multiply<Bytes>(a, b, out);
    } else if (a.dtype == Dtype::f64) {
      multiply<Doubles>(a, b, out);
    } else {
      const Temporary<double> wide(out.shape);
      multiply<Floats>(a, b, wide.view());
      pass<double, float>(wide.view(), out, [](double sum) { return static_cast<float>(sum); });
    }
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
  if (a.dtype != Dtype::f32 && (!has_dense_rows(out) || !is_aligned(out))) {
    return "rows of the result are not dense and aligned";
  }
  return nullptr;
}

} // namespace switchyard::candidates::matmul
