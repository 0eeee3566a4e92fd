// matmul row by row, and the contract's reference: every element of the result adds its products in
// ascending order, product and sum rounded each; u8 adds in i32, exactly.
#include <algorithm>
#include <memory>
#include <vector>

#include "candidates/common/matrix.hpp"
#include "candidates/common/passes.hpp"
#include "candidates/matmul/adapters.hpp"

namespace switchyard::candidates::matmul {
namespace {

template <class T> T element(const ConstView &view, std::int64_t h, std::int64_t w) {
  T value;
  std::memcpy(&value, view.at(0, h, w, 0), sizeof value);
  return value;
}

// In and Sum are the elements of the inputs and of the result.
template <class In, class Sum>
void multiply(const ConstView &a, const ConstView &b, const View &out) {
  const std::int64_t columns = out.shape[kW];
  const Temporary<In> dense(b.shape);
  pass<In, In>(b, dense.view(), [](In x) { return x; });
  const auto *rows = static_cast<const In *>(dense.view().data);
  std::vector<Sum> sums(static_cast<std::size_t>(columns));
  for (std::int64_t m = 0; m < out.shape[kH]; ++m) {
    std::fill(sums.begin(), sums.end(), Sum{0});
    for (std::int64_t k = 0; k < a.shape[kW]; ++k) {
      const Sum factor{element<In>(a, m, k)};
      const In *row = rows + k * columns;
      for (std::size_t n = 0; n < sums.size(); ++n) {
        sums[n] = sums[n] + factor * Sum{row[n]};
      }
    }
    for (std::int64_t n = 0; n < columns; ++n) {
      std::memcpy(out.at(0, m, n, 0), &sums[static_cast<std::size_t>(n)], sizeof(Sum));
    }
  }
}

} // namespace

void run_loop(const Call &call) {
  for (std::int64_t x = 0; x < call.out[0]->shape[kX]; ++x) {
    const ConstView a = matrix::item(*call.in[0], x);
    const ConstView b = matrix::item(*call.in[1], x);
    const View out = matrix::item(*call.out[0], x);
    switch (a.dtype) {
    case Dtype::u8:
      multiply<std::uint8_t, std::int32_t>(a, b, out);
      break;
    case Dtype::f32:
      multiply<float, float>(a, b, out);
      break;
    default:
      multiply<double, double>(a, b, out);
    }
  }
}

} // namespace switchyard::candidates::matmul
