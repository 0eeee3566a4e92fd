// Sums of two arrays of one dtype through NumKong: saturating in u8, plain in f32.
//
// Its other functions of several arrays fuse products into sums, which hides overflows that a
// rounded product has, and round u8 to nearest.
#include "candidates/common/numkong_kernels.hpp"

#include "candidates/common/domain.hpp"
#include "candidates/common/runs.hpp"
#include "candidates/pointwise_array/adapters.hpp"

namespace switchyard::candidates::pointwise_array {
namespace {

template <class T, class Kernel> void run(const Call &call, Kernel *kernel) {
  const ConstView value = repeated(*call.in[1], call.out[0]->shape);
  Runs<T, T, T>({call.in[0], &value, call.out[0]})(
      [&](const T *x, const T *a, T *out, std::int64_t n, RunChannels) {
        kernel(x, a, static_cast<nk_size_t>(n), out);
      });
}

} // namespace

const char *accepts_numkong(const Call &call, const Expression & /*expression*/) {
  if (call.in[1]->dtype != call.in[0]->dtype) {
    return "its sums are of one dtype";
  }
  return call.in[1]->channels() == call.in[0]->channels() ? nullptr
                                                          : "its arrays do not repeat channels";
}

void run_numkong(const Call &call, const Expression & /*expression*/) {
  auto *u8 = nk_each_sum_u8_serial;
  auto *f32 = nk_each_sum_f32_serial;
#if NK_TARGET_HASWELL
  if (numkong_has_haswell()) {
    u8 = nk_each_sum_u8_haswell;
    f32 = nk_each_sum_f32_haswell;
  }
#endif
  call.in[0]->dtype == Dtype::u8 ? run<std::uint8_t>(call, u8) : run<float>(call, f32);
}

} // namespace switchyard::candidates::pointwise_array
