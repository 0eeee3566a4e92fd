// Campaigns that end in every way: finished, stopped, killed, resumed, shared out, out of time;
// and what they measure again once it is stale. The clock is one that only candidates move.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/conformance/memory.hpp"
#include "bench/measure/campaign.hpp"
#include "candidates/contracts/oracle.hpp"
#include "evidence/context.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace switchyard;
using namespace switchyard::measure;
using evidence::Cell;
using evidence::EvidenceError;
using evidence::Row;
using evidence::Status;
using evidence::VariantEvidence;
namespace fs = std::filesystem;

using switchyard::test::get;
using switchyard::test::put;
using switchyard::test::TemporaryFolder;

namespace {

// ---------------------------------------------------------------------------------------------
// A world with an op that copies

std::int64_t g_now = 0;

std::int64_t world_now() {
  return g_now;
}

template <int kNs> void run_copy(const Call &call) {
  const ConstView &in = *call.in[0];
  const Extents dense = contiguous_strides(in.shape, 1);
  if (in.strides == dense && call.out[0]->strides == dense) {
    std::memmove(call.out[0]->mutable_data(), in.data, static_cast<std::size_t>(in.elements()));
  } else {
    conformance::copy_elements(in, *call.out[0]);
  }
  g_now += kNs;
}

int world_execute(const Candidate &candidate, const Call &call, int threads) {
  const std::int64_t before = g_now;
  candidate.run(call);
  g_now += candidate.backend.empty() ? 1000 : 0; // a traffic twin: real, but quick here
  if (threads > 1 && candidate.split == Split::rows) {
    g_now = before + (g_now - before) / threads;
    return threads;
  }
  return 1;
}

const char *one_channel(const Call &call) {
  return call.in[0]->channels() == 1 ? nullptr : "one channel only";
}

const char *few_pixels(const Call &call) {
  return call.in[0]->elements() < 3000 ? nullptr : "fewer than 3000 elements only";
}

constexpr auto kBitwise = std::array<Exactness, kMaxDtypeCases>{Exactness::bitwise};

constexpr Candidate candidate(std::string_view id, std::string_view backend, Run *run,
                              int version = 1, Domain *domain = nullptr) {
  return {id, version, backend, domain, kBitwise, {1, 1}, Split::none, run};
}

constexpr Candidate kCandidates[] = {
    candidate("fast", "fused", run_copy<100'000>),
    candidate("lib_a", "lib_a", run_copy<110'000>),
    candidate("lib_b", "lib_b", run_copy<115'000>),
    candidate("loop", "loop", run_copy<120'000>),
};
constexpr Candidate kChanged[] = {
    kCandidates[0],
    candidate("lib_a", "lib_a", run_copy<90'000>, 2),
    kCandidates[2],
    kCandidates[3],
};
constexpr Candidate kGrown[] = {
    kCandidates[0],
    kCandidates[1],
    kCandidates[2],
    candidate("grey", "fused", run_copy<80'000>, 1, one_channel),
    candidate("tiny", "fused", run_copy<80'000>, 1, few_pixels),
    candidate("absent", "lib_c", nullptr),
    kCandidates[3],
};
constexpr Candidate kFew[] = {kCandidates[0], kCandidates[3]};
constexpr Candidate kSplitting[] = {
    {"wide", 1, "fused", nullptr, kBitwise, {1, 1}, Split::rows, run_copy<400'000>},
    kCandidates[3],
};

constexpr DtypeCase kBytes[] = {{"u8", {Dtype::u8}, {Dtype::u8}}};
constexpr ParamSet kSets[] = {{"plain", true}};

VariantContract copy_contract() {
  VariantContract contract;
  contract.variant = "copy/plain";
  contract.in_place = false;
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

const VariantContract kContract = copy_contract();
constexpr Variant kCopy{"copy/plain", kBytes, kCandidates};
constexpr Variant kCopyChanged{"copy/plain", kBytes, kChanged};
constexpr Variant kCopyGrown{"copy/plain", kBytes, kGrown};
constexpr Variant kFirst{"copy/first", kBytes, kFew};
constexpr Variant kSecond{"copy/second", kBytes, kFew};
constexpr Variant kThird{"third", kBytes, kFew};
constexpr Variant kSplit{"split", kBytes, kSplitting};

const Entry kOne[] = {{&kFirst, &kContract}};
const Entry kTwo[] = {{&kFirst, &kContract}, {&kSecond, &kContract}};
const Entry kThree[] = {{&kFirst, &kContract}, {&kSecond, &kContract}, {&kThird, &kContract}};
const Entry kFull[] = {{&kCopy, &kContract}};

evidence::Machine make_machine() {
  evidence::Machine machine;
  machine.profile = "x86_64-test-2c";
  machine.facts = {
      {"cpu",
       {{"architecture", "x86_64"},
        {"vendor", "amd"},
        {"family", "25"},
        {"model", "17"},
        {"stepping", "1"},
        {"microcode", "0x1"},
        {"isa", "sse2 avx2"},
        {"cores", "2"}}},
      {"system", {{"virtualisation", "guest"}, {"load_average", "0.1"}}},
      {"compiler", {{"name", "gcc"}, {"version", "12.2"}, {"flags", "-O3"}}},
      {"harness", {{"version", "2"}}},
      {"libraries", {{"fused", "1.0"}, {"lib_a", "4.6"}, {"lib_b", "1.13"}}},
      {"capabilities", {{"fused", "AVX2"}, {"lib_a", "AVX2"}, {"lib_b", "AVX512"}}},
      {"library_threads", {{"lib_a", "2"}, {"lib_b", "1"}}},
  };
  return machine;
}

MeasureOptions world_options() {
  MeasureOptions options = options_for(Mode::quick);
  options.clock_error_ns = 0;
  options.hooks.now = world_now;
  options.hooks.execute = world_execute;
  options.machine = make_machine();
  return options;
}

// Proofs of large cells would take most of a test's time.
bool small(const Cell &cell) {
  return cell.elements() <= 128 * 160 * 3;
}

CampaignOptions world_campaign(const fs::path &folder = {}) {
  CampaignOptions options;
  options.measure = world_options();
  options.profile_folder = folder;
  options.request = {{"mode", "quick"}, {"--ops", "*"}};
  options.wanted = small;
  return options;
}

std::size_t cells_of_matrix(std::span<const Entry> entries) {
  const int budgets[] = {1};
  const std::vector<Step> steps = matrix_steps(entries, Mode::quick, budgets);
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [](const Step &step) { return small(step.cell); }));
}

// ---------------------------------------------------------------------------------------------
// Files and processes

using Names = std::set<std::string>;

// The cells that a profile has evidence of. Reads every file, so that a broken one fails the test.
Names cells_in(const fs::path &folder, std::span<const Entry> entries) {
  Names names;
  for (const Entry &entry : entries) {
    const fs::path file = folder / (std::string(entry.variant->name) + ".json");
    if (fs::exists(file)) {
      for (const Row &row : evidence::read_variant(file).rows) {
        names.insert(fmt::format("{}#{}", entry.variant->name, row.cell.key()));
      }
    }
  }
  return names;
}

// What a campaign announces, in order: the name of each cell before it is measured.
std::function<void(const Progress &)> announce_to(std::vector<std::string> &names) {
  return [&names](const Progress &progress) {
    if (!progress.variant.empty()) {
      names.push_back(fmt::format("{}#{}", progress.variant, progress.cell));
    }
  };
}

CampaignReport stopped_after(std::size_t cells, std::span<const Entry> entries,
                             CampaignOptions options) {
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.progress = [&](const Progress &progress) { stop = stop || progress.done == cells; };
  return run_campaign(entries, options);
}

// Runs a campaign in a process of its own and kills it `patience` after its `announcements`-th cell
// has begun. Returns what it had announced. `finished` says whether it was faster.
std::vector<std::string> killed_campaign(std::span<const Entry> entries, CampaignOptions options,
                                         std::size_t announcements,
                                         std::chrono::microseconds patience, bool &finished) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    options.progress = [&](const Progress &progress) {
      const std::string line = fmt::format("{}#{}\n", progress.variant, progress.cell);
      if (!progress.variant.empty() && ::write(ends[1], line.data(), line.size()) < 0) {
        ::_exit(2);
      }
    };
    int result = 1;
    try {
      static_cast<void>(run_campaign(entries, options));
      result = 0;
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(result);
  }
  ::close(ends[1]);
  std::vector<std::string> names;
  std::string line;
  bool killed = false;
  for (char c = 0; ::read(ends[0], &c, 1) == 1;) { // until its end of the pipe is closed
    if (c != '\n') {
      line += c;
      continue;
    }
    names.push_back(std::exchange(line, ""));
    if (names.size() == announcements && !killed) {
      std::this_thread::sleep_for(patience);
      ::kill(child, SIGKILL);
      killed = true;
    }
  }
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  finished = WIFEXITED(status);
  CHECK((!finished || WEXITSTATUS(status) == 0));
  return names;
}

std::string complaint_of(const std::function<void()> &action) {
  try {
    action();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Interruptions

TEST_CASE("A campaign that is stopped goes on where it ended, and leaves no journal at its end") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  const CampaignReport first = stopped_after(5, kTwo, options);
  CHECK(first.interrupted);
  CHECK(first.resumable);
  CHECK(first.cells == 5);
  const Names before = cells_in(folder.path(), kTwo);
  CHECK(before.size() == 5);
  const std::string text = get(folder.path() / "copy/first.json");

  options.resume = true;
  std::vector<std::string> announced;
  options.progress = announce_to(announced);
  const CampaignReport second = run_campaign(kTwo, options);
  CHECK_FALSE(second.interrupted);
  CHECK(second.resumed == 5);
  CHECK(second.cells + 5 == cells_of_matrix(kTwo));
  CHECK(announced.size() == second.cells);
  for (const std::string &name : announced) {
    CHECK_FALSE(before.contains(name));
  }
  CHECK(cells_in(folder.path(), kTwo).size() == cells_of_matrix(kTwo));
  CHECK_FALSE(fs::exists(folder.path() / ".campaign"));
  CHECK_THAT(complaint_of([&] { static_cast<void>(run_campaign(kTwo, options)); }),
             Catch::StartsWith("--resume: there is no interrupted campaign in "));
  CHECK_FALSE(fs::exists(folder.path() / ".campaign"));
}

TEST_CASE("A stop before the first cell is a clean end as well") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  std::atomic<bool> stop{true};
  options.stop = &stop;
  bool described = false;
  options.before_first_cell = [&] { described = true; };
  const CampaignReport report = run_campaign(kTwo, options);
  CHECK(report.interrupted);
  CHECK(report.cells == 0);
  CHECK_FALSE(described);
  options.stop = nullptr;
  options.resume = true;
  CHECK(run_campaign(kTwo, options).cells == cells_of_matrix(kTwo));
}

TEST_CASE("Another request, or another machine, is not resumed") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  static_cast<void>(stopped_after(3, kTwo, options));
  options.resume = true;
  const auto complaint = [&](const CampaignOptions &changed) {
    return complaint_of([&] { static_cast<void>(run_campaign(kTwo, changed)); });
  };
  CampaignOptions changed = options;
  changed.request["--ops"] = "hflip";
  CHECK(complaint(changed) == "--resume: the interrupted campaign had --ops \"*\", not \"hflip\"");
  changed = options;
  changed.measure.machine.facts["libraries"]["lib_a"] = "4.7"; // no candidate of these entries
  CHECK_FALSE(complaint(changed).starts_with("--resume: the machine"));

  static_cast<void>(stopped_after(3, kTwo, world_campaign(folder.path())));
  changed = options;
  changed.measure.machine.facts["libraries"]["fused"] = "2.0";
  CHECK_THAT(complaint(changed), Catch::StartsWith("--resume: the machine, its libraries or this"));
  CHECK(cells_in(folder.path(), kTwo).size() >= 3); // nothing was lost by refusing
  CHECK(run_campaign(kTwo, options).resumed == 3);
}

TEST_CASE("Killed again and again, a campaign loses the cell in hand alone and ends complete") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  options.merge_every_s = GENERATE(0.0, 1e9); // by evidence files, and by the journal
  std::mt19937_64 random(7);
  Names safe; // cells that were finished before a kill
  bool finished = false;
  int kills = 0;
  while (!finished && kills < 200) {
    const auto patience = std::chrono::microseconds(random() % 30'000);
    const std::vector<std::string> announced =
        killed_campaign(kThree, options, 1 + random() % 4, patience, finished);
    options.resume = options.resume || interrupted_request(folder.path()).has_value();
    kills += finished ? 0 : 1;
    for (const std::string &name : announced) {
      CHECK_FALSE(safe.contains(name)); // never measured twice
    }
    if (!announced.empty()) {
      safe.insert(announced.begin(), announced.end() - 1); // but the cell in hand
    }
    // Every file reads, and everything safe is in the evidence or in the journal.
    Names there = cells_in(folder.path(), kThree);
    if (!finished) {
      const JournalContents left = parse_journal(get(folder.path() / ".campaign"), "journal");
      for (const DoneCell &cell : left.unmerged) {
        there.insert(cell.name);
      }
    }
    CHECK(std::includes(there.begin(), there.end(), safe.begin(), safe.end()));
  }
  CHECK(finished);
  CHECK(kills > 0);
  CHECK(cells_in(folder.path(), kThree).size() == cells_of_matrix(kThree));
  CHECK_FALSE(fs::exists(folder.path() / ".campaign"));
}

TEST_CASE("A campaign that starts anew keeps the cells that a killed one had finished") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  options.merge_every_s = 1e9;
  // What a kill after three cells leaves: a journal with their rows, and a torn line.
  static_cast<void>(stopped_after(3, kOne, options));
  const VariantEvidence measured = evidence::read_variant(folder.path() / "copy/first.json");
  std::string journal = get(folder.path() / ".campaign");
  REQUIRE(journal.ends_with("merged\n"));
  journal.resize(journal.size() - std::strlen("merged\n"));
  fs::remove(folder.path() / "copy/first.json");
  put(folder.path() / ".campaign", journal + "cell\tcopy/first#u8 24x32");

  const CampaignReport report = stopped_after(0, kTwo, options);
  CHECK(report.cells == 0);
  CHECK(to_json(evidence::read_variant(folder.path() / "copy/first.json")) == to_json(measured));
}

TEST_CASE("Two campaigns of one profile at once keep each other's cells") {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (const int index : {1, 2}) {
    children.push_back(::fork());
    if (children.back() == 0) {
      CampaignOptions options = world_campaign(folder.path());
      options.shard = {index, 2};
      options.merge_every_s = 0;
      int result = 1;
      try {
        result = run_campaign(kTwo, options).interrupted ? 2 : 0;
      } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
      ::_exit(result);
    }
  }
  for (const pid_t child : children) {
    int status = 1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(cells_in(folder.path(), kTwo).size() == cells_of_matrix(kTwo));
}

TEST_CASE("A campaign beside another one saves every cell at once and says what it cannot do") {
  const TemporaryFolder folder;
  const std::unique_ptr<Journal> other = Journal::open(folder.path());
  REQUIRE(other != nullptr);
  other->begin({{"--ops", "other"}});
  CampaignOptions options = world_campaign(folder.path());
  options.merge_every_s = 1e9;
  std::size_t on_disk = 0;
  options.progress = [&](const Progress &progress) {
    CHECK(cells_in(folder.path(), kOne).size() == progress.done);
    ++on_disk;
  };
  const CampaignReport report = run_campaign(kOne, options);
  CHECK(on_disk == cells_of_matrix(kOne) + 1);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::Contains("cannot be resumed"));
  CHECK(interrupted_request(folder.path())->at("--ops") == "other");
  options.resume = true;
  CHECK(complaint_of([&] { static_cast<void>(run_campaign(kOne, options)); }) ==
        "--resume: the campaign of this profile is still running");
}

// ---------------------------------------------------------------------------------------------
// The journal as a file

TEST_CASE("A journal cut at any byte keeps its whole lines") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  options.merge_every_s = 1e9;
  static_cast<void>(stopped_after(2, kOne, options));
  const std::string text = get(folder.path() / ".campaign");
  const auto lines = [](std::string_view part) {
    return static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
  };
  REQUIRE(lines(text) == 4); // request, two cells, merged
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string_view part = std::string_view(text).substr(0, size);
    const JournalContents contents = parse_journal(part, "j");
    const std::size_t cells = std::min<std::size_t>(lines(part) - (lines(part) > 0 ? 1 : 0), 2);
    REQUIRE(contents.done.size() == cells);
    REQUIRE(contents.unmerged.size() == (lines(part) == 4 ? 0 : cells));
    REQUIRE(contents.request.empty() == (lines(part) == 0));
  }
}

TEST_CASE("What is no journal is refused with its line, and nothing is measured") {
  const TemporaryFolder folder;
  const fs::path journal = folder.path() / ".campaign";
  const CampaignOptions options = world_campaign(folder.path());
  const auto complaint = [&] {
    const std::string what = complaint_of([&] { static_cast<void>(run_campaign(kOne, options)); });
    CHECK_FALSE(fs::exists(folder.path() / "copy/first.json"));
    return what.starts_with(journal.string() + ": ") ? what.substr(journal.string().size() + 2)
                                                     : what;
  };
  put(journal, "something else\n");
  CHECK_THAT(complaint(), Catch::StartsWith("line 1: no journal of a campaign"));
  put(journal, "campaign 2\t--ops=*\n");
  CHECK_THAT(complaint(), Catch::StartsWith("line 1: no journal of a campaign"));
  put(journal, "campaign 1\t--ops=*\nnonsense\n");
  CHECK_THAT(complaint(), Catch::StartsWith("line 2: no line of a campaign"));
  put(journal, "campaign 1\t--ops=*\ncell\tcopy/first#x\tcells\t{\"schema\":2}\n");
  CHECK_THAT(complaint(), Catch::StartsWith("line 2: /variant: missing"));
  put(journal, "campaign 1\t--ops=*\nmerged\ncell\tcopy/first#x\tpile\t{}\n");
  CHECK_THAT(complaint(), Catch::StartsWith("line 3: no line of a campaign"));
  put(journal, "");
  fs::resize_file(journal, std::uintmax_t{1} << 30); // sparse
  CHECK(complaint() == "larger than 64 MB");
  fs::remove(journal);
  fs::create_directory(journal);
  CHECK_THAT(complaint(), Catch::StartsWith("cannot be opened: Is a directory"));
  fs::remove(journal);
  REQUIRE(::mkfifo(journal.c_str(), 0644) == 0);
  CHECK(complaint() == "not a regular file");
  CHECK_THAT(complaint_of([&] { static_cast<void>(interrupted_request(folder.path())); }),
             Catch::EndsWith("not a regular file"));
  fs::remove(journal);
  fs::create_symlink("elsewhere", journal);
  CHECK_THAT(complaint(), Catch::StartsWith("cannot be opened: "));
}

TEST_CASE("A folder that cannot be written ends a campaign before it measures") {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0555));
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534; // permissions bind nobody who is root
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) {
      ::_exit(77);
    }
    bool measured = false;
    CampaignOptions options = world_campaign(folder.path());
    options.progress = [&](const Progress &) { measured = true; };
    const std::string what = complaint_of([&] { static_cast<void>(run_campaign(kOne, options)); });
    ::_exit(!measured && what.ends_with(".campaign: cannot be opened: Permission denied") ? 0 : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    WARN("1 test skipped: root's rights cannot be given up here");
    return;
  }
  CHECK(status == 0);
}

