#include "bench/measure/limits.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "evidence/statistics.hpp"

namespace switchyard::measure {
namespace {

constexpr std::int64_t kKilobyte = 1024;
constexpr std::int64_t kMegabyte = 1024 * kKilobyte;

// The first word of a file; empty: there is none.
std::string word_of(const std::string &file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

// "1024K" in bytes; 0: unreadable.
std::int64_t bytes_of(const std::string &text) {
  std::int64_t value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 12) {
    value = value * 10 + (text[digits++] - '0');
  }
  const char unit = digits < text.size() ? text[digits] : ' ';
  return value * (unit == 'K' ? kKilobyte : unit == 'M' ? kMegabyte : 1);
}

// Not read by anyone; its address escapes, so that the copies before cannot be left out.
void keep(const void *memory) {
  asm volatile("" : : "g"(memory) : "memory");
}

double copy_rate(std::int64_t working_set, Clock now) {
  constexpr double kSlice = 2e6;
  constexpr int kSlices = 15;
  const auto half = static_cast<std::size_t>(working_set / 2);
  const auto source = std::make_unique<std::byte[]>(half); // zeroed: every page exists
  const auto target = std::make_unique<std::byte[]>(half);
  const Slice slice = [&](std::int64_t calls) {
    const std::int64_t start = now();
    for (std::int64_t i = 0; i < calls; ++i) {
      std::memcpy(target.get(), source.get(), half);
      keep(target.get());
    }
    return static_cast<double>(now() - start);
  };
  const std::int64_t calls = iterations_for(warm_up(slice, kSlice), kSlice);
  std::vector<double> times(kSlices);
  std::generate(times.begin(), times.end(),
                [&] { return slice(calls) / static_cast<double>(calls); });
  return 2 * static_cast<double>(half) / evidence::quantile(times, 0.1);
}

// A thread that sleeps until it is called and says when it woke.
class Sleeper {
public:
  explicit Sleeper(Clock now) : now_(now), thread_([this] { work(); }) {}
  ~Sleeper() {
    call(true);
    thread_.join();
  }
  Sleeper(const Sleeper &) = delete;
  Sleeper &operator=(const Sleeper &) = delete;

  // Wakes the thread and returns how long that took.
  double wake() {
    const std::int64_t start = now_();
    call(false);
    std::unique_lock lock(mutex_);
    answer_.wait(lock, [this] { return !called_; });
    return static_cast<double>(woken_ - start);
  }

private:
  void call(bool last) {
    {
      const std::lock_guard lock(mutex_);
      called_ = true;
      last_ = last;
    }
    call_.notify_one();
  }

  void work() {
    for (bool last = false; !last;) {
      std::unique_lock lock(mutex_);
      call_.wait(lock, [this] { return called_; });
      woken_ = now_();
      called_ = false;
      last = last_;
      answer_.notify_one();
    }
  }

  Clock now_;
  std::mutex mutex_;
  std::condition_variable call_;
  std::condition_variable answer_;
  bool called_ = false;
  bool last_ = false;
  std::int64_t woken_ = 0;
  std::thread thread_; // last: it uses the others
};

} // namespace

std::vector<MemoryLevel> memory_levels() {
  std::vector<MemoryLevel> levels;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const std::string level = word_of(folder + "level");
    if (!level.empty() && word_of(folder + "type") != "Instruction") {
      levels.push_back({"L" + level, bytes_of(word_of(folder + "size"))});
    }
  }
  std::erase_if(levels, [](const MemoryLevel &level) { return level.bytes <= 0; });
  if (levels.empty()) {
    levels = {{"L1", 32 * kKilobyte}, {"L2", 512 * kKilobyte}, {"L3", 8 * kMegabyte}};
  }
  std::sort(levels.begin(), levels.end(),
            [](const MemoryLevel &a, const MemoryLevel &b) { return a.bytes < b.bytes; });
  levels.push_back({"DRAM", 0});
  return levels;
}

std::int64_t last_level_bytes(std::span<const MemoryLevel> levels) {
  std::int64_t last = 0;
  for (const MemoryLevel &level : levels) {
    last = std::max(last, level.bytes);
  }
  return last;
}

std::vector<Bandwidth> copy_bandwidths(const std::vector<MemoryLevel> &levels, Clock now) {
  constexpr std::int64_t kMost = 512 * kMegabyte;
  const std::int64_t last = last_level_bytes(levels);
  std::vector<Bandwidth> bandwidths;
  for (const MemoryLevel &level : levels) {
    const std::int64_t working_set = std::min(level.bytes > 0 ? level.bytes / 2 : 4 * last, kMost);
    if (level.bytes == 0 && working_set < 2 * last) {
      continue; // a cache so large that most of the copy would stay in it
    }
    bandwidths.push_back({level.name, working_set, copy_rate(working_set, now)});
  }
  return bandwidths;
}

double wake_up_latency_ns(Clock now) {
  constexpr int kSamples = 40;
  constexpr std::chrono::milliseconds kSleep{2};
  Sleeper sleeper(now);
  std::vector<double> times;
  for (int i = 0; i < kSamples; ++i) {
    std::this_thread::sleep_for(kSleep);
    times.push_back(sleeper.wake());
  }
  return evidence::median(times);
}

std::string beyond_limit(std::span<const double> times, std::span<const double> limit,
                         int comparisons, const LimitRules &rules) {
  const evidence::Interval ratio = evidence::paired_ratio(times, limit, comparisons);
  const double least = 1 - rules.tolerance - rules.overhead_ns / evidence::median(limit);
  if (!(ratio.high < least)) { // also where nothing is known
    return {};
  }
  return fmt::format("{:.3g} times the time ({:.3g} to {:.3g}) of a loop that moves the same bytes "
                     "and computes nothing; believed from {:.3g} on",
                     ratio.estimate, ratio.low, ratio.high, least);
}

} // namespace switchyard::measure
