// Verifying routes: scores of synthetic times with known answers, the unseen set, and whole runs
// on a clock that only candidates move.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/memory.hpp"
#include "bench/measure/williams.hpp"
#include "bench/verify/score.hpp"
#include "bench/verify/unseen.hpp"
#include "bench/verify/verify.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/registry.hpp"

using namespace switchyard;
using namespace switchyard::verify;
using Catch::Matchers::Contains;
using measure::MatrixCell;
using measure::MatrixPoint;

namespace {

constexpr std::size_t kRounds = 12;

std::vector<double> steady(double time, std::size_t rounds = kRounds) {
  return std::vector<double>(rounds, time);
}

// Odd rounds take `odd`, even ones `even`.
std::vector<double> alternating(double even, double odd) {
  std::vector<double> times;
  for (std::size_t round = 0; round < kRounds; ++round) {
    times.push_back(round % 2 == 1 ? odd : even);
  }
  return times;
}

CellTimes cell_of(std::vector<double> routed, std::vector<ContenderTimes> alternatives,
                  const std::string &variant = "op/plain", const std::string &dtype = "u8") {
  return {variant, dtype, std::move(routed), std::move(alternatives)};
}

// A cell whose route takes alternative `taken`; its call adds `lookup` to that one's time.
CellTimes taking(std::size_t taken, std::vector<ContenderTimes> alternatives, double lookup = 0,
                 const std::string &variant = "op/plain") {
  const std::vector<double> times = alternatives[taken].times;
  CellTimes cell = cell_of(times, std::move(alternatives), variant);
  cell.taken = taken;
  for (double &time : cell.routed) {
    time += lookup;
  }
  return cell;
}

ContenderTimes own(std::vector<double> times, const std::string &backend = "fused",
                   int threads = 1) {
  return {backend, backend, threads, std::move(times)};
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Scores

TEST_CASE("Regret compares the routed call with the best alternative", "[verify]") {
  const CellScore slower =
      score(cell_of(steady(120), {own(steady(150)), own(steady(100), "lut"), own(steady(300))}));
  CHECK(slower.best == 1);
  CHECK(slower.regret == Approx(0.2));
  CHECK(slower.interval.low == Approx(0.2));
  CHECK(slower.interval.high == Approx(0.2));
  CHECK(score(cell_of(steady(98), {own(steady(100))})).regret == Approx(-0.02));
  // Among equals the first is the best.
  CHECK(score(cell_of(steady(100), {own(steady(100)), own(steady(100))})).best == 0);
}

TEST_CASE("Drift that all contenders share leaves no regret", "[verify]") {
  std::vector<double> drifting;
  for (std::size_t round = 0; round < kRounds; ++round) {
    drifting.push_back(100 + 50 * static_cast<double>(round));
  }
  CHECK(score(cell_of(drifting, {own(drifting)})).regret == Approx(0).margin(1e-12));
}

TEST_CASE("Odd rounds choose and even rounds score", "[verify]") {
  // "lut" looks best where it is chosen, and is scored where it is slow.
  const CellTimes cell = cell_of(steady(100), {own(steady(90)), own(alternating(200, 50), "lut")});
  const CellScore result = score(cell);
  CHECK(result.best == 1);
  CHECK(result.regret == Approx(-0.5));
  // A great time in even rounds wins nothing.
  CHECK(score(cell_of(steady(100), {own(steady(90)), own(alternating(1, 95), "lut")})).best == 0);
}

TEST_CASE("The best of many equal alternatives makes no regret out of noise", "[verify]") {
  // Twenty copies of what the route takes. Choosing and scoring on the same rounds would find the
  // luckiest of them faster by a standard deviation or more of the median.
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.1);
  const auto noisy = [&] {
    std::vector<double> times;
    for (int round = 0; round < 30; ++round) {
      times.push_back(100 * std::exp(noise(random)));
    }
    return times;
  };
  double fair = 0;
  double cursed = 0;
  constexpr int kCells = 400;
  for (int i = 0; i < kCells; ++i) {
    CellTimes cell = cell_of(noisy(), {});
    double least = std::numeric_limits<double>::infinity();
    for (int copy = 0; copy < 20; ++copy) {
      cell.alternatives.push_back(own(noisy()));
      least = std::min(least, evidence::median(cell.alternatives.back().times));
    }
    fair += std::log1p(score(cell).regret) / kCells;
    cursed += std::log(evidence::median(cell.routed) / least) / kCells;
  }
  CHECK(cursed > 0.03);
  CHECK(std::fabs(fair) < 0.01);
}

TEST_CASE("An alternative that left early counts with the rounds that it has", "[verify]") {
  const CellScore result = score(
      cell_of(steady(110), {own(steady(900, 3), "loop"), own(steady(100)), own(steady(5, 1))}));
  CHECK(result.best == 1); // one round alone is never chosen: it has no odd one
  CHECK(result.regret == Approx(0.1));
}

TEST_CASE("Cells that cannot be scored are refused", "[verify]") {
  CHECK_THROWS_AS(score(cell_of(steady(1), {})), std::invalid_argument);
  CHECK_THROWS_AS(score(cell_of(steady(1, 1), {own(steady(1))})), std::invalid_argument);
  CHECK_THROWS_AS(score(cell_of(steady(1), {own(steady(1, 1))})), std::invalid_argument);
}

TEST_CASE("The summary has the mean, the tail and the worst of the regrets", "[verify]") {
  std::vector<CellTimes> cells;
  for (int i = 0; i < 19; ++i) {
    cells.push_back(cell_of(steady(100), {own(steady(100))}));
  }
  cells.push_back(cell_of(steady(200), {own(steady(100))}));
  cells.push_back(cell_of(steady(109), {own(steady(100))}));
  const Summary summary = summarize(cells);
  CHECK(summary.cells == 21);
  CHECK(summary.geomean == Approx(std::expm1((std::log(2.0) + std::log(1.09)) / 21)));
  CHECK(summary.p95 == Approx(0.09)); // the 20th of 21
  CHECK(summary.max == Approx(1.0));
  CHECK(summary.over_10_percent == Approx(1.0 / 21));
}

TEST_CASE("The gap closed is measured from the single best backend to the virtual best",
          "[verify]") {
  // fused is four times too slow in the second cell, lut eight times in the first: fused is the
  // single best with a mean of log 2. The routes lose a factor 2 in one cell: half of the gap.
  const std::vector<CellTimes> cells{
      taking(0, {own(steady(100)), own(steady(800), "lut")}),
      taking(2, {own(steady(400)), own(steady(100), "lut"), own(steady(200), "opencv")})};
  const Summary summary = summarize(cells);
  CHECK(summary.single_best == "fused");
  CHECK(summary.gap_closed == Approx(0.5));

  SECTION("Routes as good as the virtual best close all of it") {
    const std::vector<CellTimes> perfect{taking(0, {own(steady(100)), own(steady(800), "lut")}),
                                         taking(1, {own(steady(400)), own(steady(100), "lut")})};
    CHECK(summarize(perfect).gap_closed == Approx(1));
  }
  SECTION("Routes that are worse than the single best open it further") {
    const std::vector<CellTimes> bad{taking(1, {own(steady(100)), own(steady(800), "lut")}),
                                     taking(0, {own(steady(400)), own(steady(100), "lut")})};
    CHECK(summarize(bad).gap_closed == Approx(1 - 2.5));
  }
  SECTION("The lookup is regret, and no part of the gap: whoever asks for fused pays it too") {
    const std::vector<CellTimes> looked_up{
        taking(0, {own(steady(100)), own(steady(800), "lut")}, 30),
        taking(1, {own(steady(400)), own(steady(100), "lut")}, 30)};
    const Summary with_lookup = summarize(looked_up);
    CHECK(with_lookup.gap_closed == 1);
    CHECK(with_lookup.geomean == Approx(0.3));
    CHECK(with_lookup.groups.front().to_single_best == Approx(0.5 - 1));
  }
}

TEST_CASE("Routes that take the single best everywhere differ from it by nothing", "[verify]") {
  // However noisy: the same samples stand on both sides.
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, 0.4);
  const auto noisy = [&](double time) {
    std::vector<double> times;
    for (std::size_t round = 0; round < kRounds; ++round) {
      times.push_back(time * std::exp(noise(random)));
    }
    return times;
  };
  std::vector<CellTimes> cells;
  for (int i = 0; i < 40; ++i) {
    cells.push_back(taking(0, {own(noisy(100)), own(noisy(150), "lut")}, 20));
  }
  const Summary summary = summarize(cells);
  REQUIRE(summary.single_best == "fused");
  CHECK(summary.groups.front().to_single_best == 0);
  CHECK_FALSE(summary.groups.front().worse_than_single_best);
}

