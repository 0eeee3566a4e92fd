// Evidence files: canonical text, strict reading of whatever lies in a profile, safe writing.
#include "evidence/evidence.hpp"

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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evidence/rows.hpp"
#include "switchyard/core/route_table.hpp"

using namespace switchyard::evidence;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// ---------------------------------------------------------------------------------------------
// Files

// A folder of its own that everybody may enter (children give up root's rights).
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "switchyard_evidence_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    fs::permissions(path_, fs::perms(0755));
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

void put(const fs::path &file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  REQUIRE(stream.flush());
}

std::string get(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), {}};
}

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

Row make_row(std::string_view cell, std::string candidate, std::vector<double> samples,
             int threads = 1) {
  Row row;
  row.cell = Cell::parse(cell);
  row.candidate = std::move(candidate);
  row.threads = threads;
  row.samples_ns = std::move(samples);
  return row;
}

VariantEvidence make_evidence() {
  VariantEvidence evidence;
  evidence.variant = "multiply_add/scalar";
  evidence.harness = 3;
  evidence.rows = {
      make_row(kTone, "fused", {100.04, 101, 99, 100, 102, 98, 100}),
      make_row(kTone, "fused", {70, 71, 69, 70, 72, 68, 70}, 2),
      make_row(kTone, "opencv", {200, 202, 198, 200, 204, 196, 12345.678}),
      make_row(kTone, "loop", {2000, 2020}),
      make_row(kTone, "aten", {}),
      make_row("f32 4x128x160x3 rows fresh cold t1 tone", "loop", {0.5, 0.25, 1e6}),
  };
  evidence.rows[2].version = 4;
  evidence.rows[3].status = Status::dropped;
  evidence.rows[4].status = Status::rejected;
  evidence.rows[4].mismatch = "[0, 3, 1]: 17, expected 18 ± ½ \"level\"\n";
  return evidence;
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
  return fmt::format(R"({{"schema":1,"variant":"flip","harness":1,"rows":[{{{}}}]}})", row);
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
      R"({"schema":1,"variant":"multiply_add/scalar","harness":3,
"rows":[
{"cell":"f32 4x128x160x3 rows fresh cold t1 tone","candidate":"loop","version":1,"threads":1,"status":"accepted","median_ns":0.5,"ratio":1,"low":1,"high":1,"spread":1000000,"samples_ns":[0.5,0.25,1000000]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"aten","version":1,"threads":1,"status":"rejected","mismatch":"[0, 3, 1]: 17, expected 18 ± ½ \"level\"\n"},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"fused","version":1,"threads":1,"status":"accepted","median_ns":100,"ratio":1.429,"low":1.417,"high":1.441,"spread":0.01,"samples_ns":[100,101,99,100,102,98,100]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"fused","version":1,"threads":2,"status":"accepted","median_ns":70,"ratio":1,"low":1,"high":1,"spread":0.01429,"samples_ns":[70,71,69,70,72,68,70]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"loop","version":1,"threads":1,"status":"dropped","median_ns":2010,"ratio":28.51,"low":0,"high":null,"spread":0.004975,"samples_ns":[2000,2020]},
{"cell":"u8 480x640x3 contiguous into hot t2 tone","candidate":"opencv","version":4,"threads":1,"status":"accepted","median_ns":200,"ratio":2.857,"low":2.833,"high":176.4,"spread":0.02,"samples_ns":[200,202,198,200,204,196,12350]}
]}
)";
  CHECK(to_json(make_evidence()) == expected);
}

TEST_CASE("Evidence without rows has a text that reads back") {
  VariantEvidence evidence;
  evidence.variant = "hflip";
  CHECK(to_json(evidence) ==
        "{\"schema\":1,\"variant\":\"hflip\",\"harness\":1,\n\"rows\":[\n]}\n");
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
  VariantEvidence evidence;
  evidence.variant = "flip";
  for (auto key = expected.rbegin(); key != expected.rend(); ++key) {
    evidence.rows.push_back(make_row(*key, "loop", {1}));
  }
  const json document = json::parse(to_json(evidence));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(document["rows"][i]["cell"] == expected[i]);
  }
}

TEST_CASE("A file reads back and writes again to the byte") {
  const TemporaryFolder folder;
  write(folder.path(), make_evidence());
  write(folder.path(), make_machine());
  const VariantEvidence evidence = read_variant(folder.path() / "multiply_add/scalar.json");
  CHECK(evidence.harness == 3);
  REQUIRE(evidence.rows.size() == 6);
  CHECK(evidence.rows[1].mismatch == make_evidence().rows[4].mismatch);
  CHECK(evidence.rows[4].status == Status::dropped);
  CHECK(evidence.rows[5].version == 4);
  CHECK(evidence.rows[5].samples_ns.back() == 12350);
  CHECK(to_json(evidence) == get(folder.path() / "multiply_add/scalar.json"));

  const Machine machine = read_machine(folder.path() / "machine.json");
  CHECK(machine.profile == make_machine().profile);
  CHECK(machine.facts == make_machine().facts);
  CHECK(to_json(machine) == get(folder.path() / "machine.json"));
}

