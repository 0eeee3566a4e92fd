// Evidence files: canonical text, strict reading of whatever lies in a profile, safe writing.
#include "evidence/evidence.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <clocale>
#include <cmath>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <locale>
#include <random>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evidence/rows.hpp"
#include "switchyard/core/route_table.hpp"

using namespace switchyard::evidence;
namespace fs = std::filesystem;
using nlohmann::json;

using switchyard::test::get;
using switchyard::test::put;
using switchyard::test::TemporaryFolder;

namespace {

// ---------------------------------------------------------------------------------------------
// Files

// A folder of its own that everybody may enter (children give up root's rights).
std::set<std::string> names_in(const fs::path &folder) {
  std::set<std::string> names;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    names.insert(entry.path().lexically_relative(folder).generic_string());
  }
  return names;
}

// Runs `body` in a process of its own with 20 s to live; its result, or minus the signal that
// ended it.
int in_child(const std::function<int()> &body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    int result = 99;
    try {
      result = body();
    } catch (...) {
    }
    ::_exit(result);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

constexpr int kSkipped = 77;

// Permissions bind nobody who is root: gives up root's rights for good.
bool become_nobody() {
  constexpr uid_t kNobody = 65534;
  return ::geteuid() != 0 || ::setresuid(kNobody, kNobody, kNobody) == 0;
}

// ---------------------------------------------------------------------------------------------
// Evidence

constexpr auto kTone = "u8 480x640x3 contiguous into hot t2 tone";

const Context kOwn{3, "zen3", "gcc 12", "none", Quality::good};
const Context kForeign{3, "zen3", "gcc 12", "4.6.0; AVX2", Quality::fair};

Row make_row(std::string_view cell, std::string candidate, std::vector<double> samples,
             int threads = 1) {
  Row row;
  row.context = kOwn.id();
  row.cell = Cell::parse(cell);
  row.candidate = std::move(candidate);
  row.threads = threads;
  row.samples_ns = std::move(samples);
  return row;
}

constexpr auto kCold = "u8 480x640x3 contiguous into cold t1 tone";

// Rows of the own context, unless another one was set.
VariantEvidence evidence_of(std::string variant, std::vector<Row> rows) {
  VariantEvidence evidence;
  evidence.variant = std::move(variant);
  evidence.rows = std::move(rows);
  for (const Context &context : {kOwn, kForeign}) {
    const auto labelled = [&](const Row &row) { return row.context == context.id(); };
    if (std::any_of(evidence.rows.begin(), evidence.rows.end(), labelled)) {
      evidence.add(context);
    }
  }
  return evidence;
}

// A file with everything that a file can have.
VariantEvidence make_evidence() {
  std::vector<Row> rows = {
      make_row(kTone, "fused", {100.04, 101, 99, 100, 102, 98, 100}),
      make_row(kTone, "fused", {70, 71, 69, 70, 72, 68, 70}, 2),
      make_row(kTone, "opencv", {200, 202, 198, 200, 204, 196, 12345.678}),
      make_row(kTone, "loop", {2000, 2020}),
      make_row(kTone, "aten", {}),
      make_row("f32 4x128x160x3 rows fresh cold t1 tone", "loop", {0.5, 0.25, 1e6}),
      make_row(kCold, "copy", {9, 9, 9}),
      make_row(kCold, "fused", {10, 11, 12}),
      make_row(kCold, "lut", {1, 1, 1}),
      make_row(kCold, "fused", {20, 20}),
      make_row(kCold, "opencv", {10, 10}),
  };
  rows[2].version = 4;
  rows[2].context = kForeign.id();
  rows[2].allocations = Allocations{2, 921600, 460800};
  rows[3].status = Status::dropped;
  rows[3].allocations = Allocations{};
  rows[4].status = Status::rejected;
  rows[4].mismatch = "[0, 3, 1]: 17, expected 18 ± ½ \"level\"\n";
  rows[6].status = Status::limit;
  rows[8].status = Status::impossible;
  rows[8].mismatch = "9 times faster than a copy";
  rows[9].race = 2;
  rows[10].race = 2;
  return evidence_of("multiply_add/scalar", std::move(rows));
}

// The same rows, measured by another version of the engine.
VariantEvidence by_harness(VariantEvidence evidence, int harness) {
  Context context = kOwn;
  context.harness = harness;
  evidence.contexts.clear();
  for (Row &row : evidence.rows) {
    row.context = evidence.add(context);
  }
  return evidence;
}

int harness_of(const VariantEvidence &evidence) {
  return evidence.contexts.begin()->second.harness;
}

Machine make_machine() {
  return {"x86_64-amd-zen3-2c",
          {{"cpu", {{"model", "AMD EPYC 7B13 64-Core"}, {"L1d", "32 KiB"}}},
           {"compiler", {{"id", "GNU 12.2.0"}, {"flags", "-O3 -ffp-contract=off"}}},
           {"empty", {}}}};
}

// What reading `file` complains about, without the file's name; empty where it is accepted, and
// the evidence then writes and reads again.
std::string complaint(const fs::path &file) {
  try {
    static_cast<void>(to_json(read_variant(file)));
    return "";
  } catch (const EvidenceError &error) {
    const std::string what = error.what();
    REQUIRE(what.starts_with(file.string() + ": "));
    REQUIRE(std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    return what.substr(file.string().size() + 2);
  }
}

std::string complaint_of_text(std::string_view text) {
  const TemporaryFolder folder;
  put(folder.path() / "x.json", text);
  return complaint(folder.path() / "x.json");
}

std::string edited(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// A file of one row whose members are `row`.
std::string with_row(std::string_view row) {
  return fmt::format(
      R"({{"schema":2,"variant":"flip","contexts":{{"{}":{{"harness":3,)"
      R"("machine":"zen3","compiler":"gcc 12","library":"none","quality":"good"}}}},)"
      R"("rows":[{{"context":"{}",{}}}]}})",
      kOwn.id(), kOwn.id(), row);
}

std::string with_samples(std::string_view samples) {
  return with_row(fmt::format(
      R"("cell":"{}","candidate":"loop","version":1,"threads":1,"status":"accepted","median_ns":5,)"
      R"("ratio":1,"low":1,"high":1,"spread":0,"samples_ns":{})",
      kTone, samples));
}

std::string complaint_on_writing(const std::function<void(VariantEvidence &)> &spoil) {
  VariantEvidence evidence = make_evidence();
  spoil(evidence);
  try {
    static_cast<void>(to_json(evidence));
    return "";
  } catch (const EvidenceError &error) {
    return error.what();
  }
}

std::string complaint_about_machine(std::string_view text) {
  const TemporaryFolder folder;
  put(folder.path() / "machine.json", text);
  try {
    static_cast<void>(read_machine(folder.path() / "machine.json"));
    return "";
  } catch (const EvidenceError &error) {
    return error.what();
  }
}

std::string complaint_about_profile(const fs::path &folder) {
  try {
    static_cast<void>(read_profile(folder));
    return "";
  } catch (const EvidenceError &error) {
    return error.what();
  }
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Cells

TEST_CASE("A cell's key reads back as the same cell") {
  for (const std::string key :
       {"u8 480x640x3 contiguous into hot t1 tone", "f32 4x128x160x3 planar fresh cold t2 tone",
        "u8_f32 0x7x1 other in_place chained t1024 none", "u8 1x1x1 reversed into hot t1 p_2",
        "f32 1x9x9x33 plane into hot t1 identity",
        "f32 9223372036854775807x1x0 rows into hot t1 x"}) {
    CAPTURE(key);
    CHECK(Cell::parse(key).key() == key);
  }
  const Cell cell = Cell::parse("f32 4x128x160x3 rows fresh cold t2 tone");
  CHECK(cell.elements() == 4 * 128 * 160 * 3);
  CHECK(cell.channels() == 3);
  CHECK(cell.thread_budget == 2);
  CHECK(Cell::parse("u8 0x640x3 rows into hot t1 x").elements() == 0);
}

TEST_CASE("A key that is not exactly a cell's is refused with the part at fault") {
  const std::pair<std::string, std::string> cases[] = {
      {"", "accepted: <dtype>"},
      {"u8", "accepted: <dtype>"},
      {"u8 480x640x3 contiguous into hot t1", "accepted: <dtype>"},
      {"u8 480x640x3 contiguous into hot t1 tone ", "params"},
      {"u8 480x640x3 contiguous into hot t1 ", "params"},
      {"u8  480x640x3 contiguous into hot t1 tone", "shape"},
      {"U8 480x640x3 contiguous into hot t1 tone", "dtype"},
      {" 480x640x3 contiguous into hot t1 tone x", "dtype"},
      {"u8 480x640 contiguous into hot t1 tone", "shape"},
      {"u8 1x1x480x640x3 contiguous into hot t1 tone", "shape"},
      {"u8 -1x640x3 contiguous into hot t1 tone", "shape"},
      {"u8 +1x640x3 contiguous into hot t1 tone", "shape"},
      {"u8 0480x640x3 contiguous into hot t1 tone", "shape"},
      {"u8 480x640x contiguous into hot t1 tone", "shape"},
      {"u8 480x640x3.0 contiguous into hot t1 tone", "shape"},
      {"u8 9223372036854775808x1x1 contiguous into hot t1 tone", "shape"},
      {"u8 4294967296x4294967296x1 contiguous into hot t1 tone", "more elements"},
      {"u8 4294967296x4294967296x0 contiguous into hot t1 tone", "more elements"},
      {"u8 480x640x3 Contiguous into hot t1 tone", "layout"},
      {"u8 480x640x3 contiguous onto hot t1 tone", "output"},
      {"u8 480x640x3 contiguous into warm t1 tone", "cache"},
      {"u8 480x640x3 contiguous into hot 1 tone", "thread budget"},
      {"u8 480x640x3 contiguous into hot t0 tone", "thread budget"},
      {"u8 480x640x3 contiguous into hot t1025 tone", "thread budget"},
      {"u8 480x640x3 contiguous into hot t-1 tone", "thread budget"},
      {"u8 480x640x3 contiguous into hot t1 to-ne", "params"},
      {"u8 480x640x3 contiguous into hot t1 tone more", "params"},
      {std::string("u8 480x640x3 contiguous into hot t1 to\0ne", 42), "params"},
  };
  for (const auto &[key, part] : cases) {
    CAPTURE(key);
    CHECK_THROWS_WITH(Cell::parse(key), Catch::Contains(part));
    CHECK_THROWS_AS(Cell::parse(key), std::invalid_argument);
  }
}

TEST_CASE("Cells use the layout and output names of the route table") {
  for (int i = 0; i < switchyard::kLayoutClasses; ++i) {
    CHECK(kLayoutNames[i] == name_of(static_cast<switchyard::LayoutClass>(i)));
  }
  for (int i = 0; i < switchyard::kOutputModes; ++i) {
    CHECK(kOutputNames[i] == name_of(static_cast<switchyard::OutputMode>(i)));
  }
}

// ---------------------------------------------------------------------------------------------
// Text

TEST_CASE("The text of a variant's evidence is exactly this") {
  const std::string expected =
      R"({"schema":2,"variant":"multiply_add/scalar",
"contexts":{
"6a732c54":{"harness":3,"machine":"zen3","compiler":"gcc 12","library":"4.6.0; AVX2","quality":"fair"},
"d1cac28e":{"harness":3,"machine":"zen3","compiler":"gcc 12","library":"none","quality":"good"}},
"rows":[
{"cell":"f32 4x128x160x3 rows fresh cold t1 tone","candidate":"loop","version":1,"threads":1,"status":"accepted","context":"d1cac28e","median_ns":0.5,"ratio":1,"low":1,"high":1,"spread":1000000,"samples_ns":[0.5,0.25,1000000]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"aten","version":1,"threads":1,"status":"rejected","context":"d1cac28e","mismatch":"[0, 3, 1]: 17, expected 18 ± ½ \"level\"\n"},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"fused","version":1,"threads":1,"status":"accepted","context":"d1cac28e","median_ns":100,"ratio":1.429,"low":1.417,"high":1.441,"spread":0.01,"samples_ns":[100,101,99,100,102,98,100]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"fused","version":1,"threads":2,"status":"accepted","context":"d1cac28e","median_ns":70,"ratio":1,"low":1,"high":1,"spread":0.01429,"samples_ns":[70,71,69,70,72,68,70]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"loop","version":1,"threads":1,"status":"dropped","context":"d1cac28e","allocations":0,"median_ns":2010,"ratio":28.51,"low":0,"high":null,"spread":0.004975,"samples_ns":[2000,2020]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"opencv","version":4,"threads":1,"status":"accepted","context":"6a732c54","allocations":2,"allocated_bytes":921600,"peak_bytes":460800,"median_ns":200,"ratio":2.857,"low":2.833,"high":176.4,"spread":0.02,"samples_ns":[200,202,198,200,204,196,12350]},
{"cell":"u8 480x640x3 contiguous into cold t1 tone","candidate":"copy","version":1,"threads":1,"status":"limit","context":"d1cac28e","median_ns":9,"ratio":0.8182,"low":0,"high":null,"spread":0,"samples_ns":[9,9,9]},
{"cell":"u8 480x640x3 contiguous into cold t1 tone","candidate":"fused","version":1,"threads":1,"status":"accepted","context":"d1cac28e","median_ns":11,"ratio":1,"low":1,"high":1,"spread":0.09091,"samples_ns":[10,11,12]},
{"cell":"u8 480x640x3 contiguous into cold t1 tone","candidate":"lut","version":1,"threads":1,"status":"impossible","context":"d1cac28e","mismatch":"9 times faster than a copy","median_ns":1,"ratio":0.09091,"low":0,"high":null,"spread":0,"samples_ns":[1,1,1]},
{"cell":"u8 480x640x3 contiguous into cold t1 tone","candidate":"fused","version":1,"threads":1,"status":"accepted","context":"d1cac28e","race":2,"median_ns":20,"ratio":2,"low":0,"high":null,"spread":0,"samples_ns":[20,20]},
{"cell":"u8 480x640x3 contiguous into cold t1 tone","candidate":"opencv","version":1,"threads":1,"status":"accepted","context":"d1cac28e","race":2,"median_ns":10,"ratio":1,"low":1,"high":1,"spread":0,"samples_ns":[10,10]}
]}
)";
  CHECK(to_json(make_evidence()) == expected);
}

TEST_CASE("Evidence without rows has a text that reads back") {
  VariantEvidence evidence;
  evidence.variant = "hflip";
  CHECK(to_json(evidence) ==
        "{\"schema\":2,\"variant\":\"hflip\",\n\"contexts\":{},\n\"rows\":[\n]}\n");
  CHECK(complaint_of_text(to_json(evidence)).empty());
}

TEST_CASE("The text does not depend on the order of rows in memory") {
  VariantEvidence evidence = make_evidence();
  const std::string expected = to_json(evidence);
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(evidence.rows.begin(), evidence.rows.end(), random);
    CHECK(to_json(evidence) == expected);
  }
}