TEST_CASE("Further rounds of the routed call and the best alternative all score", "[verify]") {
  CellTimes cell = cell_of(steady(110), {own(steady(100)), own(steady(120), "lut")});
  CHECK(score(cell).regret == Approx(0.1));
  cell.more_routed = steady(130, 30);
  cell.more_best = steady(100, 30);
  CHECK(score(cell).regret == Approx(0.3)); // 30 rounds outweigh 6
  CHECK(score(cell).best == 0);             // what is best stays as it was chosen
  // An alternative that left early: further rounds don't move against each other.
  cell.alternatives[0].times.resize(5);
  CHECK(score(cell).regret == Approx(0.3));
}

TEST_CASE("A regret is settled when its interval is narrow or clear of all limits", "[verify]") {
  const auto of = [](double estimate, double low, double high) {
    CellScore score;
    score.regret = estimate;
    score.interval = {estimate, low, high};
    return settled(score);
  };
  CHECK(of(0.01, -0.02, 0.03));       // narrow
  CHECK(of(0.5, 0.3, 0.9));           // bad in any case
  CHECK(of(-0.2, -0.35, -0.1));       // good in any case
  CHECK_FALSE(of(0.1, -0.35, 0.43));  // says nothing
  CHECK_FALSE(of(0.05, 0.03, 0.095)); // whether above 8 %
  CHECK_FALSE(of(0, -1, HUGE_VAL));   // too few rounds
}

