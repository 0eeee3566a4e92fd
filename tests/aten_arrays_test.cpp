// What ATen's own arithmetic of tensors makes of a rule that ours keeps.
// clang 14 wants this type complete before ATen.h uses it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>

// ATen and Catch both define CHECK; the tests mean Catch's.
#undef CHECK
#include <catch2/catch.hpp>

#include "switchyard/aten.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

TEST_CASE("ATen wraps sums of bytes around and has NaN in them at will; add saturates") {
  const at::Tensor image = at::full({4, 20, 3}, 200, at::kByte);
  const at::Tensor value = at::full({4, 20, 3}, 100, at::kByte);
  CHECK(image.add(value)[0][0][0].item<int>() == 44);
  const at::Tensor nan = at::full({4, 20, 3}, std::numeric_limits<float>::quiet_NaN(), at::kFloat);
  Options options;
  options.candidate = "aten";
  const View view = view_of(image, TensorLayout::hwc);
  CHECK(*add(view, view_of(value, TensorLayout::hwc), options).data<std::uint8_t>() == 255);
  CHECK(*add(view, view_of(nan, TensorLayout::hwc), options).data<std::uint8_t>() == 0);
}

TEST_CASE("ATen sums f32 and f64 tensors in f64; add narrows the operand first") {
  const at::Tensor image = at::full({1, 20, 1}, 16777216, at::kFloat);
  const at::Tensor value = at::full({1, 20, 1}, 1.000000001, at::kDouble);
  at::Tensor raw = at::empty_like(image);
  at::add_out(raw, image, value);
  CHECK(raw[0][3][0].item<float>() == 16777218.0F);
  Options options;
  options.candidate = "aten";
  CHECK(add(view_of(image, TensorLayout::hwc), view_of(value, TensorLayout::hwc), options)
            .data<float>()[3] == 16777216.0F);
}
