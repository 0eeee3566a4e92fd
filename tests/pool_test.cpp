// The pool behind images: what it keeps, for how long, and that it never gives a buffer to two.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/allocations.hpp"
#include "router/pool.hpp"
#include "router/workers.hpp"
#include "switchyard/switchyard.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

using namespace switchyard;

namespace {

// Destroyed when the process ends, after the tests.
Image &image_of_static_storage() {
  static Image image;
  return image;
}

// An empty pool of this limit for a test, and the default one after it.
class FreshPool {
public:
  explicit FreshPool(std::size_t limit = kDefaultPoolLimit) {
    trim_pool();
    set_pool_limit(limit);
  }
  ~FreshPool() {
    set_pool_limit(kDefaultPoolLimit);
    trim_pool();
  }
  FreshPool(const FreshPool &) = delete;
  FreshPool &operator=(const FreshPool &) = delete;
};

Image image_of(std::int64_t bytes) {
  return {{1, 1, bytes, 1}, Dtype::u8};
}

// Acquires buffers of these sizes together and releases them.
void use(const std::vector<std::size_t> &sizes) {
  std::vector<void *> buffers;
  buffers.reserve(sizes.size());
  for (const std::size_t bytes : sizes) {
    buffers.push_back(pool::acquire(bytes));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    pool::release(buffers[i], sizes[i]);
  }
}

// Whether the pool has a buffer of this size.
bool has(std::size_t bytes) {
  const std::size_t before = pool_usage().held;
  void *const buffer = pool::acquire(bytes);
  const bool found = pool_usage().held < before;
  if (found) {
    pool::release(buffer, bytes);
  } else {
    const std::size_t limit = pool_usage().limit;
    set_pool_limit(0); // it goes where it came from: nothing has changed
    pool::release(buffer, bytes);
    set_pool_limit(limit);
  }
  return found;
}

std::int64_t allocations_of(const std::function<void()> &call) {
  return measure::count_allocations(call).value_or(evidence::Allocations{}).count;
}

bool counts_heap() {
  return measure::count_allocations([] {}).has_value();
}

} // namespace

TEST_CASE("Buffers are a little larger than asked for, and of few sizes", "[pool]") {
  std::size_t before = 0;
  int sizes = 0;
  for (std::size_t bytes = 1; bytes < 100'000; ++bytes) {
    const std::size_t capacity = pool::capacity_of(bytes);
    REQUIRE(capacity >= bytes);
    REQUIRE(capacity % 64 == 0);
    REQUIRE(capacity - bytes < std::max<std::size_t>(64, bytes / 4 + 1));
    REQUIRE(capacity >= before);
    REQUIRE(pool::capacity_of(capacity) == capacity);
    sizes += capacity != before ? 1 : 0;
    before = capacity;
  }
  CHECK(sizes < 45);
  CHECK(pool::capacity_of(0) == 64);
  const std::size_t huge = (std::size_t{1} << 40) + 1;
  CHECK(pool::capacity_of(huge - 1) == huge - 1);
  CHECK(pool::capacity_of(huge) == huge);
}

