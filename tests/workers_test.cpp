// Calls on several threads: each index once, whoever computes it and whatever goes wrong.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <csignal>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "router/workers.hpp"

using namespace switchyard;

namespace {

// Counts how often each index is computed, and keeps where parts begin.
struct Counts {
  explicit Counts(std::int64_t extent) : counts(static_cast<std::size_t>(extent)) {}

  static void run(const void *context, std::int64_t from, std::int64_t to) {
    auto &self = *static_cast<Counts *>(const_cast<void *>(context));
    for (std::int64_t i = from; i < to; ++i) {
      ++self.counts[static_cast<std::size_t>(i)];
    }
    const std::lock_guard lock(self.mutex);
    self.begins.insert(from);
    self.least = std::min(self.least, to == std::ssize(self.counts) ? self.least : to - from);
  }

  [[nodiscard]] Work work(std::int64_t unit, std::int64_t grain) const {
    return {run, this, std::ssize(counts), unit, grain};
  }
  [[nodiscard]] bool all_once() const {
    return std::all_of(counts.begin(), counts.end(), [](const auto &n) { return n == 1; });
  }

  std::vector<std::atomic<int>> counts;
  std::mutex mutex;
  std::set<std::int64_t> begins;
  std::int64_t least = std::int64_t{1} << 40;
};

void wait_a_little(const void *context, std::int64_t from, std::int64_t to) {
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  Counts::run(context, from, to);
}

} // namespace

TEST_CASE("Every index is computed once, in parts of the wanted kind", "[workers]") {
  for (const int threads : {1, 2, 3, 64}) {
    for (const std::int64_t extent : {1, 2, 37, 1000, 4096}) {
      for (const std::int64_t unit : {1, 8, 64}) {
        for (const std::int64_t grain : {1, 7, 100}) {
          const Counts counts(extent);
          share_work(counts.work(unit, grain), threads);
          REQUIRE(counts.all_once());
          REQUIRE(counts.least >= std::min(grain, extent));
          REQUIRE(std::all_of(counts.begins.begin(), counts.begins.end(),
                              [&](std::int64_t from) { return from % unit == 0; }));
        }
      }
    }
  }
}

TEST_CASE("Callers may be many", "[workers]") {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 24; ++t) { // more than there are seats
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const Counts counts(100 + i);
        share_work(counts.work(1, 5), 2 + i % 3);
        wrong += counts.all_once() ? 0 : 1;
      }
    });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
  CHECK(wrong == 0);
}

TEST_CASE("Helpers come, and come again after they have slept", "[workers]") {
  if (most_threads() < 2) {
    return;
  }
  for (int i = 0; i < 5; ++i) {
    struct Who : Counts {
      using Counts::Counts;
      static void run(const void *context, std::int64_t from, std::int64_t to) {
        auto &self = *static_cast<Who *>(const_cast<void *>(context));
        wait_a_little(&self, from, to);
        const std::lock_guard lock(self.mutex);
        self.threads.insert(std::this_thread::get_id());
      }
      std::set<std::thread::id> threads;
    } who(400);
    share_work({Who::run, &who, 400, 1, 1}, 2);
    CHECK(who.all_once());
    CHECK(who.threads.size() == 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_CASE("What a part throws reaches the caller, once, and nothing stays behind", "[workers]") {
  const auto fail = [](const void *, std::int64_t from, std::int64_t) {
    throw std::runtime_error(std::to_string(from));
  };
  for (int i = 0; i < 50; ++i) {
    CHECK_THROWS_AS(share_work({fail, nullptr, 100, 1, 1}, 2), std::runtime_error);
    const Counts counts(100);
    share_work(counts.work(1, 1), 2);
    CHECK(counts.all_once());
  }
}

TEST_CASE("Helpers take no signals", "[workers]") {
  struct Masks {
    static void run(const void *context, std::int64_t, std::int64_t) {
      auto &self = *static_cast<Masks *>(const_cast<void *>(context));
      sigset_t mask;
      pthread_sigmask(SIG_BLOCK, nullptr, &mask);
      const bool blocks = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1;
      if (std::this_thread::get_id() != self.caller) {
        self.open += blocks ? 0 : 1;
      } else {
        self.closed += blocks ? 1 : 0;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> open{0};
    std::atomic<int> closed{0};
  } masks;
  share_work({Masks::run, &masks, 100, 1, 1}, 2);
  CHECK(masks.open == 0);
  CHECK(masks.closed == 0); // the caller's own mask is as it was
}

TEST_CASE("A child of fork() computes without its parent's helpers", "[workers]") {
  const Counts before(100);
  share_work(before.work(1, 1), 2); // there are helpers, and they may be listening
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20); // ends a child that hangs
      const Counts counts(1000);
#if defined(__SANITIZE_THREAD__)
      share_work(counts.work(1, 10), 1); // it forbids new threads here
#else
      share_work(counts.work(1, 10), 2);
#endif
      _exit(counts.all_once() ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
}
