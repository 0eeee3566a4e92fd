// Reductions through eager ATen: sums in i64 or f64, deviations of a copy in f64, amin and amax.
//
// std_mean would be one call, but divides once per element and adds its terms one after the other.
#include "candidates/common/aten_tensor.hpp"

#include "candidates/reduction/adapters.hpp"
#include "candidates/reduction/params.hpp"
#include "candidates/reduction/plan.hpp"

namespace switchyard::candidates::reduction {
namespace {

// Up to here, sums of equal f32 values are exact in f64.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 29;

// X, H and W backwards are as good: tensors have no negative strides.
ConstView reduced_forward(const Call &call) {
  ConstView image = *call.in[0];
  for (const Axis axis : {kX, kH, kW, kC}) {
    if (has_axis(call.params_as<ReductionParams>().axes, axis) && image.shape[axis] > 1 &&
        image.strides[axis] < 0) {
      image = reversed(image, axis);
    }
  }
  return image;
}

// An empty list of axes would mean all of them.
std::vector<std::int64_t> axes_of(const Call &call) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < 4; ++axis) {
    if (has_axis(call.params_as<ReductionParams>().axes, static_cast<int>(axis))) {
      axes.push_back(axis);
    }
  }
  return axes;
}

// Writes the results, all four axes kept, to an output of any strides and alignment.
template <class T, class Value>
void store(const View &out, const at::Tensor &results, Value value) {
  const at::Tensor dense = results.contiguous();
  const T *from = dense.data_ptr<T>();
  for (std::int64_t x = 0; x < out.shape[kX]; ++x) {
    for (std::int64_t h = 0; h < out.shape[kH]; ++h) {
      for (std::int64_t w = 0; w < out.shape[kW]; ++w) {
        for (std::int64_t c = 0; c < out.shape[kC]; ++c) {
          const auto result = value(*from++);
          std::memcpy(out.at(x, h, w, c), &result, sizeof result);
        }
      }
    }
  }
}

double values_of_a_result(const Call &call) {
  return static_cast<double>(call.in[0]->elements() / call.out[0]->elements());
}

template <Asked kAsked> void run_sums(const Call &call, const at::Tensor &image) {
  const bool bytes = call.in[0]->dtype == Dtype::u8;
  const at::Tensor sums = image.sum(axes_of(call), true, bytes ? at::kLong : at::kDouble);
  if constexpr (kAsked == Asked::mean) {
    const double n = values_of_a_result(call);
    const auto mean = [n](auto sum) { return static_cast<double>(sum) / n; };
    bytes ? store<std::int64_t>(*call.out[0], sums, mean) : store<double>(*call.out[0], sums, mean);
  } else if (bytes) {
    store<std::int64_t>(*call.out[0], sums,
                        [](std::int64_t sum) { return static_cast<std::uint64_t>(sum); });
  } else {
    store<double>(*call.out[0], sums, [](double sum) { return sum; });
  }
}

template <Asked kAsked> void run_deviations(const Call &call, const at::Tensor &image) {
  const std::vector<std::int64_t> axes = axes_of(call);
  const double eps = call.params_as<ReductionParams>().eps;
  at::Tensor work = image.to(at::kDouble);
  const at::Tensor mean = work.mean(axes, true);
  const at::Tensor variance = work.sub_(mean).square_().mean(axes, true);
  if constexpr (kAsked == Asked::mean_std) {
    store<double>(*call.out[0], mean, [](double value) { return value; });
  }
  store<double>(*call.out[kAsked == Asked::mean_std ? 1 : 0], variance,
                [eps](double value) { return std::sqrt(value) + eps; });
}

template <class T> void run_ranges(const Call &call, const at::Tensor &image) {
  const std::vector<std::int64_t> axes = axes_of(call);
  const auto same = [](T value) { return value; };
  if (axes.size() == 4) {
    const auto [low, high] = at::aminmax(image);
    store<T>(*call.out[0], low, same);
    store<T>(*call.out[1], high, same);
    return;
  }
  store<T>(*call.out[0], image.amin(axes, true), same);
  store<T>(*call.out[1], image.amax(axes, true), same);
}

} // namespace

const char *accepts_aten(const Call &call) {
  if (call.in[0]->elements() > kMaxElements) {
    return "more than 2^29 elements";
  }
  if (call.params_as<ReductionParams>().axes == 0) {
    return "no axis is reduced, which ATen takes for all of them";
  }
  return refuses_tensor(reduced_forward(call));
}

template <Asked kAsked> void run_aten(const Call &call) {
  if (kAsked == Asked::sum && stored_zeros(call)) {
    return;
  }
  const AtenScope scope;
  const at::Tensor image = tensor_of(reduced_forward(call));
  if constexpr (kAsked == Asked::min_max) {
    call.in[0]->dtype == Dtype::u8 ? run_ranges<std::uint8_t>(call, image)
                                   : run_ranges<float>(call, image);
  } else if constexpr (asks_std(kAsked)) {
    run_deviations<kAsked>(call, image);
  } else {
    run_sums<kAsked>(call, image);
  }
}

SWITCHYARD_INSTANTIATE_REDUCTIONS(run_aten);

} // namespace switchyard::candidates::reduction
