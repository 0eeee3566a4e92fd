// What a report shows, on made-up evidence with known answers, and that no text can break its page.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/report/data.hpp"
#include "bench/report/page.hpp"
#include "candidates/registry.hpp"
#include "evidence/evidence.hpp"
#include "tablegen/incumbents.hpp"
#include "tablegen/policy.hpp"

using namespace switchyard;
using evidence::Row;
using evidence::Status;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kRounds = 21;

Row row(const std::string &cell, const std::string &candidate, double time,
        Status status = Status::accepted) {
  Row row;
  row.cell = evidence::Cell::parse(cell);
  row.candidate = candidate;
  row.status = status;
  row.samples_ns.assign(kRounds, time);
  return row;
}

tablegen::CandidateSet test_set() {
  using enum Exactness;
  return {{{"scale/scalar",
            {"u8"},
            {{"fused", 1, "fused", true, {bitwise}},
             {"opencv", 1, "opencv", true, {bitwise}},
             {"loop", 1, "loop", true, {bitwise}}}}}};
}

evidence::Profile profile_of(std::vector<Row> rows) {
  evidence::Profile profile;
  profile.machine.profile = "test-machine";
  profile.variants["scale/scalar"] = {"scale/scalar", {}, std::move(rows)};
  return profile;
}

Json data_of(const evidence::Profile &profile) {
  const tablegen::CandidateSet set = test_set();
  return report::data_of(profile, set, tablegen::plan_routes(profile, set));
}

const std::string kSmall = "u8 24x32x3 contiguous into hot t1 tone";
const std::string kLarge = "u8 480x640x3 contiguous into hot t1 tone";

// `fused` wins the small cell, `opencv` the large one.
std::vector<Row> crossing() {
  std::vector<Row> rows = {row(kSmall, "fused", 100),
                           row(kSmall, "opencv", 400),
                           row(kLarge, "fused", 9000),
                           row(kLarge, "opencv", 6000),
                           row(kLarge, "loop", 90000),
                           row(kLarge, "twin", 5000, Status::limit),
                           row(kLarge, "twin_stream", 4000, Status::limit)};
  rows[3].allocations = {2, 3000, 2000};
  rows[4].status = Status::dropped;
  rows[4].samples_ns.resize(3);
  return rows;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

const std::string kHostile = "</script><img src=x onerror=alert(1)><!--\"'&amp;\xff{{style}}";

} // namespace

TEST_CASE("A report has each cell's times, ratios and distance from its twin", "[report]") {
  const Json data = data_of(profile_of(crossing()));
  const Json &variant = data.at("variants").at(0);
  CHECK(variant.at("op") == "scale");
  REQUIRE(variant.at("series").size() == 1);
  const Json &series = variant.at("series").at(0);
  CHECK(data.at("keys") ==
        Json({"dtype", "channels", "layout", "output", "cache", "threads", "parameters"}));
  CHECK(series.at("keys") == Json({"u8", "3", "contiguous", "into", "hot", "1", "tone"}));
  REQUIRE(series.at("cells").size() == 2);
  const Json &cell = series.at("cells").at(1);
  CHECK(cell.at("shape") == "480x640x3");
  CHECK(cell.at("elements") == 921600);
  CHECK(cell.at("twins") == Json({{"twin_stream", 1, 4000, 4000, 4000}}));
  CHECK(cell.at("distance") == Json({1.5, 1.5, 1.5}));
  const auto &alternatives = variant.at("alternatives");
  const auto name = [&](const Json &index) {
    return alternatives.at(index.get<std::size_t>()).at(0).get<std::string>();
  };
  CHECK(name(cell.at("best")) == "opencv");
  REQUIRE(cell.at("rows").size() == 3);
  const auto rows = [&](std::string_view id) {
    return *std::find_if(cell.at("rows").begin(), cell.at("rows").end(),
                         [&](const Json &each) { return name(each.at(0)) == id; });
  };
  const auto behind = [](Json columns) {
    columns.erase(0);
    return columns;
  };
  CHECK(behind(rows("fused")) == Json({0, 9000, 9000, 9000, 1.5, 1.5, 1.5}));
  CHECK(behind(rows("opencv")) == Json({0, 6000, 6000, 6000, 1, 1, 1, 2, 3000, 2000}));
  // Three rounds exclude nothing.
  CHECK(behind(rows("loop")) == Json({1, 90000, nullptr, nullptr, 15, nullptr, nullptr}));
}