TEST_CASE("Without a gap there is nothing left to close", "[verify]") {
  const std::vector<CellTimes> cells{taking(0, {own(steady(100))}, 2)};
  const Summary summary = summarize(cells);
  CHECK(summary.gap_closed == 1);
  CHECK(summary.single_best == "fused");
  CHECK(summary.geomean == Approx(0.02));
  // Ruined routes close nothing, though.
  CHECK(summarize(std::vector{taking(1, {own(steady(100)), own(steady(1800), "lut")})}).gap_closed <
        -100);
  // Nor where it is too small to be told from noise.
  const auto gap_closed = [](double lut) {
    const std::vector<CellTimes> apart{
        taking(2, {own(steady(100)), own(steady(200), "lut"), own(steady(102), "opencv")}),
        taking(2, {own(steady(100)), own(steady(lut), "lut"), own(steady(102), "opencv")})};
    return summarize(apart).gap_closed;
  };
  CHECK(gap_closed(99.5) == 1);
  CHECK(gap_closed(98) ==
        Approx((std::log(100.0 / 98) - std::log(1.02 * 102 / 98)) / std::log(100.0 / 98)));
}

TEST_CASE("Where the single best has no alternative, loop stands in for it", "[verify]") {
  // lut is by far the fastest in the first cell, and absent in the second, where loop takes 1000.
  const std::vector<CellTimes> cells{
      cell_of(steady(10), {own(steady(10), "lut"), own(steady(100)), own(steady(500), "loop")}),
      cell_of(steady(100), {own(steady(100)), own(steady(1000), "loop")})};
  const Summary summary = summarize(cells);
  // In logs to the base 10: lut 0 and 1; fused 1 and 0; a tie, which the first by name takes.
  CHECK(summary.single_best == "fused");
  std::vector<CellTimes> slower = cells;
  slower[1].alternatives[1].times = steady(900);
  CHECK(summarize(slower).single_best == "lut");
  slower[1].alternatives[1].times = steady(1100);
  CHECK(summarize(slower).single_best == "fused");
  // No loop at all: the slowest of the cell.
  slower[1].alternatives = {own(steady(100)), own(steady(2000), "aten")};
  slower[0].alternatives.pop_back();
  CHECK(summarize(slower).single_best == "fused");
}

TEST_CASE("A backend counts with the best of its candidates and threads", "[verify]") {
  const std::vector<CellTimes> cells{
      cell_of(steady(50), {own(steady(100)), own(steady(50), "fused", 2), own(steady(60), "lut")})};
  CHECK(summarize(cells).single_best == "fused");
}

