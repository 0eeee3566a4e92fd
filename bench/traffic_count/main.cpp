// Counts every candidate's memory traffic in valgrind's simulated cache and compares it with what
// the candidate declares.
//
//   switchyard_traffic_count DUMPS [OPS]
//
//   DUMPS   callgrind's --callgrind-out-file: it writes DUMPS.1, DUMPS.2, …, read back here
//   OPS     variants: comma-separated shell patterns
//
// Run by scripts/check_traffic.sh, which knows callgrind's options. Exit code 1: a candidate moves
// more or less than it declares.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include "bench/conformance/problem.hpp"
#include "bench/measure/campaign.hpp"
#include "bench/measure/traffic_count.hpp"

namespace switchyard {
namespace {

using measure::CountedTraffic;
using measure::Entry;
using measure::LineCounts;

// Larger than the simulated cache even in u8, small enough that all takes seconds.
// Rows of no round size: columns of one would fall onto a few sets of the cache.
constexpr Extents kShape{1, 320, 507, 3};

// Twice the simulated cache: reading it drives out every line that is still to be written back.
constexpr std::int64_t kFlushBytes = 2 * 262144;

class TrafficCount {
public:
  explicit TrafficCount(std::string dumps) : dumps_(std::move(dumps)), flush_(kFlushBytes) {}

  // Prints a line for each candidate and dtype.
  void count(const Entry &entry) {
    if (!entry.contract->shapes.empty()) {
      // What their candidates read again depends on the shape and on the cache: here is no truth.
      fmt::print("{:<24}has shapes of its own: not counted\n", entry.variant->name);
      return;
    }
    for (std::size_t dtype = 0; dtype < entry.variant->dtypes.size(); ++dtype) {
      if (!entry.variant->dtypes[dtype].measured) {
        continue;
      }
      conformance::ProblemSpec spec;
      spec.dtype_case = static_cast<int>(dtype);
      spec.shape = kShape;
      spec.param_set = measured_set(*entry.contract);
      conformance::Problem problem(*entry.variant, *entry.contract, spec);
      problem.reset();
      for (const Candidate &candidate : entry.variant->candidates) {
        if (candidate.refuses(problem.call()) == nullptr) {
          count(*entry.variant, candidate, problem.call());
        }
      }
    }
  }

  [[nodiscard]] int counted() const { return counted_; }
  [[nodiscard]] int wrong() const { return wrong_; }

private:
  static int measured_set(const VariantContract &contract) {
    int set = 0;
    while (!contract.param_sets[static_cast<std::size_t>(set)].measured) {
      ++set;
    }
    return set;
  }

  void count(const Variant &variant, const Candidate &candidate, const Call &call) {
    const Traffic declared = candidate.traffic[call.dtype_case];
    const CountedTraffic counted = measure::passes_of(lines_of(candidate, call), call);
    const bool right = measure::agrees(declared, counted);
    fmt::print("{:<24}{:<8}{:<16}{:>3}/{:<3}{:>7.2f}/{:<6.2f}{}\n", variant.name,
               variant.dtypes[call.dtype_case].name, candidate.id, declared.reads, declared.writes,
               counted.reads, counted.writes, right ? "" : "wrong");
    std::fflush(stdout);
    ++counted_;
    wrong_ += right ? 0 : 1;
  }

  // Of one steady call, from an empty cache until all it wrote has reached memory.
  LineCounts lines_of(const Candidate &candidate, const Call &call) {
    candidate.run(call);
    CALLGRIND_START_INSTRUMENTATION; // empties the cache
    CALLGRIND_ZERO_STATS;
    candidate.run(call);
    for (std::size_t i = 0; i < flush_.size(); i += measure::kCacheLine) {
      static_cast<void>(*const_cast<volatile char *>(&flush_[i]));
    }
    CALLGRIND_DUMP_STATS;
    CALLGRIND_STOP_INSTRUMENTATION;
    LineCounts lines = measure::parse_callgrind(measure::read_dump(dumps_, ++dump_));
    lines.read -= kFlushBytes / measure::kCacheLine;
    return lines;
  }

  std::string dumps_;
  std::vector<char> flush_;
  int dump_ = 0;
  int counted_ = 0;
  int wrong_ = 0;
};

int run(const std::string &dumps, const std::string &patterns) {
  if (RUNNING_ON_VALGRIND == 0) {
    throw std::runtime_error("not under valgrind: see scripts/check_traffic.sh");
  }
  TrafficCount traffic(dumps);
  fmt::print("{:<48}{:<7}{:>7}/writes\n", "reads/writes in passes", "  told", "counted");
  for (const Entry &entry : measure::select(patterns)) {
    traffic.count(entry);
  }
  fmt::print("{} declarations, {} wrong\n", traffic.counted(), traffic.wrong());
  return traffic.wrong() == 0 ? 0 : 1;
}

} // namespace
} // namespace switchyard

int main(int argc, char **argv) {
  try {
    if (argc < 2 || argc > 3) {
      throw std::runtime_error("usage: switchyard_traffic_count DUMPS [OPS]");
    }
    return switchyard::run(argv[1], argc > 2 ? argv[2] : "*");
  } catch (const std::exception &error) {
    fmt::print(stderr, "switchyard_traffic_count: {}\n", error.what());
    return 2;
  }
}
