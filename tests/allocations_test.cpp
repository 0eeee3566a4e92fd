// Heap counting, in the one test program that is linked with the heap counter.
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <malloc.h>

#include "bench/heap_counter/heap_counter.hpp"
#include "bench/measure/allocations.hpp"
#include "bench/measure/campaign.hpp"
#include "bench/measure/measure.hpp"
#include "router/split.hpp"

using namespace switchyard;
using namespace switchyard::measure;
using evidence::Allocations;

namespace {

// Keeps the compiler from leaving out an allocation that nobody reads.
template <class T> T *kept(T *block) {
  asm volatile("" : : "g"(block) : "memory");
  return block;
}

// Without the counter (sanitized builds) there is nothing to test.
bool counts() {
  return count_allocations([] {}).has_value();
}

Allocations counted(const std::function<void()> &call) {
  return count_allocations(call).value_or(Allocations{});
}

// The peak of blocks that ask for `bytes` in all: the allocator rounds each of them up a little.
bool is_about(std::int64_t peak, std::int64_t bytes) {
  return bytes <= peak && peak <= bytes + 64;
}

std::vector<evidence::Row> rows_of(const char *variant, const char *cell, double split_from_ns) {
  MeasureOptions options = options_for(Mode::quick);
  options.hooks.execute = run_split;
  options.slice_ns = 1e3;
  options.rules.most_rounds = options.rules.usual_rounds = options.rules.least_rounds;
  options.split_from_ns = split_from_ns;
  Gate gate;
  const Entry entry = select(variant).front();
  return measure_cell(*entry.variant, *entry.contract, evidence::Cell::parse(cell), options, gate)
      .rows;
}

const evidence::Row *find(const std::vector<evidence::Row> &rows, std::string_view candidate,
                          int threads = 1) {
  for (const evidence::Row &row : rows) {
    if (row.candidate == candidate && row.threads == threads) {
      return &row;
    }
  }
  return nullptr;
}

} // namespace

