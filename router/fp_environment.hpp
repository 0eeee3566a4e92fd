// Gives candidates the default floating-point environment, and the caller its own back.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace switchyard {

// Results must not depend on a rounding mode or on flush-to-zero that the caller has set. Reading
// the control word costs a few cycles; it is written only where it differs from the default.
class DefaultFpEnvironment {
public:
#if defined(__x86_64__)
  // Whether there is nothing to change.
  static bool is_there() {
    return (_mm_getcsr() & kControl) == kDefault;
  }
  DefaultFpEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & kControl) != kDefault) {
      _mm_setcsr((saved_ & ~kControl) | kDefault);
    }
  }
  ~DefaultFpEnvironment() {
    if ((saved_ & kControl) != kDefault) {
      _mm_setcsr((_mm_getcsr() & ~kControl) | (saved_ & kControl));
    }
  }

private:
  // Exception masks, rounding, flush-to-zero and denormals-are-zero; the rest are sticky flags.
  static constexpr std::uint32_t kControl = 0xFFC0;
  static constexpr std::uint32_t kDefault = 0x1F80;
  std::uint32_t saved_;

public:
#elif defined(__aarch64__)
  static bool is_there() {
    std::uint64_t control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control == 0;
  }
  DefaultFpEnvironment() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    if (saved_ != 0) {
      asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
    }
  }
  ~DefaultFpEnvironment() {
    if (saved_ != 0) {
      asm volatile("msr fpcr, %0" : : "r"(saved_));
    }
  }

private:
  std::uint64_t saved_;

public:
#else
  static bool is_there() {
    return false;
  } // cannot be told cheaply
  DefaultFpEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFpEnvironment() {
    std::fesetenv(&saved_);
  }

private:
  std::fenv_t saved_;

public:
#endif
  DefaultFpEnvironment(const DefaultFpEnvironment &) = delete;
  DefaultFpEnvironment &operator=(const DefaultFpEnvironment &) = delete;
};

} // namespace switchyard