TEST_CASE("A full disk ends a campaign with one line and spoils no evidence") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  static_cast<void>(stopped_after(2, kOne, options));
  const std::string before = get(folder.path() / "copy/first.json");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300, 300}; // less than a line of the journal
    const bool set = ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    const std::string what = complaint_of([&] { static_cast<void>(run_campaign(kOne, options)); });
    ::_exit(!set ? 2 : what.ends_with(".campaign: cannot be written: File too large") ? 0 : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(get(folder.path() / "copy/first.json") == before);
  options.resume = true;
  CHECK(run_campaign(kOne, options).cells == cells_of_matrix(kOne)); // the torn line is left out
}

// ---------------------------------------------------------------------------------------------
// Shards

TEST_CASE("Every cell is in exactly one shard, and shards weigh about the same") {
  const int budgets[] = {1};
  const std::vector<Step> all = matrix_steps(kThree, Mode::full, budgets);
  double total = 0;
  double heaviest = 0;
  for (const Step &step : all) {
    total += step.plan.weight;
    heaviest = std::max(heaviest, step.plan.weight);
  }
  for (int count = 1; count <= 7; ++count) {
    Names seen;
    double most = 0;
    double least = total;
    for (int index = 1; index <= count; ++index) {
      double weight = 0;
      for (const Step &step : shard_of(all, {index, count})) {
        CHECK(seen.insert(name_of(kThree, step)).second);
        weight += step.plan.weight;
      }
      most = std::max(most, weight);
      least = std::min(least, weight);
    }
    CHECK(seen.size() == all.size());
    CHECK(most - least <= heaviest);
  }
}

