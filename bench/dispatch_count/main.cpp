// Counts the instructions that a routed call executes beyond the direct call of its candidate.
//
//   switchyard_dispatch_count DUMPS
//
//   DUMPS   callgrind's --callgrind-out-file: it writes DUMPS.1, DUMPS.2, …, read back here
//
// Run by scripts/count_dispatch.sh, which knows callgrind's options. Both calls begin with the same
// views and numbers and are like the ones before them: the direct one fills in its parameters and
// its Call and runs the candidate, the routed one does all that a call of the library does, the
// check of the floating-point environment included. Exit code 1: a count exceeds its bound.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include "bench/dispatch_count/mats.hpp"
#include "bench/measure/traffic_count.hpp"
#include "candidates/add_weighted/params.hpp"
#include "candidates/lut/params.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/pointwise_array/params.hpp"
#include "candidates/reduction/params.hpp"
#include "candidates/registry.hpp"
#include "switchyard/switchyard.hpp"

namespace switchyard {
namespace {

// What a call should cost at most, and a view. Calls that still cost more have bounds of their own,
// so that they don't get worse unseen. Candidates differ in what their domains ask: a bound is that
// of calls which are routed to `candidate`, and where this machine's table takes another, nothing
// is judged.
struct Most {
  std::int64_t checked;
  std::int64_t unchecked;
  std::string_view candidate = "fused";
};
constexpr Most kGoal{120, 80};
constexpr std::int64_t kMostView = 100;

// Large enough for a vector kernel, small enough to be a route of one thread everywhere.
constexpr std::int64_t kHeight = 24;
constexpr std::int64_t kWidth = 32;
constexpr std::int64_t kChannels = 3;
constexpr std::size_t kElements = kHeight * kWidth * kChannels;

// The lines of counts that callgrind writes, one file a count.
class Counter {
public:
  explicit Counter(std::string dumps) : dumps_(std::move(dumps)) {
    nothing_ = raw([] {});
  }

  // Instructions of fn(), once it has settled. Throws where two counts differ.
  template <class F> std::int64_t operator()(const F &fn) {
    const std::int64_t first = raw(fn) - nothing_;
    const std::int64_t second = raw(fn) - nothing_;
    if (first != second) {
      throw std::runtime_error(fmt::format("counts {} and {} of the same call", first, second));
    }
    return first;
  }

private:
  template <class F> [[gnu::noinline]] std::int64_t raw(const F &fn) {
    constexpr int kSettle = 3; // lazy binding, warm buffers, remembered lookups
    for (int i = 0; i < kSettle; ++i) {
      fn();
    }
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    fn();
    CALLGRIND_DUMP_STATS;
    CALLGRIND_STOP_INSTRUMENTATION;
    return measure::parse_instructions(measure::read_dump(dumps_, ++dump_));
  }

  std::string dumps_;
  int dump_ = 0;
  std::int64_t nothing_ = 0;
};

const Candidate &candidate_of(const RouteInfo &route) {
  const Variant &variant = *candidates::find_variant(route.variant);
  for (const Candidate &candidate : variant.candidates) {
    if (candidate.id == route.candidate) {
      return candidate;
    }
  }
  throw std::runtime_error(fmt::format("{} has no {}", route.variant, route.candidate));
}

class Report {
public:
  explicit Report(const std::string &dumps) : count_(dumps) {
    fmt::print("{:<27}{:<14}{:>9}{:>11}{:>8}\n", "instructions of dispatch", "candidate", "checked",
               "unchecked", "fresh");
  }

  // Three forms of an op, and the direct call of a candidate.
  template <class Direct, class Checked, class Unchecked, class Fresh>
  void add(const Most &most, const Direct &call, const Checked &checked, const Unchecked &unchecked,
           const Fresh &fresh) {
    checked();
    const RouteInfo route = last_route();
    Run *const run = candidate_of(route).run;
    const std::int64_t direct = count_([&] { call(run); });
    const std::int64_t of_checked = count_(checked) - direct;
    const std::int64_t of_unchecked = count_(unchecked) - direct;
    // It writes to another address, which may change what the candidate does.
    const std::int64_t of_fresh = count_(fresh) - direct;
    const bool judged = route.candidate == most.candidate;
    const bool good = of_checked <= most.checked && of_unchecked <= most.unchecked;
    fmt::print("{:<27}{:<14}{:>9}{:>11}{:>8}{}\n", route.variant, route.candidate, of_checked,
               of_unchecked, of_fresh,
               !judged ? "  not judged"
               : good  ? ""
                       : "  too many");
    wrong_ += judged && !good ? 1 : 0;
  }

  template <class F> void add_view(std::string_view name, const F &fn) {
    const std::int64_t count = count_(fn);
    const bool good = count <= kMostView;
    fmt::print("{:<41}{:>9}{}\n", name, count, good ? "" : "  too many");
    wrong_ += good ? 0 : 1;
  }

