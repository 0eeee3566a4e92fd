#include "switchyard/image.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "router/validate.hpp"

namespace switchyard {
namespace {

constexpr std::align_val_t kAlignment{64};

} // namespace

void Image::Free::operator()(std::byte *memory) const {
  ::operator delete(memory, kAlignment);
}

Image::Image(const Extents &shape, Dtype dtype, std::uint8_t rank) {
  const Extents strides = contiguous_strides(shape, size_of(dtype));
  view_ = View(nullptr, shape, strides, dtype, rank);
  // The address is set below: any will do to check shape and size.
  ConstView checked = view_;
  checked.data = this;
  validate::image("image", "shape", checked, {dtype});
  const auto bytes = static_cast<std::size_t>(element_count(shape) * size_of(dtype));
  memory_.reset(
      static_cast<std::byte *>(::operator new(std::max<std::size_t>(bytes, 1), kAlignment)));
  view_.data = memory_.get();
}

} // namespace switchyard
