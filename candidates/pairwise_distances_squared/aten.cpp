// pairwise_distances_squared through eager ATen: its distances from differences, in f64, squared.
//
// The default mode of cdist expands into norms, which far from the origin has no digit right. In
// f32, squaring the rounded root would lose a little, and long sums more.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/pairwise_distances_squared/adapters.hpp"

namespace switchyard::candidates::pairwise_distances_squared {
namespace {

constexpr std::int64_t kFromDifferences = 2; // cdist's compute_mode donot_use_mm_for_euclid_dist

at::Tensor matrix_of(const ConstView &view) {
  return tensor_of(view).squeeze(kC).squeeze(kX);
}

} // namespace

const char *accepts_aten(const Call &call) {
  return refuses_tensors(call);
}

void run_aten(const Call &call) {
  const AtenScope scope;
  const at::Tensor a = matrix_of(*call.in[0]).to(at::kDouble);
  const at::Tensor b = matrix_of(*call.in[1]).to(at::kDouble);
  at::Tensor distances = at::cdist(a, b, 2.0, kFromDifferences);
  matrix_of(*call.out[0]).copy_(distances.square_());
}

} // namespace switchyard::candidates::pairwise_distances_squared