TEST_CASE("A report's routes are those of the policy", "[report]") {
  const evidence::Profile profile = profile_of(crossing());
  const tablegen::Plan plan = tablegen::plan_routes(profile, test_set());
  const Json data = data_of(profile);
  const Json &variant = data.at("variants").at(0);
  REQUIRE(variant.at("classes").size() == 1);
  const Json &of_class = variant.at("classes").at(0);
  CHECK(of_class.at("keys") == Json({"u8", "3", "contiguous", "into", nullptr, "1", nullptr}));
  const auto &regions = plan.classes.at(0).regions;
  REQUIRE(regions.size() == 2);
  REQUIRE(of_class.at("routes").size() == 2);
  const Json &first = of_class.at("routes").at(0);
  CHECK(first.at(0) == 0);
  CHECK(first.at(1) == regions[0].to);
  CHECK(variant.at("alternatives").at(first.at(2).get<std::size_t>()) == Json({"fused", 1}));
  CHECK(first.at(4) == 3); // opencv takes four times as long
  CHECK(of_class.at("routes").at(1).at(1).is_null());
}

TEST_CASE("Refused rows are listed and not compared; other versions are left out", "[report]") {
  std::vector<Row> rows = crossing();
  rows.push_back(row(kSmall, "loop", 1, Status::rejected));
  rows.back().samples_ns.clear();
  rows.back().mismatch = "element 7 is 3, not 4";
  rows.push_back(row(kLarge, "fused", 1));
  rows.back().race = 2;
  rows.back().version = 9;
  const Json data = data_of(profile_of(rows));
  const Json &variant = data.at("variants").at(0);
  REQUIRE(variant.at("refused").size() == 1);
  CHECK(variant.at("refused").at(0).at("status") == "rejected");
  CHECK(variant.at("refused").at(0).at("reason") == "element 7 is 3, not 4");
  CHECK(variant.at("refused").at(0).at("shape") == "24x32x3");
  CHECK(variant.at("series") == data_of(profile_of(crossing())).at("variants").at(0).at("series"));
  CHECK(data.at("warnings").dump().find("version 9") != std::string::npos);
}

TEST_CASE("Cache states that disagree are in the report with what each would lose", "[report]") {
  std::vector<Row> rows = crossing();
  const std::string cold = "u8 480x640x3 contiguous into cold t1 tone";
  rows.push_back(row(cold, "fused", 8000));
  rows.push_back(row(cold, "opencv", 10000));
  const Json data = data_of(profile_of(rows));
  const Json &found = data.at("variants").at(0).at("disagreements");
  REQUIRE(found.size() == 1);
  const std::size_t hot = found.at(0).at("states").at(0) == "hot" ? 0 : 1;
  CHECK(found.at(0).at("losses").at(hot) == 1.5);
  CHECK(found.at(0).at("losses").at(1 - hot) == 1.25);
}

TEST_CASE("A report does not depend on the order of rows", "[report]") {
  std::vector<Row> rows = crossing();
  const std::string page = report::page_of(data_of(profile_of(rows)));
  std::reverse(rows.begin(), rows.end());
  CHECK(report::page_of(data_of(profile_of(rows))) == page);
}

TEST_CASE("No text of the evidence can break out of the page", "[report]") {
  evidence::Profile profile = profile_of(crossing());
  const std::string tame = report::page_of(data_of(profile));
  profile.machine.profile = kHostile;
  profile.machine.facts[kHostile][kHostile] = kHostile;
  Row refused = row(kSmall, "loop", 1, Status::rejected);
  refused.mismatch = kHostile;
  profile.variants["scale/scalar"].rows.push_back(refused);
  const Json data = data_of(profile);
  const std::string json = report::script_json(data);
  CHECK(json.find_first_of("<>&") == std::string::npos);
  CHECK(std::all_of(json.begin(), json.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  const Json read = Json::parse(json);
  std::string shown = kHostile;
  shown.replace(shown.find('\xff'), 1, "\xef\xbf\xbd");
  CHECK(read.at("variants").at(0).at("refused").at(0).at("reason") == shown);
  const std::string page = report::page_of(data);
  CHECK(count(page, "<script") == count(tame, "<script"));
  CHECK(count(page, "</script") == count(tame, "</script"));
  CHECK(count(page, "<img") == count(tame, "<img"));
  CHECK(count(page, "{{") == count(tame, "{{") + count(json, "{{") + 1); // and the title
}

TEST_CASE("The committed profile's report shows every variant and route, in one page of its own",
          "[report]") {
  const std::string folder = SWITCHYARD_SOURCE_DIR "/evidence/profiles/x86_64-amd-zen4-2c";
  const evidence::Profile profile = evidence::read_profile(folder);
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  const tablegen::Plan plan =
      tablegen::plan_routes(profile, set, tablegen::read_incumbents(folder));
  const Json data = report::data_of(profile, set, plan);
  CHECK(data.at("variants").size() == profile.variants.size());
  std::size_t classes = 0;
  for (const Json &variant : data.at("variants")) {
    classes += variant.at("classes").size();
  }
  CHECK(classes == plan.classes.size());
  CHECK(classes > 100);
  const std::string page = report::page_of(data);
  CHECK(page.size() < std::size_t{2} << 20);
  CHECK(page.find(" src=") == std::string::npos);
  CHECK(page.find("<link") == std::string::npos);
  CHECK(page.find("Permission is hereby granted") != std::string::npos);
}
