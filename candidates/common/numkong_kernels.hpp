// NumKong's kernels that the candidates call, chosen once by what the CPU has. Included by
// numkong*.cpp alone.
//
// The unsuffixed functions would run the highest target that was compiled in, whether the CPU has
// it or not. Of the suffixed ones, those that compute u8 in half precision or saturate negative
// results to 255 are left out.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#define NK_TARGET_HASWELL 1
#endif
#include <numkong/numkong.h>

namespace switchyard::candidates {

inline bool numkong_has_haswell() {
#if NK_TARGET_HASWELL
  static const bool has = (nk_capabilities() & nk_cap_haswell_k) != 0;
  return has;
#else
  return false;
#endif
}

} // namespace switchyard::candidates
