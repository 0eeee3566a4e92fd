// histogram through eager ATen: bincount of the bytes, of each channel where they are apart, of the
// selected ones where there is a mask. histc counts in f32, which ends at 2^24.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/histogram/adapters.hpp"

namespace switchyard::candidates::histogram {
namespace {

void count(const at::Tensor &bytes, const View &result, std::int64_t channel) {
  const at::Tensor counts = at::bincount(bytes.reshape({-1}), {}, kLevels);
  const auto *data = counts.data_ptr<std::int64_t>();
  for (std::int64_t level = 0; level < kLevels; ++level) {
    add_count(result, level, channel, static_cast<std::uint64_t>(data[level]));
  }
}

} // namespace

const char *accepts_aten(const Call &call, bool /*per_channel*/) {
  if (const char *reason = refuses_tensor(*call.in[0])) {
    return reason;
  }
  return call.in[1] == nullptr ? nullptr : refuses_tensor(*call.in[1]);
}

void run_aten(const Call &call, bool per_channel) {
  const AtenScope scope;
  const View &result = *call.out[0];
  clear_counts(result);
  if (call.in[0]->empty()) {
    return;
  }
  const at::Tensor image = tensor_of(*call.in[0]);
  at::Tensor mask;
  if (call.in[1] != nullptr) {
    mask = tensor_of(*call.in[1]).ne(0);
  }
  const auto selected = [&](const at::Tensor &of) {
    return mask.defined() ? at::masked_select(of, mask) : of;
  };
  if (!per_channel) {
    return count(selected(image), result, 0);
  }
  for (std::int64_t c = 0; c < image.size(3); ++c) {
    count(selected(image.slice(3, c, c + 1)), result, c);
  }
}

} // namespace switchyard::candidates::histogram
