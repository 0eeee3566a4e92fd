// The counters of heap_counter.cpp, for those who find it in their program.
#pragma once

#include <atomic>
#include <cstdint>

namespace switchyard {

struct HeapCounter {
  std::atomic<bool> counting{false};
  std::atomic<std::int64_t> count{0}; // allocations
  std::atomic<std::int64_t> bytes{0}; // asked for
  std::atomic<std::int64_t> live{0};  // usable bytes allocated minus those released: may be < 0
  std::atomic<std::int64_t> peak{0};  // most that `live` was
};

} // namespace switchyard

// Weak: its address is null in a program without the heap counter.
extern "C" __attribute__((weak)) switchyard::HeapCounter *switchyard_heap_counter();
