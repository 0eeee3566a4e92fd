// The SIMD library of our own kernels and the target that it chooses here.
#include <string>

#define HWY_WANT_AVX3_DL // a target that some of our files ask for
#include <hwy/highway.h>
#include <hwy/targets.h>

namespace switchyard::candidates::fused {

std::string version() {
  return "highway " + std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
         std::to_string(HWY_PATCH);
}

// The best of the targets that were compiled and that this CPU has.
std::string capability() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  const std::int64_t best = usable & -usable; // better targets have lower bits
  return best == 0 ? "none" : hwy::TargetName(best);
}

} // namespace switchyard::candidates::fused
