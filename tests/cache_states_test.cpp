// Cells whose cache states disagree on the winner, and when a cell is noisy: on made-up evidence.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "evidence/cache_states.hpp"
#include "evidence/statistics.hpp"

using namespace switchyard::evidence;

namespace {

Row row(const std::string &cache, const std::string &candidate, double time,
        std::size_t rounds = 11, Status status = Status::accepted) {
  Row row;
  row.cell = Cell::parse("u8 240x320x3 contiguous into " + cache + " t1 tone");
  row.candidate = candidate;
  row.status = status;
  row.samples_ns.assign(rounds, time);
  return row;
}

VariantEvidence evidence_of(std::vector<Row> rows) {
  VariantEvidence evidence;
  evidence.variant = "multiply_add/scalar";
  evidence.rows = std::move(rows);
  return evidence;
}

} // namespace

TEST_CASE("Cache states that prefer different alternatives are listed with what each would lose",
          "[cache_states]") {
  const auto found = disagreements(evidence_of({
      row("hot", "fused", 100),
      row("hot", "opencv", 112),
      row("hot", "twin", 50, 11, Status::limit), // wins nothing
      row("cold", "fused", 218),
      row("cold", "opencv", 200),
      row("cold", "memo", 1, 11, Status::impossible),
  }));
  REQUIRE(found.size() == 1);
  CHECK(found[0].first.candidate == "fused");
  CHECK(found[0].first.cell.cache == "hot");
  CHECK(found[0].second.candidate == "opencv");
  CHECK(found[0].second.cell.cache == "cold");
  CHECK(found[0].second_in_first == Approx(1.12));
  CHECK(found[0].first_in_second == Approx(1.09));
  CHECK(text_of(found[0], "multiply_add/scalar") ==
        "multiply_add/scalar u8 240x320x3 contiguous into t1 tone\n"
        "  hot: fused (opencv +12 %), cold: opencv (fused +9 %)");
}

TEST_CASE("Ties, doubts and strangers are no disagreement", "[cache_states]") {
  const auto disagree = [](std::vector<Row> rows) {
    return !disagreements(evidence_of(std::move(rows))).empty();
  };
  const Row fused = row("hot", "fused", 100);
  const Row opencv = row("hot", "opencv", 110);
  CHECK(disagree({fused, opencv, row("cold", "fused", 110), row("cold", "opencv", 100)}));
  // The same winner; within the tie band in one of the states.
  CHECK_FALSE(disagree({fused, opencv, row("cold", "fused", 100), row("cold", "opencv", 110)}));
  CHECK_FALSE(disagree({fused, opencv, row("cold", "fused", 102), row("cold", "opencv", 100)}));
  // Too few rounds; rounds that contradict each other.
  CHECK_FALSE(
      disagree({fused, opencv, row("cold", "fused", 110, 5), row("cold", "opencv", 100, 5)}));
  Row torn = row("cold", "fused", 110);
  for (std::size_t i = 0; i < 4; ++i) {
    torn.samples_ns[i] = 90;
  }
  CHECK_FALSE(disagree({fused, opencv, torn, row("cold", "opencv", 100)}));
  // One of the winners has no row there, or left its race as clearly slower.
  CHECK_FALSE(disagree({fused, row("cold", "opencv", 100)}));
  CHECK(disagree(
      {fused, opencv, row("cold", "fused", 1200, 3, Status::dropped), row("cold", "opencv", 100)}));
  // Cells that differ in more than the cache state.
  Row other = row("cold", "fused", 110);
  Row best = row("cold", "opencv", 100);
  other.cell.params = best.cell.params = "half";
  CHECK_FALSE(disagree({fused, opencv, other, best}));
  CHECK_FALSE(disagree({}));
}

TEST_CASE("Threads are part of the winner, and the fuller race of a cell decides",
          "[cache_states]") {
  Row two = row("cold", "fused", 100);
  two.cell.thread_budget = 2;
  two.threads = 2;
  Row one = row("cold", "fused", 150);
  one.cell.thread_budget = 2;
  Row hot_two = two;
  Row hot_one = one;
  hot_two.cell.cache = hot_one.cell.cache = "hot";
  std::swap(hot_two.samples_ns, hot_one.samples_ns);
  const auto found = disagreements(evidence_of({one, two, hot_one, hot_two}));
  REQUIRE(found.size() == 1);
  CHECK(text_of(found[0], "v").find("hot: fused (fused x2 +50 %)") != std::string::npos);

  std::vector<Row> rows = {row("hot", "fused", 100), row("hot", "opencv", 110),
                           row("cold", "fused", 110), row("cold", "opencv", 100)};
  Row later = row("cold", "fused", 90);
  later.race = 2;
  rows.push_back(later); // alone in its race: it beats nobody
  CHECK(disagreements(evidence_of(rows)).size() == 1);
  Row bridge = row("cold", "opencv", 100);
  bridge.race = 2;
  rows.push_back(bridge); // as many as in the first: the later race counts
  CHECK(disagreements(evidence_of(rows)).empty());
}

TEST_CASE("A cell is noisy when its best row spreads over more than a tenth", "[cache_states]") {
  std::vector<double> times(21, 100);
  CHECK_FALSE(noisy(times));
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = 100 + static_cast<double>(i); // quartiles 105 and 115 about 110
  }
  CHECK(spread(times) == Approx(10.0 / 110));
  CHECK_FALSE(noisy(times));
  for (double &time : times) {
    time += time > 110 ? 5 : 0;
  }
  CHECK(noisy(times));
  CHECK_FALSE(noisy({}));
  CHECK_FALSE(noisy(std::vector<double>{5}));
}
