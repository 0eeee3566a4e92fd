// switchyard diff: what it says of two tunings, as text, Markdown and JSON.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "evidence/context.hpp"
#include "evidence/evidence.hpp"
#include "evidence/incumbents.hpp"
#include "evidence/unpaired.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

using nlohmann::json;
using namespace switchyard::evidence;
using switchyard::test::put;
using switchyard::test::Ran;
using switchyard::test::shell;
using switchyard::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr const char *kVariant = "hflip";
constexpr const char *kShapes[] = {"24x32x3", "128x160x3", "480x640x3", "1080x1920x3"};
constexpr int kRounds = 25;
constexpr int kVersion = 1000; // newer than this build's: else it would say so

std::string key(const std::string &shape) {
  return "u8 " + shape + " contiguous into hot t1 none";
}

// Rounds that scatter by a hundredth around `ns`, differently for each candidate.
std::vector<double> samples(double ns, int seed) {
  std::vector<double> result;
  for (int i = 0; i < kRounds; ++i) {
    result.push_back(std::round(ns * (1000 + (i * 7 + seed * 3) % 11 - 5)) / 1000);
  }
  return result;
}

Row row(const std::string &cell, const std::string &candidate, double ns, int seed = 0) {
  Row row;
  row.cell = Cell::parse(cell);
  row.candidate = candidate;
  row.version = kVersion;
  row.samples_ns = samples(ns, seed);
  row.allocations = Allocations{};
  return row;
}

Machine machine() {
  return {"test-machine",
          {{"cpu", {{"architecture", "x86_64"}, {"vendor", "none"}, {"cores", "2"}}},
           {"compiler", {{"name", "gcc"}, {"version", "12"}, {"flags", "-O3"}}},
           {"harness", {{"version", "3"}}},
           {"libraries", {{"opencv", "4.6.0"}, {"fused", "highway 1.0.3"}}}}};
}

// fused is the fastest everywhere, opencv half as fast again, loop ten times slower.
std::vector<Row> rows() {
  std::vector<Row> all;
  double ns = 100;
  for (const char *shape : kShapes) {
    all.push_back(row(key(shape), "fused", ns, 1));
    all.push_back(row(key(shape), "opencv", 1.5 * ns, 2));
    all.push_back(row(key(shape), "loop", 10 * ns, 3));
    Row limit = row(key(shape), "twin", 0.9 * ns, 4);
    limit.status = Status::limit;
    all.push_back(limit);
    ns *= 20;
  }
  return all;
}

Row &find(std::vector<Row> &rows, const std::string &cell, const std::string &candidate) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row &each) {
    return each.cell.key() == cell && each.candidate == candidate;
  });
  REQUIRE(found != rows.end());
  return *found;
}

void write_profile(const fs::path &folder, std::vector<Row> rows,
                   const Machine &described = machine(), const std::string &variant = kVariant) {
  VariantEvidence file{variant, {}, std::move(rows)};
  for (Row &row : file.rows) { // whatever the machine is said to be by now
    const bool limit = row.status == Status::limit;
    row.context = file.add(context_of(machine(), limit ? "" : row.candidate));
  }
  write(folder, described);
  write(folder, file);
}

// Two profile folders, old and new, and what diff says of them.
class Pair {
public:
  explicit Pair(const std::vector<Row> &before = rows(), const std::vector<Row> &after = rows(),
                const Machine &was = machine(), const Machine &is = machine()) {
    write_profile(folder_ / "old", before, was);
    write_profile(folder_ / "new", after, is);
  }

  [[nodiscard]] Ran diff(const std::string &options = "") const {
    return switchyard::test::switchyard(folder_.path(), "diff old new " + options);
  }

  // The only profile of the JSON.
  [[nodiscard]] json profile() const {
    const Ran ran = diff("--json");
    CHECK(ran.err.empty());
    const json document = json::parse(ran.out);
    REQUIRE(document["profiles"].size() == 1);
    CHECK(document["regression"] == (ran.code == 1));
    return document["profiles"][0];
  }

  [[nodiscard]] const TemporaryFolder &folder() const { return folder_; }

private:
  TemporaryFolder folder_;
};

