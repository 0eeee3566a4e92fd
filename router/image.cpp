#include "switchyard/image.hpp"

#include "router/pool.hpp"
#include "router/validate.hpp"

namespace switchyard {

void Image::Release::operator()(std::byte *memory) const noexcept {
  pool::release(memory, bytes);
}

Image::Image(const Extents &shape, Dtype dtype, std::uint8_t rank) {
  const Extents strides = contiguous_strides(shape, size_of(dtype));
  view_ = View(nullptr, shape, strides, dtype, rank);
  // The address is set below: any will do to check shape and size.
  ConstView checked = view_;
  checked.data = this;
  validate::image("image", "shape", checked, {dtype});
  const auto bytes = static_cast<std::size_t>(element_count(shape) * size_of(dtype));
  memory_ = {static_cast<std::byte *>(pool::acquire(bytes)), {bytes}};
  view_.data = memory_.get();
}

} // namespace switchyard
