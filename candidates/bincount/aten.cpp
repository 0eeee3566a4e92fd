// bincount through eager ATen. It adds weights in the order of the labels, those of f32 in f32:
// they are widened first.
#include "candidates/bincount/adapters.hpp"
#include "candidates/common/aten_tensor.hpp"

namespace switchyard::candidates::bincount {
namespace {

at::Tensor flat(const ConstView &view) {
  return tensor_of(view).reshape({-1});
}

// Copies the bins of a tensor, which may have more, for an ignored label, or fewer.
template <class From, class To> void store_bins(const Call &call, const at::Tensor &sums) {
  const auto &params = call.params_as<BincountParams>();
  const auto *data = sums.data_ptr<From>();
  for (std::int64_t bin = 0; bin < params.bins; ++bin) {
    store(call, bin, bin < sums.numel() ? static_cast<To>(data[bin]) : To{});
  }
  if (const std::int64_t ignored = Ignored<std::int64_t>(params).bin; ignored >= 0) {
    store(call, ignored, To{});
  }
}

// Nothing to count: bincount takes no empty weights.
bool is_nothing(const Call &call) {
  return call.in[0]->empty() || call.params_as<BincountParams>().bins == 0;
}

template <class To> void store_zeros(const Call &call) {
  for (std::int64_t bin = 0; bin < call.params_as<BincountParams>().bins; ++bin) {
    store(call, bin, To{});
  }
}

const char *refuses_labels(const Call &call) {
  const auto &params = call.params_as<BincountParams>();
  if (params.ignores && (params.ignored < 0 || params.ignored >= params.bins)) {
    return "a label without a bin is ignored";
  }
  return refuses_tensor(*call.in[0]);
}

} // namespace

const char *accepts_counts_aten(const Call &call) {
  return refuses_labels(call);
}

void run_counts_aten(const Call &call) {
  if (is_nothing(call)) {
    return store_zeros<std::uint64_t>(call);
  }
  const AtenScope scope;
  const std::int64_t bins = call.params_as<BincountParams>().bins;
  store_bins<std::int64_t, std::uint64_t>(call, at::bincount(flat(*call.in[0]), {}, bins));
}

const char *accepts_weights_aten(const Call &call) {
  const char *reason = refuses_labels(call);
  return reason != nullptr ? reason : refuses_tensor(*call.in[1]);
}

void run_weights_aten(const Call &call) {
  if (is_nothing(call)) {
    return store_zeros<double>(call);
  }
  const AtenScope scope;
  const std::int64_t bins = call.params_as<BincountParams>().bins;
  const at::Tensor weights = flat(*call.in[1]).to(at::kDouble);
  store_bins<double, double>(call, at::bincount(flat(*call.in[0]), weights, bins));
}

} // namespace switchyard::candidates::bincount
