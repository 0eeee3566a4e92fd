// Copies of a problem's buffers that calls take turns on, so that none finds its data in a cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "switchyard/core/candidate.hpp"

namespace switchyard::measure {

// The bytes from a view's lowest element to the end of its highest; none of an empty view.
[[nodiscard]] std::span<const std::byte> memory_of(const ConstView &view);
[[nodiscard]] std::span<std::byte> memory_of(const View &view);

// A ring of calls that differ in their buffers alone. Between two uses of one call at least
// `least_bytes` of other buffers are used, but memory for more than `most_bytes` is not taken
// unless two copies need it.
class Rotation {
public:
  // Copies the input bytes of `call`; its parameters are shared and must outlive the rotation.
  Rotation(const Call &call, std::int64_t least_bytes, std::int64_t most_bytes);
  ~Rotation();
  Rotation(const Rotation &) = delete;
  Rotation &operator=(const Rotation &) = delete;

  // Moves all outputs to the same other page offset, a multiple of 64 below 4096. Inputs stay, so
  // that this changes their distance.
  void set_output_offset(std::int64_t bytes);

  // The next call of the ring. It goes on where it stopped: a slice never meets the buffers that
  // the slice before has just used.
  const Call &next();

  [[nodiscard]] std::size_t copies() const;

private:
  struct Copy;
  struct Free {
    void operator()(std::byte *memory) const;
  };

  std::unique_ptr<std::byte, Free> memory_;
  std::vector<Copy> copies_;
  std::size_t next_ = 0;
};

} // namespace switchyard::measure
