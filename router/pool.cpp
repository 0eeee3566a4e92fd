// A table of slots by size class. A slot holds a buffer or nothing, and changes by one atomic
// exchange, so that there is no lock: a thread that sleeps keeps nobody waiting, a child of fork()
// finds a table in order, and nothing has to be torn down while images of static storage still
// live.
#include "router/pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SWITCHYARD_POISONS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SWITCHYARD_POISONS 1
#endif
#if defined(SWITCHYARD_POISONS)
#include <sanitizer/asan_interface.h>
#endif

namespace switchyard::pool {
namespace {

constexpr std::size_t kAlignment = 64;

#if defined(SWITCHYARD_POISONS)
void poison(void *memory, std::size_t bytes) {
  __asan_poison_memory_region(memory, bytes);
}
void unpoison(void *memory, std::size_t bytes) {
  __asan_unpoison_memory_region(memory, bytes);
}
#else
void poison(void * /*memory*/, std::size_t /*bytes*/) {}
void unpoison(void * /*memory*/, std::size_t /*bytes*/) {}
#endif

// ---- size classes -------------------------------------------------------------------------------

// 64, 128, 192, 256 bytes, then four classes a doubling, up to 2^40 bytes.
constexpr int kLargest = 40; // log2
constexpr int kClasses = 4 * (kLargest - 7);

struct SizeClass {
  int index; // kClasses: larger than all of them, never kept
  std::size_t bytes;
};

constexpr SizeClass class_of(std::size_t bytes) {
  constexpr std::size_t kFirst = 4 * kAlignment;
  if (bytes <= kFirst) {
    const std::size_t quarter = bytes == 0 ? 1 : (bytes + kAlignment - 1) / kAlignment;
    return {static_cast<int>(quarter) - 1, quarter * kAlignment};
  }
  if (bytes > std::size_t{1} << kLargest) {
    return {kClasses, bytes};
  }
  const int doubling = std::bit_width(bytes - 1) - 1; // 2^doubling < bytes ≤ 2^(doubling + 1)
  const std::size_t step = std::size_t{1} << (doubling - 2);
  const std::size_t steps = (bytes + step - 1) / step; // 5 to 8
  return {4 * (doubling - 7) + static_cast<int>(steps) - 5, steps * step};
}
static_assert(class_of(256).index == 3 && class_of(257).index == 4 && class_of(512).index == 7);
static_assert(class_of(std::size_t{1} << kLargest).index == kClasses - 1);

constexpr std::size_t bytes_of(int index) {
  return index < 4 ? (static_cast<std::size_t>(index) + 1) * kAlignment
                   : (static_cast<std::size_t>(index) % 4 + 5) << (index / 4 + 5);
}
static_assert(bytes_of(4) == 320 && bytes_of(kClasses - 1) == std::size_t{1} << kLargest);

// ---- the table ----------------------------------------------------------------------------------

constexpr std::size_t kSlots = 16;
constexpr std::size_t kUnread = std::numeric_limits<std::size_t>::max(); // the environment is

struct alignas(64) Class {
  std::array<std::atomic<void *>, kSlots> slots{};
  // When it was last used, by g_clock.
  std::atomic<std::uint32_t> used{0};
};

// Constant from the start and never destroyed: images may be made and released at any time.
constinit std::array<Class, kClasses> g_classes{};
constinit std::atomic<std::size_t> g_limit{kUnread};
// Bytes in slots, and those of buffers on their way into one. A buffer goes into a slot only
// when this was seen to be within the limit with its own bytes included, so that slots never hold
// more.
constinit std::atomic<std::size_t> g_held{0};
// Counts allocations from the heap: time passes for a class while others lack buffers.
constinit std::atomic<std::uint32_t> g_clock{0};

// Threads begin their search at different slots: each finds again what it has just released, while
// that is still in its caches.
std::size_t first_slot() {
  constinit static std::atomic<std::uint32_t> threads{0};
  thread_local constinit std::uint32_t own = 0; // 0: none yet
  if (own == 0) {
    own = threads.fetch_add(1, std::memory_order_relaxed) % kSlots + 1;
  }
  return own - 1;
}

void *allocate(std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{kAlignment});
}
void give_back(void *memory, std::size_t bytes) {
  unpoison(memory, bytes); // or the heap would inherit it
  ::operator delete (memory, std::align_val_t{kAlignment});
}

void touch(Class &entry) {
  const std::uint32_t now = g_clock.load(std::memory_order_relaxed);
  if (entry.used.load(std::memory_order_relaxed) != now) {
    entry.used.store(now, std::memory_order_relaxed);
  }
}

// A buffer of the class, or nullptr.
void *take(int index) {
  Class &entry = g_classes[static_cast<std::size_t>(index)];
  const std::size_t first = first_slot();
  for (std::size_t i = 0; i < kSlots; ++i) {
    std::atomic<void *> &slot = entry.slots[(first + i) % kSlots];
    if (slot.load(std::memory_order_relaxed) == nullptr) {
      continue;
    }
    if (void *memory = slot.exchange(nullptr, std::memory_order_acquire)) {
      g_held.fetch_sub(bytes_of(index), std::memory_order_relaxed);
      return memory;
    }
  }
  return nullptr;
}

bool put(int index, void *memory) {
  Class &entry = g_classes[static_cast<std::size_t>(index)];
  const std::size_t first = first_slot();
  for (std::size_t i = 0; i < kSlots; ++i) {
    std::atomic<void *> &slot = entry.slots[(first + i) % kSlots];
    void *none = nullptr;
    if (slot.load(std::memory_order_relaxed) == nullptr &&
        slot.compare_exchange_strong(none, memory)) {
      return true;
    }
  }
  return false;
}

bool is_stocked(const Class &entry) {
  return std::any_of(entry.slots.begin(), entry.slots.end(),
                     [](const auto &slot) { return slot.load() != nullptr; });
}

// The class with a buffer that has been out of use for longest, the larger of equals; −1: all are
// empty.
int stalest_class() {
  const std::uint32_t now = g_clock.load(std::memory_order_relaxed);
  int stalest = -1;
  std::uint32_t age = 0;
  for (int i = kClasses - 1; i >= 0; --i) {
    const Class &entry = g_classes[static_cast<std::size_t>(i)];
    const std::uint32_t idle = now - entry.used.load(std::memory_order_relaxed);
    if ((stalest < 0 || idle > age) && is_stocked(entry)) {
      stalest = i;
      age = idle;
    }
  }
  return stalest;
}

// Gives buffers back until at most `most` bytes are held or on their way; false: more are on their
// way, though no buffer is left.
bool shrink(std::size_t most) {
  while (g_held.load(std::memory_order_relaxed) > most) {
    const int index = stalest_class();
    if (index < 0) {
      return false;
    }
    if (void *memory = take(index)) {
      give_back(memory, bytes_of(index));
    }
  }
  return true;
}

std::size_t limit_of_environment() {
  const char *text = std::getenv("SWITCHYARD_POOL");
  if (text == nullptr || *text == '\0') {
    return kDefaultPoolLimit;
  }
  if (const auto limit = parse_limit(text)) {
    return *limit;
  }
  std::fprintf(stderr,
               "switchyard: warning: SWITCHYARD_POOL: got \"%.64s\"; accepted: a number of bytes, "
               "such as 64M, or off; %zuM serves\n",
               text, kDefaultPoolLimit >> 20);
  return kDefaultPoolLimit;
}

std::size_t limit() {
  std::size_t now = g_limit.load();
  if (now == kUnread) [[unlikely]] {
    const std::size_t read = limit_of_environment();
    // Whoever was faster, perhaps with set_pool_limit(), has said it.
    now = g_limit.compare_exchange_strong(now, read) ? read : now;
  }
  return now;
}

// Keeps the buffer; false: there is no room for it.
bool keep(const SizeClass &size, void *memory) {
  const std::size_t most = limit();
  if (size.index == kClasses || size.bytes > most) {
    return false;
  }
  touch(g_classes[static_cast<std::size_t>(size.index)]);
  g_held.fetch_add(size.bytes, std::memory_order_relaxed);
  poison(memory, size.bytes);
  if (!shrink(most) || !put(size.index, memory)) {
    g_held.fetch_sub(size.bytes, std::memory_order_relaxed);
    return false;
  }
  // A limit that was set meanwhile has not seen this buffer.
  if (const std::size_t now = limit(); now < most) {
    shrink(now);
  }
  return true;
}

// An empty pool leaves more to the heap.
void *allocate_or_trim(std::size_t bytes) {
  try {
    return allocate(bytes);
  } catch (const std::bad_alloc &) {
    shrink(0);
    return allocate(bytes);
  }
}

} // namespace