TEST_CASE("Cells are ordered by dtype, layout, output, cache, threads, parameters, then size") {
  const std::vector<std::string> expected = {
      "f32 9x9x9 other in_place chained t9 z", "u8 9x9x9 contiguous in_place chained t9 z",
      "u8 9x9x9 rows into chained t9 z",       "u8 9x9x9 rows fresh hot t9 z",
      "u8 9x9x9 rows fresh cold t2 z",         "u8 9x9x9 rows fresh cold t10 a",
      "u8 2x100x1 rows fresh cold t10 b",      "u8 100x2x1 rows fresh cold t10 b",
      "u8 1000x1x1 rows fresh cold t10 b"};
  std::vector<Row> rows;
  for (auto key = expected.rbegin(); key != expected.rend(); ++key) {
    rows.push_back(make_row(*key, "loop", {1}));
  }
  const json document = json::parse(to_json(evidence_of("flip", rows)));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(document["rows"][i]["cell"] == expected[i]);
  }
}

TEST_CASE("A file reads back and writes again to the byte") {
  const TemporaryFolder folder;
  write(folder.path(), make_evidence());
  write(folder.path(), make_machine());
  const VariantEvidence evidence = read_variant(folder.path() / "multiply_add/scalar.json");
  CHECK(evidence.contexts == make_evidence().contexts);
  REQUIRE(evidence.rows.size() == 11);
  CHECK(evidence.rows[1].mismatch == make_evidence().rows[4].mismatch);
  CHECK(evidence.rows[4].status == Status::dropped);
  CHECK(evidence.rows[5].version == 4);
  CHECK(evidence.rows[5].samples_ns.back() == 12350);
  CHECK(evidence.rows[5].context == kForeign.id());
  CHECK(evidence.rows[5].allocations == Allocations{2, 921600, 460800});
  CHECK(evidence.rows[4].allocations == Allocations{});
  CHECK_FALSE(evidence.rows[3].allocations);
  CHECK(evidence.rows[6].status == Status::limit);
  CHECK(evidence.rows[8].status == Status::impossible);
  CHECK(evidence.rows[8].mismatch == "9 times faster than a copy");
  CHECK(evidence.rows[9].race == 2);
  CHECK(to_json(evidence) == get(folder.path() / "multiply_add/scalar.json"));

  const Machine machine = read_machine(folder.path() / "machine.json");
  CHECK(machine.profile == make_machine().profile);
  CHECK(machine.facts == make_machine().facts);
  CHECK(to_json(machine) == get(folder.path() / "machine.json"));
}

