// matmul through eager ATen.
//
// Its product of u8 is u8, modulo 256. Here bytes pass through f32 where sums stay below 2^24, else
// through f64; either holds every sum exactly.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/matmul/adapters.hpp"

namespace switchyard::candidates::matmul {
namespace {

constexpr std::int64_t kMostInF32 = 258;

// X matrices as one tensor of X × rows × columns.
at::Tensor matrices_of(const ConstView &view) {
  return tensor_of(view).squeeze(kC);
}

} // namespace

const char *accepts_aten(const Call &call) {
  return refuses_tensors(call);
}

void run_aten(const Call &call) {
  const AtenScope scope;
  at::Tensor a = matrices_of(*call.in[0]);
  at::Tensor b = matrices_of(*call.in[1]);
  const at::Tensor out = matrices_of(*call.out[0]);
  if (call.in[0]->dtype == Dtype::u8) {
    const at::ScalarType exact = a.size(2) <= kMostInF32 ? at::kFloat : at::kDouble;
    a = a.to(exact);
    b = b.to(exact);
  }
  out.copy_(at::matmul(a, b));
}

} // namespace switchyard::candidates::matmul
