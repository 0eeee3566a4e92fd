// Restricts our own kernels to one SIMD target at a time.
#define HWY_WANT_AVX3_DL // a target that some of our files ask for
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "bench/conformance/conformance.hpp"

namespace switchyard::conformance {
namespace {

void choose(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets); // 0: what the CPU has
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

struct RestoreChoice {
  RestoreChoice() = default;
  ~RestoreChoice() { choose(0); }
  RestoreChoice(const RestoreChoice &) = delete;
  RestoreChoice &operator=(const RestoreChoice &) = delete;
};

} // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

void for_each_simd_target(const std::function<void(const std::string &target)> &body) {
  const RestoreChoice restore;
  // The list is taken once: it would shrink with the choice.
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    choose(target);
    body(hwy::TargetName(target));
  }
}

} // namespace switchyard::conformance