// The lists of a profile's JSON that have entries.
std::vector<std::string> lists_of(const json &profile) {
  std::vector<std::string> names;
  for (const auto &[name, value] : profile.items()) {
    if (value.is_array() && !value.empty()) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

std::string first_line(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

// One row of the copied profile takes `factor` times as long.
std::vector<Row> edited(const std::string &shape, const std::string &candidate, double factor) {
  std::vector<Row> all = rows();
  Row &one = find(all, key(shape), candidate);
  for (double &sample : one.samples_ns) {
    sample *= factor;
  }
  return all;
}

} // namespace

TEST_CASE("A profile beside itself changes nothing, in all formats") {
  const Pair pair;
  const Ran text = pair.diff();
  CHECK(text.code == 0);
  CHECK(text.out == "no route changed\n"
                    "old: old\n"
                    "new: new\n"
                    "\n"
                    "test-machine\n"
                    "  0 cells measured anew, 0 new, 0 gone; 0 rows differ\n");
  CHECK(text.err.empty());
  const Ran markdown = pair.diff("--format markdown");
  CHECK(markdown.code == 0);
  CHECK(markdown.out == "## Switchyard: no route changed\n"
                        "\n"
                        "old → new\n"
                        "\n"
                        "### test-machine\n"
                        "\n"
                        "- 0 cells measured anew, 0 new, 0 gone; 0 rows differ\n");
  const json profile = pair.profile();
  CHECK(lists_of(profile).empty());
  CHECK(profile["cells"]["compared"] == 4);
}

TEST_CASE("The committed evidence beside itself changes nothing") {
  const fs::path profiles = fs::path(SWITCHYARD_SOURCE_DIR) / "evidence/profiles";
  const Ran ran = switchyard::test::switchyard(profiles, "diff . .");
  CHECK(ran.code == 0);
  CHECK(first_line(ran.out) == "no route changed");
}

TEST_CASE("One edited row of a losing candidate is all that is said") {
  const Pair pair(rows(), edited("128x160x3", "loop", 2));
  const Ran text = pair.diff();
  CHECK(text.code == 0);
  CHECK(text.out ==
        "no route changed\n"
        "old: old\n"
        "new: new\n"
        "\n"
        "test-machine\n"
        "  1 cells measured anew, 0 new, 0 gone; 1 rows differ\n"
        "  4 routed cells compared, 0 slower and 0 faster beyond noise\n"
        "  by the new measurements, the old routes are +0.0 % off the best, the new ones\n"
        "    +0.0 %\n"
        "\n"
        "Rows (1)\n"
        "  hflip#u8 128x160x3 contiguous into hot t1 none loop t1\n"
        "    changed: 20.0 µs → 40.0 µs, 2 times\n");
  const Ran markdown = pair.diff("--format markdown");
  CHECK(markdown.code == 0);
  CHECK_THAT(markdown.out,
             Catch::EndsWith("#### Rows (1)\n"
                             "\n"
                             "| Where | What |\n"
                             "|---|---|\n"
                             "| hflip#u8 128x160x3 contiguous into hot t1 none loop t1 | changed: "
                             "20.0 µs → 40.0 µs, 2 times |\n"));
  const json profile = pair.profile();
  CHECK(lists_of(profile) == Names{"rows"});
  REQUIRE(profile["rows"].size() == 1);
  CHECK(profile["rows"][0]["cell"] == key("128x160x3"));
  CHECK(profile["rows"][0]["candidate"] == "loop");
  CHECK(profile["rows"][0]["change"] == "changed");
  CHECK(profile["rows"][0]["before_ns"] == 20000);
  CHECK(profile["rows"][0]["after_ns"] == 40000);
  CHECK(profile["cells"]["measured_anew"] == 1);
}

TEST_CASE("A routed candidate that takes a fifth longer is a regression of that cell") {
  const Pair pair(rows(), edited("480x640x3", "fused", 1.2));
  const Ran text = pair.diff();
  CHECK(text.code == 1);
  CHECK(first_line(text.out) == "regression: no route changed; 1 cell slower");
  CHECK_THAT(text.out, Catch::Contains("Slower (1)\n"
                                       "  hflip#u8 480x640x3 contiguous into hot t1 none\n"
                                       "    fused t1: 40.0 µs → 48.0 µs, 1.2 times ["));
  CHECK_THAT(pair.diff("--format markdown").out,
             Catch::Contains("#### Slower (1)\n\n| Where | What |\n|---|---|\n"
                             "| hflip#u8 480x640x3 contiguous into hot t1 none | fused t1: "
                             "40.0 µs → 48.0 µs, 1.2 times"));
  const json profile = pair.profile();
  CHECK(lists_of(profile) == Names{"rows", "slower"});
  REQUIRE(profile["slower"].size() == 1);
  const json &slower = profile["slower"][0];
  CHECK(slower["class"]["variant"] == kVariant);
  CHECK(slower["class"]["layout"] == "contiguous");
  CHECK(slower["cell"] == key("480x640x3"));
  CHECK(slower["beyond_percent"] == 10); // 1.2 less what the rounds scatter
  CHECK(slower["ratio"]["estimate"] == Approx(1.2).margin(0.01));
  CHECK(slower["ratio"]["low"].get<double>() < 1.2);
  CHECK(slower["ratio"]["high"].get<double>() > 1.2);
}

TEST_CASE("What is slower by how much, beyond noise") {
  for (const auto &[factor, percent] :
       {std::pair{1.03, 0}, {1.08, 5}, {1.15, 10}, {1.35, 25}, {1.0, 0}}) {
    const Pair pair(rows(), edited("480x640x3", "fused", factor));
    const json profile = pair.profile();
    CAPTURE(factor);
    REQUIRE(profile["slower"].size() == (percent > 0 ? 1 : 0));
    if (percent > 0) {
      CHECK(profile["slower"][0]["beyond_percent"] == percent);
    }
  }
}

TEST_CASE("What got faster is told, and is no regression") {
  const Pair pair(rows(), edited("480x640x3", "fused", 0.7));
  const json profile = pair.profile();
  CHECK(lists_of(profile) == Names{"faster", "rows"});
  CHECK(profile["faster"][0]["beyond_percent"] == 25);
  CHECK(first_line(pair.diff().out) == "no route changed");
}

TEST_CASE("A cell whose limit got slower as well does not count as slower") {
  std::vector<Row> after = edited("480x640x3", "fused", 1.3);
  Row &limit = find(after, key("480x640x3"), "twin");
  for (double &sample : limit.samples_ns) {
    sample *= 1.3;
  }
  const json profile = Pair(rows(), after).profile();
  CHECK(lists_of(profile) == Names{"rows"});
  CHECK(profile["limits"]["cells"] == 1);
  CHECK(profile["limits"]["ratio"] == Approx(1.3).margin(0.01));
}

TEST_CASE("A route that flips comes with its margin, interval and what the old one would cost") {
  // opencv is twice as fast at the two larger sizes now.
  std::vector<Row> after = rows();
  for (const char *shape : {"480x640x3", "1080x1920x3"}) {
    for (double &sample : find(after, key(shape), "opencv").samples_ns) {
      sample /= 3;
    }
  }
  const Pair pair(rows(), after);
  const json profile = pair.profile();
  CHECK(lists_of(profile) == Names{"faster", "flipped", "rows"});
  REQUIRE(profile["flipped"].size() == 1);
  const json &flip = profile["flipped"][0];
  CHECK(flip["before"] == json{{"candidate", "fused"}, {"threads", 1}});
  CHECK(flip["after"] == json{{"candidate", "opencv"}, {"threads", 1}});
  CHECK(flip["demand"] == "faithful");
  CHECK(flip["from"] == 237956); // √(61440 · 921600)
  CHECK(flip["to"].is_null());
  CHECK(flip["verdict"] == "better");
  CHECK(flip["regret_of_old"]["estimate"] == Approx(1).margin(0.02));
  CHECK(flip["regret_of_old"]["low"].get<double>() > 0.9);
  CHECK(flip["margin"]["estimate"] == Approx(1).margin(0.02));
  const Ran text = pair.diff();
  CHECK(text.code == 0);
  CHECK(first_line(text.out) == "1 route changed");
  CHECK_THAT(text.out, Catch::Contains("Routes that flipped (1)\n"
                                       "  hflip u8 c3 contiguous into t1, from 237956 elements\n"
                                       "    fused t1 → opencv t1: proven better; "));
}

TEST_CASE("A boundary that moves is no flip") {
  const auto with_opencv_from = [](std::size_t first) {
    std::vector<Row> all = rows();
    for (std::size_t i = first; i < std::size(kShapes); ++i) {
      for (double &sample : find(all, key(kShapes[i]), "opencv").samples_ns) {
        sample /= 3;
      }
    }
    return all;
  };
  const json profile = Pair(with_opencv_from(2), with_opencv_from(1)).profile();
  CHECK(lists_of(profile) == Names{"boundaries", "faster", "rows"});
  REQUIRE(profile["boundaries"].size() == 1);
  const json &move = profile["boundaries"][0];
  CHECK(move["below"]["candidate"] == "fused");
  CHECK(move["above"]["candidate"] == "opencv");
  CHECK(move["before"] == 237956);
  CHECK(move["after"] == 11898);
  CHECK(move["regret_of_old"]["estimate"] == Approx(1).margin(0.02));
}

TEST_CASE("A newly rejected candidate is told, and what its successor costs") {
  // Rejected in one cell, it serves none of the variant and dtype.
  std::vector<Row> after = rows();
  Row &rejected = find(after, key("24x32x3"), "fused");
  rejected.status = Status::rejected;
  rejected.samples_ns.clear();
  rejected.allocations.reset();
  rejected.mismatch = "at 0,0,1: 3 instead of 2 | <b>@someone</b> [x](http://x) `y`";
  const Pair pair(rows(), after);
  const json profile = pair.profile();
  CHECK(lists_of(profile) == Names{"flipped", "refused", "rows", "slower"});
  CHECK(profile["refused"] == json::array({{{"variant", kVariant},
                                            {"dtype", "u8"},
                                            {"candidate", "fused"},
                                            {"status", "rejected"},
                                            {"cells", 1},
                                            {"first_cell", key("24x32x3")},
                                            {"mismatch", rejected.mismatch}}}));
  CHECK(profile["slower"].size() == 4); // opencv serves
  CHECK(pair.diff().code == 1);
  SECTION("and nothing in evidence becomes markup") {
    const std::string markdown = pair.diff("--format markdown").out;
    CHECK_THAT(markdown, Catch::Contains("&#60;b&#62;&#64;someone&#60;/b&#62; &#91;x&#93;(http"
                                         "&#58;//x) &#96;y&#96; |\n"));
    CHECK_THAT(markdown, !Catch::Contains("<b>"));
  }
}

TEST_CASE("More peak memory of a route is told with its bytes") {
  std::vector<Row> after = rows();
  find(after, key("480x640x3"), "fused").allocations = Allocations{1, 921600, 921600};
  find(after, key("24x32x3"), "fused").allocations = Allocations{1, 4096, 4096}; // a page is none
  const Pair pair(rows(), after);
  const json profile = pair.profile();
  CHECK(lists_of(profile) == Names{"memory", "rows"});
  REQUIRE(profile["memory"].size() == 1);
  CHECK(profile["memory"][0]["before_bytes"] == 0);
  CHECK(profile["memory"][0]["after_bytes"] == 921600);
  CHECK_THAT(pair.diff().out, Catch::Contains("    fused t1: peak 0 B → 900.0 KiB\n"));
}

TEST_CASE("Machine and library changes are told, measured limits are not") {
  Machine changed = machine();
  changed.facts["libraries"]["opencv"] = "4.8.0";
  changed.facts["libraries"].erase("fused");
  changed.facts["system"]["kernel"] = "Linux 7";
  changed.facts["limits"]["wake_up"] = "3 us";
  const Pair pair(rows(), rows(), machine(), changed);
  const json profile = pair.profile();
  const auto fact = [](const char *group, const char *name, const json &before, const json &after) {
    return json{{"group", group}, {"name", name}, {"before", before}, {"after", after}};
  };
  CHECK(profile["facts"] == json::array({fact("libraries", "fused", "highway 1.0.3", nullptr),
                                         fact("libraries", "opencv", "4.6.0", "4.8.0"),
                                         fact("system", "kernel", nullptr, "Linux 7")}));
  CHECK_THAT(pair.diff().out, Catch::Contains("  libraries opencv\n    4.6.0 → 4.8.0\n"));
}

TEST_CASE("Rows that became stale are counted by variant, candidate and reason") {
  Machine changed = machine();
  changed.facts["libraries"]["opencv"] = "4.8.0";
  const json library = Pair(rows(), rows(), machine(), changed).profile();
  CHECK(lists_of(library) == Names{"facts", "stale"});
  REQUIRE(library["stale"].size() == 1);
  CHECK(library["stale"][0] == json{{"variant", kVariant},
                                    {"candidate", "opencv"},
                                    {"reason", "library of opencv was 4.6.0; unknown, is 4.8.0; "
                                               "unknown"},
                                    {"rows", 4}});
  // What both sides have stale is no news.
  CHECK(lists_of(Pair(rows(), rows(), changed, changed).profile()).empty());

  std::vector<Row> versions = rows();
  for (const char *shape : {"24x32x3", "128x160x3"}) {
    find(versions, key(shape), "opencv").version = kVersion + 1;
  }
  const json version = Pair(rows(), versions).profile();
  REQUIRE(version["stale"].size() == 1); // the two that are still of the version before
  CHECK(version["stale"][0]["rows"] == 2);
  CHECK(version["stale"][0]["reason"] == "version was 1000, is 1001");
}

TEST_CASE("Classes that are newly covered, or no longer, are told") {
  std::vector<Row> more = rows();
  for (const char *shape : {"24x32x1", "480x640x1"}) {
    more.push_back(row(key(shape), "fused", 100, 1));
    more.push_back(row(key(shape), "opencv", 200, 2));
  }
  const Pair pair(rows(), more);
  const json profile = pair.profile();
  CHECK(lists_of(profile) == Names{"covered", "rows"});
  REQUIRE(profile["covered"].size() == 1);
  CHECK(profile["covered"][0]["channels"] == "1");
  CHECK(profile["cells"]["added"] == 2);
  CHECK(first_line(pair.diff().out) == "no route changed; classes +1 -0");
  const json reverse = Pair(more, rows()).profile();
  CHECK(lists_of(reverse) == Names{"rows", "uncovered"});
  CHECK(reverse["cells"]["removed"] == 2);
}

TEST_CASE("Folders of profiles are compared profile by profile") {
  TemporaryFolder folder;
  Machine other = machine();
  other.profile = "other-machine";
  write_profile(folder.path() / "old/test-machine", rows());
  write_profile(folder.path() / "new/test-machine", edited("480x640x3", "fused", 1.2));
  write_profile(folder.path() / "new/other-machine", rows(), other);
  const Ran ran = switchyard::test::switchyard(folder.path(), "diff old new --json");
  CHECK(ran.code == 1);
  const json document = json::parse(ran.out);
  REQUIRE(document["profiles"].size() == 2);
  CHECK(document["profiles"][0]["profile"] == "other-machine");
  CHECK(document["profiles"][0]["change"] == "added");
  CHECK(document["profiles"][0]["covered"].size() == 1);
  CHECK(document["profiles"][1]["slower"].size() == 1);
  CHECK(document["verdict"] == "regression: no route changed; 1 cell slower; classes +1 -0");
  CHECK(switchyard::test::switchyard(folder.path(), "diff old new --json").out == ran.out);
}

TEST_CASE("Lines fit 80 columns, and long lists say what they leave out") {
  std::vector<Row> before;
  std::vector<Row> after;
  for (int i = 0; i < 60; ++i) {
    const std::string cell =
        fmt::format("u8 64x1080x{}x3 contiguous in_place hot t1 none_of_them", 1000 + i);
    before.push_back(row(cell, "fused", 1e8 * (1 + i), 1));
    after.push_back(row(cell, "fused", 1e8 * (1 + i) * (1.2 + 0.01 * i), 1));
    before.push_back(row(cell, "opencv", 2e8 * (1 + i), 2));
    after.push_back(row(cell, "opencv", 4e8 * (1 + i), 2));
  }
  const std::string variant = "normalize_per_image/min_max_per_channel";
  TemporaryFolder folder;
  write_profile(folder / "old", before, machine(), variant);
  write_profile(folder / "new", after, machine(), variant);
  const Ran ran = switchyard::test::switchyard(folder.path(), "diff old new");
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, Catch::Contains("Slower (60)\n"));
  CHECK_THAT(ran.out, Catch::Contains("  … and 40 more (--all lists them)\n"));
  std::size_t from = 0;
  while (from < ran.out.size()) {
    const std::size_t to = ran.out.find('\n', from);
    const std::string line = ran.out.substr(from, to - from);
    const auto columns =
        std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    CAPTURE(line);
    CHECK(columns <= 80);
    from = to + 1;
  }
  CHECK_THAT(switchyard::test::switchyard(folder.path(), "diff old new --all").out,
             !Catch::Contains("--all"));
}

TEST_CASE("Revisions are compared, and the working tree with one") {
  TemporaryFolder folder;
  const fs::path profiles = folder.path() / "repository/evidence/profiles";
  const fs::path root = folder.path() / "repository";
  write_profile(profiles / "test-machine", rows());
  const auto commit = [&](const char *text) {
    return shell(root, fmt::format("git add -A && git -c user.name=n -c user.email=e commit -qm {} "
                                   "--no-gpg-sign",
                                   text))
        .code;
  };
  REQUIRE(shell(root, "git init -q -b main . && git -c user.name=n -c user.email=e commit -q "
                      "--allow-empty -m empty --no-gpg-sign")
              .code == 0);
  REQUIRE(commit("first") == 0);
  write_profile(profiles / "test-machine", edited("480x640x3", "fused", 1.2));
  REQUIRE(commit("second") == 0);
  fs::create_directories(root / "below");

  for (const char *sides : {"HEAD~1..HEAD", "HEAD~1..", "HEAD~1...main", "HEAD~1 HEAD"}) {
    for (const fs::path &from : {root, root / "below"}) {
      CAPTURE(sides, from);
      const Ran ran = switchyard::test::switchyard(from, fmt::format("diff {}", sides));
      CHECK(ran.err.empty());
      CHECK(ran.code == 1);
      CHECK(first_line(ran.out) == "regression: no route changed; 1 cell slower");
    }
  }
  CHECK(first_line(switchyard::test::switchyard(root, "diff HEAD").out) == "no route changed");
  write_profile(profiles / "test-machine", rows());
  CHECK(switchyard::test::switchyard(root, "diff HEAD~1").code == 0);
  CHECK_THAT(switchyard::test::switchyard(root, "diff HEAD").out, Catch::Contains("Faster (1)"));
  // Before there was any evidence.
  const Ran first = switchyard::test::switchyard(root, "diff HEAD~2 HEAD");
  CHECK(first.code == 0);
  CHECK(first_line(first.out) == "no route changed; classes +1 -0");

  const auto refused = [&](const fs::path &from, const std::string &arguments) {
    const Ran ran = switchyard::test::switchyard(from, "diff " + arguments);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    return ran.err;
  };
  CHECK_THAT(refused(root, "no_such HEAD"),
             Catch::StartsWith("switchyard: no_such: is neither a folder nor a revision in "));
  CHECK_THAT(refused(root, "HEAD~1..no_such"), Catch::StartsWith("switchyard: no_such: "));
  CHECK_THAT(refused(root, "HEAD~1 HEAD --path nowhere"), Catch::Contains("nowhere"));
  CHECK_THAT(refused(root, "--format xml HEAD HEAD"), Catch::Contains("--format"));
  CHECK_THAT(refused(root, "a b c"), Catch::Contains("see --help"));
  CHECK_THAT(refused(root, ""), Catch::Contains("SIDES"));
  CHECK(refused(folder.path(), "HEAD~1..HEAD") ==
        "switchyard: HEAD~1: is no folder, and the current one is in no git repository\n");
  put(folder.path() / "empty/file", "");
  CHECK_THAT(refused(folder.path(), "empty empty"), Catch::Contains("empty: is no profile"));
}

TEST_CASE("The interval of unpaired samples is that of the two medians") {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 25; ++i) {
    a.push_back(200 + i);
    b.push_back(100 + (i * 7) % 25); // the order does not matter
  }
  const Interval ratio = unpaired_ratio(a, b);
  CHECK(ratio.estimate == Approx(212.0 / 112));
  // Rank 7 of 25: P(Bin(25, ½) < 7) = 0.0073, so 98.5 % each.
  CHECK(ratio.low == Approx(206.0 / 118));
  CHECK(ratio.high == Approx(218.0 / 106));
  const Interval few = unpaired_ratio(std::vector<double>{1, 2, 3}, b);
  CHECK(few.low == 0);
  CHECK(std::isinf(few.high));
}
