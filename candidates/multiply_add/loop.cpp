// multiply_add as NumPy evaluates it, and the contract's reference: a product, a sum, a cast.
#include "candidates/common/narrow.hpp"
#include "candidates/common/passes.hpp"
#include "candidates/multiply_add/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::multiply_add {
namespace {

template <class T, class Real> void compute(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  const Temporary<Real> work(call.in[0]->shape);
  pass<T, Real, Real>(*call.in[0], work.view(), params.factor,
                      [](T x, Real factor) { return static_cast<Real>(x) * factor; });
  pass<Real, Real, Real>(work.view(), work.view(), params.value,
                         [](Real x, Real value) { return x + value; });
  pass<Real, T>(work.view(), *call.out[0], [](Real x) { return store_truncated<T>(x); });
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

} // namespace switchyard::candidates::multiply_add