TEST_CASE("Figures of noisy evidence with every precision read back") {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<Row> rows;
    for (const char *candidate : {"aten", "fused", "loop", "lut"}) {
      std::vector<double> samples;
      for (int round = 0; round < trial + 1; ++round) {
        samples.push_back(std::exp2(static_cast<double>(random() % 4000) / 100 - 5));
      }
      rows.push_back(make_row(kTone, candidate, samples));
    }
    const std::string text = to_json(evidence_of("flip", rows));
    CHECK(complaint_of_text(text).empty());
  }
}

TEST_CASE("The text is the same in locales with other number formats") {
  struct Grouped : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::string expected = to_json(make_evidence());
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouped));
  const std::string text = to_json(make_evidence());
  const std::string read_back = complaint_of_text(text);
  std::locale::global(before);
  CHECK(text == expected);
  CHECK(read_back.empty());

  const char *found = nullptr;
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "cs_CZ.UTF-8"}) {
    found = found == nullptr ? std::setlocale(LC_ALL, name) : found;
  }
  if (found == nullptr) {
    WARN("1 part skipped: no C locale with a decimal comma is installed");
    return;
  }
  const std::string german = to_json(make_evidence());
  const std::string german_read_back = complaint_of_text(german);
  std::setlocale(LC_ALL, "C");
  CHECK(german == expected);
  CHECK(german_read_back.empty());
}

// ---------------------------------------------------------------------------------------------
// Hostile files

TEST_CASE("Every truncation of a file is refused") {
  const TemporaryFolder folder;
  const std::string text = to_json(make_evidence());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    put(folder.path() / "x.json", text.substr(0, size));
    const std::string what = complaint(folder.path() / "x.json");
    CAPTURE(size, what);
    REQUIRE(what.starts_with("byte "));
  }
  put(folder.path() / "x.json", text.substr(0, text.size() - 1));
  CHECK(complaint(folder.path() / "x.json").empty()); // only the last newline is missing
}

TEST_CASE("A flipped bit is refused or leaves valid evidence") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "x.json";
  const std::string text = to_json(make_evidence());
  int refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      put(file, flipped);
      CAPTURE(at, bit);
      refused += complaint(file).empty() ? 0 : 1;
    }
  }
  // What passes is text that means something else: another candidate, a letter of a mismatch, a
  // last digit within rounding.
  CHECK(refused > static_cast<int>(text.size()) * 8 * 8 / 10);
}

TEST_CASE("What is not a readable file is refused without waiting for it") {
  const TemporaryFolder folder;
  const fs::path &path = folder.path();
  CHECK(complaint(path / "none.json") == "cannot be opened: No such file or directory");
  fs::create_directory(path / "folder.json");
  CHECK(complaint(path / "folder.json") == "not a regular file");
  CHECK(complaint("/dev/zero") == "not a regular file");
  put(path / "file", "");
  CHECK(complaint(path / "file/x.json") == "cannot be opened: Not a directory");
  fs::create_symlink("loop.json", path / "loop.json");
  CHECK(complaint(path / "loop.json").starts_with("cannot be opened"));

  REQUIRE(::mkfifo((path / "pipe.json").c_str(), 0644) == 0);
  CHECK(in_child([&] { return complaint(path / "pipe.json") == "not a regular file" ? 0 : 1; }) ==
        0);

  put(path / "huge.json", "");
  for (const std::uintmax_t size : {(std::uintmax_t{64} << 20) + 1, std::uintmax_t{1} << 30}) {
    fs::resize_file(path / "huge.json", size); // sparse
    CHECK(complaint(path / "huge.json") == "larger than 64 MB");
  }
  CHECK(complaint("/proc/self/status") == "is growing"); // claims size 0
}

TEST_CASE("A file without permission is refused") {
  const TemporaryFolder folder;
  put(folder.path() / "x.json", to_json(make_evidence()));
  fs::permissions(folder.path() / "x.json", fs::perms::none);
  const int result = in_child([&] {
    if (!become_nobody()) {
      return kSkipped;
    }
    return complaint(folder.path() / "x.json") == "cannot be opened: Permission denied" ? 0 : 1;
  });
  if (result == kSkipped) {
    WARN("1 test skipped: root's rights cannot be given up here");
    return;
  }
  CHECK(result == 0);
}

TEST_CASE("Text that is not JSON is refused with the byte at fault") {
  CHECK(complaint_of_text("").starts_with("byte 1: not JSON: "));
  CHECK(complaint_of_text(std::string(100, '\0')).starts_with("byte 1: not JSON: "));
  CHECK(complaint_of_text("{\"schema\":1,}").starts_with("byte 13: not JSON: "));
  CHECK(complaint_of_text("{\"schema\":1} x").starts_with("byte 14: not JSON: "));
  CHECK(complaint_of_text("{\"variant\":\"\xff\"}").starts_with("byte 13: not JSON: "));
  CHECK(complaint_of_text("{\"variant\":\"\xed\xa0\x80\"}").starts_with("byte 14: not JSON: "));
  for (const char *number : {"NaN", "Infinity", "-Infinity", "nan", "01", "1.", ".5", "0x1p3"}) {
    CAPTURE(number);
    CHECK(complaint_of_text(with_samples(fmt::format("[{}]", number))).starts_with("byte "));
  }
  CHECK(complaint_of_text(fmt::format("// comment\n{}", with_samples("[5]"))).starts_with("byte "));
  CHECK(complaint_of_text(fmt::format("{{\"\n\x1b[31m{:x>100000}", "")).size() < 400);
}

