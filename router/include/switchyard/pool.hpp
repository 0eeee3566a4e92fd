// Warm memory for the images that ops return.
//
// Memory from the system is mapped when it is first written to, which costs several times what a
// kernel takes on a large image. So the memory of an Image that goes away is kept for the next one
// of about its size, up to a limit for the whole process. Any thread may release what another one
// has allocated.
#pragma once

#include <cstddef>

namespace switchyard {

// What the pool holds at most, in bytes, unless the environment variable SWITCHYARD_POOL says
// otherwise when the first image is made: a number of bytes, with K, M or G for powers of 1024, or
// "off". A wrong one is one warning on stderr, and this limit holds. Two results in f32 of a 4K
// image of three channels fit.
inline constexpr std::size_t kDefaultPoolLimit = std::size_t{256} << 20;

struct PoolUsage {
  std::size_t held = 0;  // bytes kept for images to come; those of living images don't count
  std::size_t limit = 0; // most that is kept; 0: nothing is
};
[[nodiscard]] PoolUsage pool_usage() noexcept;

// Keeps at most this many bytes from now on, and gives back what is more; 0 switches the pool off.
// At most 16 buffers of a size are kept in any case. May be called at any time from any thread.
void set_pool_limit(std::size_t bytes) noexcept;

// Gives memory back to the system's heap until at most `keep` bytes are held, those that have been
// out of use for longest first. Living images keep theirs.
void trim_pool(std::size_t keep = 0) noexcept;

} // namespace switchyard