TEST_CASE("An image gets the memory of one that has gone", "[pool]") {
  const FreshPool pool;
  const void *first = nullptr;
  {
    const Image image = image_of(100'000);
    first = image.data<std::uint8_t>();
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    CHECK(pool_usage().held == 0);
  }
  CHECK(pool_usage().held == pool::capacity_of(100'000));
  {
    const Image larger = image_of(100'500); // of the same class
    CHECK(larger.data<std::uint8_t>() == first);
    CHECK(pool_usage().held == 0);
    const Image second = image_of(100'000);
    CHECK(second.data<std::uint8_t>() != first);
  }
  CHECK(pool_usage().held == 2 * pool::capacity_of(100'000));
  const Image other = image_of(200'000);
  CHECK(pool_usage().held == 2 * pool::capacity_of(100'000));
}

TEST_CASE("Images that are moved release their memory once", "[pool]") {
  const FreshPool pool;
  {
    Image image = image_of(5000);
    Image target = image_of(7000);
    Image next = std::move(image);
    CHECK(pool_usage().held == 0);
    target = std::move(next);
    CHECK(pool_usage().held == pool::capacity_of(7000));
    CHECK(target.view().elements() == 5000);
    CHECK(next.view().empty()); // NOLINT: what is left of it is defined
  }
  CHECK(pool_usage().held == pool::capacity_of(7000) + pool::capacity_of(5000));
  { const Image nothing; }
  { const Image empty({1, 0, 5, 3}, Dtype::f32); }
  CHECK(pool_usage().held == pool::capacity_of(7000) + pool::capacity_of(5000) + 64);
}

TEST_CASE("What is held stays below the limit, and goes back on request", "[pool]") {
  const FreshPool pool(1 << 20);
  CHECK(pool_usage().limit == 1 << 20);
  std::size_t most = 0;
  for (std::size_t i = 1; i < 300; ++i) {
    use({i * 977, i * 977, i * 3001, 2 << 20});
    most = std::max(most, pool_usage().held);
    REQUIRE(pool_usage().held <= 1 << 20);
  }
  CHECK(most > 1 << 19);
  set_pool_limit(100'000);
  CHECK(pool_usage().held <= 100'000);
  trim_pool(5000);
  CHECK(pool_usage().held <= 5000);
  use({4096});
  trim_pool(1 << 20);
  CHECK(pool_usage().held >= 4096);
  trim_pool();
  CHECK(pool_usage().held == 0);
}

TEST_CASE("A pool that is off holds nothing", "[pool]") {
  const FreshPool pool;
  use({1000, 2000});
  set_pool_limit(0);
  CHECK(pool_usage().held == 0);
  use({1000, 2000, 1 << 22});
  CHECK(pool_usage().held == 0);
  if (counts_heap()) {
    CHECK(allocations_of([] { (void)image_of(1000); }) == 1);
  }
}

TEST_CASE("No more than 16 buffers of a size are kept", "[pool]") {
  const FreshPool pool;
  use(std::vector<std::size_t>(40, 1000));
  CHECK(pool_usage().held == 16 * pool::capacity_of(1000));
}

TEST_CASE("What has been out of use for longest makes room", "[pool]") {
  const FreshPool pool(1 << 20);
  use({400'000});
  use({300'000});
  use({1000});         // time passes when buffers come from the heap
  CHECK(has(400'000)); // used last
  use({500'000});
  CHECK(has(500'000));
  CHECK(has(400'000));
  CHECK_FALSE(has(300'000));
}

TEST_CASE("Memory goes back to the heap", "[pool]") {
  if (!counts_heap()) {
    return;
  }
  const FreshPool pool;
  use({1 << 20});
  CHECK(allocations_of([] { (void)image_of(1 << 20); }) == 0);
  trim_pool();
  CHECK(allocations_of([] { (void)image_of(1 << 20); }) == 1);
}

TEST_CASE("Allocating forms touch no heap in steady state", "[pool]") {
  if (!counts_heap()) {
    return;
  }
  const FreshPool pool;
  const Image image({2, 40, 30, 3}, Dtype::u8, 4);
  const Image other({2, 40, 30, 3}, Dtype::f32, 4);
  std::memset(image.data<std::uint8_t>(), 7, 7200);
  std::memset(other.data<std::uint8_t>(), 0, 28'800);
  Options options;
  options.candidate = "fused"; // other candidates may have temporaries of their own
  const std::array<double, 3> factor{1.1, 1, 0.9};
  const std::vector<std::function<void()>> calls{
      [&] { (void)multiply_add(image, 1.08, -12, options); },
      [&] { (void)multiply(image, factor, options); }, [&] { (void)add(image, other, options); },
      [&] { (void)normalize(image, factor, factor, options); },
      [&] { (void)add_weighted(other, 0.5, other, 0.5, options); },
      [&] { (void)to_float(image, {}, options); },
      [&] { (void)from_float(other, Dtype::u8, {}, options); },
      [&] { (void)hflip(image, options); }, [&] { (void)mean(image, Over::per_channel, options); },
      [&] { (void)min_max(other, Over::per_item, options); },
      [&] { (void)histogram(image, Over::global, options); },
      // A chain with several images alive.
      [&] {
        const Image first = to_float(image, {}, options);
        const Image second = multiply(first, 2, options);
        const Image third = add(first, second, options);
        (void)from_float(third, Dtype::u8, {}, options);
      }};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CAPTURE(i);
    calls[i]();
    CHECK(allocations_of(calls[i]) == 0);
  }
}

TEST_CASE("Calls on several threads touch no heap either", "[pool]") {
  if (!counts_heap()) {
    return;
  }
  const FreshPool pool;
  const Image image({1, 400, 300, 3}, Dtype::u8);
  std::memset(image.data<std::uint8_t>(), 7, 360'000);
  Options options;
  options.candidate = "fused";
  options.threads = 2;
  const auto call = [&] { (void)multiply_add(image, 1.08, -12, options); };
  call();
  CHECK(last_route().threads == std::min<int>(2, most_threads()));
  CHECK(allocations_of(call) == 0);
}

TEST_CASE("No buffer belongs to two threads, whoever releases it", "[pool]") {
  const FreshPool pool(1 << 19); // so small that buffers are pushed out all the time
  struct Parcel {
    std::uint8_t *memory;
    std::size_t bytes;
    std::uint8_t mark;
  };
  constexpr std::size_t kThreads = 4;
  std::array<std::atomic<Parcel *>, 16> table{};
  std::atomic<int> wrong{0};
  const auto end = [&](Parcel *parcel) {
    for (std::size_t i = 0; i < parcel->bytes; i += 61) {
      wrong += parcel->memory[i] != parcel->mark ? 1 : 0;
    }
    pool::release(parcel->memory, parcel->bytes);
    delete parcel;
  };
  const auto work = [&](std::size_t self) {
    std::uint32_t random = static_cast<std::uint32_t>(self) * 7919 + 1;
    for (int i = 0; i < 3000; ++i) {
      random = random * 1664525 + 1013904223;
      const std::size_t bytes = 100 + (random >> 8) % 60'000;
      const auto mark = static_cast<std::uint8_t>(random >> 24);
      auto *parcel = new Parcel{static_cast<std::uint8_t *>(pool::acquire(bytes)), bytes, mark};
      std::memset(parcel->memory, mark, bytes);
      // Another thread takes it from the table and releases it.
      if (Parcel *old = table[random % table.size()].exchange(parcel)) {
        end(old);
      }
      if (i % 500 == 0) {
        trim_pool(1 << 16);
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back(work, t);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (std::atomic<Parcel *> &slot : table) {
    if (Parcel *parcel = slot.load()) {
      end(parcel);
    }
  }
  CHECK(wrong == 0);
  CHECK(pool_usage().held <= 1 << 19);
  trim_pool();
  CHECK(pool_usage().held == 0);
}

TEST_CASE("A child of fork() finds the pool in order while other threads use it", "[pool]") {
  const FreshPool pool;
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      use({1000, 3000, 100'000});
    }
  });
  int good = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20); // ends a child that hangs
      for (int k = 0; k < 100; ++k) {
        void *const memory = pool::acquire(100'000);
        std::memset(memory, k, 100'000);
        pool::release(memory, 100'000);
      }
      trim_pool();
      _exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    good += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  stop = true;
  busy.join();
  CHECK(good == 20);
}

TEST_CASE("An image may outlive the tests", "[pool]") {
  image_of_static_storage() = image_of(3000);
  CHECK(image_of_static_storage().view().elements() == 3000);
}

TEST_CASE("Memory in the pool is poisoned under the address sanitizer", "[pool]") {
#if defined(__SANITIZE_ADDRESS__)
  const FreshPool pool;
  auto *const memory = static_cast<std::uint8_t *>(pool::acquire(1000));
  CHECK(__asan_region_is_poisoned(memory, 1000) == nullptr);
  CHECK(__asan_address_is_poisoned(memory + 1000) == 1); // the rest of its class
  pool::release(memory, 1000);
  CHECK(__asan_address_is_poisoned(memory) == 1);
  CHECK(__asan_address_is_poisoned(memory + 999) == 1);
  CHECK(pool::acquire(900) == memory);
  CHECK(__asan_region_is_poisoned(memory, 900) == nullptr);
  pool::release(memory, 900);
#endif
}

TEST_CASE("The limit is a number with a unit, or off", "[pool]") {
  using Limit = std::optional<std::size_t>;
  CHECK(pool::parse_limit("0") == Limit(0));
  CHECK(pool::parse_limit("off") == Limit(0));
  CHECK(pool::parse_limit("12345") == Limit(12345));
  CHECK(pool::parse_limit("64K") == Limit(65536));
  CHECK(pool::parse_limit("64M") == Limit(64 << 20));
  CHECK(pool::parse_limit("3G") == Limit(std::size_t{3} << 30));
  for (const char *wrong : {"", "M", "-1", "64m", "64MB", "1.5G", "64 M", " 64M", "on", "0x10",
                            "99999999999999999999", "99999999999G"}) {
    CAPTURE(wrong);
    CHECK_FALSE(pool::parse_limit(wrong).has_value());
  }
}

// Run alone by the next test, in a process whose environment has a limit.
TEST_CASE("The environment's limit", "[.environment]") {
  use({1000, 100'000});
  CHECK(pool_usage().limit == 4096);
  CHECK(pool_usage().held == pool::capacity_of(1000));
}

TEST_CASE("The environment sets the limit before the first image", "[pool]") {
  std::array<char, 4096> self{};
  REQUIRE(readlink("/proc/self/exe", self.data(), self.size() - 1) > 0);
  const auto passes = [&](const std::string &limit) {
    const std::string command =
        "SWITCHYARD_POOL=" + limit + " '" + self.data() + "' '[.environment]' >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  };
  CHECK(passes("4K"));
  CHECK_FALSE(passes("5K"));
  CHECK_FALSE(passes("nonsense"));
}