TEST_CASE("Profiles of shards merge into what one campaign would have measured") {
  const TemporaryFolder folder;
  Names all;
  evidence::Profile merged;
  for (int index = 1; index <= 3; ++index) {
    CampaignOptions options = world_campaign(folder.path() / std::to_string(index));
    options.shard = {index, 3};
    static_cast<void>(run_campaign(kTwo, options));
    evidence::write(options.profile_folder, make_machine());
    const evidence::Profile part = evidence::read_profile(options.profile_folder);
    if (index == 1) {
      merged = part;
    } else {
      CHECK(evidence::merge_profile(merged, part).conflicts.empty());
    }
  }
  for (const auto &[name, variant] : merged.variants) {
    evidence::write(folder.path() / "merged", variant);
  }
  CHECK(cells_in(folder.path() / "merged", kTwo).size() == cells_of_matrix(kTwo));
}

// ---------------------------------------------------------------------------------------------
// Budgets

// Which steps of a second each a budget keeps before the first.
std::vector<bool> kept_within(double seconds, const std::vector<Step> &steps) {
  Budget budget(seconds);
  for (int i = 0; i < 10000; ++i) {
    budget.record(1, 1, 1);
  }
  std::vector<PlannedCell> plans;
  for (const Step &step : steps) {
    plans.push_back(step.plan);
  }
  return budget.fit(plans, 0);
}

