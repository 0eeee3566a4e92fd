// pairwise_distances_squared through NumKong's distance of two vectors, which adds in f64.
#include "candidates/common/numkong_kernels.hpp"

#include <cstring>

#include "candidates/common/domain.hpp"
#include "candidates/pairwise_distances_squared/adapters.hpp"

namespace switchyard::candidates::pairwise_distances_squared {

#if NK_TARGET_HASWELL
namespace {

double distance(const float *a, const float *b, nk_size_t n) {
  double result = 0;
  nk_sqeuclidean_f32_haswell(a, b, n, &result);
  return result;
}
double distance(const double *a, const double *b, nk_size_t n) {
  double result = 0;
  nk_sqeuclidean_f64_haswell(a, b, n, &result);
  return result;
}

template <class T> void measure(const ConstView &a, const ConstView &b, const View &out) {
  const auto row = [](const ConstView &view, std::int64_t h) {
    return reinterpret_cast<const T *>(view.at(0, h, 0, 0));
  };
  for (std::int64_t n = 0; n < a.shape[kH]; ++n) {
    for (std::int64_t m = 0; m < b.shape[kH]; ++m) {
      const auto narrow =
          static_cast<float>(distance(row(a, n), row(b, m), static_cast<nk_size_t>(a.shape[kW])));
      std::memcpy(out.at(0, n, m, 0), &narrow, sizeof narrow);
    }
  }
}

} // namespace

void run_numkong(const Call &call) {
  call.in[0]->dtype == Dtype::f32 ? measure<float>(*call.in[0], *call.in[1], *call.out[0])
                                  : measure<double>(*call.in[0], *call.in[1], *call.out[0]);
}
#else
void run_numkong(const Call & /*call*/) {} // its domain refuses every call
#endif

const char *accepts_numkong(const Call &call) {
  if (!numkong_has_haswell()) {
    return "NumKong has no kernel for this CPU";
  }
  for (const ConstView *view : {call.in[0], call.in[1]}) {
    if (!has_dense_rows(*view) || !is_aligned(*view)) {
      return "rows are not dense and aligned";
    }
  }
  return nullptr;
}

} // namespace switchyard::candidates::pairwise_distances_squared
