// Eager ATen as a user calls it: conversions, tables, matrices and turns.
#include "bench/peers/aten.hpp"

#include <vector>

#include <ATen/Parallel.h>
#include <torch/csrc/api/include/torch/version.h>

#include "candidates/from_float/params.hpp"
#include "candidates/lut/params.hpp"
#include "candidates/rot90/params.hpp"
#include "candidates/to_float/params.hpp"

// OpenMP's own declaration, without the compiler flag that its header asks for.
extern "C" void omp_set_num_threads(int threads);

namespace switchyard::peers {
namespace aten {
namespace {

at::ScalarType type_of(Dtype dtype) {
  switch (dtype) {
  case Dtype::u8:
    return at::kByte;
  case Dtype::i8:
    return at::kChar;
  case Dtype::i16:
    return at::kShort;
  case Dtype::i32:
    return at::kInt;
  case Dtype::i64:
    return at::kLong;
  case Dtype::f32:
    return at::kFloat;
  case Dtype::f64:
    return at::kDouble;
  default:
    return at::ScalarType::Undefined;
  }
}

Bound to_float(const Call &call) {
  const Tensors t(call);
  if (!t.usable()) {
    return {};
  }
  if (t.x.scalar_type() == at::kFloat) {
    return [t] { t.y.copy_(t.x); };
  }
  const double max_value = call.params_as<ToFloatParams>().max_value;
  return [t, max_value] { t.y.copy_(t.x).mul_(1 / max_value); };
}

Bound from_float(const Call &call) {
  const Tensors t(call);
  if (!t.usable()) {
    return {};
  }
  if (!t.bytes()) {
    return [t] { t.y.copy_(t.x); };
  }
  const double max_value = call.params_as<FromFloatParams>().max_value;
  return [t, max_value, work = t.work()]() mutable {
    at::mul_out(work, t.x, at::scalar_tensor(max_value));
    t.y.copy_(work.round_().clamp_(0, 255));
  };
}

// Indices are i64. Tables per channel lie channel last: entry v of channel c is number v · C + c.
template <bool kPerChannel> Bound lut(const Call &call) {
  const Tensors t(call);
  const at::Tensor table = tensor_of(call.params_as<LutParams>().table);
  if (!t.usable() || !table.defined() || !t.y.is_contiguous()) {
    return {};
  }
  const std::int64_t channels = t.x.size(3);
  return [t, table, channels, index = at::empty(t.x.sizes(), at::kLong),
          offsets = at::arange(channels), y = t.y]() mutable {
    index.copy_(t.x);
    if (kPerChannel) {
      index.mul_(channels).add_(offsets);
    }
    at::take_out(y, table, index);
  };
}

at::Tensor matrix_of(const at::Tensor &images) {
  return images.squeeze(3); // X × H × W
}

Bound matmul(const Call &call) {
  const Tensors t(call);
  const at::Tensor second = tensor_of(*call.in[1]);
  if (!t.usable() || !second.defined()) {
    return {};
  }
  const at::Tensor a = matrix_of(t.x);
  const at::Tensor b = matrix_of(second);
  at::Tensor y = matrix_of(t.y);
  if (a.scalar_type() == at::kByte) { // products in u8 would wrap
    return [a, b, y]() mutable { at::matmul_out(y, a.to(at::kInt), b.to(at::kInt)); };
  }
  return [a, b, y]() mutable { at::matmul_out(y, a, b); };
}

// By default cdist() expands the norm, which leaves no digits of close points.
constexpr std::int64_t kWithoutProducts = 2;

Bound pairwise(const Call &call) {
  const Tensors t(call);
  const at::Tensor second = tensor_of(*call.in[1]);
  if (!t.usable() || !second.defined()) {
    return {};
  }
  const at::Tensor a = matrix_of(t.x);
  const at::Tensor b = matrix_of(second);
  const at::Tensor y = matrix_of(t.y);
  return [a, b, y] { y.copy_(at::cdist(a, b, 2, kWithoutProducts).square_()); };
}

template <class Turn> Bound turned(const Call &call, Turn turn) {
  const Tensors t(call);
  return t.usable() ? Bound([t, turn] { t.y.copy_(turn(t.x)); }) : Bound();
}

Bound hflip(const Call &call) {
  return turned(call, [](const at::Tensor &x) { return x.flip({2}); });
}
Bound vflip(const Call &call) {
  return turned(call, [](const at::Tensor &x) { return x.flip({1}); });
}
Bound transpose(const Call &call) {
  return turned(call, [](const at::Tensor &x) { return x.transpose(1, 2); });
}
Bound rot90(const Call &call) {
  const int k = call.params_as<candidates::Rot90Params>().quarter_turns;
  return turned(call, [k](const at::Tensor &x) { return at::rot90(x, k, {1, 2}); });
}

constexpr Expression kOthers[] = {
    {"to_float", "y.copy_(x).mul_(1 / max_value)", to_float},
    {"from_float", "mul_out(t, x, max_value); y.copy_(t.round_().clamp_(0, 255))", from_float},
    {"lut/shared", "i.copy_(x); take_out(y, table, i)", lut<false>},
    {"lut/per_channel", "i.copy_(x).mul_(C).add_(c); take_out(y, tables, i)", lut<true>},
    {"matmul", "matmul_out(y, a, b); u8: of a.to(int32), b.to(int32)", matmul},
    {"pairwise_distances_squared", "y.copy_(cdist(a, b, 2, 2).square_())", pairwise},
    {"hflip", "y.copy_(x.flip(2))", hflip},
    {"vflip", "y.copy_(x.flip(1))", vflip},
    {"transpose", "y.copy_(x.transpose(1, 2))", transpose},
    {"rot90", "y.copy_(rot90(x, k, {1, 2}))", rot90},
};

std::span<const Expression> all() {
  static const std::vector<Expression> kAll = joined({pointwise(), statistics(), kOthers});
  return kAll;
}

std::string version() {
  return TORCH_VERSION;
}

// Asking ATen for its count first makes it set up the thread now rather than in the middle of an
// op, where it would undo the 1. Gradients are switched off as for any use of a trained model.
void one_thread() {
  static_cast<void>(at::get_num_threads());
  omp_set_num_threads(1);
  at::GradMode::set_enabled(false);
}

} // namespace

at::Tensor tensor_of(const ConstView &view) {
  const at::ScalarType type = type_of(view.dtype);
  const std::int64_t size = size_of(view.dtype);
  std::array<std::int64_t, 4> strides{};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    strides[axis] = view.shape[axis] > 1 ? view.strides[axis] / size : 1;
    if (type == at::ScalarType::Undefined || strides[axis] < 0 ||
        (view.shape[axis] > 1 && view.strides[axis] % size != 0)) {
      return {};
    }
  }
  return at::from_blob(const_cast<void *>(view.data), view.shape, strides,
                       at::TensorOptions().dtype(type));
}

at::Tensor result_of(const View &view) {
  ConstView known = view;
  known.dtype = view.dtype == Dtype::u64 ? Dtype::i64 : view.dtype;
  return tensor_of(known);
}

} // namespace aten

extern const Peer kAtenPeer;
const Peer kAtenPeer{"aten", aten::all(), aten::version, aten::one_thread};

} // namespace switchyard::peers