TEST_CASE("A budget gives up the same part of every variant") {
  std::vector<Step> steps;
  for (std::size_t entry = 0; entry < 3; ++entry) {
    for (int i = 0; i < 10 * (static_cast<int>(entry) + 1); ++i) {
      Step step;
      step.entry = entry;
      step.plan = {1, i % 2 == 0 ? Priority::detail : Priority::base};
      steps.push_back(step);
    }
  }
  put_important_first(steps);
  CHECK(steps.front().plan.priority == Priority::base);
  CHECK(steps.back().plan.priority == Priority::detail);
  const std::vector<bool> kept = kept_within(45, steps); // of 60; 30 of them are details
  std::map<std::size_t, int> details;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].plan.priority == Priority::base) {
      CHECK(kept[i]);
    } else {
      details[steps[i].entry] += kept[i] ? 1 : 0;
    }
  }
  CHECK(std::abs(details[0] - 2) <= 1); // half of 5, 10 and 15
  CHECK(std::abs(details[1] - 5) <= 1);
  CHECK(std::abs(details[2] - 7) <= 1);
}

TEST_CASE("A budget gives up the same part of every dtype of a variant") {
  std::vector<Step> steps;
  for (const char *dtype : {"u8", "f32", "u16"}) { // in the order of the matrix
    for (int i = 0; i < 8; ++i) {
      Step step;
      step.cell.dtype = dtype;
      step.plan = {1, Priority::arm};
      steps.push_back(step);
    }
  }
  put_important_first(steps);
  const std::vector<bool> kept = kept_within(12, steps); // of 24
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CAPTURE(steps[i].cell.dtype, i % 8);
    CHECK(kept[i] == (i % 8 < 4));
  }
}

