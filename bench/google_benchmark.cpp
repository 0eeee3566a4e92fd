// Every candidate in every cell of the benchmark matrix as a Google Benchmark of its own.
//
//   switchyard_benchmark --benchmark_filter='multiply_add/scalar:.*/u8_480x640x3_.*'
//                        --benchmark_out=FILE --benchmark_out_format=json
//
// Names are those of Google Benchmark's own filters and compare tool. For routes, use
// `switchyard bench`: times taken one after the other, as here, are no evidence.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/measure/campaign.hpp"
#include "bench/measure/gate.hpp"
#include "bench/measure/matrix.hpp"
#include "bench/measure/subject.hpp"
#include "candidates/backends/cpu.hpp"
#include "router/pool.hpp"
#include "router/split.hpp"

namespace switchyard::measure {
namespace {

struct Registered {
  Entry entry;
  const Candidate *candidate = nullptr;
  evidence::Cell cell;
};

// Proofs are remembered: Google Benchmark calls a function several times to find its iterations.
Gate &gate() {
  static Gate gate;
  return gate;
}

Hooks hooks() {
  Hooks result;
  result.execute = run_split;
  result.allocate = pool::acquire;
  result.release = pool::release;
  return result;
}

void run_in_place(benchmark::State &state, Subject &subject, const Alternative &alternative) {
  int left = 0;
  for (auto _ : state) {
    if (left == 0) {
      state.PauseTiming();
      subject.restore();
      left = subject.safe_repeats();
      state.ResumeTiming();
    }
    subject.execute(alternative);
    --left;
  }
}

void run(benchmark::State &state, const Registered &registered) {
  const auto &[variant, contract] = registered.entry;
  const auto spec = problem_of(*variant, *contract, registered.cell);
  Subject subject(*variant, *contract, spec, hooks(), cache_of(registered.cell));
  const Candidate &candidate = *registered.candidate;
  if (const char *refusal = candidate.refuses(subject.call()); refusal != nullptr) {
    state.SkipWithError(refusal);
    return;
  }
  if (const std::string &mismatch = gate().verdict(*variant, *contract, candidate, spec);
      !mismatch.empty()) {
    state.SkipWithError(mismatch.c_str());
    return;
  }
  const Alternative alternative{&candidate, registered.cell.thread_budget};
  subject.run_once(alternative);
  if (spec.output == OutputMode::in_place) {
    run_in_place(state, subject, alternative);
  } else {
    for (auto _ : state) {
      subject.execute(alternative);
    }
  }
  state.SetBytesProcessed(state.iterations() * subject.bytes());
}

// Cells of several threads are there for candidates whose rows can be split.
bool worth_running(const Candidate &candidate, const evidence::Cell &cell, std::size_t dtype_case) {
  return candidate.built() && candidate.exactness[dtype_case] != Exactness::unsupported &&
         (cell.thread_budget == 1 || candidate.split != Split::none);
}

void register_entry(const Entry &entry, const std::vector<int> &budgets) {
  for (const MatrixCell &cell : matrix(*entry.variant, *entry.contract, Mode::full, budgets)) {
    const auto spec = problem_of(*entry.variant, *entry.contract, cell.cell);
    for (const Candidate &candidate : entry.variant->candidates) {
      if (worth_running(candidate, cell.cell, static_cast<std::size_t>(spec.dtype_case))) {
        const Registered registered{entry, &candidate, cell.cell};
        auto *made = benchmark::RegisterBenchmark(
            benchmark_name(*entry.variant, candidate, cell.cell).c_str(),
            [registered](benchmark::State &state) { run(state, registered); });
        made->Unit(benchmark::kMicrosecond);
        if (cell.cell.thread_budget > 1) {
          made->UseRealTime(); // the calling thread's CPU time says little; adds "/real_time"
        }
      }
    }
  }
}

} // namespace
} // namespace switchyard::measure

int main(int argc, char **argv) {
  using namespace switchyard;
  using namespace switchyard::measure;
  // Before the user's own, which then take precedence.
  std::string modest = "--benchmark_min_time=0.05";
  std::vector<char *> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, modest.data());
  arguments.push_back(nullptr);
  int count = argc + 1;
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
    return 2;
  }
  const std::vector<int> budgets = thread_budgets(switchyard::candidates::this_cpu().cores);
  for (const Entry &entry : select("*")) {
    register_entry(entry, budgets);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
