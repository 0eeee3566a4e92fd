// The control register of the floating-point unit, for tests that change it.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace switchyard::test {

#if defined(__x86_64__)
inline constexpr std::uint64_t kDefaultFpControl = 0x1F80; // nothing traps, to nearest
inline constexpr std::uint64_t kFlushToZero = 0x8040;      // results and operands

inline std::uint64_t fp_control() {
  return _mm_getcsr() & 0xFFC0U; // the rest are sticky flags
}
inline void set_fp_control(std::uint64_t control) {
  _mm_setcsr((_mm_getcsr() & ~0xFFC0U) | static_cast<unsigned>(control));
}
#elif defined(__aarch64__)
inline constexpr std::uint64_t kDefaultFpControl = 0;
inline constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;

inline std::uint64_t fp_control() {
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void set_fp_control(std::uint64_t control) {
  asm volatile("msr fpcr, %0" : : "r"(control));
}
#else
inline constexpr std::uint64_t kDefaultFpControl = 0; // unknown: nothing to change
inline constexpr std::uint64_t kFlushToZero = 0;

inline std::uint64_t fp_control() {
  return 0;
}
inline void set_fp_control(std::uint64_t /*control*/) {}
#endif

} // namespace switchyard::test
