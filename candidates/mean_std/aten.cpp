// mean_std through eager ATen: a copy in f64, its mean, the mean of its squared deviations.
//
// std_mean would be one call, but divides once per element and adds its terms one after the other.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/common/read_runs.hpp"
#include "candidates/mean_std/moments.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::mean_std {
namespace {

// Up to here, sums of equal f32 values are exact in f64.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 29;

const char *accepts(const Call &call, bool per_channel) {
  if (call.in[0]->elements() > kMaxElements) {
    return "more than 2^29 elements";
  }
  return refuses_tensor(forward(*call.in[0], per_channel));
}

void run(const Call &call, at::IntArrayRef axes, bool per_channel) {
  const AtenScope scope;
  at::Tensor work = tensor_of(forward(*call.in[0], per_channel)).to(at::kDouble);
  const at::Tensor mean = work.mean(axes, true);
  const at::Tensor variance = work.sub_(mean).square_().mean(axes, true);
  const auto *means = mean.data_ptr<double>();
  const auto *variances = variance.data_ptr<double>();
  for (std::int64_t c = 0; c < mean.numel(); ++c) {
    store(call, c, {means[c], std::sqrt(variances[c])});
  }
}

} // namespace

const char *accepts_global_aten(const Call &call) {
  return accepts(call, false);
}
const char *accepts_per_channel_aten(const Call &call) {
  return accepts(call, true);
}
void run_global_aten(const Call &call) {
  run(call, {0, 1, 2, 3}, false);
}
void run_per_channel_aten(const Call &call) {
  run(call, {0, 1, 2}, true);
}

} // namespace switchyard::candidates::mean_std
