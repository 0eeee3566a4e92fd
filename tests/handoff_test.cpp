// switchyard handoff: the record says of an edited profile what was edited, and no more.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "candidates/registry.hpp"
#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

using nlohmann::json;
using switchyard::test::get;
using switchyard::test::Ran;
using switchyard::test::shell;
using switchyard::test::TemporaryFolder;
namespace evidence = switchyard::evidence;
namespace fs = std::filesystem;

namespace {

constexpr const char *kOp = "vflip";

fs::path committed_profile() {
  const fs::path profiles = fs::path(SWITCHYARD_SOURCE_DIR) / "evidence/profiles";
  for (const auto &entry : fs::directory_iterator(profiles)) {
    if (fs::exists(entry.path() / (std::string(kOp) + ".json"))) {
      return entry.path();
    }
  }
  FAIL("no profile has evidence of " << kOp);
  return {};
}

// Two copies of one committed variant, of which the newer one can be edited.
class Copies {
public:
  Copies() {
    for (const char *side : {"old", "new"}) {
      fs::create_directories(folder_ / side);
      for (const char *file : {"machine.json", "vflip.json"}) {
        fs::copy_file(committed_profile() / file, folder_ / side / file);
      }
    }
  }

  // Lets `edit` change rows of the newer copy, and writes them.
  template <class Edit> void edit(const Edit &edit) {
    evidence::VariantEvidence file = evidence::read_variant(folder_ / "new" / "vflip.json");
    edit(file.rows);
    evidence::write(folder_ / "new", file);
  }

  [[nodiscard]] Ran handoff(const std::string &options) const {
    return switchyard::test::switchyard(folder_.path(),
                                        fmt::format("handoff {} --evidence new {}", kOp, options));
  }

  [[nodiscard]] json record(const std::string &options, int code = 0) const {
    const Ran ran = handoff(options + " --json");
    INFO(ran.err);
    CHECK(ran.err.empty());
    REQUIRE(ran.code == code);
    return json::parse(ran.out);
  }

  [[nodiscard]] const TemporaryFolder &folder() const { return folder_; }

private:
  TemporaryFolder folder_;
};

const json &section(const json &record, const std::string &id) {
  for (const json &each : record["sections"]) {
    if (each["id"] == id) {
      return each;
    }
  }
  FAIL("no section " << id);
  return record;
}

// How many entries of a section's rows have this text in a column.
std::ptrdiff_t count(const json &rows, const std::string &column, const std::string &text) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const json &row) { return row[column] == text; });
}

std::size_t sum(const json &rows, const std::string &column) {
  std::size_t total = 0;
  for (const json &row : rows) {
    total += row[column].get<std::size_t>();
  }
  return total;
}

} // namespace

TEST_CASE("a record against an equal profile has no change in it") {
  const Copies copies;
  const json record = copies.record("--against old");
  CHECK(record["schema"] == 1);
  CHECK(record["variants"] == json{kOp});
  CHECK(record["regression"] == false);
  CHECK(section(record, "regressions")["rows"].empty());
  CHECK(section(record, "compatibility")["rows"].empty());
  const json &routes = section(record, "routes")["rows"];
  REQUIRE(!routes.empty());
  for (const json &row : routes) {
    CHECK(row["baseline"] == row["route"]);
    CHECK(row["baseline_ns"] == row["route_ns"]);
    CHECK(row["new_over_old"] == Approx(1));
    CHECK(row["old_over_new"].is_null());
  }
}

TEST_CASE("a record says of one edited row that, and of no other") {
  Copies copies;
  std::string cell;
  copies.edit([&](std::vector<evidence::Row> &rows) {
    const auto row = std::find_if(rows.begin(), rows.end(), [](const evidence::Row &each) {
      return each.status == evidence::Status::dropped && each.candidate == "loop";
    });
    REQUIRE(row != rows.end());
    cell = row->cell.key();
    for (double &sample : row->samples_ns) {
      sample = evidence::round_to_four_digits(sample * 2);
    }
  });
  const json record = copies.record("--against old");
  const json &changes = section(record, "regressions")["rows"];
  REQUIRE(changes.size() == 1);
  CHECK(changes[0]["change"] == "Rows");
  CHECK(changes[0]["where"].get<std::string>().find(fmt::format("vflip#{} loop", cell)) == 0);
  CHECK(changes[0]["what"].get<std::string>().find("2 times") != std::string::npos);
}

TEST_CASE("a candidate that broke the contract is in the record with its mismatch") {
  Copies copies;
  std::string cell;
  copies.edit([&](std::vector<evidence::Row> &rows) {
    for (evidence::Row &row : rows) { // in all of its races
      if (row.candidate == "opencv" && (cell.empty() || row.cell.key() == cell)) {
        cell = row.cell.key();
        row.status = evidence::Status::rejected;
        row.samples_ns.clear();
        row.allocations.reset();
        row.mismatch = "out[0] at (0, 1, 2, 0): got 3, expected 4";
      }
    }
  });
  REQUIRE(!cell.empty());
  const Ran ran = copies.handoff("--against old --json");
  const json record = json::parse(ran.out);
  const json &lost = section(record, "rejected_regions")["rows"];
  const auto row = std::find_if(lost.begin(), lost.end(),
                                [&](const json &each) { return each["where"] == "vflip#" + cell; });
  REQUIRE(row != lost.end());
  CHECK((*row)["why"] == "broke the contract: out[0] at (0, 1, 2, 0): got 3, expected 4");
  CHECK(count(section(record, "regressions")["rows"], "change", "Newly rejected or impossible") ==
        1);
  // Nowhere in the dtype is it a rival any more.
  for (const json &candidate : section(record, "candidates")["rows"]) {
    if (candidate["candidate"] == "opencv" &&
        candidate["dtype"] == cell.substr(0, cell.find(' '))) {
      CHECK(candidate["routed"] == 0);
      CHECK(candidate["lost"] == 0);
      CHECK(count(candidate["reasons"], "reason", "rejected") == 1);
    }
  }
}