TEST_CASE("A backend counts with one choice for all cells of a variant and dtype", "[verify]") {
  // fused has two candidates, each best in one cell: whoever asks for fused takes one of them.
  const auto named = [](const char *candidate, double time, int threads = 1) {
    return ContenderTimes{candidate, "fused", threads, steady(time)};
  };
  std::vector<CellTimes> cells{
      taking(0, {named("fused", 100), named("fused_fma", 150), own(steady(400), "lut")}),
      taking(1, {named("fused", 200), named("fused_fma", 100), own(steady(400), "lut")})};
  const Summary summary = summarize(cells);
  CHECK(summary.single_best == "fused");
  // fused_fma loses 1.5 in one cell, fused 2 in the other; the routes lose nothing.
  CHECK(summary.gap_closed == Approx(1));
  CHECK(summary.groups.front().to_single_best == Approx(std::sqrt(1 / 1.5) - 1));
  // Another variant makes a choice of its own, and so does a larger thread budget.
  cells[1].variant = "op/other";
  CHECK(summarize(cells).groups[0].to_single_best == 0);
  CHECK(summarize(cells).groups[1].to_single_best == 0);
  cells[1].variant = cells[0].variant;
  cells[1].alternatives.push_back(named("fused_fma", 90, 2));
  cells[1].taken = 3;
  cells[1].routed = steady(90);
  CHECK(summarize(cells).groups[0].to_single_best == 0);
}

TEST_CASE("Groups worse than the single best are those beyond the tie band", "[verify]") {
  const auto group_is_worse = [](const std::vector<double> &routed) {
    std::vector<CellTimes> cells;
    for (const double time : routed) {
      cells.push_back(
          taking(2, {own(steady(100)), own(steady(150), "lut"), own(steady(time), "opencv")}));
      // Other groups, in which all is well, keep fused the single best.
      cells.push_back(taking(0, {own(steady(100))}, 30, "op/other"));
      cells.push_back(taking(0, {own(steady(100)), own(steady(500), "opencv")}, 0, "op/third"));
    }
    const Summary summary = summarize(cells);
    REQUIRE(summary.groups.size() == 3);
    REQUIRE(summary.single_best == "fused");
    CHECK(summary.groups[0].variant == "op/plain");
    CHECK(summary.groups[0].dtype == "u8");
    CHECK(summary.groups[0].cells == routed.size());
    CHECK_FALSE(summary.groups[1].worse_than_single_best);
    CHECK(summary.groups[1].to_single_best == 0);
    return summary.groups[0].worse_than_single_best;
  };
  CHECK(group_is_worse({105, 104, 106, 105}));
  CHECK(group_is_worse({105}));
  CHECK_FALSE(group_is_worse({102, 102, 102, 102})); // a tie, however sure
  CHECK_FALSE(group_is_worse({100, 100, 100, 130})); // one odd cell: 7 % ± 7 %
  CHECK_FALSE(group_is_worse({80, 81, 82, 83}));
}

TEST_CASE("A copy differs only beyond its interval and the tie band", "[verify]") {
  CHECK(differs_from_copy(steady(100), steady(104)));
  CHECK(differs_from_copy(steady(104), steady(100)));
  CHECK_FALSE(differs_from_copy(steady(100), steady(102)));
  CHECK_FALSE(differs_from_copy(steady(100), alternating(90, 120))); // not sure
  CHECK_FALSE(differs_from_copy(steady(100, 4), steady(200, 4)));    // too few rounds to tell
}

TEST_CASE("No cells make an empty summary", "[verify]") {
  const Summary summary = summarize({});
  CHECK(summary.cells == 0);
  CHECK(summary.geomean == 0);
  CHECK(summary.gap_closed == 1);
  CHECK(summary.groups.empty());
}

// ---------------------------------------------------------------------------------------------
// The unseen set

TEST_CASE("The unseen set has no problem of the benchmark matrix, and is a star of its own",
          "[verify]") {
  std::set<Extents> measured;
  std::set<std::int64_t> sizes;
  for (const MatrixPoint &point : measure::matrix_points()) {
    measured.insert(point.shape);
    sizes.insert(point.shape[kX] * point.shape[kH] * point.shape[kW]);
  }
  std::set<std::int64_t> channels;
  std::set<LayoutClass> layouts;
  std::set<OutputMode> outputs;
  std::set<std::int64_t> pixels;
  for (const MatrixPoint &point : unseen_points()) {
    CAPTURE(point.shape[kX], point.shape[kH], point.shape[kW], point.shape[kC]);
    CHECK(measured.count(point.shape) == 0);
    CHECK(sizes.count(point.shape[kX] * point.shape[kH] * point.shape[kW]) == 0);
    channels.insert(point.shape[kC]);
    layouts.insert(point.layout);
    outputs.insert(point.output);
    if (point.rank == 3) {
      pixels.insert(point.shape[kH] * point.shape[kW]);
    }
  }
  CHECK(channels == std::set<std::int64_t>{1, 2, 3, 5});
  CHECK(layouts.size() == 5);
  CHECK(outputs.size() == 3);
  CHECK(pixels == std::set<std::int64_t>{37 * 53, 100 * 333, 227 * 227, 333 * 517, 512 * 512,
                                         719 * 1279, 1001 * 1501});
}

