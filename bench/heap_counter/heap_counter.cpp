// Replaces the C library's malloc family by one that counts before it passes the request on.
//
// Linked into programs that count (see bench/measure/allocations.hpp) and into no library: what a
// caller's program allocates with is its own affair. While nobody counts, an allocation costs one
// relaxed load more. Sanitizers bring a heap of their own, which must not be replaced; other C
// libraries have no second entry to theirs: there, nothing is counted.
#include "bench/heap_counter/heap_counter.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include <malloc.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SWITCHYARD_COUNTS_HEAP 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SWITCHYARD_COUNTS_HEAP 0
#endif
#endif
#if !defined(SWITCHYARD_COUNTS_HEAP)
#if defined(__GLIBC__)
#define SWITCHYARD_COUNTS_HEAP 1
#else
#define SWITCHYARD_COUNTS_HEAP 0
#endif
#endif

#if SWITCHYARD_COUNTS_HEAP

extern "C" {
// The heap's functions by the names under which glibc keeps them for this purpose.
// NOLINTBEGIN(readability-identifier-naming)
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *block, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);
void *__libc_valloc(std::size_t size);
void *__libc_pvalloc(std::size_t size);
void __libc_free(void *block);
// NOLINTEND(readability-identifier-naming)
}

namespace {

// Needs no construction at run time: allocations come before any constructor.
constinit switchyard::HeapCounter g_heap;

bool counting() {
  return g_heap.counting.load(std::memory_order_relaxed);
}

std::int64_t usable(void *block) {
  return static_cast<std::int64_t>(malloc_usable_size(block));
}

void add_live(std::int64_t bytes) {
  const std::int64_t now = g_heap.live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = g_heap.peak.load(std::memory_order_relaxed);
  while (now > most && !g_heap.peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

// Counts a new block, unless there is none, and returns it.
void *counted(void *block, std::size_t asked) {
  if (block != nullptr && counting()) {
    g_heap.count.fetch_add(1, std::memory_order_relaxed);
    g_heap.bytes.fetch_add(static_cast<std::int64_t>(asked), std::memory_order_relaxed);
    add_live(usable(block));
  }
  return block;
}

bool is_alignment(std::size_t alignment) {
  return alignment % sizeof(void *) == 0 && alignment != 0 && (alignment & (alignment - 1)) == 0;
}

} // namespace

extern "C" {

switchyard::HeapCounter *switchyard_heap_counter() {
  return &g_heap;
}

void *malloc(std::size_t size) noexcept {
  return counted(__libc_malloc(size), size);
}

void *calloc(std::size_t count, std::size_t size) noexcept {
  return counted(__libc_calloc(count, size), count * size); // no block where this overflows
}

void *realloc(void *block, std::size_t size) noexcept {
  if (!counting()) {
    return __libc_realloc(block, size);
  }
  const std::int64_t before = block == nullptr ? 0 : usable(block);
  void *const moved = __libc_realloc(block, size);
  if (moved != nullptr || size == 0) { // else the old block stays
    g_heap.live.fetch_sub(before, std::memory_order_relaxed);
  }
  return counted(moved, size);
}

void *reallocarray(void *block, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, bytes);
}

void free(void *block) noexcept {
  if (block != nullptr && counting()) {
    g_heap.live.fetch_sub(usable(block), std::memory_order_relaxed);
  }
  __libc_free(block);
}

void *memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size), size);
}

int posix_memalign(void **block, std::size_t alignment, std::size_t size) noexcept {
  if (!is_alignment(alignment)) {
    return EINVAL;
  }
  const int before = errno; // which this function leaves alone
  void *const found = counted(__libc_memalign(alignment, size), size);
  errno = before;
  if (found == nullptr) {
    return ENOMEM;
  }
  *block = found;
  return 0;
}

void *valloc(std::size_t size) noexcept {
  return counted(__libc_valloc(size), size);
}

void *pvalloc(std::size_t size) noexcept {
  return counted(__libc_pvalloc(size), size);
}
}

#endif
