// StringZilla's byte lookup, chosen once by what the CPU has. Included by stringzilla*.cpp alone.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#define SZ_USE_WESTMERE 0
#define SZ_USE_HASWELL 1
#define SZ_USE_ICELAKE 1
#endif
#include <stringzilla/stringzilla.h>

namespace switchyard::candidates {

using ByteLookup = void (*)(sz_ptr_t target, sz_size_t length, sz_cptr_t source, const char *table);

struct StringzillaLookup {
  const char *name;
  ByteLookup lookup;
};

inline StringzillaLookup stringzilla_lookup() {
#if SZ_USE_ICELAKE
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi")) {
    return {"icelake", sz_lookup_icelake};
  }
#endif
#if SZ_USE_HASWELL
  if (__builtin_cpu_supports("avx2")) {
    return {"haswell", sz_lookup_haswell};
  }
#endif
  return {"serial", sz_lookup_serial};
}

} // namespace switchyard::candidates
