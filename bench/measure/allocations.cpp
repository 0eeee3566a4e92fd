#include "bench/measure/allocations.hpp"

#include <algorithm>
#include <mutex>

#include "bench/heap_counter/heap_counter.hpp"

namespace switchyard::measure {
namespace {

// Counts while it exists.
class Counting {
public:
  explicit Counting(HeapCounter &counter) : counter_(counter) {
    counter_.count = 0;
    counter_.bytes = 0;
    counter_.live = 0;
    counter_.peak = 0;
    counter_.counting = true;
  }
  ~Counting() { counter_.counting = false; }
  Counting(const Counting &) = delete;
  Counting &operator=(const Counting &) = delete;

private:
  HeapCounter &counter_;
};

} // namespace

std::optional<evidence::Allocations> count_allocations(const std::function<void()> &call) {
  if (&switchyard_heap_counter == nullptr) {
    call();
    return std::nullopt;
  }
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  HeapCounter &counter = *switchyard_heap_counter();
  {
    const Counting counting(counter);
    call();
  }
  evidence::Allocations result;
  result.count = counter.count;
  result.bytes = counter.bytes;
  // Live bytes include what the allocator adds to a block, which nobody asked for.
  result.peak = std::min<std::int64_t>(counter.peak, result.bytes);
  return result;
}

} // namespace switchyard::measure
