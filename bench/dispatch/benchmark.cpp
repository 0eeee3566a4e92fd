// The time of routed calls on tiny images beside that of their candidates, and of views of cv::Mat.
//
//   switchyard_dispatch_benchmark --benchmark_repetitions=20 --benchmark_enable_random_interleaving
//
// What dispatch takes is routed minus direct. Repetitions in random order share the machine's
// state.
#include <cstdio>
#include <exception>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/dispatch/cases.hpp"

namespace switchyard::dispatch_cases {
namespace {

void time_body(const std::string &name, Body *body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State &state) {
    for (auto _ : state) {
      body();
      benchmark::ClobberMemory();
    }
  });
}

void register_all() {
  for (const Case &one : cases()) {
    const std::string name(one.name);
    time_body(name + ", direct", one.direct);
    time_body(name + ", routed", one.routed);
    time_body(name + ", unchecked", one.unchecked);
  }
  if (Body *const view = view_of_mat()) {
    time_body("view_of(cv::Mat)", view);
  }
}

} // namespace
} // namespace switchyard::dispatch_cases

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  try {
    switchyard::dispatch_cases::prepare();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "switchyard_dispatch_benchmark: %s\n", error.what());
    return 2;
  }
  switchyard::dispatch_cases::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