TEST_CASE("Figures of noisy evidence with every precision read back") {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 30; ++trial) {
    VariantEvidence evidence;
    evidence.variant = "flip";
    for (const char *candidate : {"aten", "fused", "loop", "lut"}) {
      std::vector<double> samples;
      for (int round = 0; round < trial + 1; ++round) {
        samples.push_back(std::exp2(static_cast<double>(random() % 4000) / 100 - 5));
      }
      evidence.rows.push_back(make_row(kTone, candidate, samples));
    }
    const std::string text = to_json(evidence);
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
  // What passes is text that means something else: another harness version, a letter of a
  // mismatch, a last digit within rounding.
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
  fs::resize_file(path / "huge.json", (std::uintmax_t{64} << 20) + 1);
  CHECK(complaint(path / "huge.json") == "larger than 64 MB");
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
  CHECK(complaint_of_text(R"({"schema":1,"schema":1})") ==
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
      {"\"schema\":1", "\"schema\":2", "/schema: newer schema 2; this program reads 1"},
      {"\"schema\":1", "\"schema\":0", "/schema: unknown schema 0; accepted: 1"},
      {"\"schema\":1", "\"schema\":\"1\"", "/schema: is of type string; accepted: integer"},
      {"\"schema\":1,", "", "/schema: missing"},
      {"multiply_add/scalar", "../../etc/passwd", "/variant: \"../../etc/passwd\"; accepted"},
      {"multiply_add/scalar", "machine", "/variant: "},
      {"multiply_add/scalar", "a//b", "/variant: "},
      {"multiply_add/scalar", "/a", "/variant: "},
      {"multiply_add/scalar", "a/", "/variant: "},
      {"\"harness\":3", "\"harness\":0", "/harness: 0; accepted: 1 or more"},
      {"\"harness\":3", "\"harness\":3.5", "/harness: is of type number; accepted: integer"},
      {"\"harness\":3", "\"harness\":3,\"host/~name\":1", "/host~1~0name: unknown field"},
      {"\"harness\":3", "\"harness\":99999999999999999999",
       "/harness: is of type number; accepted: integer"},
      {"\"harness\":3", "\"harness\":18446744073709551615", "/harness: out of range"},
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
       "/rows/4/status: \"lost\"; accepted: accepted, dropped, rejected"},
      {"\"dropped\"", "\"rejected\"", "/rows/4/"},
      {"\"dropped\"", "\"accepted\"", "/rows/4/samples_ns: 2 rounds where /rows/2 has 7"},
      {"\"rejected\"", "\"accepted\"", "/rows/1/mismatch: unknown field"},
      {",\"mismatch\":", ",\"missmatch\":", "/rows/1/missmatch: unknown field"},
      {"[2000,2020]", "[]", "/rows/4/samples_ns: no times"},
      {"[2000,2020]", "{}", "/rows/4/samples_ns: is of type object; accepted: array"},
      {"[2000,2020]", "[2000,0]", "/rows/4/samples_ns/1: 0 ns is no time of a call"},
      {"[2000,2020]", "[-1,2020]", "/rows/4/samples_ns/0: -1 ns is no time of a call"},
      {"[2000,2020]", "[1e-300,2020]", "/rows/4/samples_ns/0: 1e-300 ns is no time of a call"},
      {"[2000,2020]", "[2000,1e300]", "/rows/4/samples_ns/1: 1e+300 ns is no time of a call"},
      {"[2000,2020]", "[2000,1e999]", "/rows/4/samples_ns/1: "},
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
      {"\"schema\": 1", "\"schema\": 9"},
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
      {[](auto &e) { e.harness = 0; }, "/harness: "},
      {[](auto &e) { e.rows.push_back(e.rows[1]); }, "/rows/6: repeats /rows/1"},
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
    VariantEvidence evidence = make_evidence();
    evidence.harness = 4;
    try {
      write(folder.path(), evidence);
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
      VariantEvidence evidence = make_evidence();
      for (;; ++evidence.harness) {
        write(folder.path(), evidence);
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
    evidence.harness = 10 + writer;
    evidence.rows.resize(static_cast<std::size_t>(writer) + 1); // files of different lengths
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
  CHECK(last.harness >= 10);
  CHECK(static_cast<int>(last.rows.size()) == last.harness - 9);
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
        VariantEvidence evidence;
        evidence.variant = "multiply_add/scalar";
        evidence.rows.push_back(
            make_row(fmt::format("u8 {}x640x3 contiguous into hot t1 tone_{}", i + 1, tuner),
                     "fused", {1, 2}));
        merge_into(folder.path(), evidence);
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
  VariantEvidence newer;
  newer.variant = older.variant;
  newer.harness = 4;
  newer.rows = {make_row(kTone, "lut", {5, 6})};
  const VariantEvidence merged = merge(older, newer);
  REQUIRE(merged.rows.size() == 2);
  CHECK(merged.rows[0].cell.dtype == "f32");
  CHECK(merged.rows[1].candidate == "lut");
  CHECK(merged.harness == 3); // a row measured by version 3 remains
  CHECK(to_json(merge(older, older)) == to_json(older));

  newer.rows.push_back(make_row("f32 4x128x160x3 rows fresh cold t1 tone", "lut", {1}));
  CHECK(merge(older, newer).harness == 4);
  CHECK(to_json(merge(older, newer)) == to_json(newer));

  newer.variant = "flip";
  CHECK_THROWS_AS(merge(older, newer), std::invalid_argument);
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

  const json &row = rules["$defs"]["row"];
  const auto always = row["required"].get<std::set<std::string>>();
  const auto with = [&](const json &branch) {
    auto names = branch["required"].get<std::set<std::string>>();
    names.insert(always.begin(), always.end());
    return names;
  };
  CHECK(names_of(document["rows"][1]) == with(row["then"])); // rejected
  CHECK(names_of(document["rows"][2]) == with(row["else"])); // accepted
  std::set<std::string> all = with(row["then"]);
  all.merge(with(row["else"]));
  CHECK(names_of(row["properties"]) == all);
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