TEST_CASE("A campaign keeps to its budget within a tenth and thins every variant alike") {
  CampaignOptions options = world_campaign();
  options.wanted = [](const Cell &cell) { return cell.elements() <= 240 * 320 * 3; };
  const double unlimited = run_campaign(kThree, options).elapsed_s;
  for (const double part : {0.7, 0.4, 0.2}) {
    options.budget_s = unlimited * part;
    const CampaignReport report = run_campaign(kThree, options);
    INFO("part " << part << ", " << report.elapsed_s << " of " << options.budget_s << " s, "
                 << report.skipped << " skipped");
    CHECK(report.elapsed_s <= options.budget_s * 1.1);
    CHECK(report.elapsed_s >= options.budget_s * 0.5);
    std::vector<std::size_t> cells;
    for (const VariantEvidence &variant : report.measured) {
      Names names;
      for (const Row &row : variant.rows) {
        names.insert(row.cell.key());
      }
      cells.push_back(names.size());
    }
    REQUIRE(cells.size() == 3);
    const auto [least, most] = std::minmax_element(cells.begin(), cells.end());
    // What cells take is known better and better: the first variant of so few cells gets one more.
    CHECK(*most - *least <= 3);
  }
}

TEST_CASE("Cells beyond the matrix are measured after it, a few in quick mode") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  const std::size_t matrix_cells = cells_of_matrix(kThree);
  std::size_t on_disk = 0;
  options.more_cells = [&] {
    on_disk = cells_in(folder.path(), kThree).size();
    std::vector<std::pair<std::string, Cell>> cells;
    for (int i = 1; i <= 50; ++i) {
      cells.emplace_back("copy/second",
                         Cell::parse(fmt::format("u8 {}x40x3 contiguous into hot t1 plain", i)));
    }
    cells.insert(cells.begin(), {"nonesuch", cells[0].second});
    cells.insert(cells.begin(), cells[2]); // given twice
    return cells;
  };
  std::size_t total = 0;
  options.progress = [&](const Progress &progress) { total = progress.total; };
  const CampaignReport report = run_campaign(kThree, options);
  CHECK(on_disk == matrix_cells);
  CHECK(report.cells > matrix_cells);
  CHECK(static_cast<double>(report.cells) <= static_cast<double>(matrix_cells) * 1.15);
  CHECK(total == report.cells);
  CHECK(cells_in(folder.path(), kThree)
            .contains("copy/second#u8 1x40x3 contiguous into hot t1 plain"));
  options.shard = {1, 2}; // has too little evidence of its own
  CHECK(run_campaign(kThree, options).cells <= matrix_cells);

  options = world_campaign();
  const double unlimited = run_campaign(kTwo, options).elapsed_s;
  // Time that was kept for further cells goes back to the matrix where there are none.
  options.budget_s = unlimited * 0.4;
  const CampaignReport plain = run_campaign(kTwo, options);
  REQUIRE(plain.skipped > 0);
  options.more_cells = [] { return std::vector<std::pair<std::string, Cell>>(); };
  std::size_t last = 0;
  options.progress = [&](const Progress &progress) {
    last = progress.done;
    CHECK(progress.total == cells_of_matrix(kTwo));
  };
  const CampaignReport same = run_campaign(kTwo, options);
  CHECK(same.cells + same.skipped == cells_of_matrix(kTwo));
  CHECK(same.cells + 1 >= plain.cells);
  CHECK(last == cells_of_matrix(kTwo));
  CHECK(same.elapsed_s <= options.budget_s * 1.1);
  options.progress = nullptr;
  options.mode = Mode::full;
  options.budget_s = unlimited;
  options.more_cells = [] {
    return std::vector<std::pair<std::string, Cell>>{
        {"copy/first", Cell::parse("u8 7x40x3 contiguous into hot t1 plain")}};
  };
  const CampaignReport limited = run_campaign(kTwo, options);
  CHECK(limited.elapsed_s <= options.budget_s * 1.1);
  const auto &rows = limited.measured.at(0).rows;
  CHECK(
      std::any_of(rows.begin(), rows.end(), [](const Row &row) { return row.cell.shape[0] == 7; }));
}

