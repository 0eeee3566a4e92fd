// Entries of a table whose backend may be switched off.
#pragma once

namespace switchyard::candidates {

// The function where its backend is in this build, else nullptr; then nothing refers to it and
// its file need not be linked.
template <bool kOn, auto kFunction> consteval auto built() -> decltype(kFunction) {
  if constexpr (kOn) {
    return kFunction;
  } else {
    return nullptr;
  }
}

} // namespace switchyard::candidates
