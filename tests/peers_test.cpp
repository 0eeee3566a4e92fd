// Comparisons with peers and with the memory's speed: scores of synthetic times with known answers,
// and planted peers that are known to be faster, slower or wrong, on a clock that only calls move.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/peers/peers.hpp"
#include "bench/peers/python.hpp"
#include "bench/peers/report.hpp"
#include "bench/roofline/roofline.hpp"
#include "candidates/contracts/oracle.hpp"

using namespace switchyard;
using namespace switchyard::peers;
using Catch::Matchers::Contains;
using Json = nlohmann::ordered_json;

namespace {

std::vector<double> steady(double time, std::size_t rounds = 30) {
  return std::vector<double>(rounds, time);
}

evidence::Cell cell_of(const std::string &dtype, std::vector<std::int64_t> shape,
                       const std::string &layout = "contiguous") {
  evidence::Cell cell;
  cell.dtype = dtype;
  cell.shape = std::move(shape);
  cell.layout = layout;
  cell.output = "into";
  cell.cache = "hot";
  cell.params = "plain";
  return cell;
}

PeerTimes times_of(const std::string &variant, double routed, double peer,
                   const evidence::Cell &cell = cell_of("u8", {480, 640, 3})) {
  return {"opencv", variant, cell, "cv::op", steady(routed), steady(peer)};
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Scores

TEST_CASE("Speed-ups are the peer's time over the routed one, by family and op", "[peers]") {
  const PeerScore scored =
      score(std::vector{times_of("add/scalar", 100, 200), times_of("add/vector", 100, 800),
                        times_of("lut/shared", 50, 100), times_of("matmul", 100, 100)});
  CHECK(scored.cells == 4);
  REQUIRE(scored.families.size() == 3);
  CHECK(scored.families.at("pointwise").cells == 2);
  CHECK(scored.families.at("pointwise").geomean_speedup == Approx(4));
  CHECK(scored.families.at("pointwise").min_speedup == Approx(2));
  CHECK(scored.families.at("conversion").geomean_speedup == Approx(2));
  CHECK(scored.families.at("matrix").geomean_speedup == Approx(1));
  CHECK(scored.ops.at("add").cells == 2);
  CHECK(scored.ops.at("lut").min_speedup == Approx(2));
  CHECK(scored.slower.empty());
  CHECK(scored.undecided_cells == 0);
}

TEST_CASE("Frequent problems weigh more", "[peers]") {
  // 0.7 · 0.7 · 0.6 against 0.3 · 0.3 · 0.2, threads alike.
  const evidence::Cell usual = cell_of("u8", {480, 640, 3});
  const evidence::Cell rare = cell_of("f32", {480, 640, 9}, "rows");
  CHECK(weight_of(usual) / weight_of(rare) == Approx(0.294 / 0.018));
  CHECK(weight_of(cell_of("u8_f32", {8, 8, 3})) == Approx(weight_of(cell_of("u8", {8, 8, 3}))));
  evidence::Cell threads = usual;
  threads.thread_budget = 2;
  CHECK(weight_of(usual) / weight_of(threads) == Approx(7.0 / 3));
  const PeerScore scored = score(
      std::vector{times_of("add/scalar", 100, 400, usual), times_of("add/scalar", 100, 100, rare)});
  CHECK(scored.families.at("pointwise").geomean_speedup == Approx(2));
  CHECK(scored.families.at("pointwise").weighted_speedup ==
        Approx(std::exp(std::log(4.0) * 0.294 / (0.294 + 0.018))));
}

TEST_CASE("A cell is slower where all of its corrected interval lies below", "[peers]") {
  std::vector<PeerTimes> cells(400, times_of("add/scalar", 100, 150));
  cells[7] = times_of("add/scalar", 100, 96);  // below
  cells[8] = times_of("add/scalar", 100, 98);  // within the band
  cells[9] = times_of("add/scalar", 100, 90);  // below, and worse
  cells[10] = times_of("add/scalar", 100, 90); // not sure: in a third of the rounds it is faster
  for (std::size_t round = 0; round < cells[10].times.size(); round += 3) {
    cells[10].times[round] = 120;
  }
  const PeerScore scored = score(cells);
  REQUIRE(scored.slower.size() == 2);
  CHECK(scored.slower[0].speedup.estimate == Approx(0.9));
  CHECK(scored.slower[1].speedup.estimate == Approx(0.96));
  CHECK(scored.families.at("pointwise").min_speedup == Approx(0.9));
  // The same doubtful cell alone needs no correction for 400, and is still not sure at 20 of 30.
  CHECK(score(std::span(&cells[10], 1)).slower.empty());
}

TEST_CASE("The correction asks for more rounds the more cells there are", "[peers]") {
  for (const int comparisons : {1, 40, 400, 1200}) {
    CAPTURE(comparisons);
    const auto rounds = static_cast<std::size_t>(rounds_for(comparisons));
    CHECK(evidence::interval_rank(rounds, 0.05 / comparisons) == 2);
    CHECK(evidence::interval_rank(rounds - 1, 0.05 / comparisons) < 2);
  }
  CHECK(rounds_for(1200) > rounds_for(40));
  // With one round too few for any interval, a cell can't be called slower, and that is counted.
  std::vector<PeerTimes> cells(400, times_of("add/scalar", 100, 50));
  for (PeerTimes &cell : cells) {
    cell.routed.resize(8);
    cell.times.resize(8);
  }
  CHECK(score(cells).slower.empty());
  CHECK(score(cells).undecided_cells == 400);
  // A peer that left for being many times slower is decided.
  for (PeerTimes &cell : cells) {
    cell.times = steady(5000, 3);
  }
  CHECK(score(cells).undecided_cells == 0);
}

TEST_CASE("Every op has a family, and every measured variant a public call", "[peers]") {
  std::set<std::string_view> seen;
  for (const measure::Entry &entry : measure::select("*")) {
    CAPTURE(entry.variant->name);
    CHECK(find_public(entry.variant->name) != nullptr);
    seen.insert(family_of(entry.variant->name));
  }
  CHECK(seen.size() == families().size());
  CHECK(family_of("normalize_per_image/image") == "statistics");
  CHECK(family_of("vflip") == "geometry");
  CHECK(find_public("op/unknown") == nullptr);
}

TEST_CASE("The cells are at least 400, of every measured variant and dtype, on one thread",
          "[peers]") {
  RunOptions options;
  options.points.assign(peer_points().begin(), peer_points().end());
  CHECK(cells_in(measure::select("*"), options) >= 400);
  for (const measure::MatrixPoint &point : peer_points()) {
    CHECK(point.output == OutputMode::into);
    CHECK(point.cache == measure::CacheState::hot);
    CHECK(point.budgets == measure::Budgets::one);
    CHECK(point.shape[kH] != point.shape[kW]);
  }
}

TEST_CASE("Every expression names a registered variant", "[peers]") {
  std::set<std::string_view> variants;
  for (const measure::Entry &entry : measure::select("*")) {
    variants.insert(entry.variant->name);
  }
  for (const Peer &peer : library_peers()) {
    CHECK_FALSE(peer.expressions.empty());
    CHECK_FALSE(peer.version().empty());
    for (const Expression &expression : peer.expressions) {
      CAPTURE(std::string(peer.name), std::string(expression.variant));
      CHECK(variants.count(expression.variant) == 1);
      CHECK_FALSE(expression.text.empty());
      CHECK(expression.bind != nullptr);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Planted peers. The op adds 1 to each level, up to 250.

namespace {

std::int64_t world_ns = 0;
int routed_error = 0; // levels by which the routed call is off

std::int64_t world_now() {
  return world_ns;
}

template <class Each> void for_each_element(const Call &call, Each &&each) {
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const auto in = std::to_integer<int>(*call.in[0]->at(x, h, w, c));
    *call.out[0]->at(x, h, w, c) = std::byte(static_cast<unsigned char>(each(in, h)));
  });
}

int plus_one(int level) {
  return std::min(level + 1, 250);
}

void run_loop(const Call &call) {
  world_ns += 800'000;
  for_each_element(call, [](int level, auto) { return plus_one(level); });
}

void run_public(const Call &call, const Options &) {
  world_ns += 100'000;
  for_each_element(call, [](int level, auto) { return plus_one(level) - routed_error; });
}

template <int kNs, int kOff = 0> Bound planted(const Call &call) {
  return [&call] {
    world_ns += kNs;
    for_each_element(call, [](int level, auto) { return plus_one(level) - kOff; });
  };
}

// Right but for the last row: a peer that forgets the end.
Bound forgets(const Call &call) {
  return [&call] {
    world_ns += 10;
    const std::int64_t last = call.in[0]->shape[kH] - 1;
    for_each_element(call, [last](int level, auto h) { return h == last ? 255 : plus_one(level); });
  };
}

Bound does_nothing(const Call &) {
  return [] { world_ns += 10; };
}
Bound throws(const Call &) {
  return [] { throw std::runtime_error("not for this image"); };
}
Bound refuses(const Call &) {
  return {};
}

constexpr std::array<Exactness, kMaxDtypeCases> kBitwise{Exactness::bitwise};
constexpr Candidate kCandidates[] = {
    {"loop", 1, "loop", nullptr, kBitwise, {1, 1}, Split::none, run_loop}};
constexpr DtypeCase kDtypes[] = {{"u8", {Dtype::u8}, {Dtype::u8}}};
constexpr Variant kPlusOne{"plus_one", kDtypes, kCandidates};
constexpr ParamSet kSets[] = {{"plain", true}, {"other", true}, {"unmeasured"}};

const VariantContract kContract = [] {
  VariantContract contract;
  contract.variant = "plus_one";
  contract.row_local = true;
  contract.param_sets = kSets;
  contract.make_params = [](int, std::int64_t, int, Random &) -> std::shared_ptr<const void> {
    return std::make_shared<int>(0);
  };
  contract.oracle = [](const Call &call, int, std::span<Expected> expected) {
    std::size_t i = 0;
    oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
      const double value = plus_one(static_cast<int>(oracle::read(*call.in[0], x, h, w, c)));
      expected[i++] = {value, value, value};
    });
  };
  return contract;
}();

const Public *find_planted(std::string_view) {
  static constexpr Public kPublic{"plus_one", run_public};
  return &kPublic;
}

CellOptions world_cell_options(int comparisons = 1) {
  CellOptions options = default_cell_options(comparisons);
  options.hooks.now = world_now;
  options.clock_error_ns = 0;
  return options;
}

constexpr measure::Entry kEntry{&kPlusOne, &kContract};

CellOutcome race_planted(std::span<const Expression> expressions, Foreign *foreign = nullptr) {
  const Peer peer{"planted", expressions};
  return race_cell(kEntry, cell_of("u8", {6, 9, 3}), *find_planted(""), std::span(&peer, 1),
                   foreign, world_cell_options());
}

const PeerTimes *find(const CellOutcome &outcome, std::string_view peer) {
  const auto found = std::find_if(outcome.peers.begin(), outcome.peers.end(),
                                  [&](const PeerTimes &times) { return times.peer == peer; });
  return found == outcome.peers.end() ? nullptr : &*found;
}

} // namespace

TEST_CASE("A planted peer's speed is measured as it was planted", "[peers]") {
  constexpr Expression kSlow[] = {{"plus_one", "slow", planted<300'000>}};
  const CellOutcome slow = race_planted(kSlow);
  REQUIRE(find(slow, "planted") != nullptr);
  CHECK(slow.notes.empty());
  CHECK(slow.complete);
  CHECK(slow.rounds >= rounds_for(1));
  CHECK(speedup(*find(slow, "planted"), 1).estimate == Approx(3));
  CHECK(speedup(*find(slow, "loop"), 1).estimate == Approx(8));

  constexpr Expression kFast[] = {{"plus_one", "fast", planted<80'000>}};
  const CellOutcome fast = race_planted(kFast);
  REQUIRE(find(fast, "planted") != nullptr);
  CHECK(speedup(*find(fast, "planted"), 1).estimate == Approx(0.8));
  CHECK(score(std::span(find(fast, "planted"), 1)).slower.size() == 1);
}

TEST_CASE("The fastest of a peer's expressions stands for it", "[peers]") {
  constexpr Expression kSeveral[] = {{"plus_one", "slow", planted<300'000>},
                                     {"plus_one", "quick", planted<150'000>},
                                     {"plus_one", "slower", planted<400'000>},
                                     {"plus_one", "refuses", refuses},
                                     {"other", "of another variant", planted<1>}};
  const CellOutcome outcome = race_planted(kSeveral);
  REQUIRE(outcome.peers.size() == 2); // with loop
  CHECK(outcome.peers[0].expression == "quick");
  CHECK(speedup(outcome.peers[0], 1).estimate == Approx(1.5));
}

TEST_CASE("A peer that computes something else is not timed", "[peers]") {
  struct Wrong {
    Bind *bind;
    const char *says;
  };
  for (const Wrong &wrong :
       {Wrong{planted<10, 2>, "out[0] element 0"}, Wrong{does_nothing, "out[0] element"},
        Wrong{forgets, "out[0] element 135"}, // 5 rows of 27
        Wrong{throws, "not for this image"}}) {
    const Expression expression{"plus_one", "wrong", wrong.bind};
    const CellOutcome outcome = race_planted(std::span(&expression, 1));
    CHECK(find(outcome, "planted") == nullptr);
    REQUIRE(outcome.notes.size() == 1);
    CHECK_THAT(outcome.notes[0], Catch::StartsWith("planted, wrong: ") && Contains(wrong.says));
    CHECK(find(outcome, "loop") != nullptr); // the others race
  }
  // One level is another rounding, not another result.
  constexpr Expression kRounds[] = {{"plus_one", "rounds", planted<200'000, 1>}};
  CHECK(find(race_planted(kRounds), "planted") != nullptr);
}

TEST_CASE("A wrong routed call is told and not timed", "[peers]") {
  constexpr Expression kSlow[] = {{"plus_one", "slow", planted<300'000>}};
  routed_error = 1; // by the contract, not even one level is allowed
  const CellOutcome outcome = race_planted(kSlow);
  RunOptions options;
  options.points = {peer_points()[1]};
  options.cell = world_cell_options();
  options.find = find_planted;
  const Comparison comparison = compare(std::span(&kEntry, 1), {}, options);
  routed_error = 0;
  CHECK_THAT(outcome.mismatch, Contains("expected"));
  CHECK(outcome.peers.empty());
  CHECK(comparison.cells == 0);
  CHECK(comparison.mismatches == 2);
  CHECK_THAT(comparison.notes.at(0), Contains("the routed call is wrong"));
}

TEST_CASE("Agreement is one level of integers and a hundred-thousandth of the rest", "[peers]") {
  float f32 = 0;
  const View f32_view = hwc(&f32, 1, 1, 1);
  std::uint8_t u8 = 0;
  const View u8_view = hwc(&u8, 1, 1, 1);
  std::uint64_t u64 = 0;
  const View u64_view = hwc(&u64, 1, 1, 1);
  const auto agree = [](const View &view, double expected, double got) {
    Call call;
    call.out = {&view};
    return disagreement(call, {std::vector{expected}}, {std::vector{got}}).empty();
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CHECK(agree(u8_view, 3, 4));
  CHECK_FALSE(agree(u8_view, 3, 5));
  CHECK(agree(u64_view, 1000, 1000));
  CHECK_FALSE(agree(u64_view, 1000, 1001));
  CHECK(agree(f32_view, 0, 9e-6));
  CHECK_FALSE(agree(f32_view, 0, 2e-5));
  CHECK(agree(f32_view, 1e6, 1e6 + 9));
  CHECK_FALSE(agree(f32_view, 1e6, 1e6 + 11));
  CHECK(agree(f32_view, kNan, kNan));
  CHECK_FALSE(agree(f32_view, kNan, 0));
  CHECK_FALSE(agree(f32_view, 0, kNan));
  CHECK(agree(f32_view, kInf, kInf));
  CHECK_FALSE(agree(f32_view, kInf, -kInf));
  CHECK_FALSE(agree(f32_view, kInf, 1));
  CHECK_FALSE(agree(f32_view, 1, kInf));
}

// ---------------------------------------------------------------------------------------------
// Another process

namespace {

// Two offers: one of 200 µs, and one whose results are wrong.
class PlantedForeign final : public Foreign {
public:
  std::vector<Offer> open(const Variant &variant, const Call &, const Public &) override {
    CHECK(variant.name == "plus_one");
    return {{"far", "right"}, {"farther", "wrong"}};
  }
  void place(const Call &) override { ++placed; }
  void run(std::size_t offer, const Call &call) override {
    for_each_element(call, [&](int level, auto) { return plus_one(level) + (offer == 1 ? 3 : 0); });
  }
  double time(std::size_t offer, std::int64_t calls) override {
    CHECK(offer == 0);
    ++timed;
    return 200'000.0 * static_cast<double>(calls);
  }
  int placed = 0;
  int timed = 0;
};

} // namespace

TEST_CASE("Peers in another process race in the same rounds by their own clock", "[peers]") {
  PlantedForeign foreign;
  const CellOutcome outcome = race_planted({}, &foreign);
  REQUIRE(find(outcome, "far") != nullptr);
  CHECK(speedup(*find(outcome, "far"), 1).estimate == Approx(2));
  CHECK(find(outcome, "far")->times.size() == static_cast<std::size_t>(outcome.rounds));
  CHECK(foreign.timed >= outcome.rounds);
  CHECK(foreign.placed >= outcome.rounds); // buffers move with every round
  CHECK(find(outcome, "farther") == nullptr);
  REQUIRE(outcome.notes.size() == 1);
  CHECK_THAT(outcome.notes[0], Catch::StartsWith("farther, wrong: "));
}

TEST_CASE("A Python that cannot be run is told in one line", "[peers]") {
  CHECK_THROWS_WITH(PythonPeers("no-such-python"), Contains("no-such-python: cannot be run"));
  CHECK_THROWS_WITH(PythonPeers("true"), Contains("the process has ended"));
}

TEST_CASE("Python's libraries compute on shared arrays what the routed call computes", "[peers]") {
  const char *given = std::getenv("SWITCHYARD_PYTHON"); // as for the command
  PythonPeers python(given != nullptr ? given : "python3");
  CHECK(python.libraries().size() + python.missing().size() == 2);
  if (python.libraries().empty()) {
    WARN("neither NumPy nor Albucore is installed");
    return;
  }
  const std::vector<measure::Entry> entries =
      measure::select("multiply_add/scalar,mean_std/per_channel,lut/shared,hflip,from_float");
  for (const measure::Entry &entry : entries) {
    CAPTURE(entry.variant->name);
    const evidence::Cell cell = measure::cells_at(std::span(&peer_points()[1], 1), *entry.variant,
                                                  *entry.contract, std::vector{1})
                                    .front()
                                    .cell;
    CellOptions options = default_cell_options(1);
    options.rules.least_rounds = 3;
    options.rules.most_rounds = 3;
    options.slice_ns = 1e3;
    const CellOutcome outcome =
        race_cell(entry, cell, *find_public(entry.variant->name), {}, &python, options);
    CHECK(outcome.mismatch.empty());
    CHECK(outcome.notes.empty());
    CHECK(find(outcome, python.libraries().front().name) != nullptr);
  }
}

TEST_CASE("The libraries of this build agree with the routed calls on every variant", "[peers]") {
  RunOptions options;
  options.points = {peer_points()[1]};
  options.cell = default_cell_options(1);
  options.cell.rules.least_rounds = 1;
  options.cell.rules.most_rounds = 1;
  options.cell.slice_ns = 1e3;
  std::vector<measure::Entry> entries = measure::select("*");
  std::erase_if(entries, [](const measure::Entry &entry) {
    return !entry.contract->shapes.empty(); // large ones among them
  });
  const Comparison comparison = compare(entries, library_peers(), options);
  CHECK(comparison.mismatches == 0);
  CHECK(comparison.missing.empty());
  CHECK(comparison.notes == std::vector<std::string>{});
  std::set<std::string> variants;
  for (const PeerTimes &cell : comparison.of("loop")) {
    variants.insert(cell.variant);
  }
  CHECK(variants.size() == entries.size());
  for (const Peer &peer : library_peers()) {
    std::set<std::string_view> own;
    for (const Expression &expression : peer.expressions) {
      own.insert(expression.variant);
    }
    std::set<std::string> raced;
    for (const PeerTimes &cell : comparison.of(peer.name)) {
      raced.insert(cell.variant);
    }
    for (const measure::Entry &entry : entries) {
      CAPTURE(std::string(peer.name), std::string(entry.variant->name));
      CHECK(raced.count(std::string(entry.variant->name)) == own.count(entry.variant->name));
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Whole runs and reports

namespace {

Comparison compare_planted() {
  static constexpr Expression kSlow[] = {{"plus_one", "slow", planted<300'000>}};
  static constexpr Expression kFast[] = {{"plus_one", "fast", planted<50'000>}};
  static const Peer kPeers[] = {{"opencv", kSlow}, {"aten", kFast}};
  RunOptions options;
  options.points.assign(peer_points().begin(), peer_points().end());
  std::erase_if(options.points, [](const measure::MatrixPoint &point) {
    return element_count(point.shape) > 70'000; // the oracle takes its time
  });
  options.cell = world_cell_options(10);
  options.find = find_planted;
  return compare(std::span(&kEntry, 1), kPeers, options);
}

} // namespace

TEST_CASE("Of several parameter sets the others are measured at one point", "[peers]") {
  const Comparison comparison = compare_planted();
  CHECK(comparison.skipped == 0);
  CHECK(comparison.missing.empty());
  std::size_t other = 0;
  for (const PeerTimes &cell : comparison.of("opencv")) {
    other += cell.cell.params == "other" ? 1 : 0;
  }
  CHECK(other == 1);
  CHECK(comparison.of("opencv").size() == comparison.cells);
  CHECK(comparison.names() == std::vector<std::string>{"opencv", "aten", "loop"});
}

TEST_CASE("The JSON has the documented fields and the planted answers", "[peers]") {
  const Comparison comparison = compare_planted();
  const Json json = to_json(comparison, {{"opencv", "4.6.0"}});
  CHECK(json.at("cells") == comparison.cells);
  CHECK(json.at("wrong") == 0);
  CHECK(json.at("missing").empty());
  REQUIRE(json.at("peers").size() == 3);
  const Json &opencv = json.at("peers").at("opencv");
  CHECK(opencv.at("version") == "4.6.0");
  CHECK(opencv.at("cells") == comparison.cells);
  CHECK(opencv.at("undecided_cells") == 0);
  CHECK(opencv.at("slower_cells").empty());
  const Json &family = opencv.at("families").at("geometry"); // an op of no family
  CHECK(family.at("cells") == comparison.cells);
  CHECK(family.at("geomean_speedup") == Approx(3));
  CHECK(family.at("weighted_speedup") == Approx(3));
  CHECK(family.at("min_speedup") == Approx(3));
  CHECK(opencv.at("ops").at("plus_one").at("geomean_speedup") == Approx(3));
  const Json &aten = json.at("peers").at("aten");
  REQUIRE(aten.at("slower_cells").size() == comparison.cells);
  const Json &slower = aten.at("slower_cells")[0];
  CHECK(slower.at("variant") == "plus_one");
  CHECK(slower.at("speedup") == Approx(0.5));
  CHECK(slower.at("high") == Approx(0.5));
  CHECK_THAT(slower.at("cell").get<std::string>(), Contains("contiguous into hot t1"));
  for (const Json &cell : details_json(comparison)) {
    for (const char *field : {"peer", "variant", "cell", "expression", "speedup", "low", "high",
                              "routed_ns", "peer_ns", "rounds"}) {
      CHECK(cell.contains(field));
    }
    CHECK(cell.at("routed_ns") == Approx(100'000));
  }
}

TEST_CASE("The text fits 80 columns and the Markdown is a table for each peer", "[peers]") {
  const Comparison comparison = compare_planted();
  const std::string text = to_text(comparison, {{"opencv", "4.6.0"}});
  CHECK_THAT(text, Contains("opencv 4.6.0: ") && Contains("3.00x") && Contains("no slower cell") &&
                       Contains("slower cells, the slowest first"));
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::size_t columns = 0;
    for (std::size_t i = from; i < end; ++i) {
      columns += (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U ? 1 : 0;
    }
    CAPTURE(text.substr(from, end - from));
    CHECK(columns <= 80);
    from = end + 1;
  }
  const std::string markdown = to_markdown(comparison, {});
  CHECK_THAT(markdown, Contains("### opencv") && Contains("### aten") &&
                           Contains("| **geometry** | ") && Contains("| `plus_one` | ") &&
                           Contains("| 0.50x |") && Contains("Slower cells: 0"));
}

// ---------------------------------------------------------------------------------------------
// Roofline

TEST_CASE("The levels are halves of the caches, and memory", "[roofline]") {
  const std::vector<measure::MemoryLevel> memory{
      {"L1", 32 << 10}, {"L2", 512 << 10}, {"L3", 32 << 20}, {"DRAM", 0}};
  const auto levels = roofline::levels_of(memory);
  REQUIRE(levels.size() == 3);
  CHECK(levels[0].name == "l2");
  CHECK(levels[0].bytes == 256 << 10);
  CHECK(levels[1].name == "l3");
  CHECK(levels[1].bytes == 16 << 20);
  CHECK(levels[2].name == "dram");
  CHECK(levels[2].cold);
  CHECK(roofline::levels_of({}).size() == 1);
}

TEST_CASE("Shapes fill a level with all arrays together and are never square", "[roofline]") {
  for (const double per_element : {2.0, 5.0, 8.0, 12.0}) {
    for (const std::int64_t bytes : {std::int64_t{256} << 10, std::int64_t{16} << 20}) {
      const Extents shape = roofline::shape_for(bytes, per_element);
      CHECK(shape[kH] != shape[kW]);
      CHECK(shape[kC] == 3);
      CHECK(static_cast<double>(element_count(shape)) * per_element ==
            Approx(static_cast<double>(bytes)).epsilon(0.01));
    }
  }
  CHECK(roofline::shape_for(1, 12)[kH] >= 1);
}

TEST_CASE("The mean is of the judged ops alone", "[roofline]") {
  const std::vector<roofline::Fraction> fractions{
      {"add/scalar", "f32", "l2", 0.9, 0.9, 0.9},
      {"vflip", "u8", "l2", 0.4, 0.4, 0.4},
      {"vflip", "f32", "l2", 0.01, 0.01, 0.01}, // reported only
      {"power/scalar", "f32", "l2", 0.01, 0.01, 0.01},
      {"vflip", "u8", "l3", 0.5, 0.5, 0.5}};
  CHECK(roofline::geomean(fractions, "l2").value() == Approx(0.6));
  CHECK(roofline::geomean(fractions, "l3").value() == Approx(0.5));
  CHECK_FALSE(roofline::geomean(fractions, "dram").has_value());
  for (const roofline::Judged &judged : roofline::judged()) {
    const std::vector<measure::Entry> entries = measure::select(judged.variant);
    REQUIRE(entries.size() == 1);
    CHECK(std::any_of(
        entries[0].variant->dtypes.begin(), entries[0].variant->dtypes.end(),
        [&](const DtypeCase &dtype) { return dtype.name == judged.dtype && dtype.measured; }));
  }
}

TEST_CASE("The roofline has every image op, dtype and level in the documented form", "[roofline]") {
  roofline::Options options = roofline::default_options();
  options.levels = {{"l2", 128 << 10, false}, {"dram", 1 << 20, true}};
  options.hooks.cold_bytes = 1 << 20;
  options.rounds = 9;
  options.slice_ns = 10e3;
  const roofline::Report report =
      roofline::measure_roofline(measure::select("vflip,matmul"), options);
  CHECK(report.notes.empty());
  CHECK(report.fractions.size() == 3 * 2); // three dtypes, two levels; matrices are left out
  for (const roofline::Fraction &one : report.fractions) {
    CHECK(one.variant == "vflip");
    CHECK(one.fraction > 0);
    CHECK(one.low <= one.fraction);
    CHECK(one.fraction <= one.high);
  }
  const Json json = roofline::to_json(report);
  CHECK(json.at("ops").size() == report.fractions.size());
  for (const Json &op : json.at("ops")) {
    for (const char *field : {"variant", "dtype", "level", "fraction", "low", "high"}) {
      CHECK(op.contains(field));
    }
  }
  CHECK(json.at("geomean").at("l2").is_number());
  CHECK(json.at("geomean").at("l3").is_null());
  CHECK(json.at("geomean").at("dram").is_number());
  CHECK_THAT(roofline::to_text(report), Contains("vflip u8") && Contains("DRAM"));
  CHECK_THAT(roofline::to_markdown(report), Contains("| `vflip u8` | "));
}

TEST_CASE("A slower routed call lowers its fraction by as much", "[roofline]") {
  // The same op twice: as it is, and called four times over.
  static const Public *const kFlip = find_public("vflip");
  static constexpr auto kFourTimes = [](const Call &call, const Options &options) {
    for (int i = 0; i < 4; ++i) {
      kFlip->run(call, options);
    }
  };
  static const Public kSlow{"vflip", kFourTimes};
  roofline::Options options = roofline::default_options();
  options.levels = {{"l2", 128 << 10, false}};
  options.rounds = 9;
  const auto entries = measure::select("vflip");
  const double fraction = roofline::measure_roofline(entries, options).fractions.at(0).fraction;
  options.find = [](std::string_view) -> const Public * { return &kSlow; };
  const double slow = roofline::measure_roofline(entries, options).fractions.at(0).fraction;
  CHECK(fraction / slow > 2); // 4 but for noise between the two runs
  CHECK(fraction / slow < 8);
}