// ---------------------------------------------------------------------------------------------
// What is stale

namespace {

constexpr auto kGrey = "u8 24x32x1 contiguous into hot t1 plain";
constexpr auto kColour = "u8 48x64x3 contiguous into hot t1 plain";

// Two cells with a row of each candidate, measured on make_machine().
VariantEvidence fresh_evidence() {
  VariantEvidence evidence;
  evidence.variant = "copy/plain";
  for (const char *key : {kGrey, kColour}) {
    double time = 100;
    for (const Candidate &candidate : kCandidates) {
      Row row;
      row.cell = Cell::parse(key);
      row.candidate = candidate.id;
      row.version = candidate.version;
      row.context = evidence.add(evidence::context_of(make_machine(), candidate.backend));
      row.samples_ns = {time, time};
      time += 10;
      evidence.rows.push_back(row);
    }
  }
  return evidence;
}

StalePlan stale_in(const VariantEvidence &evidence, const evidence::Machine &machine,
                   const Variant &variant = kCopy) {
  const Entry entries[] = {{&variant, &kContract}};
  const std::optional<VariantEvidence> existing[] = {evidence};
  const int budgets[] = {1, 2};
  return find_stale(entries, existing, machine, budgets);
}

Names stale_candidates(const StalePlan &plan) {
  Names names;
  for (const StaleCandidate &stale : plan.stale) {
    names.insert(stale.candidate);
  }
  return names;
}

const Names kAll{"fast", "lib_a", "lib_b", "loop"};

} // namespace