void *acquire(std::size_t bytes) {
  const SizeClass size = class_of(bytes);
  void *memory = nullptr;
  if (size.index != kClasses) {
    memory = take(size.index);
    touch(g_classes[static_cast<std::size_t>(size.index)]);
  }
  if (memory == nullptr) {
    g_clock.fetch_add(1, std::memory_order_relaxed);
    memory = allocate_or_trim(size.bytes);
    poison(memory, size.bytes);
  }
  unpoison(memory, bytes); // what lies behind stays out of bounds
  return memory;
}

void release(void *memory, std::size_t bytes) noexcept {
  if (memory == nullptr) {
    return;
  }
  const SizeClass size = class_of(bytes);
  if (!keep(size, memory)) {
    give_back(memory, size.bytes);
  }
}

std::size_t capacity_of(std::size_t bytes) noexcept {
  return class_of(bytes).bytes;
}

std::optional<std::size_t> parse_limit(std::string_view text) {
  if (text == "off") {
    return 0;
  }
  std::size_t number = 0;
  const char *const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || last - end > 1) {
    return std::nullopt;
  }
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = end == last ? 0 : kUnits.find(*end) + 1; // 0 after npos, too
  if (end != last && unit == 0) {
    return std::nullopt;
  }
  const std::size_t factor = std::size_t{1} << (10 * unit);
  if (number > (kUnread - 1) / factor) {
    return std::nullopt;
  }
  return number * factor;
}

} // namespace switchyard::pool

namespace switchyard {

PoolUsage pool_usage() noexcept {
  return {.held = pool::g_held.load(), .limit = pool::limit()};
}

void set_pool_limit(std::size_t bytes) noexcept {
  const std::size_t most = std::min(bytes, pool::kUnread - 1);
  pool::g_limit.store(most);
  pool::shrink(most);
}

void trim_pool(std::size_t keep) noexcept {
  pool::shrink(keep);
}

} // namespace switchyard