TEST_CASE("Deep nesting is refused, not followed") {
  constexpr std::size_t kLevels = 2000000;
  CHECK(complaint_of_text(std::string(kLevels, '[')) ==
        "/0/0/0/0/0/0/0/0: nested deeper than 8 levels");
  std::string objects;
  for (std::size_t i = 0; i < kLevels; ++i) {
    objects += "{\"a\":";
  }
  CHECK(complaint_of_text(objects) == "/a/a/a/a/a/a/a/a: nested deeper than 8 levels");
  CHECK(complaint_of_text(with_samples(std::string(kLevels, '[') + std::string(kLevels, ']'))) ==
        "/rows/0/samples_ns/0/0/0/0/0: nested deeper than 8 levels");
}

TEST_CASE("A name that repeats in its object is refused") {
  CHECK(complaint_of_text(R"({"schema":2,"schema":2})") ==
        "/schema: the name repeats in its object");
  CHECK(complaint_of_text(edited(to_json(make_evidence()), "\"threads\":2",
                                 "\"threads\":2,\"cell\":\"other\"")) ==
        "/rows/3/cell: the name repeats in its object");
}

TEST_CASE("A wrong field is refused with its pointer") {
  const std::string good = to_json(make_evidence());
  struct Edit {
    std::string_view from, to, complaint;
  };
  const Edit edits[] = {
      {"\"schema\":2", "\"schema\":3", "/schema: newer schema 3; this program reads 2"},
      {"\"schema\":2", "\"schema\":1", "/schema: unknown schema 1; accepted: 2"},
      {"\"schema\":2", "\"schema\":\"2\"", "/schema: is of type string; accepted: integer"},
      {"\"schema\":2,", "", "/schema: missing"},
      {"multiply_add/scalar", "../../etc/passwd", "/variant: \"../../etc/passwd\"; accepted"},
      {"multiply_add/scalar", "machine", "/variant: "},
      {"multiply_add/scalar", "a//b", "/variant: "},
      {"multiply_add/scalar", "/a", "/variant: "},
      {"multiply_add/scalar", "a/", "/variant: "},
      {"\"harness\":3", "\"harness\":0", "/contexts/6a732c54/harness: 0; accepted: 1 or more"},
      {"\"harness\":3", "\"harness\":3.5",
       "/contexts/6a732c54/harness: is of type number; accepted: integer"},
      {"\"harness\":3", "\"harness\":3,\"host/~name\":1",
       "/contexts/6a732c54/host~1~0name: unknown field"},
      {"\"harness\":3", "\"harness\":99999999999999999999",
       "/contexts/6a732c54/harness: is of type number; accepted: integer"},
      {"\"harness\":3", "\"harness\":18446744073709551615",
       "/contexts/6a732c54/harness: out of range"},
      {"\"harness\":3", "\"harness\":4",
       "/contexts: \"6a732c54\" is not the id of its context, which is \""},
      {"\"zen3\"", "\"zen4\"", "/contexts: \"6a732c54\" is not the id of its context"},
      {"\"zen3\"", "7", "/contexts/6a732c54/machine: is of type number; accepted: string"},
      {",\"quality\":\"", ",\"quality\":\"very ", "/contexts/6a732c54/quality: \"very "},
      {"\"contexts\":{", "\"contexts\":[],\"context\":{", "/context: unknown field"},
      {"\"context\":\"", "\"context\":\"x", "/rows/0/context: \"xd1cac28e\" is no context"},
      {",\"race\":2", ",\"race\":0", "/rows/9/race: 0; accepted: 1 or more"},
      {",\"race\":2", "", "/rows/9: repeats /rows/7"},
      {"\"allocations\":2", "\"allocations\":0", "/rows/5/allocations: 0, yet bytes are given"},
      {"\"allocations\":0", "\"allocations\":1", "/rows/4/allocated_bytes: missing"},
      {"\"allocations\":0", "\"allocations\":-1", "/rows/4/allocations: out of range"},
      {"\"peak_bytes\":460800", "\"peak_bytes\":921601",
       "/rows/5/allocations: 2 with 921600 bytes and a peak of 921601 cannot be"},
      {"\"limit\"", "\"accepted\"", "/rows/6/ratio: is 0.8182 where the samples give 1"},
      {"\"mismatch\":\"9 times faster than a copy\",", "",
       "/rows/8/mismatch: an impossible row says what was wrong"},
      {"\"rows\":[", "\"rows\":[7,", "/rows/0: is of type number; accepted: object"},
      {"\"candidate\":\"aten\"", "\"candidate\":null",
       "/rows/1/candidate: is of type null; accepted: string"},
      {"\"candidate\":\"aten\"", "\"candidate\":\"A\"", "/rows/1/candidate: \"A\"; accepted"},
      {"\"candidate\":\"aten\"", "\"candidate\":\"aten\",\"note\":1",
       "/rows/1/note: unknown field"},
      {"\"cell\":\"f32", "\"cell\":\"F32", "/rows/0/cell: cell \"F32 4x128x160x3 rows fresh cold"},
      {"\"version\":4", "\"version\":0", "/rows/5/version: 0; accepted: 1 or more"},
      {"\"threads\":2", "\"threads\":3",
       "/rows/3/threads: 3; accepted: 1 to the cell's budget of 2"},
      {"\"threads\":2", "\"threads\":-1", "/rows/3/threads: out of range"},
      {"\"threads\":2", "\"threads\":1", "/rows/3: repeats /rows/2"},
      {"\"dropped\"", "\"lost\"",
       "/rows/4/status: \"lost\"; accepted: accepted, dropped, impossible, rejected, limit"},
      {"\"dropped\"", "\"rejected\"", "/rows/4/"},
      {"\"dropped\"", "\"accepted\"", "/rows/4/samples_ns: 2 rounds where /rows/2 has 7"},
      {"\"rejected\"", "\"accepted\"", "/rows/1/samples_ns: missing"},
      {",\"mismatch\":", ",\"missmatch\":", "/rows/1/missmatch: unknown field"},
      {"[2000,2020]", "[]", "/rows/4/samples_ns: no times"},
      {"[2000,2020]", "{}", "/rows/4/samples_ns: is of type object; accepted: array"},
      {"[2000,2020]", "[2000,0]", "/rows/4/samples_ns/1: 0 ns is no time of a call"},
      {"[2000,2020]", "[-1,2020]", "/rows/4/samples_ns/0: -1 ns is no time of a call"},
      {"[2000,2020]", "[1e-300,2020]", "/rows/4/samples_ns/0: 1e-300 ns is no time of a call"},
      {"[2000,2020]", "[2000,1e300]", "/rows/4/samples_ns/1: 1e+300 ns is no time of a call"},
      {"[2000,2020]", "[2000,1e999]", "/rows/4/samples_ns/1: number overflow parsing '1e999'"},
      {"[2000,2020]", "[2000,\"2020\"]",
       "/rows/4/samples_ns/1: is of type string; accepted: number"},
      {"[2000,2020]", "[2000,null]", "/rows/4/samples_ns/1: is of type null; accepted: number"},
      {"\"median_ns\":2010", "\"median_ns\":2000",
       "/rows/4/median_ns: is 2000 where the samples give 2010"},
      {"\"median_ns\":2010,", "", "/rows/4/median_ns: missing"},
      {"\"ratio\":2.857", "\"ratio\":0.9", "/rows/5/ratio: is 0.9 where the samples give 2.857"},
      {"\"low\":2.833", "\"low\":0", "/rows/5/low: is 0 where the samples give 2.833"},
      {"\"high\":176.4", "\"high\":null", "/rows/5/high: is of type null; accepted: number"},
      {"\"high\":null", "\"high\":40", "/rows/4/high: too few rounds for an upper bound"},
      {"\"spread\":0.02,", "\"spread\":0,", "/rows/5/spread: is 0 where the samples give 0.02"},
      // A changed sample is seen in the figures of its own row, or of those compared with it.
      {"[100,101,99", "[100,101,999", "/rows/2/"},
      {"[70,71,69,70,72,68,70]", "[80,81,79,80,82,78,80]", "/rows/2/ratio: "},
  };
  for (const Edit &edit : edits) {
    CAPTURE(edit.from, edit.to);
    CHECK_THAT(complaint_of_text(edited(good, edit.from, edit.to)),
               Catch::StartsWith(std::string(edit.complaint)));
  }
}