TEST_CASE("The cells of every variant and dtype are few, different and can be drawn", "[verify]") {
  const std::vector<int> budgets{1, 2};
  for (const measure::Entry &entry : measure::select("*")) {
    std::map<std::string, std::size_t> counts;
    std::set<std::string> keys;
    for (const MatrixCell &cell :
         measure::cells_at(unseen_points(), *entry.variant, *entry.contract, budgets)) {
      ++counts[cell.cell.dtype + " " + cell.cell.params];
      CHECK(keys.insert(cell.cell.key()).second);
      CHECK_NOTHROW(measure::problem_of(*entry.variant, *entry.contract, cell.cell));
    }
    for (const auto &[group, count] : counts) {
      CAPTURE(entry.variant->name, group);
      CHECK(count >= 25);
      CHECK(count <= 40);
    }
  }
}

TEST_CASE("Shapes that a reviewer names become points for one and for several threads",
          "[verify]") {
  const std::vector<MatrixPoint> points = points_of("37x53x3,4x100x90x1");
  REQUIRE(points.size() == 4);
  CHECK(points[0].shape == Extents{1, 37, 53, 3});
  CHECK(points[0].rank == 3);
  CHECK(points[0].budgets == measure::Budgets::one);
  CHECK(points[1].shape == points[0].shape);
  CHECK(points[1].budgets == measure::Budgets::several);
  CHECK(points[2].shape == Extents{4, 100, 90, 1});
  CHECK(points[2].rank == 4);
  for (const char *bad : {"", "37x53", "37x53x3,", "37x53x0", "37x-53x3", "37x53x3x", "ax53x3",
                          "1x2x3x4x5", "37 x53x3", "99999x99999x99999", "37x53x3;"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(points_of(bad), Contains("HxWxC"));
  }
  CHECK_THROWS_WITH(points_of("3x3x3,7x8"), Catch::StartsWith("\"7x8\""));
  CHECK_THROWS_WITH(points_of("3x3x3,7x8x1,3x3x3"), Catch::StartsWith("\"3x3x3\": is repeated"));
}

TEST_CASE("Any beginning of the order treats all groups alike, and in the end it has all cells",
          "[verify]") {
  const std::vector<std::size_t> sizes{37, 1, 36, 0, 12};
  const std::vector<Turn> order = even_order(sizes);
  std::vector<std::set<std::size_t>> seen(sizes.size());
  for (const Turn &turn : order) {
    CHECK(seen[turn.group].insert(turn.cell).second);
    for (std::size_t group = 0; group < sizes.size(); ++group) {
      const std::size_t fair = std::min(seen[turn.group].size(), sizes[group]);
      CHECK(seen[group].size() + 1 >= fair);
      CHECK(seen[group].size() <= fair + 1);
    }
  }
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    CHECK(seen[group].size() == sizes[group]);
  }
  // A quarter of a group is spread over all of it.
  std::set<std::size_t> quarters;
  for (std::size_t turn = 0, found = 0; found < 9; ++turn) {
    if (order[turn].group == 0) {
      quarters.insert(order[turn].cell / 10);
      ++found;
    }
  }
  CHECK(quarters.size() == 4);
  CHECK(even_order({}).empty());
}

TEST_CASE("Rounds that share a row leave odd and even ones with the whole design each",
          "[verify]") {
  measure::RaceRules rules;
  rules.most_rounds = 8;
  rules.least_rounds = 8;
  rules.rounds_per_row = 2;
  rules.drop_ratio = HUGE_VAL;
  std::vector<std::vector<std::size_t>> orders;
  const measure::Track track{4, [&](int) { orders.emplace_back(); },
                             [&](std::size_t i) {
                               orders.back().push_back(i);
                               return 1.0;
                             }};
  static_cast<void>(measure::race(track, rules));
  REQUIRE(orders.size() == 8);
  for (std::size_t round = 0; round < orders.size(); ++round) {
    CHECK(orders[round] == measure::williams_row(4, round / 2));
  }
}

// ---------------------------------------------------------------------------------------------
// Whole runs, on a clock that only candidates move