  [[nodiscard]] int wrong() const { return wrong_; }

private:
  Counter count_;
  int wrong_ = 0;
};

template <class T> struct Buffer {
  alignas(64) std::array<T, kElements> elements{};
  View view = hwc(elements.data(), kHeight, kWidth, kChannels);
};

void run_direct(Run *run, const void *params, const View &out, const ConstView &in,
                const ConstView *second = nullptr) {
  Call call;
  call.in = {&in, second};
  call.out = {&out};
  call.params = params;
  run(call);
}

void count_pointwise(Report &report) {
  static Buffer<std::uint8_t> image;
  static Buffer<std::uint8_t> second;
  static Buffer<std::uint8_t> out;
  static Buffer<float> wide;
  report.add(
      {120, 105},
      [&](Run *run) {
        const double factor = 1.08;
        const double value = -12;
        const MultiplyAddParams params{{&factor, 1}, {&value, 1}, Rounding::by_op};
        run_direct(run, &params, out.view, image.view);
      },
      [&] { multiply_add(image.view, 1.08, -12, out.view); },
      [&] { unchecked::multiply_add(image.view, 1.08, -12, out.view); },
      [&] { (void)multiply_add(image.view, 1.08, -12); });

  const std::array<double, kChannels> mean{123.675, 116.28, 103.53};
  const std::array<double, kChannels> scale{1 / 58.395, 1 / 57.12, 1 / 57.375};
  report.add(
      {160, 140},
      [&](Run *run) {
        const NormalizeParams params{{mean.data(), kChannels}, {scale.data(), kChannels}};
        run_direct(run, &params, wide.view, image.view);
      },
      [&] { normalize(image.view, mean, scale, wide.view); },
      [&] { unchecked::normalize(image.view, mean, scale, wide.view); },
      [&] { (void)normalize(image.view, mean, scale); });

  report.add(
      {125, 110},
      [&](Run *run) {
        const AddWeightedParams params{0.7, 0.3};
        run_direct(run, &params, out.view, image.view, &second.view);
      },
      [&] { add_weighted(image.view, 0.7, second.view, 0.3, out.view); },
      [&] { unchecked::add_weighted(image.view, 0.7, second.view, 0.3, out.view); },
      [&] { (void)add_weighted(image.view, 0.7, second.view, 0.3); });

  report.add(
      {125, 105, "numkong"},
      [&](Run *run) {
        const ArrayParams params{Rounding::by_op};
        run_direct(run, &params, out.view, image.view, &second.view);
      },
      [&] { add(image.view, second.view, out.view); },
      [&] { unchecked::add(image.view, second.view, out.view); },
      [&] { (void)add(image.view, second.view); });
}

// Of two results, and of results whose extents change places.
void count_statistics(Report &report) {
  static Buffer<std::uint8_t> image;
  static std::array<std::uint8_t, 2 * kChannels> ends;
  static std::array<std::uint64_t, kHeight * kChannels> sums;
  const View least = hwc(ends.data(), 1, 1, kChannels);
  const View most = hwc(ends.data() + kChannels, 1, 1, kChannels);
  const View of_rows = hwc(sums.data(), 1, kHeight, kChannels);
  const View spread = hwc(sums.data(), kHeight, 1, kChannels);

  report.add(
      {135, 110},
      [&](Run *run) {
        const ReductionParams params{0, kPixelAxes};
        Call call;
        call.in = {&image.view};
        call.out = {&least, &most};
        call.params = &params;
        run(call);
      },
      [&] { min_max(image.view, least, most, Over::per_channel); },
      [&] { unchecked::min_max(image.view, least, most, Over::per_channel); },
      [&] { (void)min_max(image.view, Over::per_channel); });
  report.add(
      {185, 165},
      [&](Run *run) {
        const ReductionParams params{0, mask_of(kW)};
        run_direct(run, &params, spread, image.view);
      },
      [&] { reduce_sum(image.view, of_rows, Axes{kW}); },
      [&] { unchecked::reduce_sum(image.view, of_rows, Axes{kW}); },
      [&] { (void)reduce_sum(image.view, Axes{kW}); });
}

void count_others(Report &report) {
  static Buffer<std::uint8_t> image;
  static Buffer<std::uint8_t> out;
  static std::array<double, kChannels> sums;
  const View means = hwc(sums.data(), 1, 1, kChannels);

  report.add(
      kGoal, [&](Run *run) { run_direct(run, nullptr, out.view, image.view); },
      [&] { hflip(image.view, out.view); }, [&] { unchecked::hflip(image.view, out.view); },
      [&] { (void)hflip(image.view); });

  static std::array<std::uint8_t, 256> table;
  const ConstView entries = hwc(std::as_const(table).data(), 1, 256, 1);
  report.add(
      {120, 100, "stringzilla"},
      [&](Run *run) {
        const LutParams params{entries};
        run_direct(run, &params, out.view, image.view);
      },
      [&] { lut(image.view, entries, out.view); },
      [&] { unchecked::lut(image.view, entries, out.view); },
      [&] { (void)lut(image.view, entries); });

  report.add(
      kGoal,
      [&](Run *run) {
        const ReductionParams params{0, kPixelAxes};
        run_direct(run, &params, means, image.view);
      },
      [&] { mean(image.view, means, Over::per_channel); },
      [&] { unchecked::mean(image.view, means, Over::per_channel); },
      [&] { (void)mean(image.view, Over::per_channel); });
  count_statistics(report);
}

int run(const std::string &dumps) {
  if (RUNNING_ON_VALGRIND == 0) {
    throw std::runtime_error("not under valgrind: see scripts/count_dispatch.sh");
  }
  Report report(dumps);
  count_pointwise(report);
  count_others(report);
  for_each_mat(
      [&](std::string_view name, const auto &make_view) { report.add_view(name, make_view); });
  fmt::print("goal: {} checked, {} unchecked, {} of a view; beyond their bounds: {}\n",
             kGoal.checked, kGoal.unchecked, kMostView, report.wrong());
  return report.wrong() == 0 ? 0 : 1;
}

} // namespace
} // namespace switchyard

int main(int argc, char **argv) {
  try {
    if (argc != 2) {
      throw std::runtime_error("usage: switchyard_dispatch_count DUMPS");
    }
    return switchyard::run(argv[1]);
  } catch (const std::exception &error) {
    fmt::print(stderr, "switchyard_dispatch_count: {}\n", error.what());
    return 2;
  }
}
