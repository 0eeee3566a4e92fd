// add_weighted as NumPy evaluates it, and the contract's reference: two products, a sum, a cast.
#include "candidates/add_weighted/params.hpp"
#include "candidates/common/narrow.hpp"
#include "candidates/common/passes.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::add_weighted {
namespace {

template <class T, class Real>
void product(const ConstView &in, const Temporary<Real> &out, double weight) {
  pass<T, Real, Real>(in, out.view(), Values{&weight, 1},
                      [](T x, Real w) { return static_cast<Real>(x) * w; });
}

template <class T, class Real> void compute(const Call &call) {
  const auto &params = call.params_as<AddWeightedParams>();
  const Temporary<Real> a(call.in[0]->shape);
  const Temporary<Real> b(call.in[0]->shape);
  product<T, Real>(*call.in[0], a, params.weight_a);
  product<T, Real>(*call.in[1], b, params.weight_b);
  pass<Real, Real, Real>(a.view(), b.view(), a.view(), [](Real x, Real y) { return x + y; });
  pass<Real, T>(a.view(), *call.out[0], [](Real x) { return store<T>(x, Rounding::half_even); });
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

} // namespace switchyard::candidates::add_weighted
