// Comparing with another revision: the pure parts on synthetic data, and the whole way from a
// commit to a verdict on a small planted repository, with a clock that only candidates move.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/against/build.hpp"
#include "bench/against/comparison.hpp"
#include "bench/against/layout.hpp"
#include "bench/against/load.hpp"
#include "bench/against/pairs.hpp"
#include "bench/against/process.hpp"
#include "bench/measure/campaign.hpp"
#include "candidates/contracts/oracle.hpp"

using namespace switchyard;
using namespace switchyard::against;
using evidence::Cell;
using evidence::Row;
using evidence::Status;
using evidence::VariantEvidence;

namespace fs = std::filesystem;

namespace {

// ---------------------------------------------------------------------------------------------
// An op that copies; a call takes what its candidate says, on a clock that the parameters name.

std::int64_t clock_ns = 0;

std::int64_t planted_now() {
  return clock_ns;
}

struct PlantedParams {
  std::int64_t *now = nullptr;
};

void copy(const Call &call) {
  const ConstView &in = *call.in[0];
  const View &out = *call.out[0];
  const Extents dense = contiguous_strides(in.shape, 1);
  if (in.strides == dense && out.strides == dense) {
    std::memmove(out.mutable_data(), in.data, static_cast<std::size_t>(in.elements()));
    return;
  }
  oracle::for_each_index(in.shape, [&](auto x, auto h, auto w, auto c) {
    std::memcpy(out.at(x, h, w, c), in.at(x, h, w, c), 1);
  });
}

template <int kNs> void run_copy(const Call &call) {
  copy(call);
  *call.params_as<PlantedParams>().now += kNs;
}

constexpr std::array<Exactness, kMaxDtypeCases> kExact{Exactness::bitwise};
constexpr Candidate kNow[] = {
    {"same", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<1000>},
    {"slow", 2, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<2000>},
    {"hopeless", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<40'000>},
    {"quick", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<500>},
    {"added", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<1000>},
    {"absent", 1, "own", nullptr, kExact, {1, 1}, Split::none, nullptr},
    {"loop", 1, "loop", nullptr, kExact, {1, 1}, Split::none, run_copy<3000>},
};
constexpr DtypeCase kBytes[] = {{"u8", {Dtype::u8}, {Dtype::u8}}};
constexpr Variant kCopy{"copy/plain", kBytes, kNow};
constexpr ParamSet kSets[] = {{"plain", true}};

std::shared_ptr<const void> planted_params(int, std::int64_t, int, Random &) {
  return std::make_shared<PlantedParams>(PlantedParams{&clock_ns});
}

VariantContract copy_contract() {
  VariantContract contract;
  contract.variant = kCopy.name;
  contract.param_sets = kSets;
  contract.make_params = planted_params;
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
const measure::Entry kEntry{&kCopy, &kCopyContract};

ModuleCandidate module_row(std::string_view id, std::string_view dtype = "u8") {
  ModuleCandidate row;
  row.variant = kCopy.name;
  row.id = id;
  row.dtypes[0] = dtype;
  row.exactness[0] = static_cast<std::uint8_t>(Exactness::bitwise);
  row.run = run_copy<1000>;
  return row;
}

Pairs pairs_of(const std::vector<ModuleCandidate> &old) {
  return pair_up(std::span(&kEntry, 1), old, "OLD");
}

Row row(std::string candidate, std::vector<double> samples, const char *shape = "24x32x3") {
  Row result;
  result.cell = Cell::parse(std::string("u8 ") + shape + " contiguous into hot t1 plain");
  result.candidate = std::move(candidate);
  result.samples_ns = std::move(samples);
  return result;
}

VariantEvidence measured(std::string name, std::vector<Row> rows) {
  VariantEvidence evidence;
  evidence.variant = std::move(name);
  evidence.rows = std::move(rows);
  return evidence;
}

std::vector<double> times(double time, std::size_t rounds = 25) {
  return std::vector<double>(rounds, time);
}

// ---------------------------------------------------------------------------------------------
// A repository with a small project whose candidates are those above as they were.

// `kNs` of "slow" is what it was before its work was doubled.
constexpr const char *kPlantedSource = R"cpp(
#include <cstring>
#include "candidates/registry.hpp"
namespace switchyard::candidates {
namespace {
struct PlantedParams { std::int64_t *now; };
template <int kNs> void run_copy(const Call &call) {
  const ConstView &in = *call.in[0];
  const View &out = *call.out[0];
  const Extents dense = contiguous_strides(in.shape, 1);
  if (in.strides == dense && out.strides == dense)
    std::memmove(out.mutable_data(), in.data, static_cast<std::size_t>(in.elements()));
  else
    for (std::int64_t x = 0; x < in.shape[kX]; ++x)
      for (std::int64_t h = 0; h < in.shape[kH]; ++h)
        for (std::int64_t w = 0; w < in.shape[kW]; ++w)
          for (std::int64_t c = 0; c < in.shape[kC]; ++c)
            std::memcpy(out.at(x, h, w, c), in.at(x, h, w, c), 1);
  *call.params_as<PlantedParams>().now += kNs;
}
void run_wrong(const Call &) {}
constexpr std::array<Exactness, kMaxDtypeCases> kExact{Exactness::bitwise};
constexpr Candidate kThen[] = {
    {"same", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<1000>},
    {"slow", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<1000>},
    {"hopeless", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<1000>},
    {"quick", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<1000>},
    {"removed", 1, "own", nullptr, kExact, {1, 1}, Split::none, run_copy<1000>},
    {"loop", 1, "loop", nullptr, kExact, {1, 1}, Split::none, run_wrong},
};
constexpr DtypeCase kBytes[] = {{"u8", {Dtype::u8}, {Dtype::u8}}};
constexpr Variant kVariants[] = {{"copy/plain", kBytes, kThen}};
constexpr OpTable kTable{"copy", kVariants};
const OpTable *const kOps[] = {&kTable};
} // namespace
std::span<const OpTable *const> ops() { return kOps; }
} // namespace switchyard::candidates
)cpp";

// ccache, where it is there, makes all runs but the first quick.
constexpr const char *kPlantedProject = R"(
cmake_minimum_required(VERSION 3.25)
project(planted LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
add_library(switchyard_candidates STATIC planted.cpp)
target_include_directories(switchyard_candidates PUBLIC . include)
)";

void write(const fs::path &file, const std::string &text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string text_of(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class PlantedRepository {
public:
  // Fixed places and dates, so that compilers' caches know the files from the last run.
  explicit PlantedRepository(const std::string &name)
      : folder(fs::absolute(fs::path(SWITCHYARD_BINARY_DIR) / "against_repositories" / name)
                   .lexically_normal()),
        source(folder / "repository"), scratch(folder / "scratch") {
    fs::remove_all(folder);
    const fs::path real = SWITCHYARD_SOURCE_DIR;
    write(source / "CMakeLists.txt", kPlantedProject);
    write(source / "planted.cpp", kPlantedSource);
    write(source / "candidates/registry.hpp", text_of(real / "candidates/registry.hpp"));
    write(source / "candidates/copy/params.hpp", "struct Params { int a; };\n");
    fs::create_directories(source / "include/switchyard");
    fs::copy(real / "router/include/switchyard/core", source / "include/switchyard/core");
    setenv("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z", 1);
    setenv("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z", 1);
    git({"init", "--quiet"});
    commit();
  }

  Finished git(const std::vector<std::string> &arguments) const {
    std::vector<std::string> command{"git", "-C", source.string()};
    for (const char *setting : {"user.name=test", "user.email=test@example.org",
                                "commit.gpgsign=false", "core.hooksPath=/dev/null"}) {
      command.insert(command.end(), {"-c", setting});
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    Finished finished = run(command);
    REQUIRE(finished.status == 0);
    return finished;
  }
  void commit() const {
    git({"add", "--all"});
    git({"commit", "--quiet", "--message=planted"});
  }
  // The real build's compiler and options, for this source.
  [[nodiscard]] Build build() const {
    Build result = this_build();
    result.source = source;
    return result;
  }
  [[nodiscard]] fs::path module(const std::string &revision) {
    return build_module(build(), resolve(source, revision), scratch, [this](const auto &line) {
      const std::lock_guard lock(mutex_);
      said.push_back(line);
    });
  }

  fs::path folder;
  fs::path source;
  fs::path scratch;
  std::vector<std::string> said;

private:
  std::mutex mutex_;
};

std::string message_of(const std::function<void()> &body) {
  try {
    body();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::size_t files_in(const fs::path &folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Layouts and texts

TEST_CASE("Layouts agree with themselves, and the first fact that differs is named", "[against]") {
  const std::string text = layout_text();
  CHECK(layout_difference(text, text).empty());
  CHECK(text.find("Call.flags 48+4\n") != std::string::npos);
  CHECK(text.find("ConstView.strides 40+32\n") != std::string::npos);
  CHECK(layout_difference("Call 64\nCall.flags 48+4\n", "Call 72\nCall.flags 56+4\n") ==
        "Call is 64 here, 72 there");
  CHECK(layout_difference("Call 64\nDtype.u8 0\n", "Call 64\n") ==
        "Dtype.u8 is 0 here, none there");
  CHECK(layout_difference("Call 64\n", "Call 64\nCall.more none\n") == "");
  CHECK(layout_difference("Call 64\n", "") == "Call is 64 here, none there");
}

TEST_CASE("Code is the same whatever its comments and white space", "[against]") {
  CHECK(same_code("struct A { int a; };", "// of a\nstruct A {\n  int a; /* a */\n};\n"));
  CHECK(same_code("", "// nothing\n"));
  CHECK_FALSE(same_code("struct A { int a; };", "struct A { int a; int b; };"));
  CHECK_FALSE(same_code("struct A { int a; };", "struct A { long a; };"));
  CHECK_FALSE(same_code("int a; // int b;", "int a;\nint b;"));
  CHECK_FALSE(same_code("inta;", "int/**/a;")); // a comment parts words
  CHECK(same_code("a /* never ends", "a"));
}

TEST_CASE("The last lines of a log are its last lines", "[against]") {
  CHECK(last_lines("a\nb\nc\n", 2) == "b\nc");
  CHECK(last_lines("a\nb\nc", 3) == "a\nb\nc");
  CHECK(last_lines("a\nb\nc", 9) == "a\nb\nc");
  CHECK(last_lines("\nb\n", 1) == "b");
  CHECK(last_lines("", 3).empty());
}

// ---------------------------------------------------------------------------------------------
// Pairs

TEST_CASE("Every candidate that both sides have races in a pair of its own", "[against]") {
  const Pairs pairs = pairs_of({module_row("same"), module_row("removed"), module_row("loop")});
  REQUIRE(pairs.all.size() == 2);
  const Pair &same = *pairs.all[0];
  CHECK(same.name == "copy/plain:same");
  REQUIRE(same.merged.candidates.size() == 3);
  CHECK(same.merged.candidates[0].id == "same@OLD");
  CHECK(same.merged.candidates[0].run == run_copy<1000>);
  CHECK(same.merged.candidates[1].id == "same");
  CHECK(same.merged.candidates[2].id == "loop"); // the floor is last
  CHECK(pairs.spectates(same.merged.candidates[2]));
  CHECK_FALSE(pairs.spectates(same.merged.candidates[1]));
  const Pair &loop = *pairs.all[1];
  REQUIRE(loop.merged.candidates.size() == 2);
  CHECK(loop.merged.candidates[1].id == "loop"); // the floor is one of the pair: it races
  CHECK_FALSE(pairs.spectates(loop.merged.candidates[1]));
  CHECK(pairs.entries().size() == 2);
  CHECK(pairs.find("copy/plain:loop") == &loop);
  CHECK(pairs.find("copy/plain") == nullptr);
}

TEST_CASE("What only one side has is noted, and what neither built is not", "[against]") {
  ModuleCandidate elsewhere = module_row("same");
  elsewhere.variant = "copy/other"; // a variant that was not asked for
  const Pairs pairs =
      pairs_of({module_row("slow"), module_row("hopeless"), module_row("quick"), module_row("loop"),
                module_row("same"), module_row("removed"), elsewhere});
  CHECK(pairs.all.size() == 5);
  CHECK(pairs.notes == std::vector<std::string>{"copy/plain added: not at OLD",
                                                "copy/plain removed: only at OLD"});
}

TEST_CASE("An old candidate supports no dtype that its number does not mean there", "[against]") {
  const Pairs pairs = pairs_of({module_row("same", "f32"), module_row("slow")});
  REQUIRE(pairs.all.size() == 2);
  CHECK(pairs.all[0]->candidates[0].exactness[0] == Exactness::unsupported);
  CHECK(pairs.all[1]->candidates[0].exactness[0] == Exactness::bitwise);
  ModuleCandidate hostile = module_row("same");
  hostile.exactness[0] = 77;
  CHECK(pairs_of({hostile}).all[0]->candidates[0].exactness[0] == Exactness::unsupported);
}

// ---------------------------------------------------------------------------------------------
// Judgement

TEST_CASE("A ratio counts only where its interval leaves the tie band", "[against]") {
  CHECK(judge({1.10, 1.04, 1.20}) == Outcome::slower);
  CHECK(judge({1.10, 1.02, 1.20}) == Outcome::unclear);
  CHECK(judge({1.02, 1.01, 1.03}) == Outcome::same); // surely slower, and by nothing that matters
  CHECK(judge({1.00, 0.98, 1.02}) == Outcome::same);
  CHECK(judge({0.90, 0.85, 0.96}) == Outcome::faster);
  CHECK(judge({0.96, 0.93, 0.98}) == Outcome::unclear);
  CHECK(judge({2.00, 0, HUGE_VAL}) == Outcome::unclear); // too few rounds
}

TEST_CASE("Old and new are compared round by round, in the cells that both have", "[against]") {
  const Pairs pairs = pairs_of({module_row("same"), module_row("slow")});
  std::vector<double> drifting, twice;
  for (int i = 0; i < 25; ++i) { // a drift that is larger than the difference
    drifting.push_back(100 + 20 * i);
    twice.push_back((100 + 20 * i) * 1.1);
  }
  Row threads = row("slow@OLD", times(100));
  threads.threads = 2;
  Row rejected = row("slow", {}, "64x80x3");
  rejected.status = Status::rejected;
  rejected.mismatch = "wrong";
  const std::vector<VariantEvidence> evidence{
      measured("copy/plain:same", {row("same", times(100)), row("same@OLD", times(100, 7))}),
      measured("copy/plain:slow",
               {row("slow", twice), threads, row("slow@OLD", drifting),
                row("slow", times(50), "128x160x3"), row("slow@OLD", times(100), "240x320x3"),
                rejected, row("slow@OLD", times(100), "64x80x3")})};
  const std::vector<Comparison> found = compare(pairs, evidence);
  REQUIRE(found.size() == 2);
  CHECK(found[0].outcome == Outcome::same);
  CHECK(found[0].rounds == 7);
  CHECK(found[1].variant == "copy/plain");
  CHECK(found[1].candidate == "slow");
  CHECK(found[1].ratio.estimate == Approx(1.1));
  CHECK(found[1].outcome == Outcome::slower);
  CHECK(unmatched(pairs, evidence) ==
        std::vector<std::string>{"copy/plain: 1 cells for slow alone",
                                 "copy/plain: 2 cells for slow@OLD alone"});
  const std::vector<Broken> broken = broken_in(pairs, evidence);
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].is_new);
  CHECK(broken[0].mismatch == "wrong");
}

TEST_CASE("Intervals widen with the number of comparisons", "[against]") {
  const Pairs pairs = pairs_of({module_row("same")});
  // 8 rounds decide one comparison, and not twenty at once.
  const auto outcome_of = [&](int cells) {
    VariantEvidence evidence = measured("copy/plain:same", {});
    for (int i = 0; i < cells; ++i) {
      const std::string shape = std::to_string(24 + i) + "x32x3";
      evidence.rows.push_back(row("same", times(200, 8), shape.c_str()));
      evidence.rows.push_back(row("same@OLD", times(100, 8), shape.c_str()));
    }
    return compare(pairs, std::span(&evidence, 1)).front().outcome;
  };
  CHECK(outcome_of(1) == Outcome::slower);
  CHECK(outcome_of(20) == Outcome::unclear);
}

TEST_CASE("Summaries hold the geometric mean and the counts of a candidate's cells", "[against]") {
  Comparison base;
  base.variant = "copy/plain";
  base.candidate = "slow";
  base.cell = row("slow", {}).cell;
  std::vector<Comparison> all(4, base);
  all[0].ratio = {2, 1.9, 2.1};
  all[0].outcome = Outcome::slower;
  all[1].ratio = {0.5, 0.4, 0.6};
  all[1].outcome = Outcome::faster;
  all[2].ratio = {8, 0, HUGE_VAL};
  all[3].candidate = "same";
  all[3].ratio = {1, 0.99, 1.01};
  all[3].outcome = Outcome::same;
  const std::vector<Summary> found = summarize(all);
  REQUIRE(found.size() == 2);
  CHECK(found[0].geomean == Approx(2));
  CHECK(found[0].cells == 3);
  CHECK(found[0].slower == 1);
  CHECK(found[0].faster == 1);
  CHECK(found[0].unclear == 1);
  CHECK(found[1].same == 1);
  CHECK(found[1].dtype == "u8");
}

TEST_CASE("The verdict comes first, and one slower cell or a wrong result is enough", "[against]") {
  Report report;
  report.name = "OLD";
  CHECK(report.verdict() == "nothing to compare with OLD");
  CHECK(report.good());
  Comparison cell;
  cell.variant = "copy/plain";
  cell.candidate = "slow";
  cell.cell = row("slow", {}).cell;
  cell.ratio = {1, 0.99, 1.01};
  cell.outcome = Outcome::same;
  report.comparisons.assign(30, cell);
  report.summaries = summarize(report.comparisons);
  CHECK(report.good());
  CHECK(to_text(report).starts_with("not slower than OLD: 30 comparisons, 30 same, "));
  for (Comparison &c : report.comparisons) {
    c.ratio = {2, 1.9, HUGE_VAL};
    c.outcome = Outcome::slower;
  }
  report.comparisons[4].ratio.estimate = 3;
  report.summaries = summarize(report.comparisons);
  CHECK_FALSE(report.good());
  const std::string text = to_text(report);
  CHECK(text.starts_with("slower than OLD: 30 of 30 comparisons, at worst 3.00 times\n"));
  CHECK(text.find("slower:\n  3.000 [1.900, ?]  slow\n        copy/plain\n        u8 24x32x3") !=
        std::string::npos);
  CHECK(text.find("and 10 more") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["counts"]["slower"] == 30);
  CHECK(json["good"] == false);
  CHECK(json["cells"].size() == 30);
  CHECK(json["cells"][4]["ratio"] == 3);
  CHECK(json["cells"][4]["high"].is_null());
  report.broken.push_back({"copy/plain", "a cell", "slow@OLD", false, "wrong"});
  CHECK(report.verdict().starts_with("slower"));
  report.broken.front().is_new = true;
  CHECK(report.verdict() == "broken: 1 results of new candidates are wrong");
}

// ---------------------------------------------------------------------------------------------
// From a commit to a verdict

TEST_CASE("A candidate that does twice the work is found slower than its revision", "[against]") {
  PlantedRepository repository("verdict");
  const ModuleTable &table = load_module(repository.module("HEAD"), "HEAD");
  const std::span<const ModuleCandidate> old(table.candidates, table.count);
  const Pairs pairs = pair_up(std::span(&kEntry, 1), old, "HEAD");
  measure::CampaignOptions options;
  options.measure.hooks.now = planted_now;
  options.measure.slice_ns = 1; // one call: more of them would tell nothing more
  race_pairs(pairs, options.measure);
  const measure::CampaignReport campaign = measure::run_campaign(pairs.entries(), options);

  Report report;
  report.comparisons = compare(pairs, campaign.measured);
  report.broken = broken_in(pairs, campaign.measured);
  CHECK_FALSE(report.good());
  std::map<std::string, std::size_t> seen;
  for (const Comparison &c : report.comparisons) {
    ++seen[c.candidate];
    CHECK(c.rounds >= 25);
    const double factor = c.candidate == "slow"       ? 2
                          : c.candidate == "hopeless" ? 40
                          : c.candidate == "quick"    ? 0.5
                                                      : 1;
    CHECK(c.ratio.estimate == Approx(factor));
    CHECK(c.outcome == (factor > 1   ? Outcome::slower
                        : factor < 1 ? Outcome::faster
                                     : Outcome::same));
  }
  CHECK(seen.size() == 4); // the old loop is wrong, and the others have no counterpart
  CHECK(seen["hopeless"] > 5);
  CHECK(seen["hopeless"] == seen["same"]);
  REQUIRE_FALSE(report.broken.empty());
  for (const Broken &broken : report.broken) {
    CHECK(broken.candidate == "loop@HEAD");
    CHECK_FALSE(broken.is_new);
  }
}

TEST_CASE("A revision is built once, whoever asks, and an interrupted build is no build",
          "[against]") {
  PlantedRepository repository("cache");
  const std::string files = repository.git({"status", "--porcelain", "--ignored"}).output;
  std::array<fs::path, 2> modules;
  std::thread other([&] { modules[1] = repository.module("HEAD"); });
  modules[0] = repository.module("HEAD^{commit}");
  other.join();
  CHECK(modules[0] == modules[1]);
  const auto built = [&] {
    return std::count_if(repository.said.begin(), repository.said.end(),
                         [](const std::string &line) { return line.starts_with("building "); });
  };
  CHECK(built() == 1);
  CHECK(files_in(repository.scratch) == 2); // the module and its lock

  // As a killed process leaves it: a folder with half of the sources, and no module.
  fs::remove(modules[0]);
  fs::path leftover = modules[0];
  leftover.replace_extension(".building");
  write(leftover / "source/CMakeLists.txt", "message(FATAL_ERROR half)");
  write(leftover / "build/candidates.so", "half a module");
  write(leftover / "build/CMakeCache.txt", "CMAKE_GENERATOR:INTERNAL=Unix Makefiles\n");
  CHECK(repository.module("HEAD") == modules[0]);
  CHECK(built() == 2);
  CHECK_FALSE(fs::exists(leftover));
  CHECK(load_module(modules[0], "HEAD").count == 6);

  // Other options, another module.
  Build options = repository.build();
  options.options.emplace_back("-DPLANTED=1");
  CHECK(build_module(options, resolve(repository.source, "HEAD"), repository.scratch,
                     [](const auto &) {}) != modules[0]);
  CHECK(repository.git({"status", "--porcelain", "--ignored"}).output == files);
  CHECK(repository.git({"worktree", "list", "--porcelain"}).output.rfind("worktree ") == 0);
}

TEST_CASE("A revision whose calls are laid out differently is refused by name", "[against]") {
  PlantedRepository repository("layout");
  const fs::path header = repository.source / "include/switchyard/core/candidate.hpp";
  std::string text = text_of(header);
  const std::string field = "  std::uint32_t flags = 0;\n";
  REQUIRE(text.find(field) != std::string::npos);
  text.insert(text.find(field), "  std::int64_t more = 0;\n");
  write(header, text);
  repository.commit();
  const fs::path module = repository.module("HEAD");
  const std::string message = message_of([&] { static_cast<void>(load_module(module, "HEAD")); });
  CHECK(message.starts_with("--against HEAD: calls are laid out differently: Call is "));
  const fs::path other = repository.scratch / "other.so"; // the module itself is in use
  write(other, "no module");
  CHECK(message_of([&] { static_cast<void>(load_module(other, "HEAD")); }).find(other.string()) !=
        std::string::npos);
}

TEST_CASE("A revision that does not build says where its log is and how it ends", "[against]") {
  PlantedRepository repository("broken");
  write(repository.source / "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.25)\nproject(planted LANGUAGES NONE)\n"
        "message(FATAL_ERROR \"no compiler pleases me\")\n");
  repository.commit();
  const std::string message = message_of([&] { static_cast<void>(repository.module("HEAD")); });
  CHECK(message.starts_with("--against HEAD: "));
  CHECK(message.find("no compiler pleases me") != std::string::npos);
  const std::size_t from = message.find("build; ") + 7;
  CHECK(fs::exists(message.substr(from, message.find(" ends\n") - from)));
}

TEST_CASE("Revisions are names of commits of the source's repository", "[against]") {
  PlantedRepository repository("names");
  const auto message = [](const fs::path &source, const std::string &name) {
    return message_of([&] { static_cast<void>(resolve(source, name)); });
  };
  CHECK(resolve(repository.source, "HEAD").commit ==
        repository.git({"rev-parse", "HEAD"}).output.substr(0, 40));
  for (const char *name : {"nowhere", "HEAD~7", "", "-h", "--all", "HEAD:planted.cpp", "a b;c"}) {
    CHECK(message(repository.source, name) ==
          std::string("--against ") + name + ": no such commit in " + repository.source.string());
  }
  CHECK(message("/", "HEAD") == "--against HEAD: / is in no git repository");
  CHECK(message(repository.folder / "gone", "HEAD").find("no longer there") != std::string::npos);
}

TEST_CASE("Ops whose parameters another revision defines differently are found", "[against]") {
  PlantedRepository repository("params");
  const Revision before = resolve(repository.source, "HEAD");
  const auto differing = [&] {
    return ops_of_other_params(repository.source, before, {"copy", "without"});
  };
  CHECK(differing().empty());
  const fs::path file = repository.source / "candidates/copy/params.hpp";
  write(file, "// Of copy.\nstruct Params {\n  int a;\n};\n");
  CHECK(differing().empty());
  write(file, "struct Params { int a; int b; };\n");
  CHECK(differing() == std::vector<std::string>{"copy"});
  fs::remove(file);
  CHECK(differing() == std::vector<std::string>{"copy"});
}

TEST_CASE("Other programs run without a shell, and their status is theirs", "[against]") {
  const Finished echoed = run({"echo", "$HOME; exit 3"});
  CHECK(echoed.output == "$HOME; exit 3\n");
  CHECK(echoed.status == 0);
  CHECK(run({"false"}).status == 1);
  CHECK(run({"sh", "-c", "kill -9 $$"}).status == 128 + 9);
  CHECK(message_of([] {
          static_cast<void>(run({"no-such-program"}));
        }).starts_with("no-such-program: cannot be run: "));
}