TEST_CASE("A file that is JSON but no evidence is refused") {
  CHECK(complaint_of_text("[]") == "is of type array; accepted: object");
  CHECK(complaint_of_text("null") == "is of type null; accepted: object");
  CHECK(complaint_of_text("{}") == "/schema: missing");
  CHECK(complaint_of_text(to_json(make_machine())) == "/facts: unknown field");
  CHECK(complaint_of_text(with_samples("[5]")).empty());
  CHECK(complaint_of_text(with_samples("[5.00001]")).empty()); // further digits are rounded
}

TEST_CASE("A machine file is checked as strictly") {
  const std::string good = to_json(make_machine());
  CHECK(complaint_about_machine(good).empty());
  const std::pair<std::string_view, std::string> edits[] = {
      {"\"schema\": 2", "\"schema\": 9"},
      {"x86_64-amd-zen3-2c", "../x"},
      {"\"32 KiB\"", "32"},
      {"\"L1d\"", "\"\""},
      {"\"empty\": {}", "\"empty\": []"},
      {"\"facts\"", "\"fact\""},
      {"\"L1d\"", "\"model\""},
  };
  const std::string pointers[] = {"/schema: newer schema 9",
                                  "/profile: ",
                                  "/facts/cpu/L1d: ",
                                  "/facts/cpu: fact",
                                  "/facts/empty: ",
                                  "/fact: unknown",
                                  "/facts/cpu/model: the name repeats"};
  for (std::size_t i = 0; i < std::size(edits); ++i) {
    CAPTURE(edits[i].first);
    CHECK_THAT(complaint_about_machine(edited(good, edits[i].first, edits[i].second)),
               Catch::Contains(fmt::format("machine.json: {}", pointers[i])));
  }
  for (std::size_t size = 0; size + 1 < good.size(); ++size) {
    CAPTURE(size);
    REQUIRE_FALSE(complaint_about_machine(good.substr(0, size)).empty());
  }
}

// ---------------------------------------------------------------------------------------------
// Writing

TEST_CASE("Evidence that could not be read back is not written") {
  using Spoil = std::function<void(VariantEvidence &)>;
  const std::pair<Spoil, std::string> cases[] = {
      {[](auto &e) { e.variant = "../x"; }, "/variant: "},
      {[](auto &e) { e = by_harness(e, 0); }, "/harness: "},
      {[](auto &e) { e.contexts.clear(); }, "/rows/0/context: "},
      {[](auto &e) {
         e.add({4, "zen3", "gcc 12", "none", Quality::poor});
       },
       "/contexts: no row is of context"},
      {[](auto &e) { e.contexts[kOwn.id()].quality = Quality::poor; }, "is not the id"},
      {[](auto &e) { e.rows[0].race = 0; }, "/rows/0/race: "},
      {[](auto &e) {
         e.rows[0].allocations = Allocations{1, 8, 9};
       },
       "/rows/0/allocations: "},
      {[](auto &e) { e.rows.push_back(e.rows[1]); }, "/rows/11: repeats /rows/1"},
      {[](auto &e) { e.rows[0].cell.layout = "odd"; }, "/rows/0/cell: "},
      {[](auto &e) {
         e.rows[0].cell.shape = {-1, 2, 3};
       },
       "/rows/0/cell: "},
      {[](auto &e) { e.rows[0].cell.shape = {}; }, "/rows/0/cell: "},
      {[](auto &e) { e.rows[0].candidate = ""; }, "/rows/0/candidate: "},
      {[](auto &e) { e.rows[0].threads = 0; }, "/rows/0/threads: "},
      {[](auto &e) { e.rows[0].samples_ns[3] = std::nan(""); }, "/rows/0/samples_ns/3: nan ns"},
      {[](auto &e) { e.rows[0].samples_ns[3] = HUGE_VAL; }, "/rows/0/samples_ns/3: inf ns"},
      {[](auto &e) { e.rows[0].samples_ns[3] = 0; }, "/rows/0/samples_ns/3: 0 ns"},
      {[](auto &e) { e.rows[0].samples_ns.pop_back(); }, "/samples_ns: "},
      {[](auto &e) { e.rows[0].mismatch.assign(1, 'x'); }, "/rows/0/mismatch: "},
      {[](auto &e) { e.rows[4].mismatch = ""; }, "/rows/4/mismatch: "},
      {[](auto &e) { e.rows[4].samples_ns = {1}; }, "/rows/4/samples_ns: "},
  };
  for (const auto &[spoil, expected] : cases) {
    CAPTURE(expected);
    CHECK_THAT(complaint_on_writing(spoil), Catch::Contains(expected));
  }
}

TEST_CASE("A mismatch with bytes that are not UTF-8 is written as text that reads back") {
  VariantEvidence evidence = make_evidence();
  evidence.rows[4].mismatch = "got \xff\xfe";
  const TemporaryFolder folder;
  write(folder.path(), evidence);
  CHECK(read_variant(folder.path() / "multiply_add/scalar.json").rows[1].mismatch ==
        "got \xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("Writing leaves the file, its folders and the lock, and nothing else") {
  const TemporaryFolder folder;
  for (int i = 0; i < 3; ++i) {
    write(folder.path() / "deep/profile", make_evidence());
    write(folder.path() / "deep/profile", make_machine());
  }
  CHECK(names_in(folder.path() / "deep/profile") ==
        std::set<std::string>{".lock", "machine.json", "multiply_add", "multiply_add/scalar.json"});
}

TEST_CASE("A full disk leaves the old file and no other") {
  const TemporaryFolder folder;
  write(folder.path(), make_evidence());
  const auto before = names_in(folder.path());
  const int result = in_child([&] {
    // A limit on file sizes fails in the middle of the text, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{500, 500};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) {
      return 2;
    }
    try {
      write(folder.path(), by_harness(make_evidence(), 4));
    } catch (const EvidenceError &error) {
      return std::string(error.what()).find("cannot be written: File too large") ==
                     std::string::npos
                 ? 3
                 : 0;
    }
    return 1;
  });
  CHECK(result == 0);
  CHECK(get(folder.path() / "multiply_add/scalar.json") == to_json(make_evidence()));
  CHECK(names_in(folder.path()) == before);
}

TEST_CASE("A file system without room leaves the old file and no other") {
  const TemporaryFolder folder;
  const int result = in_child([&] {
    // A small file system of its own, which nobody outside this process sees.
    const bool own = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (!own || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
      return kSkipped;
    }
    VariantEvidence large = make_evidence();
    for (int i = 1; i <= 400; ++i) {
      large.rows.push_back(
          make_row(fmt::format("u8 {}x640x3 contiguous into hot t1 tone", i), "fused", {1, 2, 3}));
    }
    write(folder.path(), make_evidence());
    const auto before = names_in(folder.path());
    try {
      write(folder.path(), large);
      return 1;
    } catch (const EvidenceError &error) {
      if (std::string(error.what()).find("cannot be written: No space left on device") ==
          std::string::npos) {
        return 2;
      }
    }
    const bool same = get(folder.path() / "multiply_add/scalar.json") == to_json(make_evidence()) &&
                      names_in(folder.path()) == before;
    return same ? 0 : 3;
  });
  if (result == kSkipped) {
    WARN("1 test skipped: no file system can be mounted here");
    return;
  }
  CHECK(result == 0);
}

