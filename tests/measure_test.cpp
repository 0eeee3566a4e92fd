// The measuring engine, on a clock that only candidates move, so that nothing depends on the
// machine; and every benchmark cell once, so that none can rot.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "bench/conformance/memory.hpp"
#include "bench/measure/budget.hpp"
#include "bench/measure/campaign.hpp"
#include "bench/measure/limits.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/measure.hpp"
#include "bench/measure/rotation.hpp"
#include "bench/measure/twin.hpp"
#include "bench/measure/williams.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/registry.hpp"
#include "evidence/context.hpp"
#include "evidence/statistics.hpp"
#include "router/split.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace switchyard;
using namespace switchyard::candidates;
using namespace switchyard::measure;
using evidence::Cell;
using evidence::Row;
using evidence::Status;
using switchyard::candidates::CpuDescription;
using switchyard::candidates::instruction_sets;
using switchyard::candidates::parse_cpuinfo;
using switchyard::candidates::profile_name;
using switchyard::candidates::this_cpu;

using switchyard::test::TemporaryFolder;

namespace {

// ---------------------------------------------------------------------------------------------
// A world whose time is what candidates say they take. Its op copies; "halve" is for f32.

struct World {
  std::int64_t now = 0;
  std::int64_t slowness = 1;           // factor on what candidates take
  std::map<std::string, int> executed; // by the engine's executor, that is, outside the gate
  std::map<int, int> threads;          // thread counts asked for
  std::int64_t limit_ns = 500;         // what moving the bytes takes
  int broken_after = -1;               // calls of `fickle` before it goes wrong; −1: never
  int fickle_calls = 0;
  int allocated = 0;
  int released = 0;
  bool abnormal = false; // a candidate computed a value that slows CPUs down
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> page_offsets;
};
World *world = nullptr;

std::int64_t world_now() {
  return world->now;
}

void spend(std::int64_t ns) {
  if (world != nullptr) {
    world->now += ns * world->slowness;
  }
}

void copy(const Call &call) {
  const ConstView &in = *call.in[0];
  const std::int64_t size = size_of(in.dtype);
  const Extents dense = contiguous_strides(in.shape, size);
  if (in.strides == dense && call.out[0]->strides == dense) {
    std::memmove(call.out[0]->mutable_data(), in.data,
                 static_cast<std::size_t>(in.elements() * size));
  } else {
    conformance::copy_elements(in, *call.out[0]);
  }
}

template <int kNs> void run_copy(const Call &call) {
  copy(call);
  spend(kNs);
}

void run_nothing(const Call &) {
  spend(1);
}

void run_fickle(const Call &call) {
  spend(1200);
  if (world != nullptr && world->broken_after >= 0 && ++world->fickle_calls > world->broken_after) {
    return;
  }
  copy(call);
}

const char *three_channels(const Call &call) {
  return call.in[0]->channels() == 3 ? nullptr : "three channels only";
}

constexpr auto kBoth =
    std::array<Exactness, kMaxDtypeCases>{Exactness::bitwise, Exactness::bitwise};

constexpr Candidate kCandidates[] = {
    {"quick", 3, "own", nullptr, kBoth, {1, 1}, Split::none, run_copy<1000>},
    {"equal", 1, "own", nullptr, kBoth, {1, 1}, Split::none, run_copy<1000>},
    {"nothing", 1, "own", nullptr, kBoth, {1, 1}, Split::none, run_nothing},
    {"fickle", 1, "own", nullptr, kBoth, {1, 1}, Split::none, run_fickle},
    {"rgb", 1, "own", three_channels, kBoth, {1, 1}, Split::none, run_copy<900>},
    {"absent", 1, "own", nullptr, kBoth, {1, 1}, Split::none, nullptr},
    {"splits", 1, "own", nullptr, kBoth, {1, 1}, Split::rows, run_copy<400'000>},
    {"loop", 1, "loop", nullptr, kBoth, {1, 1}, Split::none, run_copy<1250>},
};
constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8}, {Dtype::u8}},
    {"f32", {Dtype::f32}, {Dtype::f32}},
};
constexpr Variant kCopy{"copy/plain", kDtypes, kCandidates};

constexpr ParamSet kSets[] = {{"plain", true}, {"unmeasured"}};

std::shared_ptr<const void> make_params(int, std::int64_t, int, Random &) {
  return std::make_shared<int>(0);
}

template <class Of> void expect(const Call &call, std::span<Expected> expected, Of of) {
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double value = of(oracle::read(*call.in[0], x, h, w, c));
    expected[i++] = {value, value, value};
  });
}

VariantContract contract_of(std::string_view variant,
                            void (*oracle)(const Call &, int, std::span<Expected>)) {
  VariantContract contract;
  contract.variant = variant;
  contract.in_place = true;
  contract.row_local = true;
  contract.param_sets = kSets;
  contract.make_params = make_params;
  contract.oracle = oracle;
  return contract;
}

const VariantContract kCopyContract =
    contract_of("copy/plain", [](const Call &call, int, std::span<Expected> expected) {
      expect(call, expected, [](double value) { return value; });
    });

// Scales so hard that the second application in place leaves the normal range of f32.
constexpr float kShrink = 0x1p-70F;

void run_shrink(const Call &call) {
  const View &out = *call.out[0];
  oracle::for_each_index(out.shape, [&](auto x, auto h, auto w, auto c) {
    float value;
    std::memcpy(&value, call.in[0]->at(x, h, w, c), sizeof value);
    value *= kShrink;
    if (world != nullptr && value != 0 && !std::isnormal(value)) {
      world->abnormal = true;
    }
    std::memcpy(out.at(x, h, w, c), &value, sizeof value);
  });
  spend(1000);
}

constexpr DtypeCase kFloat[] = {{"f32", {Dtype::f32}, {Dtype::f32}}};
constexpr Candidate kShrinkers[] = {
    {"loop", 1, "loop", nullptr, kBoth, {1, 1}, Split::none, run_shrink}};
constexpr Variant kShrinkVariant{"shrink/plain", kFloat, kShrinkers};
const VariantContract kShrinkContract =
    contract_of("shrink/plain", [](const Call &call, int, std::span<Expected> expected) {
      expect(call, expected,
             [](double value) { return static_cast<double>(static_cast<float>(value) * kShrink); });
    });

int world_execute(const Candidate &candidate, const Call &call, int threads) {
  ++world->executed[std::string(candidate.id)];
  ++world->threads[threads];
  const auto offset = [](const void *at) { return reinterpret_cast<std::uintptr_t>(at) % 4096; };
  world->page_offsets.insert({offset(call.in[0]->data), offset(call.out[0]->data)});
  const std::int64_t before = world->now;
  if (candidate.backend.empty()) { // a twin: real, but as long as the world says
    spend(candidate.id == "twin" ? world->limit_ns : 2 * world->limit_ns);
  }
  candidate.run(call);
  if (threads > 1 && candidate.split == Split::rows) {
    world->now = before + (world->now - before) / threads;
    return threads;
  }
  return 1;
}

void *world_allocate(std::size_t bytes) {
  ++world->allocated;
  world->now += 7;
  return allocate_aligned(bytes);
}

void world_release(void *memory, std::size_t bytes) {
  ++world->released;
  release_aligned(memory, bytes);
}

MeasureOptions world_options() {
  MeasureOptions options = options_for(Mode::quick);
  options.clock_error_ns = 0;
  options.hooks = {world_now, world_execute, world_allocate, world_release, 1 << 20};
  return options;
}

