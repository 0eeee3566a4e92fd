// switchyard validate: files of evidence that are hostile, broken or not as they are written.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "evidence/evidence.hpp"
#include "evidence/faults.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

using nlohmann::json;
using namespace switchyard::evidence;
using switchyard::test::get;
using switchyard::test::put;
using switchyard::test::Ran;
using switchyard::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const Context kContext{3, "a machine", "a compiler", "a library", Quality::good};

Row row(const std::string &cell, const std::string &candidate, double ns) {
  Row row;
  row.cell = Cell::parse(cell);
  row.candidate = candidate;
  row.samples_ns.assign(7, ns);
  row.context = kContext.id();
  return row;
}

VariantEvidence evidence(const std::string &variant = "hflip") {
  return {variant,
          {{kContext.id(), kContext}},
          {row("u8 24x32x3 contiguous into hot t1 none", "fused", 100),
           row("u8 24x32x3 contiguous into hot t1 none", "opencv", 150),
           row("u8 48x64x3 contiguous into hot t1 none", "fused", 400),
           row("u8 48x64x3 contiguous into hot t1 none", "opencv", 600)}};
}

// A folder of one sound profile.
class Profiles {
public:
  Profiles() {
    write(profile(), Machine{"test-machine", {{"cpu", {{"vendor", "none"}}}}});
    write(profile(), evidence());
  }
  [[nodiscard]] const fs::path &path() const { return folder_.path(); }
  [[nodiscard]] fs::path profile() const { return folder_ / "test-machine"; }
  [[nodiscard]] fs::path file() const { return profile() / "hflip.json"; }
  [[nodiscard]] Ran validate(const std::string &paths = ".") const {
    return switchyard::test::switchyard(path(), "validate " + paths);
  }

private:
  TemporaryFolder folder_;
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// What check_variant says of a text in a file of that name, a line each.
std::vector<std::string> faults_of(std::string_view text) {
  const TemporaryFolder folder;
  put(folder / "hflip.json", text);
  std::vector<std::string> lines;
  for (const Fault &fault : check_variant(folder / "hflip.json").faults) {
    lines.push_back(fault.pointer + ": " + fault.what);
  }
  return lines;
}

} // namespace

TEST_CASE("Sound evidence has no fault, as a file, a profile or a folder of profiles") {
  const Profiles profiles;
  CHECK(profiles.validate().out == "2 files checked, 0 faults\n");
  CHECK(profiles.validate("test-machine").code == 0);
  CHECK(profiles.validate("test-machine/hflip.json test-machine/machine.json").code == 0);
  CHECK(faults_of(to_json(evidence())).empty());
}

TEST_CASE("The committed evidence is sound") {
  const Ran ran = switchyard::test::switchyard(SWITCHYARD_SOURCE_DIR, "validate evidence/profiles");
  CHECK(ran.out.find(", 0 faults\n") != std::string::npos);
  CHECK(ran.code == 0);
}

TEST_CASE("Every fault is told with file and pointer, one line each") {
  const Profiles profiles;
  std::string text = get(profiles.file());
  text = replaced(text, "\"candidate\":\"opencv\"", "\"candidate\":\"Open CV\"");
  text = replaced(text, "\"status\":\"accepted\"", "\"status\":\"fine\"");
  put(profiles.file(), text);
  const Ran ran = profiles.validate();
  CHECK(ran.code == 1);
  CHECK(ran.err.empty());
  CHECK(ran.out ==
        "./test-machine/hflip.json: /rows/0/status: \"fine\"; accepted: accepted, dropped, "
        "impossible, rejected, limit\n"
        "./test-machine/hflip.json: /rows/1/candidate: \"Open CV\"; accepted: [a-z0-9_]+\n"
        "2 files checked, 2 faults\n");
  const json document = json::parse(profiles.validate("--json .").out);
  CHECK(document["files"] == 2);
  REQUIRE(document["faults"].size() == 2);
  CHECK(document["faults"][1]["file"] == "./test-machine/hflip.json");
  CHECK(document["faults"][1]["pointer"] == "/rows/1/candidate");
}

