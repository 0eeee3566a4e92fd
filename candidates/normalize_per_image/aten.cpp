// normalize_per_image through eager ATen: statistics, then sub, div and clamp in place.
//
// var_mean and std_mean of f32 give f32, two roundings too many: mean and deviation are those of a
// copy in f64. amin, amax and clamp keep NaN.
#include <vector>

#include "candidates/common/aten_tensor.hpp"
#include "candidates/normalize_per_image/adapters.hpp"

namespace switchyard::candidates::normalize_per_image {
namespace {

const Moments &moments_by_aten(bool per_channel) {
  static const Moments global("aten", false);
  static const Moments channels("aten", true);
  return per_channel ? channels : global;
}

void find_range(const at::Tensor &in, Mode mode, std::span<Scale> scales) {
  at::Tensor low;
  at::Tensor high;
  if (is_per_channel(mode)) {
    low = at::amin(in, {0, 1, 2}).to(at::kFloat);
    high = at::amax(in, {0, 1, 2}).to(at::kFloat);
  } else {
    const auto both = at::aminmax(in);
    low = std::get<0>(both).to(at::kFloat);
    high = std::get<1>(both).to(at::kFloat);
  }
  for (std::size_t c = 0; c < scales.size(); ++c) {
    scales[c] = Scale::range(low.data_ptr<float>()[c], high.data_ptr<float>()[c]);
  }
}

at::Tensor operand(std::span<const Scale> scales, float Scale::*member) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(scales.size())}, at::kFloat);
  for (std::size_t c = 0; c < scales.size(); ++c) {
    tensor.data_ptr<float>()[c] = scales[c].*member;
  }
  return tensor;
}

void normalize(const at::Tensor &in, at::Tensor &out, std::span<const Scale> scales, Mode mode) {
  const at::Tensor offset = operand(scales, &Scale::offset);
  if (in.scalar_type() == at::kFloat) {
    at::sub_out(out, in, offset);
  } else {
    out.copy_(in).sub_(offset);
  }
  out.div_(operand(scales, &Scale::divisor));
  if (!is_range(mode)) {
    out.clamp_(-kLimit, kLimit);
  }
}

} // namespace

const char *accepts_aten(const Call &call, Mode mode) {
  if (const char *reason = refuses_tensors(call)) {
    return reason;
  }
  return is_range(mode) || call.in[0]->empty()
             ? nullptr
             : moments_by_aten(is_per_channel(mode)).refuses(first_item(call));
}

void run_aten(const Call &call, Mode mode) {
  const AtenScope scope;
  const auto count = static_cast<std::size_t>(scale_count(*call.in[0], mode));
  std::vector<Scale> scales(count);
  std::vector<double> values(2 * count);
  for_each_item(call, [&](const ConstView &image, const View &result) {
    const at::Tensor in = tensor_of(image);
    at::Tensor out = tensor_of(result);
    if (is_range(mode)) {
      find_range(in, mode, scales);
    } else {
      moments_by_aten(is_per_channel(mode))(image, values, scales);
    }
    if (any_halved(scales)) {
      normalize_plainly(image, result, scales, mode);
    } else {
      normalize(in, out, scales, mode);
    }
  });
}

} // namespace switchyard::candidates::normalize_per_image
