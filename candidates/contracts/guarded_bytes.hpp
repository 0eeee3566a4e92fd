// Memory whose neighbours may not be touched: an access beyond it ends the process.
#pragma once

#include <cstddef>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace switchyard::oracle {

// `size` bytes between two inaccessible pages, against the second one if `at_end`, else against the
// first.
class GuardedBytes {
public:
  GuardedBytes(std::size_t size, bool at_end) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t usable = (size + page - 1) / page * page;
    mapped_ = usable + 2 * page;
    base_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
    std::byte *first = static_cast<std::byte *>(base_) + page;
    if (usable > 0 && mprotect(first, usable, PROT_READ | PROT_WRITE) != 0) {
      munmap(base_, mapped_);
      throw std::bad_alloc();
    }
    data_ = at_end ? first + usable - size : first;
  }
  ~GuardedBytes() { munmap(base_, mapped_); }
  GuardedBytes(const GuardedBytes &) = delete;
  GuardedBytes &operator=(const GuardedBytes &) = delete;

  [[nodiscard]] std::byte *data() const { return data_; }

private:
  void *base_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte *data_ = nullptr;
};

} // namespace switchyard::oracle
