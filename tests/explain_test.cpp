// `switchyard explain` on evidence whose answer is known, and that what it says of committed
// evidence is the policy's own choice.
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "candidates/registry.hpp"
#include "evidence/evidence.hpp"
#include "evidence/incumbents.hpp"
#include "router/router.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/incumbents.hpp"
#include "tablegen/planned_table.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/ties.hpp"
#include "tablegen/trace.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace switchyard;
using evidence::Row;
using evidence::Status;
using nlohmann::json;
using test::TemporaryFolder;
namespace fs = std::filesystem;

// The candidates of this variant that every build has: fused, lut, loop.
const std::string kVariant = "multiply_add/scalar";
constexpr std::array<const char *, 4> kShapes = {"24x32x3", "128x160x3", "480x640x3",
                                                 "1080x1920x3"};

int version_of(const std::string &candidate) {
  for (const Candidate &each : candidates::find_variant(kVariant)->candidates) {
    if (each.id == candidate) {
      return each.version;
    }
  }
  return 1;
}

evidence::Context context() {
  return {1, "machine", "compiler", "library", evidence::Quality::good};
}

// 24 rounds around `time` whose drift a cell shares, with a jitter of ±0.4 % of the row's own.
std::vector<double> rounds_of(double time, const std::string &id) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < 24; ++i) {
    const double drift = 1 + 0.05 * static_cast<double>(i % 4);
    const double jitter = 0.002 * (static_cast<double>((i * 7 + id.size() * 3) % 5) - 2);
    samples.push_back(evidence::round_to_four_digits(time * drift * (1 + jitter)));
  }
  return samples;
}

Row row(const std::string &shape, const std::string &candidate, double time) {
  Row result;
  result.cell = evidence::Cell::parse(fmt::format("u8 {} contiguous into hot t1 tone", shape));
  result.candidate = candidate;
  result.version = version_of(candidate);
  result.context = context().id();
  result.samples_ns = rounds_of(time, candidate);
  return result;
}

Row rejected(const std::string &shape, const std::string &candidate, const std::string &mismatch) {
  Row result = row(shape, candidate, 1);
  result.status = Status::rejected;
  result.samples_ns.clear();
  result.mismatch = mismatch;
  return result;
}

Row limit(const std::string &shape, double time) {
  Row result = row(shape, "twin", time);
  result.status = Status::limit;
  return result;
}

// A folder with one profile, "here".
class Evidence {
public:
  explicit Evidence(std::vector<Row> rows) {
    evidence::VariantEvidence file;
    file.variant = kVariant;
    file.add(context());
    file.rows = std::move(rows);
    evidence::write(profile(), evidence::Machine{"here", {{"cpu", {{"model", "test"}}}}});
    evidence::write(profile(), file);
  }

  [[nodiscard]] fs::path profile() const { return folder_.path() / "here"; }

  void incumbent(const std::string &candidate) const {
    evidence::write_incumbents(
        profile(), {{kVariant, "u8", 3, "contiguous", "into", 1, "faithful", 0, candidate, 1}});
  }

  // What the command prints for a shape, as JSON.
  [[nodiscard]] json explained(const std::string &shape, const std::string &more = "") const;

private:
  TemporaryFolder folder_;
};

json Evidence::explained(const std::string &shape, const std::string &more) const {
  const test::Ran ran =
      test::switchyard(fs::current_path(),
                       fmt::format("explain {} --dtype u8 --shape {} --profile here --evidence {} "
                                   "--json {}",
                                   kVariant, shape, folder_.path().string(), more));
  INFO(ran.out << ran.err);
  REQUIRE(ran.code == 0);
  return json::parse(ran.out);
}

json alternative(const json &explanation, const std::string &candidate) {
  for (const json &each : explanation["alternatives"]) {
    if (each["candidate"] == candidate) {
      return each;
    }
  }
  FAIL(candidate << " is not among the alternatives");
  return {};
}

std::string reason(const json &explanation, const std::string &candidate) {
  return alternative(explanation, candidate)["reason"];
}

