// Counts the instructions that a routed call takes beyond its candidate's own, under callgrind.
//
//   switchyard_dispatch_count DUMPS [ROUTED UNCHECKED VIEW]
//
//   DUMPS                    callgrind's --callgrind-out-file: it writes DUMPS.1, DUMPS.2, …
//   ROUTED UNCHECKED VIEW    the most instructions that each may take; more is exit code 1
//
// Run by scripts/count_dispatch.sh. Prints a table of Markdown. Instructions, unlike nanoseconds,
// are the same on a busy machine.
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include "bench/dispatch/cases.hpp"
#include "bench/measure/traffic_count.hpp"

namespace switchyard::dispatch_cases {
namespace {

class Counter {
public:
  explicit Counter(std::string dumps) : dumps_(std::move(dumps)) {}

  // Instructions of one steady call, the loop around it included, which is the same for all.
  double per_call(Body *body) {
    constexpr int kCalls = 1000;
    for (int i = 0; i < kCalls; ++i) {
      body();
    }
    // What switching on and off costs cancels.
    const std::int64_t twice = count(body, 2 * kCalls);
    return static_cast<double>(twice - count(body, kCalls)) / kCalls;
  }

private:
  [[gnu::noinline]] std::int64_t count(Body *body, int calls) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < calls; ++i) {
      body();
    }
    CALLGRIND_DUMP_STATS;
    CALLGRIND_STOP_INSTRUMENTATION;
    const std::string file = fmt::format("{}.{}", dumps_, ++dump_);
    std::ifstream stream(file);
    if (!stream) {
      throw std::runtime_error(file + ": callgrind wrote no such file");
    }
    return measure::parse_instructions(
        std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()));
  }

  std::string dumps_;
  int dump_ = 0;
};

void nothing() {
  asm volatile("" : : : "memory");
}

// The most that each kind of call may take.
struct Limits {
  double routed = 0;
  double unchecked = 0;
  double view = 0;
};

bool report(Counter &counter, const Limits &limits) {
  bool within = true;
  fmt::print("| Call | Candidate | Routed, beyond it | `unchecked::`, beyond it |\n"
             "|---|---:|---:|---:|\n");
  for (const Case &one : cases()) {
    const double direct = counter.per_call(one.direct);
    const double routed = counter.per_call(one.routed) - direct;
    const double unchecked = counter.per_call(one.unchecked) - direct;
    fmt::print("| `{}` | {:.0f} | {:.0f} | {:.0f} |\n", one.name, direct, routed, unchecked);
    within = within && routed <= limits.routed && unchecked <= limits.unchecked;
  }
  if (Body *const view = view_of_mat()) {
    const double instructions = counter.per_call(view) - counter.per_call(nothing);
    fmt::print("\n`view_of(cv::Mat)`: {:.0f} instructions\n", instructions);
    within = within && instructions <= limits.view;
  }
  return within;
}

double number(const char *text) {
  double value = 0;
  const std::string_view word(text);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !(value > 0)) {
    throw std::runtime_error(fmt::format("\"{}\" is no number of instructions", word));
  }
  return value;
}

int run(int argc, char **argv) {
  if (argc != 2 && argc != 5) {
    throw std::runtime_error("usage: switchyard_dispatch_count DUMPS [ROUTED UNCHECKED VIEW]");
  }
  if (RUNNING_ON_VALGRIND == 0) {
    throw std::runtime_error("not under valgrind: see scripts/count_dispatch.sh");
  }
  constexpr double kNoLimit = 1e9;
  const Limits limits = argc == 5 ? Limits{number(argv[2]), number(argv[3]), number(argv[4])}
                                  : Limits{kNoLimit, kNoLimit, kNoLimit};
  prepare();
  Counter counter(argv[1]);
  return report(counter, limits) ? 0 : 1;
}

} // namespace
} // namespace switchyard::dispatch_cases

int main(int argc, char **argv) {
  try {
    return switchyard::dispatch_cases::run(argc, argv);
  } catch (const std::exception &error) {
    fmt::print(stderr, "switchyard_dispatch_count: {}\n", error.what());
    return 2;
  }
}