TEST_CASE("A folder that cannot be written leaves the old file and no other") {
  const TemporaryFolder folder;
  write(folder.path(), make_evidence());
  const auto before = names_in(folder.path());
  const auto refuses = [&](const fs::path &profile) {
    try {
      write(profile, make_evidence());
    } catch (const EvidenceError &) {
      return true;
    }
    return false;
  };
  CHECK(refuses(folder.path() / "multiply_add/scalar.json/profile")); // below a regular file
  CHECK(refuses("/proc/switchyard"));
  fs::permissions(folder.path(), fs::perms(0555));
  const int result = in_child([&] {
    if (!become_nobody()) {
      return kSkipped;
    }
    return refuses(folder.path()) ? 0 : 1;
  });
  if (result == kSkipped) {
    WARN("1 part skipped: root's rights cannot be given up here");
  } else {
    CHECK(result == 0);
  }
  CHECK(get(folder.path() / "multiply_add/scalar.json") == to_json(make_evidence()));
  CHECK(names_in(folder.path()) == before);
}

TEST_CASE("A target that cannot be replaced leaves no temporary file") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "multiply_add/scalar.json/full");
  CHECK_THROWS_WITH(write(folder.path(), make_evidence()), Catch::Contains("cannot be replaced"));
  CHECK(names_in(folder.path()).count("multiply_add/.scalar.json.tmp") == 0);
}

TEST_CASE("A writer that was killed before its rename changed nothing") {
  const TemporaryFolder folder;
  write(folder.path(), make_evidence());
  write(folder.path(), make_machine());
  const fs::path stale = folder.path() / "multiply_add/.scalar.json.tmp";
  put(stale, to_json(make_evidence()).substr(0, 100));
  put(folder.path() / "multiply_add/.old.json", "another program's hidden file");
  const Profile profile = read_profile(folder.path());
  REQUIRE(profile.variants.size() == 1);
  CHECK(to_json(profile.variants.at("multiply_add/scalar")) == to_json(make_evidence()));
  write(folder.path(), make_evidence()); // takes the leftover's place
  CHECK_FALSE(fs::exists(stale));
}

TEST_CASE("Writers killed at any moment leave valid evidence") {
  const TemporaryFolder folder;
  write(folder.path(), make_evidence());
  for (int trial = 0; trial < 20; ++trial) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int harness = 1;; ++harness) {
        write(folder.path(), by_harness(make_evidence(), harness));
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(1000 + 377 * trial));
    ::kill(child, SIGKILL);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK(complaint(folder.path() / "multiply_add/scalar.json").empty());
  }
  write(folder.path(), make_evidence()); // no lock outlives its holder
  CHECK(get(folder.path() / "multiply_add/scalar.json") == to_json(make_evidence()));
}

TEST_CASE("Writers at the same time leave one of their files, and readers see only whole ones") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "multiply_add/scalar.json";
  write(folder.path(), make_evidence());
  constexpr int kWriters = 3;
  const auto write_often = [&](int writer) {
    VariantEvidence evidence = make_evidence();
    evidence.rows.resize(static_cast<std::size_t>(writer) + 1); // files of different lengths
    evidence = by_harness(evidence, 10 + writer);
    try {
      for (int i = 0; i < 10; ++i) {
        write(folder.path(), evidence);
      }
      return 0;
    } catch (const EvidenceError &) {
      return 1;
    }
  };
  std::vector<pid_t> processes;
  for (int writer = 0; writer < kWriters; ++writer) {
    processes.push_back(::fork());
    if (processes.back() == 0) {
      ::_exit(write_often(writer));
    }
  }
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] { failures += write_often(writer); });
  }
  for (int i = 0; i < 200; ++i) {
    CHECK(complaint(file).empty());
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  CHECK(failures == 0);
  for (const pid_t process : processes) {
    int status = 1;
    REQUIRE(::waitpid(process, &status, 0) == process);
    CHECK(status == 0);
  }
  const VariantEvidence last = read_variant(file);
  CHECK(harness_of(last) >= 10);
  CHECK(static_cast<int>(last.rows.size()) == harness_of(last) - 9);
  CHECK(names_in(folder.path()) ==
        std::set<std::string>{".lock", "multiply_add", "multiply_add/scalar.json"});
}

// ---------------------------------------------------------------------------------------------
// Profiles

TEST_CASE("Tuners of one variant at the same time keep each other's rows") {
  const TemporaryFolder folder;
  constexpr int kCells = 40;
  std::vector<std::thread> tuners;
  for (const char tuner : {'a', 'b', 'c'}) {
    tuners.emplace_back([&, tuner] {
      for (int i = 0; i < kCells; ++i) {
        const std::string key =
            fmt::format("u8 {}x640x3 contiguous into hot t1 tone_{}", i + 1, tuner);
        merge_into(folder.path(),
                   evidence_of("multiply_add/scalar", {make_row(key, "fused", {1, 2})}));
      }
    });
  }
  for (std::thread &tuner : tuners) {
    tuner.join();
  }
  CHECK(read_variant(folder.path() / "multiply_add/scalar.json").rows.size() == 3 * kCells);
}

TEST_CASE("A profile reads the same whatever the order of its files") {
  VariantEvidence flat = make_evidence();
  flat.variant = "add_weighted";
  std::string expected;
  for (const bool flat_first : {true, false}) {
    const TemporaryFolder folder;
    write(folder.path(), flat_first ? flat : make_evidence());
    write(folder.path(), make_machine());
    write(folder.path(), flat_first ? make_evidence() : flat);
    put(folder.path() / "README.md", "not evidence");
    const Profile profile = read_profile(folder.path());
    REQUIRE(profile.variants.size() == 2);
    CHECK(profile.machine.profile == "x86_64-amd-zen3-2c");
    std::string text = to_json(profile.machine);
    for (const auto &[name, evidence] : profile.variants) {
      CHECK(evidence.variant == name);
      text += to_json(evidence);
    }
    expected = expected.empty() ? text : expected;
    CHECK(text == expected);
  }
}

TEST_CASE("A profile with any unusable file is refused as a whole") {
  const TemporaryFolder folder;
  const fs::path &path = folder.path();
  CHECK_THAT(complaint_about_profile(path / "none"),
             Catch::Contains("machine.json: cannot be opened"));
  write(path, make_evidence());
  CHECK_THAT(complaint_about_profile(path), Catch::Contains("machine.json: cannot be opened"));
  write(path, make_machine());
  CHECK(complaint_about_profile(path).empty());

  put(path / "multiply_add/vector.json", to_json(make_evidence()));
  CHECK_THAT(complaint_about_profile(path),
             Catch::EndsWith("vector.json: /variant: \"multiply_add/scalar\" belongs in "
                             "multiply_add/scalar.json"));
  put(path / "multiply_add/vector.json", "");
  CHECK_THAT(complaint_about_profile(path), Catch::Contains("vector.json: byte 1: not JSON"));
  fs::remove(path / "multiply_add/vector.json");
  REQUIRE(::mkfifo((path / "pipe.json").c_str(), 0644) == 0);
  CHECK(in_child([&] {
          return complaint_about_profile(path).ends_with("pipe.json: not a regular file") ? 0 : 1;
        }) == 0);
}

TEST_CASE("Merging replaces whole cells and keeps the others") {
  const VariantEvidence older = make_evidence();
  VariantEvidence newer =
      by_harness(evidence_of(older.variant, {make_row(kTone, "lut", {5, 6})}), 4);
  const VariantEvidence merged = merge(older, newer);
  REQUIRE(merged.rows.size() == 7);
  CHECK(merged.rows[0].cell.dtype == "f32");
  CHECK(merged.rows[1].candidate == "lut");
  CHECK(merged.rows[2].cell == Cell::parse(kCold));
  // Every row kept the context that it was measured in, and no other is left.
  CHECK(merged.contexts.at(merged.rows[0].context) == kOwn);
  CHECK(merged.contexts.at(merged.rows[1].context).harness == 4);
  CHECK(merged.contexts.size() == 2);
  CHECK(to_json(merge(older, older)) == to_json(older));

  newer = evidence_of(older.variant, {make_row("f32 4x128x160x3 rows fresh cold t1 tone", "x", {1}),
                                      make_row(kTone, "x", {1}), make_row(kCold, "x", {1})});
  CHECK(to_json(merge(older, newer)) == to_json(newer));

  newer.variant = "flip";
  CHECK_THROWS_AS(merge(older, newer), std::invalid_argument);
}