// Rows of all shapes, of fused, lut and loop, in this order.
std::vector<Row> rows_of(double fused, double lut, double loop = 90000) {
  std::vector<Row> rows;
  for (const char *shape : kShapes) {
    rows.push_back(row(shape, "fused", fused));
    rows.push_back(row(shape, "lut", lut));
    rows.push_back(row(shape, "loop", loop));
  }
  return rows;
}

} // namespace

TEST_CASE("The route, its rivals with their ratios, and the rows behind them are explained") {
  std::vector<Row> rows = rows_of(1000, 1500);
  rows.push_back(limit("480x640x3", 500));
  const Evidence evidence(rows);
  const json told = evidence.explained("480x640x3");

  CHECK(told["route"]["candidate"] == "fused");
  CHECK(told["route"]["grade"] == "exact");
  CHECK(told["route"]["profile"] == "here");
  CHECK(told["class"]["channels"] == "3");
  CHECK(told["boundaries"].empty());
  CHECK(reason(told, "fused") == "chosen");
  const json lut = alternative(told, "lut");
  CHECK(lut["reason"] == "slower");
  CHECK(lut["ratio"].get<double>() == Approx(1.5).epsilon(0.01));
  CHECK(lut["low"].get<double>() > 1.45);
  CHECK(lut["high"].get<double>() < 1.55);
  CHECK(lut["median_ns"].get<double>() == Approx(1500 * 1.075).epsilon(0.01));
  CHECK(told["limit"]["limit"] == "twin");
  CHECK(told["limit"]["ratio"].get<double>() == Approx(2).epsilon(0.01));

  // Pointers lead to the rows: of four cells, all of which the region rests on.
  const fs::path file = told["evidence"]["file"].get<std::string>();
  CHECK(fs::equivalent(file, evidence.profile() / (kVariant + ".json")));
  const json document = json::parse(test::get(file));
  CHECK(told["evidence"]["cells"].size() == kShapes.size());
  std::size_t pointed = 0;
  for (const json &cell : told["evidence"]["cells"]) {
    for (const json &used : cell["rows"]) {
      const json &there = document.at(json::json_pointer(used["pointer"].get<std::string>()));
      CHECK(there["cell"] == cell["cell"]);
      CHECK(there["candidate"] == used["candidate"]);
      CHECK(there["status"] == used["status"]);
      ++pointed;
    }
  }
  CHECK(pointed == rows.size());
}

TEST_CASE("A tie is explained by the rule that broke it") {
  SECTION("Preference, without an incumbent") {
    const json told = Evidence(rows_of(1010, 1000)).explained("480x640x3");
    CHECK(told["route"]["candidate"] == "fused");
    CHECK(reason(told, "lut") == "tie_preference");
    CHECK(alternative(told, "fused")["detail"].get<std::string>().find("tied with lut") == 0);
  }
  SECTION("The incumbent stays") {
    const Evidence evidence(rows_of(1000, 1010));
    evidence.incumbent("lut");
    const json told = evidence.explained("480x640x3");
    CHECK(told["route"]["candidate"] == "lut");
    CHECK(reason(told, "fused") == "tie_incumbent");
  }
  SECTION("Heap memory") {
    std::vector<Row> rows = rows_of(1000, 1010);
    for (Row &each : rows) {
      each.allocations = each.candidate == "lut" ? evidence::Allocations{}
                                                 : evidence::Allocations{1, 100000, 100000};
    }
    const json told = Evidence(rows).explained("480x640x3");
    CHECK(told["route"]["candidate"] == "lut");
    CHECK(reason(told, "fused") == "tie_memory");
  }
  SECTION("Every rule says whom it passed over") {
    using tablegen::TieRule;
    const std::vector<tablegen::Contender> contenders = {
        {0, false, 0}, {2, true, 0}, {2, false, 90000}, {2, false, 0}, {2, false, 0}};
    const tablegen::TieBreak decided = tablegen::break_tie_with_reasons(contenders);
    CHECK(decided.winner == 3);
    CHECK(decided.lost_by[0] == TieRule::incumbent);
    CHECK(decided.lost_by[1] == TieRule::present);
    CHECK(decided.lost_by[2] == TieRule::memory);
    CHECK(decided.lost_by[3] == std::nullopt);
    CHECK(decided.lost_by[4] == TieRule::preference);
  }
}