namespace {

struct World {
  std::int64_t now = 0;
  std::map<std::string, int> executed; // outside the proof
  std::string route = "quick";
  int route_threads = 1;
  std::string told = "quick"; // what executed() claims
  std::int64_t lookup_ns = 0;
  bool routed_is_wrong = false;
  int routed_calls = 0;
};
World *world = nullptr;

std::int64_t world_now() {
  return world->now;
}

template <int kNs> void run_copy(const Call &call) {
  conformance::copy_elements(*call.in[0], *call.out[0]);
  if (world != nullptr) {
    world->now += kNs;
  }
}

void run_nothing(const Call &) {
  if (world != nullptr) {
    world->now += 1;
  }
}

const char *three_channels(const Call &call) {
  return call.in[0]->channels() == 3 ? nullptr : "three channels only";
}

constexpr std::array<Exactness, kMaxDtypeCases> kBitwise{Exactness::bitwise, Exactness::bitwise};
constexpr Candidate kCandidates[] = {
    {"quick", 1, "fused", nullptr, kBitwise, {1, 1}, Split::none, run_copy<100'000>},
    {"rgb", 1, "lut", three_channels, kBitwise, {1, 1}, Split::none, run_copy<80'000>},
    {"nothing", 1, "bad", nullptr, kBitwise, {1, 1}, Split::none, run_nothing},
    {"splits", 1, "fused", nullptr, kBitwise, {1, 1}, Split::rows, run_copy<150'000>},
    {"absent", 1, "other", nullptr, kBitwise, {1, 1}, Split::none, nullptr},
    {"loop", 1, "loop", nullptr, kBitwise, {1, 1}, Split::rows, run_copy<400'000>},
};
constexpr DtypeCase kDtypes[] = {{"u8", {Dtype::u8}, {Dtype::u8}},
                                 {"f32", {Dtype::f32}, {Dtype::f32}}};
constexpr Variant kCopy{"copy/plain", kDtypes, kCandidates};
constexpr ParamSet kSets[] = {{"plain", true}, {"unmeasured"}};

VariantContract copy_contract() {
  VariantContract contract;
  contract.variant = "copy/plain";
  contract.in_place = true;
  contract.row_local = true;
  contract.param_sets = kSets;
  contract.make_params = [](int, std::int64_t, int, Random &) -> std::shared_ptr<const void> {
    return std::make_shared<int>(0);
  };
  contract.oracle = [](const Call &call, int, std::span<Expected> expected) {
    std::size_t i = 0;
    oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
      const double value = oracle::read(*call.in[0], x, h, w, c);
      expected[i++] = {value, value, value};
    });
  };
  return contract;
}
const VariantContract kCopyContract = copy_contract();

int world_execute(const Candidate &candidate, const Call &call, int threads) {
  ++world->executed[std::string(candidate.id)];
  const std::int64_t before = world->now;
  candidate.run(call);
  if (threads > 1 && candidate.split == Split::rows) {
    world->now = before + (world->now - before) / threads;
    return threads;
  }
  return 1;
}

const Candidate &candidate_of(std::string_view id) {
  return *std::find_if(std::begin(kCandidates), std::end(kCandidates),
                       [&](const Candidate &candidate) { return candidate.id == id; });
}

class WorldRouting final : public Routing {
public:
  [[nodiscard]] int index_of(const Variant &) const override { return 0; }
  void run(int, const Call &call, OutputMode, int budget) const override {
    ++world->routed_calls;
    world->now += world->lookup_ns;
    if (!world->routed_is_wrong) {
      world_execute(candidate_of(world->route), call, std::min(world->route_threads, budget));
    }
  }
  [[nodiscard]] NamedRoute executed() const override {
    return {world->told, world->route_threads, "exact"};
  }
  [[nodiscard]] NamedRoute chosen(int, const Call &, OutputMode, int) const override {
    return {world->route, world->route_threads, "exact"};
  }
  [[nodiscard]] std::string profile() const override { return "world"; }
};

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

VerifyOptions world_options(std::string_view shapes) {
  VerifyOptions options;
  options.points = points_of(shapes);
  options.cell = default_cell_options();
  options.cell.hooks.now = world_now;
  options.cell.hooks.execute = world_execute;
  options.cell.clock_error_ns = 0;
  return options;
}

Verification verify_world(const VerifyOptions &options) {
  const measure::Entry entries[] = {{&kCopy, &kCopyContract}};
  return verify::verify(entries, WorldRouting(), options);
}

const ContenderTimes *find(const CellOutcome &cell, std::string_view candidate, int threads) {
  const auto found =
      std::find_if(cell.times.alternatives.begin(), cell.times.alternatives.end(),
                   [&](const ContenderTimes &alternative) {
                     return alternative.candidate == candidate && alternative.threads == threads;
                   });
  return found == cell.times.alternatives.end() ? nullptr : &*found;
}

} // namespace

TEST_CASE("The routed call races beside every alternative that is proven and accepts", "[verify]") {
  InWorld in_world;
  in_world->lookup_ns = 10'000;
  const Verification result = verify_world(world_options("5x7x3,5x7x1"));
  REQUIRE(result.cells.size() == 4); // two dtypes
  CHECK(result.notes.empty());
  CHECK_FALSE(result.interrupted);
  const CellOutcome &rgb = result.cells[0];
  CHECK(rgb.cell.key() == "u8 5x7x3 contiguous into hot t1 plain");
  CHECK(rgb.complete);
  CHECK(rgb.mismatch.empty());
  CHECK(rgb.times.routed == std::vector<double>(static_cast<std::size_t>(rgb.rounds), 110'000.0));
  REQUIRE(rgb.times.alternatives.size() == 4); // neither "nothing" nor "absent"
  CHECK(find(rgb, "nothing", 1) == nullptr);
  CHECK(find(rgb, "quick", 1)->times == rgb.times.alternatives[rgb.routed_alternative].times);
  // Lookup counts: the route is 110 against 80, where rgb may run, and 110 against 100.
  CHECK(score(rgb.times).regret == Approx(0.375));
  CHECK(rgb.times.alternatives[score(rgb.times).best].candidate == "rgb");
  CHECK(find(result.cells[1], "rgb", 1) == nullptr);
  CHECK(score(result.cells[1].times).regret == Approx(0.1));
  const Summary summary = result.summary();
  CHECK(summary.geomean == Approx(std::sqrt(1.375 * 1.1) - 1));
  CHECK(summary.single_best == "fused");
  CHECK(result.replay_fidelity() == 1);
  CHECK(result.mismatches() == 0);
}

TEST_CASE("Threads compete up to the budget of the cell", "[verify]") {
  InWorld in_world;
  in_world->route = "splits";
  in_world->told = "splits";
  in_world->route_threads = 2;
  VerifyOptions options = world_options("5x7x3");
  options.thread_budgets = {2};
  const Verification result = verify_world(options);
  REQUIRE(result.cells.size() == 2);
  const CellOutcome &cell = result.cells.front();
  CHECK(cell.cell.thread_budget == 2);
  REQUIRE(find(cell, "splits", 2) != nullptr);
  CHECK(find(cell, "splits", 2)->times.front() == 75'000);
  CHECK(find(cell, "quick", 2) == nullptr);
  CHECK(score(cell.times).regret == Approx(0).margin(1e-12));
  CHECK(cell.replayed);

  SECTION("A route's own number of threads joins where it was none of those tried") {
    in_world->route_threads = 3;
    options.thread_budgets = {4};
    const CellOutcome other = verify_world(options).cells.front();
    REQUIRE(find(other, "splits", 3) != nullptr);
    CHECK(other.times.alternatives[other.routed_alternative].threads == 3);
    CHECK(find(other, "splits", 4)->times.front() == 37'500);
    CHECK(score(other.times).regret == Approx(50.0 / 37.5 - 1));
  }
}

TEST_CASE("A call that executes anything but the table's choice is no replay", "[verify]") {
  InWorld in_world;
  const VerifyOptions options = world_options("5x7x3");
  in_world->told = "splits";
  CHECK(verify_world(options).replay_fidelity() == 0);
  in_world->told = "quick";
  CHECK(verify_world(options).replay_fidelity() == 1);
  in_world->route_threads = 2; // promised, but "quick" cannot be divided
  CHECK(verify_world(options).replay_fidelity() == 0);
}

TEST_CASE("A routed call that computes something wrong is told, and so is an unproven route",
          "[verify]") {
  InWorld in_world;
  in_world->routed_is_wrong = true;
  in_world->lookup_ns = 100;
  const Verification wrong = verify_world(world_options("5x7x3"));
  CHECK(wrong.mismatches() == 2);
  REQUIRE(wrong.notes.size() == 2);
  CHECK_THAT(wrong.notes[0], Contains("copy/plain u8 5x7x3") && Contains("routed call is wrong"));
  in_world->routed_is_wrong = false;
  in_world->route = "nothing";
  const Verification unproven = verify_world(world_options("5x7x3"));
  CHECK(unproven.cells.empty());
  REQUIRE(unproven.notes.size() == 2);
  CHECK_THAT(unproven.notes[0], Contains("the route takes nothing") && Contains("proof"));
}

TEST_CASE("A copy of the route's alternative races, and is none of the alternatives", "[verify]") {
  const InWorld in_world;
  VerifyOptions options = world_options("5x7x3");
  options.cell.duplicates = true;
  const Verification result = verify_world(options);
  REQUIRE(result.cells.size() == 2);
  CHECK(result.cells[0].times.alternatives.size() == 4);
  CHECK(result.cells[0].copy == find(result.cells[0], "quick", 1)->times);
  CHECK(result.duplicate_wins() == 0);
  Verification biased = result;
  for (double &time : biased.cells[0].copy) {
    time *= 1.2;
  }
  CHECK(biased.duplicate_wins() == 1);
}

TEST_CASE("A time budget is kept, and spread over the groups", "[verify]") {
  const InWorld in_world;
  VerifyOptions options = world_options("5x7x3,5x7x1,6x7x3,6x7x1,7x8x3,7x8x1,8x9x3,8x9x1");
  const double all_s = verify_world(options).elapsed_s;
  options.budget_s = all_s / 4;
  std::vector<measure::Progress> seen;
  options.progress = [&](const measure::Progress &progress) { seen.push_back(progress); };
  const Verification result = verify_world(options);
  CHECK(result.elapsed_s <= options.budget_s * 1.1);
  CHECK(result.elapsed_s >= options.budget_s * 0.75);
  CHECK(result.skipped > 0);
  CHECK(result.cells.size() + result.skipped == 16);
  REQUIRE_FALSE(result.notes.empty());
  CHECK_THAT(result.notes.front(), Contains("copy/plain: ") && Contains("left out"));
  std::map<std::string, int> by_dtype;
  for (const CellOutcome &cell : result.cells) {
    ++by_dtype[cell.times.dtype];
  }
  CHECK(std::abs(by_dtype["u8"] - by_dtype["f32"]) <= 1);
  REQUIRE(seen.size() == 17);
  CHECK(seen.front().done == 0);
  CHECK(seen.back().done == 16);
}

TEST_CASE("An interruption keeps the cells that were finished", "[verify]") {
  const InWorld in_world;
  VerifyOptions options = world_options("5x7x3,5x7x1");
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.progress = [&](const measure::Progress &progress) { stop = progress.done >= 1; };
  const Verification result = verify_world(options);
  CHECK(result.interrupted);
  CHECK(result.cells.size() == 1);
  CHECK(result.summary().cells == 1);
}

TEST_CASE("Real candidates are verified on two small cells", "[verify]") {
  // Routes that always name the last candidate, so that no table is needed.
  class Floor final : public Routing {
  public:
    explicit Floor(const Variant &variant) : loop_(&variant.candidates.back()) {}
    [[nodiscard]] int index_of(const Variant &) const override { return 0; }
    void run(int, const Call &call, OutputMode, int) const override { loop_->run(call); }
    [[nodiscard]] NamedRoute executed() const override { return {loop_->id, 1, "default"}; }
    [[nodiscard]] NamedRoute chosen(int, const Call &, OutputMode, int) const override {
      return {loop_->id, 1, "default"};
    }
    [[nodiscard]] std::string profile() const override { return "floor"; }

  private:
    const Candidate *loop_;
  };
  const std::vector<measure::Entry> entries = measure::select("multiply_add/scalar");
  REQUIRE(entries.size() == 1);
  VerifyOptions options;
  options.points = points_of("37x53x3");
  options.cell = default_cell_options();
  options.cell.slice_ns = 5e3;
  const Verification result = verify::verify(entries, Floor(*entries.front().variant), options);
  REQUIRE(result.cells.size() == 2);
  for (const CellOutcome &cell : result.cells) {
    CHECK(cell.complete);
    CHECK(cell.mismatch.empty());
    CHECK(cell.replayed);
    CHECK(cell.times.alternatives.size() >= 2);
    CHECK(cell.times.alternatives[cell.routed_alternative].candidate == "loop");
    CHECK(std::isfinite(score(cell.times).regret));
  }
  CHECK(result.summary().groups.size() == 2);
}