TEST_CASE("Every mutation of what times depend on is seen") {
  CHECK(stale_in(fresh_evidence(), make_machine()).stale.empty());
  struct Mutation {
    const char *group, *fact, *value;
    Names affected;
  };
  const Mutation mutations[] = {
      {"cpu", "architecture", "aarch64", kAll},
      {"cpu", "vendor", "intel", kAll},
      {"cpu", "family", "26", kAll},
      {"cpu", "model", "18", kAll},
      {"cpu", "stepping", "2", kAll},
      {"cpu", "microcode", "0x2", kAll},
      {"cpu", "isa", "sse2 avx2 avx512f", kAll},
      {"cpu", "cores", "4", kAll},
      {"system", "virtualisation", "none seen", kAll},
      {"compiler", "name", "clang", kAll},
      {"compiler", "version", "13.1", kAll},
      {"compiler", "flags", "-O2", kAll},
      {"harness", "version", "3", kAll},
      {"libraries", "lib_a", "4.7", {"lib_a"}},
      {"libraries", "lib_b", "2.0", {"lib_b"}},
      {"libraries", "fused", "1.1", {"fast"}},
      {"capabilities", "lib_a", "AVX512", {"lib_a"}},
      {"capabilities", "lib_b", "AVX2", {"lib_b"}},
      {"library_threads", "lib_a", "1", {"lib_a"}},
      {"library_threads", "lib_b", "2", {"lib_b"}},
      {"system", "load_average", "3.5", {}}, // no time depends on these
      {"cache", "L2", "1024 KiB", {}},
      {"limits", "wake_up", "30 us", {}},
      {"libraries", "lib_c", "1.0", {}},
  };
  for (const Mutation &mutation : mutations) {
    evidence::Machine machine = make_machine();
    machine.facts[mutation.group][mutation.fact] = mutation.value;
    INFO(mutation.group << " " << mutation.fact << " " << mutation.value);
    const StalePlan plan = stale_in(fresh_evidence(), machine);
    CHECK(stale_candidates(plan) == mutation.affected);
    CHECK(plan.stale.size() == 2 * mutation.affected.size()); // in both cells
    CHECK(plan.steps.size() == (mutation.affected.empty() ? 0 : 2));
    for (const StaleCandidate &stale : plan.stale) {
      CHECK_THAT(stale.reason, Catch::Contains(" was ") && Catch::Contains(", is "));
    }
  }
  const StalePlan version = stale_in(fresh_evidence(), make_machine(), kCopyChanged);
  CHECK(stale_candidates(version) == Names{"lib_a"});
  CHECK(version.stale.at(0).reason == "version was 1, is 2");

  const std::string text = to_json(fresh_evidence());
  CHECK_THAT(complaint_of([&] {
               static_cast<void>(evidence::parse_variant(
                   "{\"schema\":1" + text.substr(std::strlen("{\"schema\":2")), "x.json"));
             }),
             Catch::StartsWith("x.json: /schema: unknown schema 1"));
}

TEST_CASE("Stale rows are measured beside the fastest fresh one, or the whole cell is") {
  evidence::Machine machine = make_machine();
  machine.facts["libraries"]["lib_a"] = "4.7";
  StalePlan plan = stale_in(fresh_evidence(), machine);
  REQUIRE(plan.steps.size() == 2);
  CHECK(plan.steps[0].only == Only{{"fast", 1}, {"lib_a", 0}});
  CHECK(plan.steps[0].bridge == std::pair<std::string, int>("fast", 1));

  machine = make_machine();
  machine.facts["libraries"]["fused"] = "1.1"; // the fastest: the next one is the incumbent
  plan = stale_in(fresh_evidence(), machine);
  CHECK(plan.steps.at(0).only == Only{{"fast", 0}, {"lib_a", 1}});

  machine.facts["compiler"]["flags"] = "-O2";
  plan = stale_in(fresh_evidence(), machine);
  CHECK(plan.steps.at(0).only.empty());
  CHECK_FALSE(plan.steps.at(0).bridge);

  // Rows that are fresh, yet routes cannot come from them, are no incumbents.
  VariantEvidence evidence = fresh_evidence();
  for (Row &row : evidence.rows) {
    row.status = row.candidate == "lib_a" ? Status::accepted : Status::dropped;
  }
  machine = make_machine();
  machine.facts["libraries"]["lib_a"] = "4.7";
  CHECK(stale_in(evidence, machine).steps.at(0).only.empty());
}

TEST_CASE("Candidates that a cell never met are stale there, and rows of strangers are named") {
  StalePlan plan = stale_in(fresh_evidence(), make_machine(), kCopyGrown);
  REQUIRE(plan.stale.size() == 2);
  CHECK(plan.stale[0].cell == Cell::parse(kGrey));
  CHECK(plan.stale[0].candidate == "grey");
  CHECK(plan.stale[0].reason == "never measured");
  CHECK(plan.stale[1].candidate ==
        "tiny"); // takes neither image of three channels, but its thumbnail
  CHECK(plan.stale[1].cell == Cell::parse(kGrey));
  CHECK(plan.steps.size() == 1);

  VariantEvidence evidence = fresh_evidence();
  evidence.rows[1].candidate = "gone";
  evidence.rows[2].candidate = "absent";
  evidence.rows[3].status = Status::limit;
  evidence.rows[3].candidate = "traffic";
  plan = stale_in(evidence, make_machine(), kCopyGrown);
  CHECK(plan.notes ==
        std::vector<std::string>{"copy/plain: 1 rows of absent, which is not in this build",
                                 "copy/plain: 1 rows of gone, which this build does not know"});
  evidence = fresh_evidence();
  for (Row &row : evidence.rows) {
    row.cell.thread_budget = 64; // not among this machine's
  }
  CHECK(stale_in(evidence, make_machine(), kCopyGrown).stale.empty());
}