class InWorld {
public:
  InWorld() { world = &world_; }
  ~InWorld() { world = nullptr; }
  InWorld(const InWorld &) = delete;
  InWorld &operator=(const InWorld &) = delete;
  World *operator->() { return &world_; }

private:
  World world_;
};

CellResult measure_in_world(const std::string &key, const MeasureOptions &options) {
  Gate gate;
  return measure_cell(kCopy, kCopyContract, Cell::parse(key), options, gate);
}

const Row *row_of(const std::vector<Row> &rows, std::string_view candidate, int threads = 1) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row &row) {
    return row.candidate == candidate && row.threads == threads;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<double> times(std::size_t rounds, double time) {
  return std::vector<double>(rounds, time);
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Order

TEST_CASE("Williams designs balance places and predecessors", "[measure]") {
  for (std::size_t n = 1; n <= 12; ++n) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> places;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> followers;
    for (std::size_t row = 0; row < williams_rows(n); ++row) {
      const std::vector<std::size_t> order = williams_row(n, row);
      REQUIRE(std::set<std::size_t>(order.begin(), order.end()).size() == n);
      for (std::size_t place = 0; place < n; ++place) {
        ++places[{place, order[place]}];
        if (place > 0) {
          ++followers[{order[place - 1], order[place]}];
        }
      }
    }
    const std::size_t each = williams_rows(n) / n;
    INFO("n = " << n);
    CHECK(places.size() == n * n);
    CHECK(followers.size() == n * (n - 1)); // every ordered pair of different ones
    for (const auto &[_, count] : places) {
      CHECK(count == each);
    }
    for (const auto &[_, count] : followers) {
      CHECK(count == each);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Clock

TEST_CASE("A slice holds enough calls of the fastest alternative, and at least one", "[measure]") {
  CHECK(iterations_for(1000, 50e3) == 50);
  CHECK(iterations_for(999, 50e3) == 51);
  CHECK(iterations_for(50e3, 50e3) == 1);
  CHECK(iterations_for(8e6, 50e3) == 1);
  CHECK(iterations_for(0.5, 50e3) == 100'000);
  CHECK_THROWS_AS(iterations_for(0, 50e3), ClockError);
  CHECK_THROWS_AS(iterations_for(-1, 50e3), ClockError);
  CHECK_THROWS_AS(iterations_for(std::numeric_limits<double>::quiet_NaN(), 50e3), ClockError);
}

TEST_CASE("Warming up ends when slices agree and reports the settled time", "[measure]") {
  int slices = 0;
  // Slices get faster, as on a machine that has been idle.
  const double settled = warm_up(
      [&](std::int64_t calls) {
        return static_cast<double>(calls) * 100 * (1 + 8 * std::exp2(-slices++));
      },
      10e3);
  CHECK(settled == Approx(100).epsilon(0.03));
  CHECK(slices < 20);
  // Calls far beyond a slice are not repeated for long.
  slices = 0;
  CHECK(warm_up([&](std::int64_t) { return ++slices, 1e9; }, 10e3) == Approx(1e9));
  CHECK(slices == 2);
  CHECK_THROWS_AS(warm_up([](std::int64_t) { return 0.0; }, 10e3), ClockError);
}

TEST_CASE("The clock's resolution is measured, and a clock that stands still refused",
          "[measure]") {
  static std::int64_t ticks = 0;
  ticks = 0;
  // Reads take 20 ns, steps are 100 ns.
  const ClockQuality coarse = examine_clock([]() -> std::int64_t {
    ticks += 20;
    return ticks / 100 * 100;
  });
  CHECK(coarse.resolution_ns == Approx(80).margin(25));
  CHECK(coarse.reading_ns == Approx(20).margin(1));
  CHECK_THROWS_AS(examine_clock([]() -> std::int64_t { return 42; }), ClockError);
  const ClockQuality real = examine_clock(steady_now);
  CHECK(real.error_ns() > 0);
  CHECK(real.error_ns() < 1e6);
}

TEST_CASE("Slices grow until a candidate does not differ from its copy", "[measure]") {
  std::vector<double> tried;
  const auto settle = [&](double enough, evidence::Interval before) {
    tried.clear();
    return settle_slice(100, [&](double slice_ns) {
      tried.push_back(slice_ns);
      return slice_ns < enough ? before : evidence::Interval{1.005, 0.99, 1.02};
    });
  };
  CHECK(settle(0, {}) == 100);
  CHECK(settle(400, {1.06, 1.04, 1.08}) == 400);
  CHECK(tried == std::vector<double>{100, 200, 400});
  CHECK(settle(400, {0.94, 0.92, 0.96}) == 400);
  CHECK(settle(1e9, {1.06, 1.04, 1.08}) == 800);          // not for ever
  CHECK(settle(1e9, {1.007, 1.002, 1.009}) == 100);       // too small to matter
  CHECK(settle(1e9, {std::nan(""), 0, HUGE_VAL}) == 100); // nothing is known
}

// ---------------------------------------------------------------------------------------------
// Race

TEST_CASE("Clearly slower alternatives leave the race, close ones and the best stay", "[measure]") {
  RaceRules rules;
  const auto leaves = [&](double slower, std::size_t rounds) {
    return losers({times(rounds, 100), times(rounds, 100 * slower)}, {0, 1}, rules) ==
           std::vector<std::size_t>{1};
  };
  CHECK_FALSE(leaves(1.29, 11));
  CHECK(leaves(1.31, 11));
  CHECK_FALSE(leaves(1.31, 5)); // no interval excludes anything yet
  CHECK(leaves(11, 3));         // hopeless: three rounds are enough
  CHECK_FALSE(leaves(11, 2));
  CHECK_FALSE(leaves(9, 3));
  // One lucky round keeps the hopeless in for now.
  CHECK(losers({{100, 100, 100}, {2000, 150, 2000}}, {0, 1}, rules).empty());
  // The least median is the best, even where a rival had the fastest single time.
  CHECK(losers({{1, 900, 900, 900, 900, 900, 900}, times(7, 100)}, {0, 1}, rules).empty());
  CHECK(losers({times(11, 100)}, {0}, rules).empty());
}

TEST_CASE("A race pairs its samples, stops at the cap and keeps those who left", "[measure]") {
  const InWorld in_world;
  const std::vector<double> cost = {100, 130, 105, 5000, 150};
  RaceRules rules;
  rules.now = world_now;
  rules.most_rounds = 12;
  std::vector<int> started;
  Track track{cost.size(), [&](int round) { started.push_back(round); },
              [&](std::size_t i) {
                world->now += static_cast<std::int64_t>(cost[i]);
                return cost[i];
              }};
  const RaceResult result = race(track, rules);
  CHECK(result.complete);
  CHECK(result.rounds == 12);
  CHECK(started == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(result.dropped == std::vector<bool>{false, false, false, true, true});
  CHECK(result.times[0] == times(12, 100));
  CHECK(result.times[1] == times(12, 130)); // exactly at the limit: not above it
  CHECK(result.times[3] == times(3, 5000));
  CHECK(result.times[4] == times(6, 150));
}

TEST_CASE("A race ends within its time, but not before the least rounds", "[measure]") {
  const InWorld in_world;
  RaceRules rules;
  rules.now = world_now;
  const Track track{2, [](int) {}, [](std::size_t) { return world->now += 100, 100.0; }};
  const auto rounds_within = [&](double budget_ns) {
    rules.budget_ns = budget_ns;
    return race(track, rules).rounds;
  };
  CHECK(rounds_within(1e9) == 11);
  CHECK(rounds_within(1850) == 9);
  CHECK(rounds_within(0) == 7);

  SECTION("A deadline or a stop cuts it short, and then it is incomplete") {
    rules.deadline_ns = world->now + 450;
    const RaceResult late = race(track, rules);
    CHECK(late.rounds == 3);
    CHECK_FALSE(late.complete);
    CHECK(late.times[0].size() == late.times[1].size());
    rules.deadline_ns = std::numeric_limits<std::int64_t>::max();
    const std::atomic<bool> stop{true};
    rules.stop = &stop;
    CHECK(race(track, rules).rounds == 0);
  }
}

TEST_CASE("TUN-04 a time of zero, below it or no number at all never enters the race",
          "[measure]") {
  const InWorld in_world;
  RaceRules rules;
  rules.now = world_now;
  for (const double bad : {0.0, -5.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const Track always{2, [](int) {}, [&](std::size_t i) { return i == 0 ? bad : 10.0; }};
    CHECK_THROWS_AS(race(always, rules), ClockError);
    int calls = 0; // now and then: repeated
    const Track once{2, [](int) {}, [&](std::size_t) { return ++calls % 5 == 0 ? bad : 10.0; }};
    const RaceResult result = race(once, rules);
    CHECK(result.times[0] == times(11, 10));
    CHECK(result.times[1] == times(11, 10));
  }
}

// ---------------------------------------------------------------------------------------------
// Matrix

TEST_CASE("Thread budgets double up to the cores, at most three above one", "[measure]") {
  using List = std::vector<int>;
  CHECK(thread_budgets(1) == List{1});
  CHECK(thread_budgets(2) == List{1, 2});
  CHECK(thread_budgets(4) == List{1, 2, 4});
  CHECK(thread_budgets(6) == List{1, 2, 4, 6});
  CHECK(thread_budgets(64) == List{1, 2, 16, 64});
  CHECK(thread_budgets(2, List{2, 1, 2, 8, 0}) == List{1, 2});
  CHECK(thread_budgets(8, List{2}) == List{2});
  CHECK(thread_counts(1) == List{});
  CHECK(thread_counts(2) == List{2});
  CHECK(thread_counts(6) == List{2, 4, 6});
}

TEST_CASE("The matrix stays within its size and its cells name problems that read back",
          "[measure]") {
  const auto cells_of = [](Mode mode, int cores) {
    const std::vector<int> budgets = thread_budgets(cores);
    return matrix(kCopy, kCopyContract, mode, budgets);
  };
  for (const int cores : {1, 2, 8, 64}) {
    CHECK(cells_of(Mode::full, cores).size() <= 2 * 39);
    CHECK(cells_of(Mode::quick, cores).size() <= 2 * 21);
  }
  CHECK(cells_of(Mode::full, 2).size() == 2 * 37);
  CHECK(cells_of(Mode::quick, 2).size() == 2 * 20);
  std::set<std::string> keys;
  for (const MatrixCell &entry : cells_of(Mode::full, 8)) {
    const Cell &cell = entry.cell;
    INFO(cell.key());
    CHECK(keys.insert(cell.key()).second);
    CHECK(Cell::parse(cell.key()) == cell);
    const conformance::ProblemSpec spec = problem_of(kCopy, kCopyContract, cell);
    CHECK(element_count(spec.shape) == cell.elements());
    CHECK(spec.shape[kH] != spec.shape[kW]);
    Cell hot = cell;
    hot.cache = "hot";
    CHECK(cell_of(kCopy, kCopyContract, spec, cell.thread_budget) == hot);
    CHECK(cell.params == "plain");
  }
  const std::vector<int> two{2};
  for (const MatrixCell &entry : matrix(kCopy, kCopyContract, Mode::full, two)) {
    CHECK(entry.cell.thread_budget == 2);
  }
}

TEST_CASE("Cells follow what a contract allows", "[measure]") {
  VariantContract contract = kCopyContract;
  contract.in_place = false;
  contract.output_shape = [](int, const Extents &, const void *) { return Extents{1, 1, 1, 1}; };
  const std::vector<int> budgets{1, 2};
  for (const MatrixCell &entry : matrix(kCopy, contract, Mode::full, budgets)) {
    CHECK(entry.cell.output == "into"); // a single number is not worth allocating
  }
  for (const MatrixCell &entry : matrix(kShrinkVariant, kShrinkContract, Mode::full, budgets)) {
    CHECK(entry.cell.thread_budget == 1); // no candidate splits
  }
  for (const char *key :
       {"u16 24x32x3 contiguous into hot t1 plain", "u8 24x32x3 contiguous into hot t1 other",
        "u8 24x32x3 contiguous fresh cold t1 plain",
        "u8 24x32x3 contiguous in_place chained t1 plain"}) {
    CHECK_THROWS_AS(problem_of(kCopy, kCopyContract, Cell::parse(key)), std::invalid_argument);
  }
}

TEST_CASE("Every mode varies the cache state, each output mode where it is allowed", "[measure]") {
  const std::vector<int> budgets{1, 2};
  for (const Mode mode : {Mode::quick, Mode::full}) {
    std::map<std::string, std::set<std::int64_t>> sizes; // by what is varied
    for (const MatrixCell &entry : matrix(kCopy, kCopyContract, mode, budgets)) {
      const Cell &cell = entry.cell;
      sizes[cell.dtype + cell.cache].insert(cell.elements());
      sizes[cell.dtype + cell.output].insert(cell.elements());
      sizes[cell.dtype + cell.layout].insert(cell.elements());
      CHECK((cell.cache == "hot" || cell.output == "into"));
    }
    for (const std::string dtype : {"u8", "f32"}) {
      for (const char *word :
           {"cold", "chained", "fresh", "in_place", "rows", "plane", "reversed"}) {
        INFO(dtype << " " << word);
        const bool routes = std::string(word) != "cold" && std::string(word) != "chained";
        CHECK(sizes[dtype + word].size() >= (mode == Mode::full && routes ? 2U : 1U));
      }
    }
  }
}

TEST_CASE("A reversed cell is an image upside down and an output that is not", "[measure]") {
  const auto spec =
      problem_of(kCopy, kCopyContract, Cell::parse("u8 24x32x3 reversed into hot t1 plain"));
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    conformance::ProblemSpec drawn = spec;
    drawn.seed = seed;
    const conformance::Problem problem(kCopy, kCopyContract, drawn);
    const Call &call = problem.call();
    CHECK(call.in[0]->strides[kH] == -32 * 3);
    CHECK(call.in[0]->strides[kW] == 3);
    CHECK(call.in[0]->strides[kC] == 1);
    CHECK(call.out[0]->strides[kH] == 32 * 3);
    CHECK(call.out[0]->strides[kW] == 3);
  }
}

// ---------------------------------------------------------------------------------------------
// Cells

TEST_CASE("A cell's rows hold the times of all accepted candidates, side by side", "[measure]") {
  InWorld in_world;
  const CellResult result =
      measure_in_world("u8 24x32x1 contiguous into hot t1 plain", world_options());
  CHECK(result.complete);
  CHECK(result.rounds == 11);
  const Row *quick = row_of(result.rows, "quick");
  const Row *loop = row_of(result.rows, "loop");
  const Row *equal = row_of(result.rows, "equal");
  REQUIRE(quick != nullptr);
  REQUIRE(loop != nullptr);
  REQUIRE(equal != nullptr);
  CHECK(quick->samples_ns == times(11, 1000));
  CHECK(loop->samples_ns == times(11, 1250));
  CHECK(quick->version == 3);
  CHECK(quick->status == Status::accepted);
  CHECK(evidence::paired_ratio(equal->samples_ns, quick->samples_ns).low <= 1);
  CHECK(evidence::paired_ratio(equal->samples_ns, quick->samples_ns).high >= 1);
  const Row *slow = row_of(result.rows, "splits"); // 400 times slower
  REQUIRE(slow != nullptr);
  CHECK(slow->status == Status::dropped);
  CHECK(slow->samples_ns == times(3, 400e3));
  CHECK(in_world->page_offsets.size() > 11); // buffers moved between rounds
}

TEST_CASE("What fails the proof is rejected with its mismatch and never timed", "[measure]") {
  InWorld in_world;
  const CellResult result =
      measure_in_world("u8 24x32x1 contiguous into hot t1 plain", world_options());
  const Row *nothing = row_of(result.rows, "nothing");
  REQUIRE(nothing != nullptr);
  CHECK(nothing->status == Status::rejected);
  CHECK(nothing->samples_ns.empty());
  CHECK(nothing->mismatch.find("never written") != std::string::npos);
  CHECK(in_world->executed.count("nothing") == 0);
  CHECK(in_world->executed["quick"] > 11);
}

TEST_CASE("Candidates outside their domain or this build have no row", "[measure]") {
  const InWorld in_world;
  const auto grey = measure_in_world("u8 24x32x1 contiguous into hot t1 plain", world_options());
  CHECK(row_of(grey.rows, "rgb") == nullptr);
  CHECK(row_of(grey.rows, "absent") == nullptr);
  const auto colour = measure_in_world("u8 24x32x3 contiguous into hot t1 plain", world_options());
  REQUIRE(row_of(colour.rows, "rgb") != nullptr);
  CHECK(row_of(colour.rows, "rgb")->samples_ns == times(11, 900));
}

TEST_CASE("A race goes on while the best is not told from a rival, and no longer") {
  RaceRules rules;
  rules.least_rounds = 5;
  rules.usual_rounds = 11;
  rules.most_rounds = 41;
  // The second alternative is 10 % slower, but every third of its first rounds is a lucky one.
  int lucky_until = 0;
  int round = 0;
  const Track track{2, [&](int r) { round = r; },
                    [&](std::size_t alternative) {
                      const bool lucky = round < lucky_until && round % 3 == 0;
                      return alternative == 0 ? 100.0 : lucky ? 90.0 : 110.0;
                    }};
  CHECK(race(track, rules).rounds == 11);
  lucky_until = 20;
  const RaceResult longer = race(track, rules);
  CHECK(longer.rounds > 11);
  CHECK(longer.rounds < 41);
  CHECK(decided(longer.times, {0, 1}, rules));
  lucky_until = 1000;
  CHECK(race(track, rules).rounds == 41);
  const Track tied{2, [](int) {},
                   [](std::size_t alternative) { return alternative == 0 ? 100.0 : 101.0; }};
  CHECK(race(tied, rules).rounds == 11);
}

TEST_CASE("A candidate that turns wrong while it is timed is rejected after all", "[measure]") {
  InWorld in_world;
  const std::string key = "u8 24x32x1 contiguous into hot t1 plain";
  CHECK(row_of(measure_in_world(key, world_options()).rows, "fickle")->status == Status::accepted);
  in_world->broken_after = 100; // the gate asks for far fewer calls, the race for more
  const CellResult result = measure_in_world(key, world_options());
  const Row *fickle = row_of(result.rows, "fickle");
  REQUIRE(fickle != nullptr);
  CHECK(fickle->status == Status::rejected);
  CHECK(fickle->samples_ns.empty());
  CHECK(fickle->mismatch.find("after timing") == 0);
  CHECK(row_of(result.rows, "quick")->status == Status::accepted);
}

TEST_CASE("Threads compete within the budget, where one takes long enough", "[measure]") {
  InWorld in_world;
  const auto alone = measure_in_world("u8 24x32x1 contiguous into hot t1 plain", world_options());
  CHECK(row_of(alone.rows, "splits", 2) == nullptr);
  CHECK(in_world->threads.size() == 1);
  const auto two = measure_in_world("u8 24x32x1 contiguous into hot t4 plain", world_options());
  REQUIRE(row_of(two.rows, "splits", 1) != nullptr);
  REQUIRE(row_of(two.rows, "splits", 2) != nullptr);
  REQUIRE(row_of(two.rows, "splits", 4) != nullptr);
  CHECK(row_of(two.rows, "splits", 4)->samples_ns.front() == 100e3);
  CHECK(row_of(two.rows, "quick", 2) == nullptr); // cannot be split
  MeasureOptions options = world_options();
  options.split_from_ns = 500e3;
  const auto fast = measure_in_world("u8 24x32x1 contiguous into hot t2 plain", options);
  CHECK(row_of(fast.rows, "splits", 2) == nullptr);
}

TEST_CASE("Fresh calls allocate and release their output inside the timed part", "[measure]") {
  InWorld in_world;
  const auto result = measure_in_world("u8 24x32x1 rows fresh hot t1 plain", world_options());
  CHECK(row_of(result.rows, "quick")->samples_ns == times(11, 1007));
  CHECK(in_world->allocated > 11);
  CHECK(in_world->allocated == in_world->released);
}

TEST_CASE("In place, inputs are restored before values leave the normal range", "[measure]") {
  InWorld in_world;
  Gate gate;
  const Cell cell = Cell::parse("f32 24x32x1 contiguous in_place hot t1 plain");
  const CellResult result =
      measure_cell(kShrinkVariant, kShrinkContract, cell, world_options(), gate);
  REQUIRE(result.rows.size() == 3);
  CHECK(result.rows[0].status == Status::accepted);
  CHECK(result.rows[1].status == Status::limit);
  CHECK(result.rows[2].status == Status::limit);
  CHECK(result.rows[0].samples_ns == times(11, 1000));
  // Finding out takes a second application, and so does the gate's special data; timing does not.
  const conformance::ProblemSpec spec = problem_of(kShrinkVariant, kShrinkContract, cell);
  Subject subject(kShrinkVariant, kShrinkContract, spec, world_options().hooks);
  CHECK(subject.safe_repeats() == 1);
  in_world->abnormal = false;
  subject.start_round(1);
  CHECK(subject.time({&kShrinkers[0], 1}, 40) == 40e3);
  CHECK_FALSE(in_world->abnormal);
  subject.execute({&kShrinkers[0], 1}); // without restoring, it is met
  CHECK(in_world->abnormal);
  CHECK(subject.verify({&kShrinkers[0], 1}, nullptr).empty());

  const Cell bytes = Cell::parse("u8 24x32x1 contiguous in_place hot t1 plain");
  const Subject copies(kCopy, kCopyContract, problem_of(kCopy, kCopyContract, bytes),
                       world_options().hooks);
  CHECK(copies.safe_repeats() == 8);
}

TEST_CASE("A copy of the fastest candidate races beside the others as its equal", "[measure]") {
  InWorld in_world;
  Gate gate;
  const Cell cell = Cell::parse("u8 24x32x1 contiguous into hot t1 plain");
  const evidence::Interval ratio =
      duplicate_ratio(kCopy, kCopyContract, cell, world_options(), gate);
  CHECK(ratio.estimate == 1);
  CHECK(ratio.low == 1);
  CHECK(ratio.high == 1);
  CHECK(in_world->executed["quick"] > in_world->executed["loop"] * 3 / 2);
}

TEST_CASE("A cell that runs out of time leaves no rows behind", "[measure]") {
  const InWorld in_world;
  MeasureOptions options = world_options();
  options.rules.deadline_ns = 1; // long past when the race starts
  const auto result = measure_in_world("u8 24x32x1 contiguous into hot t1 plain", options);
  CHECK_FALSE(result.complete);
  CHECK(result.rows.empty());
}

// ---------------------------------------------------------------------------------------------
// Limits

TEST_CASE("A time below its limit is impossible if the interval says so, beyond what is allowed",
          "[measure]") {
  const LimitRules rules{0.15, 150};
  const auto impossible = [&](std::size_t rounds, double time, double limit) {
    return !beyond_limit(times(rounds, time), times(rounds, limit), 1, rules).empty();
  };
  CHECK(impossible(11, 8000, 10e3));
  CHECK_FALSE(impossible(11, 8400, 10e3)); // 1 − 0.15 − 0.015
  CHECK_FALSE(impossible(11, 12e3, 10e3));
  CHECK_FALSE(impossible(5, 1, 10e3)); // too few rounds to exclude anything
  CHECK_FALSE(impossible(0, 1, 10e3));
  CHECK_FALSE(impossible(11, 1, 170)); // what a call costs by itself
  CHECK(impossible(11, 1, 200));
  // Most rounds are too fast, but not so many that the interval excludes an honest median.
  std::vector<double> mixed = times(11, 5000);
  std::fill(mixed.begin(), mixed.begin() + 3, 10e3);
  CHECK(beyond_limit(mixed, times(11, 10e3), 1, rules).empty());
  const std::string text = beyond_limit(times(11, 3000), times(11, 10e3), 1, rules);
  CHECK(text.find("0.3 times the time (0.3 to 0.3)") == 0);
  CHECK(text.find("0.835") != std::string::npos);
  CHECK(text.size() < 160);
}

TEST_CASE("Twins race in every round beside all others, as limits without a library", "[measure]") {
  InWorld in_world;
  in_world->limit_ns = 3000; // slower than all of them, and still nobody's rival
  const CellResult result =
      measure_in_world("u8 24x32x1 contiguous into hot t4 plain", world_options());
  for (const char *id : {"twin", "twin_stream"}) {
    for (const int threads : {1, 2, 4}) { // as `splits` competes
      INFO(id << " x" << threads);
      const Row *row = row_of(result.rows, id, threads);
      REQUIRE(row != nullptr);
      CHECK(row->status == Status::limit);
      CHECK(row->samples_ns.size() == static_cast<std::size_t>(result.rounds));
      const evidence::Context &context = result.contexts.at(row->context);
      CHECK(context == evidence::context_of(world_options().machine, ""));
    }
    CHECK(row_of(result.rows, id)->samples_ns.front() == (id == std::string("twin") ? 3000 : 6000));
  }
  CHECK(row_of(result.rows, "quick")->status == Status::impossible);
  CHECK(row_of(result.rows, "quick")->mismatch.find("0.333 times the time") == 0);
  CHECK(row_of(result.rows, "quick")->samples_ns == times(11, 1000));
  CHECK(row_of(result.rows, "quick")->race == 2);
  CHECK(row_of(result.rows, "splits", 4)->status == Status::accepted); // all others are aside
  evidence::VariantEvidence evidence;
  evidence.variant = "copy/plain";
  evidence.rows = result.rows;
  evidence.contexts = result.contexts;
  CHECK_FALSE(evidence::to_json(evidence).empty());
}

TEST_CASE("A limit never makes another leave the race, and never leaves it itself", "[measure]") {
  const InWorld in_world;
  RaceRules rules;
  rules.now = world_now;
  const std::vector<double> cost = {100, 104, 5, 9000};
  const Track track{4, [](int) {}, [&](std::size_t i) { return world->now += 1, cost[i]; }, 2};
  const RaceResult result = race(track, rules);
  CHECK(result.dropped == std::vector<bool>(4, false));
  CHECK(result.times[2] == times(11, 5));
  CHECK(result.times[3] == times(11, 9000));
  CHECK(result.times[1].size() == 11);
}

namespace {

// What a call remembers of the last one: the trap of every benchmark that repeats itself.
struct Memory {
  const void *in = nullptr;
  const void *out = nullptr;
  bool looks = false; // makes sure that its result is still there
  int skipped = 0;
};
Memory *memory = nullptr;

void run_remembering(const Call &call) {
  const std::int64_t size = size_of(call.in[0]->dtype);
  const std::int64_t last = (call.in[0]->elements() - 1) * size; // contiguous cells alone
  const auto *from = static_cast<const std::byte *>(call.in[0]->data);
  auto *to = static_cast<std::byte *>(call.out[0]->mutable_data());
  const auto is_there = [&] {
    return from[0] == to[0] && from[last / 2] == to[last / 2] && from[last] == to[last];
  };
  if (memory != nullptr && memory->in == from && memory->out == to &&
      (!memory->looks || is_there())) {
    ++memory->skipped;
    spend(2);
    return;
  }
  if (memory != nullptr) {
    memory->in = from;
    memory->out = to;
  }
  copy(call);
  spend(1000);
}

constexpr Candidate kRemembering[] = {
    {"memo", 1, "own", nullptr, kBoth, {1, 1}, Split::none, run_remembering},
    {"loop", 1, "loop", nullptr, kBoth, {1, 1}, Split::none, run_copy<1250>},
};
constexpr Variant kMemo{"copy/plain", std::span(kDtypes).first(1), kRemembering};

CellResult measure_remembering(bool looks, const char *key, const MeasureOptions &options) {
  Memory remembered;
  remembered.looks = looks;
  Gate gate;
  const Cell cell = Cell::parse(key);
  static_cast<void>(
      gate.verdict(kMemo, kCopyContract, kRemembering[0], problem_of(kMemo, kCopyContract, cell)));
  memory = &remembered; // after the proof, which it passes
  CellResult result = measure_cell(kMemo, kCopyContract, cell, options, gate);
  memory = nullptr;
  CHECK(remembered.skipped > 0);
  return result;
}

} // namespace

TEST_CASE("TUN-08 a candidate that does nothing once it has done the work is not believed",
          "[measure]") {
  const char *key = "u8 24x32x1 contiguous into hot t1 plain";
  SECTION("Its results are looked at again after timing") {
    const InWorld in_world;
    const CellResult result = measure_remembering(false, key, world_options());
    const Row *memo = row_of(result.rows, "memo");
    REQUIRE(memo != nullptr);
    CHECK(memo->status == Status::rejected);
    CHECK(memo->mismatch.find("after timing") == 0);
    CHECK(row_of(result.rows, "loop")->status != Status::rejected);
  }
  SECTION("If they are right, it was faster than its bytes can be moved") {
    const InWorld in_world;
    const CellResult result = measure_remembering(true, key, world_options());
    const Row *memo = row_of(result.rows, "memo");
    REQUIRE(memo != nullptr);
    CHECK(memo->status == Status::impossible);
    CHECK(memo->mismatch.find("0.004 times the time") == 0);
    CHECK(memo->race == 2);
    // It had made the others leave; without it, they race in earnest.
    CHECK(row_of(result.rows, "loop")->status == Status::accepted);
    CHECK(row_of(result.rows, "loop")->race == 1);
    CHECK(row_of(result.rows, "loop")->samples_ns == times(11, 1250));
  }
  SECTION("On a real clock as well") {
    MeasureOptions options = options_for(Mode::quick);
    options.slice_ns = 1000;
    const CellResult result =
        measure_remembering(true, "u8 512x514x3 contiguous into hot t1 plain", options);
    const Row *memo = row_of(result.rows, "memo");
    REQUIRE(memo != nullptr);
    INFO(memo->mismatch);
    CHECK(memo->status == Status::impossible);
  }
  SECTION("Buffers that take turns leave it nothing to remember") {
    const InWorld in_world;
    const CellResult result =
        measure_in_world("u8 24x32x1 contiguous into cold t1 plain", world_options());
    CHECK(row_of(result.rows, "quick")->status == Status::accepted);
    Memory remembered;
    remembered.looks = true;
    Gate gate;
    const Cell cell = Cell::parse("u8 24x32x1 contiguous into cold t1 plain");
    memory = &remembered;
    Subject subject(kMemo, kCopyContract, problem_of(kMemo, kCopyContract, cell),
                    world_options().hooks, CacheState::cold);
    CHECK(subject.time({&kRemembering[0], 1}, 20) == 20e3);
    memory = nullptr;
    CHECK(remembered.skipped == 0);
  }
}

TEST_CASE("TUN-04 calls below the clock's resolution are timed in batches", "[measure]") {
  InWorld in_world;
  in_world->limit_ns = 20;
  static constexpr Candidate kTiny[] = {
      {"quick", 1, "own", nullptr, kBoth, {1, 1}, Split::none, run_copy<40>},
      {"loop", 1, "loop", nullptr, kBoth, {1, 1}, Split::none, run_copy<50>},
  };
  static constexpr Variant kTinyCopy{"copy/plain", std::span(kDtypes).first(1), kTiny};
  MeasureOptions options = world_options();
  options.hooks.now = []() -> std::int64_t { return world->now / 1000 * 1000; }; // ticks of 1 us
  options.clock_error_ns = 1000;
  Gate gate;
  const CellResult result =
      measure_cell(kTinyCopy, kCopyContract, Cell::parse("u8 1x1x1 contiguous into hot t1 plain"),
                   options, gate);
  REQUIRE(row_of(result.rows, "quick") != nullptr);
  CHECK(evidence::median(row_of(result.rows, "quick")->samples_ns) == Approx(40).epsilon(0.005));
  CHECK(evidence::median(row_of(result.rows, "loop")->samples_ns) == Approx(50).epsilon(0.005));
}

TEST_CASE("Steady calls and first touches of an output are measured in cells of their own",
          "[measure]") {
  // TUN-08 again: a mean over both would say nothing about either.
  InWorld in_world;
  const auto fresh = measure_in_world("u8 24x32x1 contiguous fresh hot t1 plain", world_options());
  CHECK(in_world->allocated > 0);
  in_world->allocated = 0;
  const auto into = measure_in_world("u8 24x32x1 contiguous into hot t1 plain", world_options());
  CHECK(in_world->allocated == 0);
  CHECK(row_of(fresh.rows, "quick")->samples_ns == times(11, 1007));
  CHECK(row_of(into.rows, "quick")->samples_ns == times(11, 1000));
}

// ---------------------------------------------------------------------------------------------
// Cache states

TEST_CASE("Cold calls take turns on buffers that exceed the caches", "[measure]") {
  const auto spec =
      problem_of(kCopy, kCopyContract, Cell::parse("u8 64x80x3 reversed into cold t1 plain"));
  const conformance::Problem problem(kCopy, kCopyContract, spec);
  const Call &drawn = problem.call();
  constexpr std::int64_t kLeast = 1 << 20;
  Rotation rotation(drawn, kLeast, 1 << 30);
  const std::int64_t bytes = 2 * 64 * 80 * 3;
  CHECK(static_cast<std::int64_t>(rotation.copies() - 1) * bytes >= kLeast);
  rotation.set_output_offset(128);
  std::set<const void *> inputs;
  std::set<const void *> outputs;
  for (std::size_t i = 0; i < rotation.copies(); ++i) {
    const Call &call = rotation.next();
    const auto from = memory_of(*call.in[0]);
    const auto to = memory_of(*call.out[0]);
    inputs.insert(from.data());
    outputs.insert(to.data());
    REQUIRE(std::equal(from.begin(), from.end(), memory_of(*drawn.in[0]).begin()));
    CHECK(reinterpret_cast<std::uintptr_t>(to.data()) % 4096 == 128);
    std::fill(to.begin(), to.end(), std::byte{0xFF}); // must not reach another's input
    REQUIRE(std::equal(from.begin(), from.end(), memory_of(*drawn.in[0]).begin()));
    CHECK(call.params == drawn.params);
  }
  CHECK(inputs.size() == rotation.copies());
  CHECK(outputs.size() == rotation.copies());
  CHECK(memory_of(*rotation.next().in[0]).data() != nullptr);

  CHECK(Rotation(drawn, 1 << 30, 1 << 20).copies() < 40); // memory is bounded
  CHECK(Rotation(drawn, 1 << 30, 1).copies() == 2);       // but two are needed
}

TEST_CASE("A slice goes on with the buffers where the one before stopped", "[measure]") {
  InWorld in_world;
  const auto spec =
      problem_of(kCopy, kCopyContract, Cell::parse("u8 64x80x3 contiguous into cold t1 plain"));
  Subject subject(kCopy, kCopyContract, spec, world_options().hooks, CacheState::cold);
  static std::vector<const void *> met;
  met.clear();
  Hooks hooks = world_options().hooks;
  hooks.execute = [](const Candidate &, const Call &call, int) {
    met.push_back(call.in[0]->data);
    world->now += 1;
    return 1;
  };
  Subject watched(kCopy, kCopyContract, spec, hooks, CacheState::cold);
  CHECK(watched.time({&kCandidates[0], 1}, 3) == 3);
  CHECK(watched.time({&kCandidates[1], 1}, 3) == 3);
  CHECK(std::set<const void *>(met.begin(), met.end()).size() == 6);
  // What is verified are the problem's own arrays, by one more call.
  CHECK(subject.verify({&kCandidates[0], 1}, nullptr).empty());
}

TEST_CASE("Chained calls are followed by a reader of the output, inside the timed part",
          "[measure]") {
  const InWorld in_world;
  const auto measured =
      measure_in_world("u8 24x32x1 contiguous into chained t1 plain", world_options());
  CHECK(row_of(measured.rows, "quick")->samples_ns ==
        times(11, 1000)); // reading costs no time here
  // On a real clock it does: an executor that computes nothing is all reader.
  const auto spec =
      problem_of(kCopy, kCopyContract, Cell::parse("f32 240x320x3 contiguous into hot t1 plain"));
  Hooks hooks;
  hooks.execute = [](const Candidate &, const Call &, int) { return 1; };
  const auto slice = [&](CacheState cache) {
    Subject subject(kCopy, kCopyContract, spec, hooks, cache);
    std::vector<double> samples;
    for (int i = 0; i < 9; ++i) {
      samples.push_back(subject.time({&kCandidates[0], 1}, 10));
    }
    return evidence::median(samples);
  };
  CHECK(slice(CacheState::chained) > 10 * slice(CacheState::hot)); // 0.9 MB against no call at all
  CHECK_THROWS_AS(Subject(kCopy, kCopyContract,
                          problem_of(kCopy, kCopyContract,
                                     Cell::parse("u8 24x32x1 contiguous fresh hot t1 plain")),
                          hooks, CacheState::chained),
                  std::invalid_argument);
}

// ---------------------------------------------------------------------------------------------
// Budgets and campaigns

TEST_CASE("A budget gives up the least important cells first, from the last one on", "[measure]") {
  const std::vector<PlannedCell> cells = {{1, Priority::base},
                                          {1, Priority::detail},
                                          {1, Priority::arm},
                                          {1, Priority::detail},
                                          {1, Priority::base}};
  Budget unlimited(0);
  CHECK(unlimited.fit(cells, 1e9) == std::vector<bool>(5, true));
  CHECK(std::isinf(unlimited.share_s(1, 5, 10)));
  Budget budget(100);
  for (int i = 0; i < 1000; ++i) {
    budget.record(1, 30, 20); // 20 s a cell at least
  }
  CHECK(budget.fit(cells, 0) == std::vector<bool>{true, true, true, true, true});
  CHECK(budget.fit(cells, 10) == std::vector<bool>{true, true, true, false, true});
  CHECK(budget.fit(cells, 30) == std::vector<bool>{true, false, true, false, true});
  CHECK(budget.fit(cells, 55) == std::vector<bool>{true, false, false, false, true});
  CHECK(budget.fit(cells, 75) == std::vector<bool>{true, false, false, false, false});
  CHECK(budget.fit(cells, 99) == std::vector<bool>(5, false));
  CHECK(budget.share_s(1, 5, 50) == Approx(20).epsilon(0.01)); // nothing to spare
  CHECK(budget.share_s(1, 2, 50) == Approx(30).epsilon(0.01));
  CHECK(budget.share_s(1, 8, 0) == Approx(20).epsilon(0.01));
  CHECK(budget.share_s(0.1, 1, 0) == Approx(2 + 80 * 0.4).epsilon(0.01));
  CHECK(budget.share_s(1, 1, 90) == Approx(10));
  CHECK(budget.share_s(1, 5, 200) == 0);
  CHECK(budget.eta_s(2, 10) == Approx(60).epsilon(0.01));
  CHECK(budget.eta_s(5, 10) == Approx(90)); // never beyond the budget
}

TEST_CASE("Selecting by pattern names ops, variants and what matches nothing", "[measure]") {
  CHECK(select("*").size() >= select("multiply_add").size());
  CHECK(select("multiply_add").size() == 3);
  CHECK(select("multiply_add/s*").size() == 1);
  CHECK(select("multiply_add/scalar,multiply_add/vector").size() == 2);
  CHECK_THROWS_WITH(select("multiply_add,nonesuch"), Catch::Contains("nonesuch"));
  CHECK_THROWS_AS(select(""), std::invalid_argument);
}

namespace {

// Few candidates: every cell is proven for real.
constexpr Candidate kFew[] = {kCandidates[0], kCandidates[2], kCandidates[7]};
constexpr Variant kSmallCopy{"copy/plain", std::span(kDtypes).first(1), kFew};

const Entry kEntries[] = {{&kSmallCopy, &kCopyContract}, {&kShrinkVariant, &kShrinkContract}};

// Calls take so long that one fills a slice.
CampaignOptions world_campaign() {
  world->slowness = 100;
  CampaignOptions options;
  options.measure = world_options();
  return options;
}

} // namespace

TEST_CASE("A campaign measures every cell, reports progress and keeps other cells' evidence",
          "[measure]") {
  const InWorld in_world;
  const TemporaryFolder folder;
  evidence::VariantEvidence before;
  before.variant = "copy/plain";
  Row kept;
  kept.cell = Cell::parse("u8 9x11x3 contiguous into hot t1 plain"); // no cell of the matrix
  kept.candidate = "gone";
  kept.samples_ns = {5};
  Row replaced = kept;
  replaced.cell = Cell::parse("u8 23x31x3 contiguous into hot t1 plain");
  kept.context = replaced.context = before.add({});
  before.rows = {kept, replaced};
  evidence::write(folder.path(), before);

  CampaignOptions options = world_campaign();
  options.profile_folder = folder.path();
  std::vector<std::size_t> done;
  options.progress = [&](const Progress &progress) {
    done.push_back(progress.done);
    CHECK(progress.total == 18 + 18);
    CHECK(progress.eta_s >= 0);
  };
  const CampaignReport report = run_campaign(kEntries, options);
  CHECK(report.cells == 18 + 18);
  CHECK(report.skipped == 0);
  CHECK(report.notes.empty());
  CHECK(report.rejected == 18); // `nothing`, wherever it was tried
  CHECK_FALSE(report.interrupted);
  CHECK(done.size() == 37);
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(done.back() == 36);

  const auto after = evidence::read_variant(folder.path() / "copy/plain.json");
  const auto is_gone = [](const Row &row) { return row.candidate == "gone"; };
  CHECK(std::count_if(after.rows.begin(), after.rows.end(), is_gone) == 1);
  CHECK(std::find_if(after.rows.begin(), after.rows.end(), is_gone)->cell == kept.cell);
  CHECK(after.rows.size() == report.measured.at(0).rows.size() + 1);
  CHECK(evidence::read_variant(folder.path() / "shrink/plain.json").rows.size() ==
        18 * 3); // twins too
}

TEST_CASE("A campaign stays within its budget and says what it left out", "[measure]") {
  const InWorld in_world;
  CampaignOptions options = world_campaign();
  // Without a budget, for comparison.
  const double unlimited = run_campaign(kEntries, options).elapsed_s;
  for (const double part : {0.9, 0.5, 0.3}) {
    options.budget_s = unlimited * part;
    const CampaignReport report = run_campaign(kEntries, options);
    INFO("budget " << options.budget_s << " elapsed " << report.elapsed_s);
    CHECK(report.elapsed_s <= options.budget_s * 1.1);
    CHECK(report.elapsed_s >= options.budget_s * 0.5);
    CHECK(report.cells + report.skipped == 36);
    CHECK(report.notes.empty() == (report.skipped == 0));
  }
  options.budget_s = unlimited * 0.02;
  const CampaignReport report = run_campaign(kEntries, options);
  CHECK(report.skipped > 0);
  CHECK(report.notes.front().find("left out") != std::string::npos);
}

TEST_CASE("An interrupted campaign keeps the cells that it finished", "[measure]") {
  const InWorld in_world;
  const TemporaryFolder folder;
  std::atomic<bool> stop{false};
  CampaignOptions options = world_campaign();
  options.profile_folder = folder.path();
  options.stop = &stop;
  options.progress = [&](const Progress &progress) { stop = stop || progress.done == 3; };
  const CampaignReport report = run_campaign(kEntries, options);
  CHECK(report.interrupted);
  CHECK(report.cells == 3);
  const auto kept = evidence::read_variant(folder.path() / "copy/plain.json");
  std::set<std::string> cells;
  for (const Row &row : kept.rows) {
    cells.insert(row.cell.key());
  }
  CHECK(cells.size() == 3);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "shrink/plain.json"));
}

TEST_CASE("A campaign refuses broken evidence before it measures", "[measure]") {
  InWorld in_world;
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "copy");
  std::FILE *file = std::fopen((folder.path() / "copy/plain.json").c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs("{\"schema\":1,", file);
  std::fclose(file);
  CampaignOptions options = world_campaign();
  options.profile_folder = folder.path();
  CHECK_THROWS_AS(run_campaign(kEntries, options), evidence::EvidenceError);
  CHECK(in_world->executed.empty());
}

// ---------------------------------------------------------------------------------------------
// The machine

namespace {

std::string profile_of(const std::string &cpuinfo, const char *architecture, int cores) {
  return profile_name(parse_cpuinfo(cpuinfo, architecture, cores));
}

std::string x86(const std::string &vendor, int family, int model, int stepping = 1) {
  return fmt::format("processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\n"
                     "model name\t: Some Brand\nstepping\t: {}\n\nprocessor\t: 1\nmodel\t\t: 99\n",
                     vendor, family, model, stepping);
}

std::string arm(const char *implementer, const char *part) {
  return fmt::format("processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: {}\n"
                     "CPU architecture: 8\nCPU part\t: {}\n",
                     implementer, part);
}

} // namespace

TEST_CASE("Profiles have readable names, on machines that are not here as well", "[measure]") {
  CHECK(profile_of(x86("AuthenticAMD", 25, 17), "x86_64", 2) == "x86_64-amd-zen4-2c");
  CHECK(profile_of(x86("AuthenticAMD", 25, 1), "x86_64", 64) == "x86_64-amd-zen3-64c");
  CHECK(profile_of(x86("AuthenticAMD", 23, 49), "x86_64", 8) == "x86_64-amd-zen2-8c");
  CHECK(profile_of(x86("AuthenticAMD", 26, 2), "x86_64", 8) == "x86_64-amd-zen5-8c");
  CHECK(profile_of(x86("GenuineIntel", 6, 0x8f), "x86_64", 4) == "x86_64-intel-sapphirerapids-4c");
  CHECK(profile_of(x86("GenuineIntel", 6, 0x55, 4), "x86_64", 4) == "x86_64-intel-skylake-x-4c");
  CHECK(profile_of(x86("GenuineIntel", 6, 0x55, 7), "x86_64", 4) == "x86_64-intel-cascadelake-4c");
  CHECK(profile_of(x86("AuthenticAMD", 99, 1), "x86_64", 2) == "x86_64-amd-family99-model1-2c");
  CHECK(profile_of(x86("Unheard Of", 25, 17), "x86_64", 2) == "x86_64-family25-model17-2c");
  CHECK(profile_of(arm("0x41", "0xd40"), "aarch64", 4) == "aarch64-arm-neoverse-v1-4c");
  CHECK(profile_of(arm("0x61", "0x22"), "aarch64", 8) == "aarch64-apple-m1-8c");
  CHECK(profile_of(arm("0x41", "0xfff"), "aarch64", 4) == "aarch64-arm-implementer41-partfff-4c");
  CHECK(profile_of("", "RISC V/64", 1) == "risc_v_64-unknown-1c");
}

TEST_CASE("CPU facts are read from the first processor alone", "[measure]") {
  const CpuDescription amd = parse_cpuinfo("processor\t: 0\n"
                                           "vendor_id\t: AuthenticAMD\n"
                                           "model\t\t: 17\n"
                                           "model name\t: AMD EPYC\n"
                                           "microcode\t: 0x1000065\n"
                                           "flags\t\t: fpu sse2 avx2 hypervisor fma lm avx512f\n"
                                           "\n"
                                           "processor\t: 1\n"
                                           "model name\t: another\n",
                                           "x86_64", 2);
  CHECK(amd.model == 17);
  CHECK(amd.family == -1); // not given
  CHECK(amd.model_name == "AMD EPYC");
  CHECK(amd.microcode == "0x1000065");
  CHECK(amd.flags.size() == 7);
  CHECK(instruction_sets(amd) == "sse2 avx2 fma avx512f");
  for (const char *text : {"", ":\n\n:::\nflags", "model : 0x", "flags :"}) {
    CHECK(parse_cpuinfo(text, "x86_64", 1).flags.empty());
  }
}

TEST_CASE("The machine's description can be written as evidence and names every library",
          "[measure]") {
  const evidence::Machine machine = describe_machine();
  CHECK(machine.profile == profile_name(this_cpu()));
  CHECK_FALSE(evidence::to_json(machine).empty());
  CHECK(machine.facts.at("compiler").at("flags").find("-ffp-contract=off") != std::string::npos);
  for (const BackendInfo &backend : candidates::backends()) {
    if (backend.built && backend.version != nullptr) {
      CHECK_FALSE(machine.facts.at("libraries").at(std::string(backend.name)).empty());
    }
  }
}

TEST_CASE("Physical limits are measured at every memory level", "[measure]") {
  const std::vector<MemoryLevel> levels = memory_levels();
  REQUIRE(levels.size() >= 2);
  CHECK(levels.back().name == "DRAM");
  // The smallest level alone: the others take longer and run the same code.
  const std::vector<Bandwidth> rates = copy_bandwidths({levels.front()}, steady_now);
  REQUIRE(rates.size() == 1);
  CHECK(rates[0].level == levels.front().name);
  CHECK(rates[0].working_set == levels.front().bytes / 2);
  CHECK(rates[0].gigabytes_per_s > 0);
  CHECK(wake_up_latency_ns(steady_now) > 0);
}

// ---------------------------------------------------------------------------------------------
// The real candidates

TEST_CASE("A real cell gives positive, valid rows for every accepted candidate", "[measure]") {
  Gate gate;
  MeasureOptions options = options_for(Mode::quick);
  options.hooks.execute = run_split;
  options.slice_ns = 1000; // a smoke run: the times are not looked at
  for (const Entry &entry : select("multiply_add/scalar,multiply_add/vector")) {
    const Cell cell = Cell::parse("u8 24x32x3 contiguous into hot t1 tone");
    evidence::VariantEvidence evidence;
    evidence.variant = entry.variant->name;
    CellResult result = measure_cell(*entry.variant, *entry.contract, cell, options, gate);
    evidence.rows = std::move(result.rows);
    evidence.contexts = std::move(result.contexts);
    CHECK(evidence.rows.size() >= 3);
    for (const Row &row : evidence.rows) {
      INFO(row.candidate << ": " << row.mismatch);
      CHECK(row.status != Status::rejected);
      CHECK_FALSE(row.samples_ns.empty());
      CHECK(std::all_of(row.samples_ns.begin(), row.samples_ns.end(),
                        [](double time) { return time > 0; }));
    }
    CHECK_FALSE(evidence::to_json(evidence).empty()); // the evidence library accepts them
  }
}

TEST_CASE("Every benchmark of quick mode runs once and computes what its contract says",
          "[measure]") {
  const std::vector<int> budgets{1, 2};
  std::size_t runs = 0;
  std::set<std::string> names;
  for (const Entry &entry : select("*")) {
    std::size_t runs_before = runs;
    for (const MatrixCell &cell : matrix(*entry.variant, *entry.contract, Mode::quick, budgets)) {
      const auto spec = problem_of(*entry.variant, *entry.contract, cell.cell);
      Hooks hooks;
      hooks.execute = run_split;
      hooks.cold_bytes = 1 << 20;
      Subject subject(*entry.variant, *entry.contract, spec, hooks, cache_of(cell.cell));
      for (const Candidate &candidate : entry.variant->candidates) {
        const std::string name = benchmark_name(*entry.variant, candidate, cell.cell);
        CHECK(names.insert(name).second);
        if (candidate.refuses(subject.call()) == nullptr) {
          INFO(name);
          const Alternative alternative{&candidate, cell.cell.thread_budget};
          subject.run_once(alternative);
          CHECK(subject.verify(alternative, nullptr).empty());
          ++runs;
        }
      }
    }
    INFO(entry.variant->name);
    CHECK(runs >= runs_before + 28); // at least the floor, in every cell
    runs_before = runs;
  }
  WARN("benchmarks run: " << runs);
}
