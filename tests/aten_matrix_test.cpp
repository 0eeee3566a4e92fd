// What ATen's own calls make of matrices and of distances, and what its candidates make of them.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>

// ATen and Catch both define CHECK; the tests mean Catch's.
#undef CHECK
#include <catch2/catch.hpp>

#include <cmath>

#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

Options with_aten() {
  Options options;
  options.candidate = "aten";
  return options;
}

} // namespace

TEST_CASE("MAT-02: ATen's product of u8 wraps, the candidate's is an exact i32") {
  at::Tensor factor = at::full({2, 2}, 200, at::kByte);
  const at::Tensor wrapped = at::matmul(factor, factor);
  REQUIRE(wrapped.scalar_type() == at::kByte);
  REQUIRE(*wrapped.data_ptr<std::uint8_t>() == 128);
  const ConstView view = hwc(std::as_const(factor).data_ptr<std::uint8_t>(), 2, 2, 1);
  const Image product = matmul(view, view, with_aten());
  REQUIRE(product.view().dtype == Dtype::i32);
  CHECK(*product.data<std::int32_t>() == 80000);
}

TEST_CASE("ATen's expansion of distances into norms loses them far from the origin") {
  // 30 points: from 25 on, cdist expands unless it is told not to.
  std::vector<float> points;
  for (int i = 0; i < 30; ++i) {
    points.insert(points.end(), {10000.0F + static_cast<float>(i) * 0.01F, 10000.0F});
  }
  const at::Tensor tensor = at::from_blob(points.data(), {30, 2}, at::kFloat);
  const at::Tensor raw = at::cdist(tensor, tensor).square();
  const ConstView view = hwc(std::as_const(points).data(), 30, 2, 1);
  const Image distances = pairwise_distances_squared(view, view, with_aten());
  double worst_raw = 0;
  for (int n = 0; n < 30; ++n) {
    for (int m = 0; m < 30; ++m) {
      const auto x = static_cast<std::size_t>(2 * n);
      const auto y = static_cast<std::size_t>(2 * m);
      const double difference = static_cast<double>(points[x]) - static_cast<double>(points[y]);
      const double exact = difference * difference;
      const auto got = static_cast<double>(distances.data<float>()[n * 30 + m]);
      REQUIRE(std::fabs(got - exact) <= 1e-5 * exact);
      const auto other = static_cast<double>(raw.data_ptr<float>()[n * 30 + m]);
      worst_raw = std::max(worst_raw, std::fabs(other - exact) / std::max(exact, 1e-4));
    }
  }
  CHECK(worst_raw > 0.1);
}