namespace {

// A cell's rows as "candidate/threads@race".
std::vector<std::string> rows_in(const VariantEvidence &evidence, std::string_view cell = kTone) {
  std::vector<std::string> rows;
  for (const Row &row : evidence.rows) {
    if (row.cell == Cell::parse(cell)) {
      rows.push_back(fmt::format("{}/{}@{}", row.candidate, row.threads, row.race));
    }
  }
  return rows;
}

using Rows = std::vector<std::string>;

VariantEvidence measured(std::vector<Row> rows) {
  return evidence_of("flip", std::move(rows));
}

} // namespace

TEST_CASE("Rows that join a cell become a race of their own beside a bridge") {
  const VariantEvidence older =
      measured({make_row(kTone, "fused", {10, 11}), make_row(kTone, "loop", {20, 21}),
                make_row(kTone, "opencv", {15, 16})});
  Row again = make_row(kTone, "opencv", {5, 6, 7});
  again.version = 2;
  const VariantEvidence newer = measured({make_row(kTone, "fused", {12, 13, 14}), again});
  const VariantEvidence joined = merge(older, newer, Merge::rows);
  CHECK(rows_in(joined) == Rows{"fused/1@1", "loop/1@1", "fused/1@2", "opencv/1@2"});
  CHECK(joined.rows[0].samples_ns == std::vector<double>{10, 11});
  CHECK(joined.rows[2].samples_ns == std::vector<double>{12, 13, 14});
  CHECK(complaint_of_text(to_json(joined)).empty());

  SECTION("a further one keeps no race that has nothing but bridges left") {
    again.version = 3;
    const VariantEvidence third = measured({make_row(kTone, "fused", {8, 9}), again});
    CHECK(rows_in(merge(joined, third, Merge::rows)) ==
          Rows{"fused/1@1", "loop/1@1", "fused/1@3", "opencv/1@3"});
  }
  SECTION("a chain of bridges stays whole") {
    const VariantEvidence third =
        measured({make_row(kTone, "lut", {3, 4}), make_row(kTone, "fused", {8, 9})});
    CHECK(rows_in(merge(joined, third, Merge::rows)) ==
          Rows{"fused/1@1", "loop/1@1", "fused/1@2", "opencv/1@2", "fused/1@3", "lut/1@3"});
  }
  SECTION("other cells stay, and new ones are added as they are") {
    const VariantEvidence other = measured({make_row(kCold, "lut", {3, 4})});
    const VariantEvidence both = merge(joined, other, Merge::rows);
    CHECK(rows_in(both) == rows_in(joined));
    CHECK(rows_in(both, kCold) == Rows{"lut/1@1"});
  }
}

TEST_CASE("Without a bridge, or with nothing to bridge to, joining rows replace the cell") {
  const VariantEvidence older =
      measured({make_row(kTone, "fused", {10, 11}), make_row(kTone, "loop", {20, 21})});
  CHECK(rows_in(merge(older, measured({make_row(kTone, "lut", {1, 2})}), Merge::rows)) ==
        Rows{"lut/1@1"});
  CHECK(rows_in(merge(older,
                      measured({make_row(kTone, "loop", {1, 2}), make_row(kTone, "fused", {1, 2})}),
                      Merge::rows)) == Rows{"fused/1@1", "loop/1@1"});
  // An alternative whose code or library is another one by now compares with nothing.
  Row changed = make_row(kTone, "fused", {1, 2});
  changed.version = 2;
  CHECK(rows_in(merge(older, measured({changed}), Merge::rows)) == Rows{"fused/1@1"});
  changed = make_row(kTone, "fused", {1, 2});
  changed.context = kForeign.id();
  CHECK(rows_in(merge(older, measured({changed}), Merge::rows)) == Rows{"fused/1@1"});
  Row rejected = make_row(kTone, "fused", {});
  rejected.status = Status::rejected;
  rejected.mismatch = "wrong";
  CHECK(rows_in(merge(older, measured({rejected}), Merge::rows)) == Rows{"fused/1@1"});
}

TEST_CASE("Limits are no bridges, and stay with the race beside which they were measured") {
  const auto limit = [](std::vector<double> samples) {
    Row row = make_row(kTone, "copy", std::move(samples));
    row.status = Status::limit;
    return row;
  };
  const VariantEvidence older = measured(
      {limit({1, 1}), make_row(kTone, "fused", {10, 11}), make_row(kTone, "loop", {20, 21})});
  const VariantEvidence joined = merge(
      older,
      measured({limit({2, 2}), make_row(kTone, "fused", {10, 11}), make_row(kTone, "lut", {7, 8})}),
      Merge::rows);
  CHECK(rows_in(joined) ==
        Rows{"copy/1@1", "fused/1@1", "loop/1@1", "copy/1@2", "fused/1@2", "lut/1@2"});
  CHECK(rows_in(merge(older, measured({limit({2, 2}), make_row(kTone, "lut", {7, 8})}),
                      Merge::rows)) == Rows{"copy/1@1", "lut/1@1"});
  CHECK(rows_in(merge(joined,
                      measured({limit({3, 3}), make_row(kTone, "fused", {10, 11}),
                                make_row(kTone, "lut", {7, 8})}),
                      Merge::rows)) ==
        Rows{"copy/1@1", "fused/1@1", "loop/1@1", "copy/1@3", "fused/1@3", "lut/1@3"});
}

TEST_CASE("A bridge may be measured under other conditions, not in another context") {
  const VariantEvidence older =
      measured({make_row(kTone, "fused", {10, 11}), make_row(kTone, "loop", {20, 21})});
  VariantEvidence newer =
      measured({make_row(kTone, "fused", {10, 11}), make_row(kTone, "lut", {7, 8})});
  Context busy = kOwn;
  busy.quality = Quality::poor;
  newer.contexts.clear();
  for (Row &row : newer.rows) {
    row.context = newer.add(busy);
  }
  const VariantEvidence joined = merge(older, newer, Merge::rows);
  CHECK(rows_in(joined) == Rows{"fused/1@1", "loop/1@1", "fused/1@2", "lut/1@2"});
  CHECK(joined.contexts.size() == 2);
  newer = by_harness(newer, 9);
  CHECK(rows_in(merge(older, newer, Merge::rows)) == Rows{"fused/1@1", "lut/1@1"});
}

TEST_CASE("A candidate that was measured anew keeps no rows of its former code") {
  const VariantEvidence older =
      measured({make_row(kTone, "fused", {10, 11}), make_row(kTone, "loop", {20, 21}),
                make_row(kTone, "loop", {15, 16}, 2)});
  Row changed = make_row(kTone, "loop", {9, 10}); // and no longer worth two threads
  changed.version = 2;
  CHECK(rows_in(merge(older, measured({changed, make_row(kTone, "fused", {10, 11})}),
                      Merge::rows)) == Rows{"fused/1@1", "loop/1@1"});
  // The same code on other threads keeps what was measured.
  CHECK(rows_in(merge(
            older, measured({make_row(kTone, "loop", {9, 10}), make_row(kTone, "lut", {10, 11})}),
            Merge::rows)) == Rows{"fused/1@1", "loop/1@1", "loop/2@1", "loop/1@2", "lut/1@2"});
}