TEST_CASE("A campaign for what is stale measures that and the incumbent, and joins their rows") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  static_cast<void>(run_campaign(kFull, options));
  const fs::path file = folder.path() / "copy/plain.json";
  const std::string before = get(file);

  options.stale = true;
  CHECK(plan_campaign(kFull, options).steps.empty());
  CHECK(run_campaign(kFull, options).cells == 0);
  CHECK((get(file) == before));

  options.measure.machine.facts["libraries"]["lib_b"] = "2.0";
  const CampaignPlan plan = plan_campaign(kFull, options);
  CHECK(plan.steps.size() == cells_of_matrix(kFull));
  CHECK(plan.stale.size() == plan.steps.size());
  CHECK(plan.estimate_s > 0);
  CHECK((get(file) == before)); // planning measures nothing

  const CampaignReport report = run_campaign(kFull, options);
  CHECK(report.cells == plan.steps.size());
  for (const Row &row : report.measured.at(0).rows) {
    const bool limit = row.status == Status::limit;
    CHECK((limit || row.candidate == "lib_b" || row.candidate == "fast"));
  }
  const VariantEvidence after = evidence::read_variant(file);
  std::map<std::string, Names> cells;
  for (const Row &row : after.rows) {
    if (row.status == Status::limit) {
      continue;
    }
    cells[row.cell.key()].insert(fmt::format("{}@{}", row.candidate, row.race));
  }
  CHECK(cells.size() == plan.steps.size());
  for (const auto &[key, rows] : cells) {
    CHECK(rows == Names{"fast@1", "lib_a@1", "loop@1", "fast@2", "lib_b@2"});
  }
  CHECK(plan_campaign(kFull, options).steps.empty());
}

TEST_CASE("A campaign for what is stale is resumed, and joins no rows twice") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  static_cast<void>(run_campaign(kFull, options));
  const fs::path file = folder.path() / "copy/plain.json";
  options.stale = true;
  options.measure.machine.facts["libraries"]["lib_b"] = "2.0";
  options.merge_every_s = 1e9;
  static_cast<void>(stopped_after(2, kFull, options));
  // As though the process had been killed after merging, before it could note that.
  const std::string merged = get(file);
  std::string journal = get(folder.path() / ".campaign");
  REQUIRE(journal.ends_with("merged\n"));
  put(folder.path() / ".campaign", journal.substr(0, journal.size() - std::strlen("merged\n")));
  options.resume = true;
  CHECK(stopped_after(2, kFull, options).cells == 0);
  CHECK((get(file) == merged));
  const CampaignReport report = run_campaign(kFull, options);
  CHECK(report.cells + 2 == cells_of_matrix(kFull));
  const VariantEvidence after = evidence::read_variant(file);
  CHECK(std::none_of(after.rows.begin(), after.rows.end(),
                     [](const Row &row) { return row.race > 2; }));
}

TEST_CASE("Stale cells are in exactly one shard each, also while they are measured") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  static_cast<void>(run_campaign(kFull, options));
  options.stale = true;
  options.measure.machine.facts["libraries"]["lib_b"] = "2.0";
  options.shard = {1, 2};
  const std::size_t first = run_campaign(kFull, options).cells;
  options.shard = {2, 2};
  const std::size_t second = run_campaign(kFull, options).cells;
  CHECK(first > 0);
  CHECK(second > 0);
  CHECK(plan_campaign(kFull, options).steps.empty());
  CHECK(first + second == cells_of_matrix(kFull));
}

TEST_CASE("Some alternatives of a cell are measured alone") {
  Gate gate;
  const auto names = [&](const Variant &variant, const char *key, const Only &only) {
    MeasureOptions options = world_options();
    options.only = only;
    Names result;
    for (const Row &row : measure_cell(variant, kContract, Cell::parse(key), options, gate).rows) {
      if (row.status != Status::limit) {
        result.insert(fmt::format("{}/{}", row.candidate, row.threads));
      }
    }
    return result;
  };
  CHECK(names(kCopy, kGrey, {}).size() == 4);
  CHECK(names(kCopy, kGrey, {{"lib_a", 0}, {"loop", 1}}) == Names{"lib_a/1", "loop/1"});
  const char *threaded = "u8 24x32x1 contiguous into hot t4 plain";
  CHECK(names(kSplit, threaded, {{"wide", 0}}) == Names{"wide/1", "wide/2", "wide/4"});
  CHECK(names(kSplit, threaded, {{"wide", 4}, {"loop", 0}}) == Names{"wide/4", "loop/1"});
}

TEST_CASE("A plan lists the cells of the matrix and how long they take about") {
  const TemporaryFolder folder;
  CampaignOptions options = world_campaign(folder.path());
  const CampaignPlan before = plan_campaign(kTwo, options);
  CHECK(before.steps.size() == cells_of_matrix(kTwo));
  CHECK(before.estimate_s > 0);
  CHECK(fs::is_empty(folder.path()));
  const double took = run_campaign(kTwo, options).elapsed_s;
  const CampaignPlan after = plan_campaign(kTwo, options);
  CHECK(after.estimate_s > took / 3);
  CHECK(after.estimate_s < took * 3);
}