TEST_CASE("Every way to a block of the heap is counted with what was asked for", "[allocations]") {
  if (!counts()) {
    return;
  }
  const auto is = [](Allocations expected, auto &&call) {
    const Allocations found = counted(call);
    CHECK(found.count == expected.count);
    CHECK(found.bytes == expected.bytes);
    CHECK(found.peak == expected.peak);
  };
  constexpr Allocations kOne{1, 1000, 1000};
  is({0, 0, 0}, [] {});
  is(kOne, [] { std::free(kept(std::malloc(1000))); });
  is(kOne, [] { std::free(kept(std::calloc(10, 100))); });
  is(kOne, [] { std::free(kept(std::realloc(nullptr, 1000))); });
  is(kOne, [] { std::free(kept(reallocarray(nullptr, 10, 100))); });
  is(kOne, [] { std::free(kept(memalign(256, 1000))); });
  is(kOne, [] { std::free(kept(valloc(1000))); });
  is({1, 4096, 4096}, [] { std::free(kept(pvalloc(4096))); });
  is({1, 1024, 1024}, [] { std::free(kept(std::aligned_alloc(64, 1024))); });
  is(kOne, [] {
    void *block = nullptr;
    REQUIRE(posix_memalign(&block, 64, 1000) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
    std::free(block);
  });
  is(kOne, [] { delete[] kept(new char[1000]); });
  is({1, 1024, 1024}, [] {
    ::operator delete (kept(::operator new (1024, std::align_val_t{128})), std::align_val_t{128});
  });
  is({2, 3000, 3000}, [] {
    const auto first = std::make_unique<std::array<char, 1000>>();
    kept(first.get());
    kept(std::make_unique<std::array<char, 2000>>().get());
  });
  // Mapped from the system by the C library, but asked for like any other block.
  is({1, 64 << 20, 64 << 20}, [] { std::free(kept(std::malloc(64 << 20))); });
}

TEST_CASE("A request that fails is none, and fails as it would uncounted", "[allocations]") {
  if (!counts()) { // sanitizers end the program instead
    return;
  }
  volatile std::size_t huge = SIZE_MAX / 2;
  void *block = &block;
  const Allocations found = counted([&] {
    CHECK(std::malloc(huge) == nullptr);
    CHECK(std::calloc(huge, 4) == nullptr);
    errno = 0;
    CHECK(reallocarray(nullptr, huge, 4) == nullptr);
    CHECK(errno == ENOMEM);
    CHECK(posix_memalign(&block, 24, 8) == EINVAL);
    CHECK(posix_memalign(&block, 0, 8) == EINVAL);
    CHECK(posix_memalign(&block, 64, huge) == ENOMEM);
    CHECK(block == &block);
  });
  // Catch's own allocations are among those counted: but none of so many bytes.
  CHECK(found.bytes < 1 << 20);
}

TEST_CASE("The peak is what was live at once, not the sum", "[allocations]") {
  if (!counts()) {
    return;
  }
  const Allocations serial = counted([] {
    for (int i = 0; i < 10; ++i) {
      std::free(kept(std::malloc(10'000)));
    }
  });
  CHECK(serial.count == 10);
  CHECK(serial.bytes == 100'000);
  CHECK(is_about(serial.peak, 10'000));
  const Allocations nested = counted([] {
    void *outer = kept(std::malloc(5000));
    std::free(kept(std::malloc(3000)));
    std::free(kept(std::malloc(2000)));
    std::free(outer);
  });
  CHECK(nested.count == 3);
  CHECK(nested.bytes == 10'000);
  CHECK(is_about(nested.peak, 8000));
}

TEST_CASE("A growing block counts once with each size and is live with the last", "[allocations]") {
  if (!counts()) {
    return;
  }
  const Allocations found = counted([] {
    void *block = kept(std::malloc(1000));
    block = kept(std::realloc(block, 5000));
    block = kept(std::realloc(block, 40'000));
    block = kept(std::realloc(block, 2000));
    std::free(kept(std::malloc(10'000)));
    std::free(block);
  });
  CHECK(found.count == 5);
  CHECK(found.bytes == 58'000);
  CHECK(is_about(found.peak, 40'000));
}

TEST_CASE("Blocks from before the call never make its peak negative", "[allocations]") {
  if (!counts()) {
    return;
  }
  void *old = kept(std::malloc(100'000));
  const Allocations released = counted([&] { std::free(old); });
  CHECK(released == Allocations{0, 0, 0});
  old = kept(std::malloc(100'000));
  const Allocations replaced = counted([&] {
    std::free(old);
    old = kept(std::malloc(60'000)); // stays below what was live before
  });
  CHECK(replaced == Allocations{1, 60'000, 0});
  std::free(old);
}

TEST_CASE("Allocations of all threads count", "[allocations]") {
  if (!counts()) {
    return;
  }
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  const Allocations found = counted([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < kEach; ++i) {
          std::free(kept(std::malloc(10'000)));
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
  });
  CHECK(found.count >= kThreads * kEach); // and what a thread itself takes
  CHECK(found.count < kThreads * kEach + 100);
  CHECK(found.bytes >= kThreads * kEach * 10'000);
  CHECK(found.peak >= 10'000);
  CHECK(found.peak < kThreads * 10'000 + 10'000);
}

TEST_CASE("Counting ends with the call, also where it throws", "[allocations]") {
  CHECK_THROWS_AS(count_allocations([] { throw std::runtime_error("no"); }), std::runtime_error);
  if (counts()) {
    const HeapCounter &counter = *switchyard_heap_counter();
    const std::int64_t before = counter.count;
    std::free(kept(std::malloc(1000)));
    CHECK(counter.count == before);
    CHECK(counted([] {}) == Allocations{0, 0, 0});
  }
}

TEST_CASE("Rows of evidence carry the heap use of a steady call", "[allocations]") {
  if (!counts()) {
    return;
  }
  const std::int64_t image = 24 * 32 * 3;
  const auto into = rows_of("multiply_add/scalar", "u8 24x32x3 contiguous into hot t1 tone", 1e12);
  REQUIRE(find(into, "loop") != nullptr);
  for (const evidence::Row &row : into) {
    CHECK(row.allocations.has_value() == (row.status != evidence::Status::limit));
  }
  CHECK(find(into, "fused")->allocations == Allocations{0, 0, 0});
  // One array of f32.
  CHECK(find(into, "loop")->allocations == Allocations{1, 4 * image, 4 * image});
  if (const evidence::Row *opencv = find(into, "opencv_lut")) { // its table of 256 entries
    CHECK(opencv->allocations->count > 0);
    CHECK(opencv->allocations->peak >= 256);
  }
  if (const evidence::Row *aten = find(into, "aten")) { // widens the image
    CHECK(aten->allocations->count > 1);
    CHECK(aten->allocations->peak >= 4 * image);
  }

  // The harness's own buffer for the result is part of what a fresh call costs.
  const auto fresh =
      rows_of("multiply_add/scalar", "u8 24x32x3 contiguous fresh hot t1 tone", 1e12);
  REQUIRE(find(fresh, "fused") != nullptr);
  CHECK(find(fresh, "fused")->allocations == Allocations{1, image, image});

  const auto in_place =
      rows_of("multiply_add/scalar", "f32 24x32x3 contiguous in_place hot t1 tone", 1e12);
  REQUIRE(find(in_place, "fused") != nullptr);
  CHECK(find(in_place, "fused")->allocations == Allocations{0, 0, 0});
}

TEST_CASE("The heap use of a call on two threads is that of both", "[allocations]") {
  if (!counts() || std::thread::hardware_concurrency() < 2) {
    return;
  }
  const auto rows = rows_of("multiply_add/scalar", "u8 64x80x3 contiguous into hot t2 tone", 0);
  const evidence::Row *loop = find(rows, "loop", 2);
  REQUIRE(loop != nullptr);
  CHECK(loop->allocations->count >= 2); // a temporary for each band
  CHECK(loop->allocations->bytes >= 4 * 64 * 80 * 3);
}