TEST_CASE("A link to a folder of evidence is refused rather than passed over") {
  const TemporaryFolder folder;
  write(folder.path() / "profile", make_machine());
  write(folder.path() / "elsewhere", make_evidence());
  fs::create_directory_symlink(folder.path() / "elsewhere/multiply_add",
                               folder.path() / "profile/multiply_add");
  CHECK_THAT(complaint_about_profile(folder.path() / "profile"),
             Catch::EndsWith("multiply_add: a link to a folder; evidence lies in folders proper"));
  fs::remove(folder.path() / "profile/multiply_add");
  // A link to a file is that file, and the profile itself may be reached through one.
  fs::create_directory(folder.path() / "profile/multiply_add");
  fs::create_symlink(folder.path() / "elsewhere/multiply_add/scalar.json",
                     folder.path() / "profile/multiply_add/scalar.json");
  fs::create_directory_symlink(folder.path() / "profile", folder.path() / "link");
  CHECK(read_profile(folder.path() / "link").variants.size() == 1);
}

TEST_CASE("Profiles of equal machines merge, the later one's cells win and conflicts are named") {
  const auto profile_of = [](std::vector<Row> rows) {
    Profile profile;
    profile.machine = make_machine();
    profile.variants.emplace("flip", evidence_of("flip", std::move(rows)));
    return profile;
  };
  const Profile first =
      profile_of({make_row(kTone, "fused", {1, 2}), make_row(kCold, "fused", {3, 4})});
  Profile second = profile_of({make_row(kTone, "fused", {5, 6}), make_row(kCold, "fused", {3, 4}),
                               make_row("u8 1x2x3 rows into hot t1 tone", "fused", {7, 8})});
  second.variants.emplace("multiply_add/scalar", make_evidence());
  Profile merged = first;
  const ProfileMerge report = merge_profile(merged, second);
  CHECK(report.added == 4);
  CHECK(report.conflicts == Rows{fmt::format("flip#{}", kTone)});
  CHECK(to_json(merged.variants.at("flip")) == to_json(second.variants.at("flip")));
  CHECK(merged.variants.size() == 2);

  // Merging is complete in any number of steps, and repeats without conflicts.
  CHECK(merge_profile(merged, second).conflicts.empty());
  merged = second;
  CHECK(merge_profile(merged, first).conflicts.size() == 1);
  CHECK(merged.variants.at("flip").rows.size() == 3);
  CHECK(rows_in(merged.variants.at("flip")) == Rows{"fused/1@1"});
  CHECK(merged.variants.at("flip").rows[0].samples_ns == std::vector<double>{1, 2});
}

TEST_CASE("Profiles of machines or builds that differ merge on demand alone") {
  Profile profile;
  profile.machine = make_machine();
  using Change = std::pair<std::function<void(Machine &)>, std::string>;
  const Change changes[] = {
      {[](Machine &m) { m.profile = "other"; }, "profile \"other\" is not \"x86_64-amd-zen3-2c\""},
      {[](Machine &m) { m.facts["cpu"]["isa"] = "avx512f"; }, "machine \""},
      {[](Machine &m) { m.facts["cpu"]["cores"] = "4"; }, "machine \""},
      {[](Machine &m) { m.facts["compiler"]["flags"] = "-O2"; }, "compiler \""},
      {[](Machine &m) { m.facts["harness"]["version"] = "7"; }, "harness \"7\" is not \"1\""},
  };
  for (const auto &[change, expected] : changes) {
    Profile other = profile;
    other.variants.emplace("multiply_add/scalar", make_evidence());
    change(other.machine);
    Profile merged = profile;
    CHECK_THROWS_WITH(merge_profile(merged, other), Catch::StartsWith(expected));
    CHECK(merged.variants.empty());
    CHECK(merge_profile(merged, other, true).added == 3);
  }
  Profile busy = profile; // other facts decide nothing
  busy.machine.facts["system"]["load_average"] = "9.0";
  CHECK_NOTHROW(merge_profile(profile, busy));
}

TEST_CASE("Text is quoted for a shell where it needs to be") {
  CHECK(shell_quoted("evidence/profiles") == "evidence/profiles");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("my profiles") == "'my profiles'");
  CHECK(shell_quoted("$(x)*") == "'$(x)*'");
  CHECK(shell_quoted("it's") == "'it'\\''s'");
}

TEST_CASE("Hashes and evidence keys are stable") {
  CHECK(hash_of("") == "cbf29ce484222325"); // published FNV-1a values
  CHECK(hash_of("a") == "af63dc4c8601ec8c");
  CHECK(hash_of("foobar") == "85944171f73967e8");
  CHECK(evidence_key(make_evidence(), Cell::parse(kTone)) ==
        "multiply_add/scalar#u8 480x640x3 contiguous into hot t2 tone");
}

// ---------------------------------------------------------------------------------------------
// Schemas

namespace {

std::set<std::string> names_of(const json &object) {
  std::set<std::string> names;
  for (const auto &[name, value] : object.items()) {
    names.insert(name);
  }
  return names;
}

json schema(const std::string &name) {
  return json::parse(get(fs::path(SWITCHYARD_SOURCE_DIR) / "evidence/schema" / name));
}

} // namespace

TEST_CASE("The schema of variant files has the fields that are written") {
  const json rules = schema("variant.schema.json");
  const json document = json::parse(to_json(make_evidence()));
  CHECK(names_of(rules["properties"]) == names_of(document));
  CHECK(rules["required"].get<std::set<std::string>>() == names_of(document));
  CHECK(rules["properties"]["schema"]["const"] == kSchemaVersion);

  const json &context = rules["$defs"]["context"];
  CHECK(names_of(context["properties"]) == names_of(document["contexts"][kOwn.id()]));
  CHECK(context["required"].get<std::set<std::string>>() == names_of(context["properties"]));
  CHECK(context["properties"]["quality"]["enum"] == json(kQualityNames));

  const json &row = rules["$defs"]["row"];
  const auto always = row["required"].get<std::set<std::string>>();
  const auto with = [&](const json &branch, std::set<std::string> optional) {
    auto names = branch["required"].get<std::set<std::string>>();
    names.insert(always.begin(), always.end());
    names.merge(optional);
    return names;
  };
  CHECK(names_of(document["rows"][1]) == with(row["then"], {})); // rejected
  CHECK(names_of(document["rows"][2]) == with(row["else"], {})); // accepted
  CHECK(names_of(document["rows"][4]) == with(row["else"], {"allocations"}));
  CHECK(names_of(document["rows"][5]) ==
        with(row["else"], {"allocations", "allocated_bytes", "peak_bytes"}));
  CHECK(names_of(document["rows"][8]) == with(row["else"], {"mismatch"})); // impossible
  CHECK(names_of(document["rows"][9]) == with(row["else"], {"race"}));
  CHECK(names_of(row["properties"]) ==
        with(row["else"], {"race", "mismatch", "allocations", "allocated_bytes", "peak_bytes"}));
  CHECK(row["properties"]["status"]["enum"] == json(kStatusNames));
  CHECK(rules["$defs"]["time"]["minimum"] == kMinTime);
  CHECK(rules["$defs"]["time"]["maximum"] == kMaxTime);

  const std::regex cell(row["properties"]["cell"]["pattern"].get<std::string>());
  for (const std::string_view layout : kLayoutNames) {
    for (const std::string_view output : kOutputNames) {
      for (const std::string_view cache : kCacheNames) {
        const std::string key =
            fmt::format("u8 0x640x3 {} {} {} t12 tone_2", layout, output, cache);
        CHECK(std::regex_match(key, cell));
      }
    }
  }
}

TEST_CASE("The schema of machine files has the fields that are written") {
  const json rules = schema("machine.schema.json");
  const json document = json::parse(to_json(make_machine()));
  CHECK(names_of(rules["properties"]) == names_of(document));
  CHECK(rules["required"].get<std::set<std::string>>() == names_of(document));
  CHECK(rules["properties"]["schema"]["const"] == kSchemaVersion);
  const std::regex profile(rules["properties"]["profile"]["pattern"].get<std::string>());
  CHECK(std::regex_match(make_machine().profile, profile));
}