TEST_CASE("every measured cell of a candidate is routed, lost or has a reason") {
  const Copies copies;
  const json record = copies.record("");
  CHECK(record["before"].is_null());
  CHECK(record["regression"].is_null());
  const std::size_t cells = sum(section(record, "routes")["rows"], "cells");
  const evidence::VariantEvidence file = evidence::read_variant(committed_profile() / "vflip.json");
  std::set<std::string> keys;
  for (const evidence::Row &row : file.rows) {
    keys.insert(row.cell.key());
  }
  // Some cells may have no row that may be routed; the record says how many.
  std::size_t unrouted = 0;
  for (const json &row : section(record, "follow_ups")["rows"]) {
    unrouted += row["what"] == "no route" ? std::stoul(row["detail"].get<std::string>()) : 0;
  }
  CHECK(cells + unrouted == keys.size());
  CHECK(sum(section(record, "matrix")["rows"], "cells") == keys.size());
  CHECK(sum(section(record, "candidates")["rows"], "routed") == cells);
  for (const json &row : section(record, "candidates")["rows"]) {
    std::size_t explained = row["routed"].get<std::size_t>();
    explained += sum(row["reasons"], "cells");
    std::size_t of_dtype = 0;
    for (const json &route : section(record, "routes")["rows"]) {
      of_dtype += route["dtype"] == row["dtype"] ? route["cells"].get<std::size_t>() : 0;
    }
    INFO(row.dump());
    CHECK(explained == of_dtype);
  }
}

TEST_CASE("entries of the capability gaps name ops that there are, and records quote them") {
  std::set<std::string> known{"all"};
  for (const switchyard::OpTable *op : switchyard::candidates::ops()) {
    known.emplace(op->name);
  }
  std::istringstream page(get(fs::path(SWITCHYARD_SOURCE_DIR) / "docs/capability-gaps.md"));
  std::size_t entries = 0;
  std::size_t about = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.find("| ") != 0 || line.find("| Gap |") == 0) {
      continue;
    }
    const std::size_t from = line.find(" | ", 2) + 3;
    const std::string ops = line.substr(from, line.find(" | ", from) - from);
    std::istringstream list(ops);
    for (std::string name; std::getline(list >> std::ws, name, ',');) {
      INFO(line);
      CHECK(known.contains(name));
      about += name == "all" || name == kOp ? 1 : 0;
    }
    ++entries;
  }
  CHECK(entries > 20);
  CHECK(about > 0);
  CHECK(section(Copies().record(""), "gaps")["rows"].size() == about);
}

TEST_CASE("a record is the same each time, and the same in a file") {
  const Copies copies;
  const Ran first = copies.handoff("--against old -o record.md");
  const Ran second = copies.handoff("--against old");
  CHECK(first.code == 0);
  CHECK(first.out == second.out);
  CHECK(get(copies.folder() / "record.md") == first.out);
  CHECK(first.out.find("# Hand-off: vflip\n") == 0);
  CHECK(first.out.find("> **To fill in:** ") != std::string::npos);
}

TEST_CASE("names, revisions and evidence that are not there are errors of one line") {
  const Copies copies;
  const auto fails = [&](const std::string &arguments, const std::string &what) {
    const Ran ran = switchyard::test::switchyard(copies.folder().path(), "handoff " + arguments);
    INFO(arguments << ": " << ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find("switchyard: ") == 0);
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    CHECK(ran.err.find(what) != std::string::npos);
  };
  fails("nonsense --evidence new", "nonsense");
  fails("vflip --evidence nowhere", "nowhere");
  fails("hflip --evidence new", "no evidence of hflip");
  fails("vflip --evidence new --against no_such_revision", "no_such_revision");
  fails("", "OPS");
}

TEST_CASE("against a revision, the record names the commit and what git says of the op") {
  const Copies copies;
  const Ran made = shell(copies.folder().path(),
                         "git init -q . && mkdir -p evidence/profiles candidates/vflip docs && "
                         "cp -r old evidence/profiles/p && git add evidence && "
                         "git -c user.name=n -c user.email=e@e commit -qm one && "
                         "touch candidates/vflip/contract.cpp && git add candidates");
  REQUIRE(made.code == 0);
  const Ran ran = copies.handoff("--against HEAD --json");
  REQUIRE(ran.code == 0);
  const json record = json::parse(ran.out);
  CHECK(record["before"].get<std::string>().find("HEAD (") == 0);
  const json &contract = section(record, "compatibility")["rows"];
  REQUIRE(contract.size() == 1);
  CHECK(contract[0]["where"] == "candidates/vflip/contract.cpp");
  CHECK(section(record, "moved")["rows"].size() == 1);
}
