// Comparing times that were not taken in the same rounds: two campaigns, perhaps months apart.
#pragma once

#include <span>

#include "evidence/statistics.hpp"

namespace switchyard::evidence {

// median(a) / median(b) of independent samples. The interval's ends are those of the two medians'
// own intervals, at 97.5 % each: no distribution is assumed, and both hold together with 95 %.
// [0, HUGE_VAL] where either has too few samples (fewer than seven). It holds for what varied
// within the two campaigns; what differed between them, such as a warmer machine, it can't see.
[[nodiscard]] Interval unpaired_ratio(std::span<const double> a, std::span<const double> b);

} // namespace switchyard::evidence
