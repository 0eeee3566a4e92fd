// Views of at::Tensor with a declared layout.
// clang 14 wants this type complete before ATen.h uses it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>

// ATen and Catch both define CHECK; the tests mean Catch's.
#undef CHECK
#include <catch2/catch.hpp>

#include "switchyard/aten.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

TEST_CASE("The declared layout, not the sizes, says which dimension is which") {
  const at::Tensor tensor = at::rand({3, 5, 4});
  const View chw = view_of(tensor, TensorLayout::chw);
  CHECK(chw.shape == Extents{1, 5, 4, 3});
  CHECK(chw.strides == Extents{0, 16, 4, 80});
  const View hwc_view = view_of(tensor, TensorLayout::hwc);
  CHECK(hwc_view.shape == Extents{1, 3, 5, 4});
  CHECK(view_of(at::rand({2, 3, 5, 4}), TensorLayout::nchw).shape == Extents{2, 5, 4, 3});
  CHECK(view_of(at::rand({3, 2, 5, 4}), TensorLayout::cdhw).shape == Extents{2, 5, 4, 3});
  CHECK(view_of(at::rand({2, 5, 4, 3}), TensorLayout::dhwc).rank == 4);
  CHECK(view_of(at::rand({5, 4}), TensorLayout::hw).shape == Extents{1, 5, 4, 1});
}

TEST_CASE("A planar tensor is routed without a copy") {
  const at::Tensor in = at::rand({3, 6, 7});
  at::Tensor out = at::empty({3, 6, 7});
  normalize(view_of(in, TensorLayout::chw), {0.1, 0.2, 0.3}, {2, 3, 4},
            view_of(out, TensorLayout::chw));
  const at::Tensor mean = at::tensor({0.1F, 0.2F, 0.3F}).view({3, 1, 1});
  const at::Tensor scale = at::tensor({2.0F, 3.0F, 4.0F}).view({3, 1, 1});
  CHECK(at::allclose(out, (in - mean) * scale));
}

TEST_CASE("Tensors that a view cannot describe are errors") {
  CHECK_THROWS_AS(view_of(at::rand({3, 4}), TensorLayout::chw), Error);
  CHECK_THROWS_AS(view_of(at::rand({3, 4}).to(at::kHalf), TensorLayout::hw), Error);
  CHECK_THROWS_AS(view_of(at::Tensor(), TensorLayout::hw), Error);
  // A sign that ATen would apply when the memory is read.
  CHECK_THROWS_AS(view_of(at::_neg_view(at::ones({2, 3})), TensorLayout::hw), Error);
}