TEST_CASE("What a file cannot hold is found, each with its place") {
  const std::string whole = to_json(evidence());
  struct Case {
    const char *from;
    const char *to;
    const char *begins;
  };
  const Case cases[] = {
      {"\"schema\":2", "\"schema\":3", "/schema: newer schema 3; this program reads 2"},
      {"[100,100", "[1e309,100", "/rows/0/samples_ns/0: number overflow"},
      {"[100,100", "[0,100", "/rows/0/samples_ns/0: 0 ns is no time of a call"},
      {"[100,100", "[-1,100", "/rows/0/samples_ns/0: -1 ns is no time of a call"},
      {"[100,100", "[null,100", "/rows/0/samples_ns/0: is of type null"},
      {",\"samples_ns\":[100,100,100,100,100,100,100]", "", "/rows/0/samples_ns: missing"},
      {"[100,100,100,100,100,100,100]", "[]", "/rows/0/samples_ns: no times"},
      {"[100,100,", "[100,", "/rows/1/samples_ns: 7 rounds where /rows/0 has 6"},
      {"\"low\":1.5,\"high\":1.5", "\"low\":1.7,\"high\":1.3", "/rows/1/low: is 1.7 where"},
      {"\"threads\":1", "\"threads\":2", "/rows/0/threads: 2; accepted: 1 to the cell's budget"},
      {"\"version\":1", "\"version\":0", "/rows/0/version: 0; accepted: 1 or more"},
      {"\"harness\":3", "\"harness\":4", "/contexts: "},
      {"48x64x3", "24x32x3", "/rows/2: repeats /rows/0"},
      {"u8 24x32x3 contiguous", "u8 24x32 contiguous", "/rows/0/cell: cell "},
      {"u8 24x32x3 contiguous", "u8 24x32x3 sideways", "/rows/0/cell: cell "},
      {"\"rows\":[\n", "\"rows\":[ \n", ": line 4 is not as it is written"},
      {"[100,100", "[100.0,100", ": line 5 is not as it is written"},
      {"\"variant\":\"hflip\"", "\"variant\":\"../x\"", "/variant: "},
  };
  for (const Case &each : cases) {
    const std::vector<std::string> lines = faults_of(replaced(whole, each.from, each.to));
    CAPTURE(each.to, lines);
    REQUIRE_FALSE(lines.empty());
    CHECK(lines.front().starts_with(each.begins));
  }
  const std::string id = kContext.id();
  const auto missing = faults_of(replaced(whole, "\"context\":\"" + id, "\"context\":\"00000000"));
  CHECK(missing ==
        std::vector<std::string>{"/rows/0/context: \"00000000\" is no context of this file"});
}

TEST_CASE("Rows out of order are told by the first that is") {
  std::string text = to_json(evidence());
  const std::size_t first = text.find("{\"cell\"");
  const std::size_t second = text.find("{\"cell\"", first + 1);
  const std::size_t third = text.find("{\"cell\"", second + 1);
  text = text.substr(0, first) + text.substr(second, third - second) +
         text.substr(first, second - first) + text.substr(third);
  CHECK(faults_of(text) ==
        std::vector<std::string>{"/rows/0: is not in order: /rows/1 belongs here"});
}

TEST_CASE("Names that this build does not know are told") {
  const Profiles profiles;
  VariantEvidence unknown = evidence();
  unknown.rows[0].candidate = "nobody";
  unknown.rows[2].cell.dtype = unknown.rows[3].cell.dtype = "u9";
  write(profiles.profile(), unknown);
  write(profiles.profile(), evidence("nothing/scalar"));
  const Ran ran = profiles.validate();
  CHECK(ran.code == 1);
  CHECK(ran.out ==
        "./test-machine/hflip.json: /rows/0: candidate \"nobody\" is unknown to this build (1 "
        "rows)\n"
        "./test-machine/hflip.json: /rows/2: dtype \"u9\" is unknown to this build (2 rows)\n"
        "./test-machine/nothing/scalar.json: /variant: variant \"nothing/scalar\" is unknown to "
        "this build (4 rows)\n"
        "3 files checked, 3 faults\n");
  CHECK(profiles.validate("test-machine/nothing/scalar.json").code == 1);
}

TEST_CASE("Files in the wrong place are told") {
  const Profiles profiles;
  fs::copy(profiles.file(), profiles.profile() / "vflip.json");
  fs::create_directory(profiles.profile() / "deep");
  fs::copy(profiles.file(), profiles.profile() / "deep/hflip.json");
  fs::copy(profiles.profile(), profiles.path() / "copied", fs::copy_options::recursive);
  const std::string out = profiles.validate().out;
  CHECK_THAT(out, Catch::Contains("./test-machine/vflip.json: /variant: \"hflip\" belongs in "
                                  "hflip.json\n"));
  CHECK_THAT(out, Catch::Contains("./test-machine/deep/hflip.json: /variant: "));
  CHECK_THAT(out, Catch::Contains("./copied/machine.json: /profile: \"test-machine\" belongs in a "
                                  "folder of that name\n"));
}