TEST_CASE("A candidate whose rows may not be used is passed over with their fault") {
  std::vector<Row> rows = rows_of(1000, 500);
  SECTION("It broke the contract, in a cell of another size") {
    rows.push_back(rejected("240x320x3", "lut", "out[0] at (0, 1, 2, 0): got 1, expected 2"));
    const json told = Evidence(rows).explained("480x640x3");
    CHECK(told["route"]["candidate"] == "fused");
    CHECK(reason(told, "lut") == "rejected");
    const std::string detail = alternative(told, "lut")["detail"];
    CHECK(detail.find("out[0] at (0, 1, 2, 0): got 1, expected 2 in u8 240x320x3") !=
          std::string::npos);
    CHECK(told["evidence"]["cells"][0]["rows"][2]["use"] == "rejected");
  }
  SECTION("It was impossibly fast") {
    for (Row &each : rows) {
      if (each.candidate == "lut") {
        each.status = Status::impossible;
        each.mismatch = "0.1 times the time of a loop";
      }
    }
    const json told = Evidence(rows).explained("480x640x3");
    CHECK(reason(told, "lut") == "impossible");
  }
  SECTION("Its rows are of another version") {
    for (Row &each : rows) {
      each.version += each.candidate == "lut" ? 1 : 0;
    }
    const json told = Evidence(rows).explained("480x640x3");
    CHECK(told["route"]["candidate"] == "fused");
    CHECK(reason(told, "lut") == "other_version");
  }
  SECTION("It was slower than the floor") {
    const json told = Evidence(rows_of(1000, 5000, 2000)).explained("480x640x3");
    CHECK(reason(told, "loop") == "slower");
    CHECK(reason(told, "lut") == "behind_floor");
  }
}

TEST_CASE("Both ends of a region are given, with the routes beyond") {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    const bool middle = i == 1 || i == 2;
    rows.push_back(row(kShapes[i], "fused", middle ? 2000 : 1000));
    rows.push_back(row(kShapes[i], "lut", middle ? 1000 : 2000));
    rows.push_back(row(kShapes[i], "loop", 90000));
  }
  const Evidence evidence(rows);
  const json told = evidence.explained("240x320x3");
  CHECK(told["route"]["candidate"] == "lut");
  CHECK(reason(told, "fused") == "slower");
  REQUIRE(told["boundaries"].size() == 2);
  const json &below = told["boundaries"][0];
  CHECK(below["side"] == "below");
  CHECK(below["at"] == told["region"]["from"]);
  CHECK(below["candidate"] == "fused");
  CHECK(below["measured_below"] == 24 * 32 * 3);
  CHECK(below["measured_above"] == 128 * 160 * 3);
  const json &above = told["boundaries"][1];
  CHECK(above["side"] == "above");
  CHECK(above["at"] == told["region"]["to"]);
  CHECK(above["measured_below"] == 480 * 640 * 3);
  CHECK(above["measured_above"] == 1080 * 1920 * 3);
  CHECK(told["evidence"]["cells"].size() == 2);

  // A problem at a boundary is on its upper side.
  const auto from = told["region"]["from"].get<std::int64_t>();
  CHECK(evidence.explained(fmt::format("1x{}x3", from / 3 - 1))["route"]["candidate"] == "fused");
  CHECK(evidence.explained(fmt::format("1x{}x3", from / 3 + 1))["route"]["candidate"] == "lut");
}

