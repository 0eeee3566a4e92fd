// The adapters of reductions: each computes whatever is asked for, over any axes.
#pragma once

#include "candidates/reduction/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::reduction {

template <Asked kAsked> void run_fused(const Call &call);
template <Asked kAsked> void run_numkong(const Call &call);
template <Asked kAsked> void run_opencv(const Call &call);
template <Asked kAsked> void run_aten(const Call &call);
template <Asked kAsked> void run_loop(const Call &call);

Domain accepts_aten;

} // namespace switchyard::candidates::reduction

// Defines adapter RUN for everything that can be asked.
#define SWITCHYARD_INSTANTIATE_REDUCTIONS(RUN)                                                     \
  template void RUN<Asked::sum>(const Call &);                                                     \
  template void RUN<Asked::mean>(const Call &);                                                    \
  template void RUN<Asked::std>(const Call &);                                                     \
  template void RUN<Asked::mean_std>(const Call &);                                                \
  template void RUN<Asked::min_max>(const Call &)
