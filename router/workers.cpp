#include "router/workers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>

#include <csignal>
#include <pthread.h>
#include <sched.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace switchyard {
namespace {

// A call that is being worked on; it lives on its caller's stack.
class Job {
public:
  Job(const Work &work, int threads) : work_(work), threads_(threads), openings_(threads - 1) {}
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  // Whether one more helper is wanted, who is then counted.
  bool join() { return openings_.fetch_sub(1, std::memory_order_relaxed) > 0; }
  [[nodiscard]] bool is_short_of_helpers() const {
    return openings_.load(std::memory_order_relaxed) > 0;
  }

  // Takes parts until none is left.
  void take_part() {
    std::int64_t from = 0;
    std::int64_t to = 0;
    try {
      while (next(from, to)) {
        work_.run(work_.context, from, to);
      }
    } catch (...) {
      next_.store(work_.extent, std::memory_order_relaxed); // the rest is of no use
      if (!failed_.exchange(true)) {
        error_ = std::current_exception();
      }
    }
  }

  // When all have left.
  void rethrow() const {
    if (error_ != nullptr) {
      std::rethrow_exception(error_);
    }
  }

private:
  bool next(std::int64_t &from, std::int64_t &to) {
    from = next_.load(std::memory_order_relaxed);
    do {
      if (from >= work_.extent) {
        return false;
      }
      // Half of a fair share of what is left: threads that began together, or did not, end at about
      // the same time.
      const std::int64_t part =
          std::max((work_.extent - from) / (2 * std::int64_t{threads_}), work_.grain);
      to = std::min((from + part + work_.unit - 1) / work_.unit * work_.unit, work_.extent);
    } while (!next_.compare_exchange_weak(from, to, std::memory_order_relaxed));
    return true;
  }

  const Work &work_;
  int threads_;
  std::atomic<int> openings_;
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  alignas(64) std::atomic<std::int64_t> next_{0};
};

// Where a caller shows its job to the helpers.
struct alignas(64) Seat {
  std::atomic<bool> taken{false};
  std::atomic<Job *> job{nullptr};
  // Helpers that may hold the job: they count themselves before they look for it.
  std::atomic<int> visitors{0};
};

// All constant from the start and never destroyed: helpers sleep here while the process ends.
// Callers beyond the seats do their work alone.
constinit std::array<Seat, 16> g_seats{};
constinit std::atomic<std::uint32_t> g_calls{0}; // what sleeping helpers wait to see change
constinit std::atomic<int> g_helpers{0};

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Wakes two; those who join wake two more while hands are wanted. So the caller does not pay for
// waking many.
void call_helpers(const Job &job) {
  for (int i = 0; i < 2 && job.is_short_of_helpers(); ++i) {
    g_calls.notify_one();
  }
}

// Whether there was a job to help with.
bool visit(Seat &seat) {
  if (seat.job.load(std::memory_order_relaxed) == nullptr) {
    return false;
  }
  bool helped = false;
  seat.visitors.fetch_add(1);
  Job *const job = seat.job.load();
  if (job != nullptr && job->join()) {
    call_helpers(*job);
    job->take_part();
    helped = true;
  }
  seat.visitors.fetch_sub(1); // the caller may go, and the job with it
  seat.visitors.notify_one();
  return helped;
}

// Returns when there has been a call since `seen`. About as long as waking a thread takes, a helper
// listens for it: calls that follow each other closely don't wait, and a helper never wastes much
// more than what waking it would have cost.
void await_call(std::uint32_t seen) {
  constexpr std::chrono::microseconds kListen{50};
  constexpr int kLooks = 32; // between two looks at the clock
  const auto until = std::chrono::steady_clock::now() + kListen;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (g_calls.load(std::memory_order_relaxed) != seen) {
        return;
      }
      relax();
    }
  } while (std::chrono::steady_clock::now() < until);
  g_calls.wait(seen);
}

void help() {
  while (true) {
    const std::uint32_t seen = g_calls.load();
    bool helped = false;
    for (Seat &seat : g_seats) {
      helped |= visit(seat);
    }
    if (!helped) {
      await_call(seen);
    }
  }
}

// The helpers of the parent are not in the child, and whatever they and other callers held is free.
void forget_helpers() {
  for (Seat &seat : g_seats) {
    seat.job = nullptr;
    seat.visitors = 0;
    seat.taken = false;
  }
  g_helpers = 0;
}

void start_helper() {
  static const int registered = pthread_atfork(nullptr, nullptr, forget_helpers);
  static_cast<void>(registered);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(help).detach();
  } catch (const std::system_error &) {
    g_helpers.fetch_sub(1); // the caller works alone, or with fewer
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void have_helpers(int wanted) {
  int have = g_helpers.load(std::memory_order_relaxed);
  while (have < wanted) {
    if (g_helpers.compare_exchange_weak(have, have + 1)) {
      start_helper();
      have = have + 1;
    }
  }
}

Seat *take_seat() {
  for (Seat &seat : g_seats) {
    if (!seat.taken.load(std::memory_order_relaxed) && !seat.taken.exchange(true)) {
      return &seat;
    }
  }
  return nullptr;
}

// Takes the job away and waits for those who are still at it.
void leave(Seat &seat) {
  constexpr int kLooks = 4096; // some 50 µs
  seat.job.store(nullptr);
  int looks = 0;
  for (int visitors = seat.visitors.load(); visitors != 0; visitors = seat.visitors.load()) {
    if (++looks < kLooks) {
      relax();
    } else {
      seat.visitors.wait(visitors);
    }
  }
  seat.taken.store(false, std::memory_order_release);
}

} // namespace

int most_threads() {
  static const int most = [] {
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) {
      return std::max(CPU_COUNT(&processors), 1);
    }
    return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  }();
  return most;
}

void share_work(const Work &work, int threads) {
  Job job(work, threads);
  Seat *const seat = threads > 1 ? take_seat() : nullptr;
  if (seat == nullptr) {
    job.take_part();
    return job.rethrow();
  }
  have_helpers(std::min(threads, most_threads()) - 1);
  seat->job.store(&job);
  g_calls.fetch_add(1);
  call_helpers(job);
  job.take_part();
  leave(*seat);
  job.rethrow();
}

} // namespace switchyard
