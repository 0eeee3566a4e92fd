// normalize as NumPy evaluates it, and the contract's reference: a difference, a product.
#include "candidates/common/passes.hpp"
#include "candidates/normalize/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::normalize {
namespace {

template <class T, class Real> void compute(const Call &call) {
  const auto &params = call.params_as<NormalizeParams>();
  const Temporary<Real> work(call.in[0]->shape);
  pass<T, Real, Real>(*call.in[0], work.view(), params.mean,
                      [](T x, Real mean) { return static_cast<Real>(x) - mean; });
  pass<Real, float, Real>(work.view(), *call.out[0], params.scale,
                          [](Real x, Real scale) { return static_cast<float>(x * scale); });
}

} // namespace

void run_loop(const Call &call) {
  const bool wide = (call.flags & kWide) != 0;
  if (call.in[0]->dtype == Dtype::u8) {
    wide ? compute<std::uint8_t, double>(call) : compute<std::uint8_t, float>(call);
  } else {
    wide ? compute<float, double>(call) : compute<float, float>(call);
  }
}

} // namespace switchyard::candidates::normalize
