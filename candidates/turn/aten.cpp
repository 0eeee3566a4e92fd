// Turns through eager ATen: a transposed view, copied; axes to reverse are flipped into a copy.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/turn/adapters.hpp"

namespace switchyard::candidates::turn {
namespace {

// Elements are moved, not read: those that this ATen does not know travel as ones of their size.
ConstView as_known(ConstView view) {
  view.dtype = view.dtype == Dtype::u16 ? Dtype::i16 : view.dtype;
  return view;
}

} // namespace

const char *accepts_aten(const Call &call, const Turn & /*turn*/) {
  return refuses_tensors(call);
}

void run_aten(const Call &call, const Turn &turn) {
  const AtenScope scope;
  at::Tensor out = tensor_of(as_known(*call.out[0]));
  at::Tensor in = tensor_of(as_known(*call.in[0]));
  if (turn.reverse_h && turn.reverse_w) {
    in = at::flip(in, {kH, kW});
  } else if (turn.reverse_h || turn.reverse_w) {
    in = at::flip(in, {turn.reverse_h ? kH : kW});
  }
  out.copy_(turn.swap ? in.transpose(kH, kW) : in);
}

} // namespace switchyard::candidates::turn