TEST_CASE("A file that is cut anywhere is never sound") {
  const std::string whole = to_json(evidence());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    CAPTURE(size);
    CHECK(faults_of(whole.substr(0, size)).size() == 1);
  }
  CHECK(faults_of(whole.substr(0, whole.size() - 1)).size() == 1); // the last newline
}

TEST_CASE("Flipped bytes are never sound") {
  const std::string whole = to_json(evidence());
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    for (const char byte : {'\0', '\xff', '\x80'}) {
      std::string text = whole;
      text[at] = byte;
      CAPTURE(at, static_cast<int>(byte));
      CHECK_FALSE(faults_of(text).empty());
    }
  }
}

TEST_CASE("What is no file is told without waiting for it") {
  const Profiles profiles;
  REQUIRE(::mkfifo((profiles.profile() / "pipe.json").c_str(), 0600) == 0);
  put(profiles.profile() / "empty.json", "");
  fs::create_directory(profiles.profile() / "vflip.json"); // a folder: nothing in it, nothing said
  const Ran ran = profiles.validate();
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, Catch::Contains("./test-machine/pipe.json: "));
  CHECK_THAT(ran.out, Catch::Contains("./test-machine/empty.json: byte 1: not JSON: "));
  CHECK_THAT(ran.out, Catch::Contains(", 2 faults\n"));
  CHECK(profiles.validate("test-machine/pipe.json").code == 1);

  const auto refused = [&](const std::string &paths) {
    const Ran no = profiles.validate(paths);
    CHECK(no.code == 2);
    CHECK(no.out.empty());
    CHECK(std::count(no.err.begin(), no.err.end(), '\n') == 1);
  };
  refused("nowhere");
  refused("test-machine/vflip.json"); // a folder without a profile
  refused("");
}

TEST_CASE("Files that nobody can review are told") {
  VariantEvidence large = evidence();
  for (int i = 0; i < 2000; ++i) {
    large.rows.push_back(
        row(fmt::format("u8 {}x640x3 contiguous into hot t1 none", 100 + i), "fused", 1000));
  }
  const std::vector<std::string> lines = faults_of(to_json(large));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].ends_with(" bytes; at most 300000 can be reviewed"));

  const Profiles profiles;
  for (int i = 0; i < 40; ++i) {
    write(profiles.profile(), VariantEvidence{fmt::format("big{}", i),
                                              large.contexts,
                                              {large.rows.begin(), large.rows.begin() + 1000}});
  }
  CHECK_THAT(profiles.validate().out,
             Catch::Contains("./test-machine: ") && Catch::Contains("at most 8000000 can be"));
}

TEST_CASE("Merging writes into a folder of the profile's name alone") {
  // No build reads a profile from a folder of another name.
  const Profiles profiles;
  const auto merge = [&](const std::string &out) {
    return switchyard::test::switchyard(profiles.path(), "merge " + out + " test-machine");
  };
  const Ran refused = merge("elsewhere/merged");
  CHECK(refused.code == 2);
  CHECK(refused.err.find("OUT elsewhere/merged: the profile's folder must be named test-machine") !=
        std::string::npos);
  CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  CHECK_FALSE(fs::exists(profiles.path() / "elsewhere"));
  for (const char *out : {"elsewhere/test-machine", "elsewhere/test-machine/"}) {
    CHECK(merge(out).code == 0);
    CHECK(fs::exists(profiles.path() / "elsewhere/test-machine/hflip.json"));
  }
}

TEST_CASE("Lists on the command line have neither gaps nor repetitions") {
  const TemporaryFolder folder;
  for (const char *line : {"verify --threads 1,,2", "bench --dry-run --threads 1,,2",
                           "verify --shapes 37x53x3,37x53x3", "verify --shapes 37x53x3,,5x6x1",
                           "bench --dry-run --evidence ''"}) {
    CAPTURE(line);
    const Ran ran = switchyard::test::switchyard(folder.path(), line);
    CHECK(ran.code == 2);
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  }
}