TEST_CASE("A problem that was not measured is served, and explained, by the nearest class") {
  const Evidence evidence(rows_of(1000, 1500));
  const json near = evidence.explained("480x640x1", "--threads 2 --layout rows");
  CHECK(near["route"]["grade"] == "near");
  CHECK(near["problem"]["channels"] == "1");
  CHECK(near["problem"]["layout"] == "rows");
  CHECK(near["class"]["channels"] == "3");
  CHECK(near["class"]["threads"] == "1");
  CHECK(near["class"]["layout"] == "contiguous");

  const test::Ran other = test::switchyard(
      fs::current_path(), fmt::format("explain vflip --dtype u8 --shape 8x8x3 --evidence {} --json",
                                      evidence.profile().parent_path().string()));
  REQUIRE(other.code == 0);
  const json told = json::parse(other.out);
  CHECK(told["route"]["grade"] == "default");
  CHECK(told["class"].is_null());
  CHECK(told["notes"].size() == 1);
}

TEST_CASE(
    "What is explained of committed evidence is what the policy planned and the router serves",
    "[evidence]") {
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  std::size_t explained = 0;
  for (const auto &entry : fs::directory_iterator(SWITCHYARD_SOURCE_DIR "/evidence/profiles")) {
    const evidence::Profile profile = evidence::read_profile(entry.path());
    const tablegen::Incumbents incumbents = tablegen::read_incumbents(entry.path());
    tablegen::Plan plan{profile.machine.profile, {}, {}};
    std::vector<tablegen::ClassTrace> traces;
    for (tablegen::ClassData &data : tablegen::gather(profile, set, plan.warnings)) {
      traces.push_back(tablegen::trace_class(std::move(data), incumbents));
      plan.classes.push_back(traces.back().plan);
    }
    const tablegen::PlannedTable planned(plan, "");
    const std::array tables{planned.table()};
    const Router router(candidates::ops(), tables, profile.machine.profile);
    for (const tablegen::ClassTrace &trace : traces) {
      const tablegen::ClassPlan &of_class = trace.plan;
      const Variant &variant = *candidates::find_variant(of_class.key.variant);
      int dtype = 0;
      while (variant.dtypes[static_cast<std::size_t>(dtype)].name != of_class.key.dtype) {
        ++dtype;
      }
      for (const std::int64_t size : of_class.sizes) {
        const tablegen::ClassKey &key = of_class.key;
        INFO(key.variant << ' ' << key.dtype << " c" << key.channels << ' ' << size);
        const int index = router.variant_index(key.variant);
        const auto classes = router.variant(index).kinds.classes;
        const auto op_class = std::find(classes.begin(), classes.end(), key.op_class);
        const Router::Service service =
            router.service(index, dtype,
                           {.channels = key.channels,
                            .elements = size,
                            .layout = key.layout,
                            .output = key.output,
                            .threads = key.thread_budget,
                            .exactness = Exactness::faithful,
                            .op_class = static_cast<int>(op_class - classes.begin())});
        REQUIRE(service.part < service.parts.size());
        const Router::Service::Part &serving = service.parts[service.part];
        REQUIRE(serving.from <= size);
        REQUIRE(size < serving.to);
        REQUIRE(service.channels == key.channels);
        REQUIRE(service.grade == Grade::exact);
        for (const Exactness demand : {Exactness::faithful, Exactness::bitwise}) {
          const auto part = tablegen::part_at(trace, demand, size);
          if (!part) {
            continue;
          }
          const std::size_t winner = part->choice->segment.alternative;
          REQUIRE(part->choice->verdicts.at(winner) == tablegen::Verdict::chosen);
          const tablegen::Alternative &chosen = part->data->alternatives.at(winner);
          if (demand == Exactness::bitwise && !part->data->is_bitwise(chosen)) {
            continue; // nothing that could serve was measured
          }
          // The first of the ranking that is as exact as this.
          const auto serves = std::find_if(
              serving.ranking.begin(), serving.ranking.end(), [&](const Router::Alternative &each) {
                return each.candidate->exactness[static_cast<std::size_t>(dtype)] >= demand;
              });
          REQUIRE(serves != serving.ranking.end());
          REQUIRE(serves->candidate->id == chosen.candidate);
          REQUIRE(serves->threads == chosen.threads);
          ++explained;
        }
      }
    }
  }
  CHECK(explained > 1000);
}
