#include "switchyard/image.hpp"

#include <cstdint>

#include "router/pool.hpp"
#include "router/validate.hpp"

namespace switchyard {

void Image::Release::operator()(std::byte *memory) const noexcept {
  pool::release(memory, bytes);
}

Image::Image(const Extents &shape, Dtype dtype, std::uint8_t rank) {
  const Extents strides = contiguous_strides(shape, size_of(dtype));
  view_ = View(nullptr, shape, strides, dtype, rank);
  // Four extents below 2^15 are good whatever they are.
  const auto all = static_cast<std::uint64_t>(shape[kX] | shape[kH] | shape[kW] | shape[kC]);
  if (all >= std::uint64_t{1} << 15) [[unlikely]] {
    // The address is set below: any will do to check shape and size.
    ConstView checked = view_;
    checked.data = this;
    validate::image("image", "shape", checked, {dtype});
  }
  const auto bytes = static_cast<std::size_t>(element_count(shape) * size_of(dtype));
  memory_ = {static_cast<std::byte *>(pool::acquire(bytes)), {bytes}};
  view_.data = memory_.get();
}

} // namespace switchyard
