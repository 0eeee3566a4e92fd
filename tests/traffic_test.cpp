// Declared memory traffic, and what is read from callgrind's files. Whether the candidates' own
// declarations are right is asked by scripts/check_traffic.sh.
#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "bench/measure/traffic_count.hpp"

using namespace switchyard;
using namespace switchyard::measure;

namespace {

constexpr const char *kDump = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: "
                              "1\ncmd:  program\npart: 3\n\n\n"
                              "desc: I1 cache: 16384 B, 64 B, 2-way associative\n"
                              "positions: line\n"
                              "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw ILdmr DLdmr DLdmw\n"
                              "summary: 900 200 100 9 80 40 9 70 30 1 20 25\n\n"
                              "fn=(1) run\n0 900 200 100 9 80 40 9 70 30 1 20 25\n\n"
                              "totals: 900 200 100 9 80 40 9 70 30 1 20 25\n";

// The same without what begins with `key` up to the line's end.
std::string without(std::string text, const std::string &key) {
  const std::size_t at = text.find("\n" + key) + 1;
  REQUIRE(at > 0);
  return text.erase(at, text.find('\n', at) - at);
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.rfind(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("Traffic is declared for all dtypes at once or for each", "[traffic]") {
  constexpr TrafficByCase kSame{2, 1};
  CHECK(kSame[0].reads == 2);
  CHECK(kSame[3].writes == 1);
  constexpr TrafficByCase kEach{{8, 3}, {2, 1}};
  CHECK(kEach[0].reads == 8);
  CHECK(kEach[0].writes == 3);
  CHECK(kEach[1].reads == 2);
  CHECK(kEach[3].reads == 2); // the last serves the rest
  constexpr TrafficByCase kDefault;
  CHECK(kDefault[0].reads == 1);
  CHECK(kDefault[0].writes == 1);
  constexpr Candidate kRow{"own", 1, "own", nullptr, {}, {{4, 0}, {1, 0}}, Split::none, nullptr};
  CHECK(kRow.traffic[0].reads == 4);
  CHECK(kRow.traffic[1].reads == 1);
}

TEST_CASE("Fetched and written lines are read from callgrind's totals", "[traffic]") {
  CHECK(parse_callgrind(kDump) == LineCounts{70, 46});
  // Zeros at the end are not written.
  CHECK(parse_callgrind(replaced(kDump, "9 70 30 1 20 25", "9 70 30")) == LineCounts{70, 0});
  for (const std::string &bad :
       {std::string(), without(kDump, "totals:"), without(kDump, "events:"),
        replaced(kDump, "9 70 30 1", "9 70x 30 1"), replaced(kDump, "9 70 30 1", "9 -70 30 1"),
        replaced(kDump, " DLdmr DLdmw", "")}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_callgrind(bad), std::invalid_argument);
  }
}

TEST_CASE("A pass is an array of the first input, or of the first output", "[traffic]") {
  const Extents shape{1, 10, 64, 1};
  const ConstView in{nullptr, shape, contiguous_strides(shape, 1), Dtype::u8, 3};
  const View wide(nullptr, shape, contiguous_strides(shape, 4), Dtype::f32, 3);
  const View number(nullptr, {1, 1, 1, 1}, {8, 8, 8, 8}, Dtype::f64, 3);
  Call call;
  call.in[0] = &in;
  call.out[0] = &wide;
  CHECK(passes_of({20, 40}, call).reads == 2);  // ten lines of u8
  CHECK(passes_of({20, 40}, call).writes == 1); // forty of f32
  call.out[0] = &number;
  CHECK(passes_of({20, 40}, call).writes == 4); // a temporary, in arrays of the input
}

TEST_CASE("Half a pass more or less is a wrong declaration", "[traffic]") {
  CHECK(agrees({2, 1}, {2.4, 1.02}));
  CHECK(agrees({2, 1}, {1.6, 0.6}));
  CHECK_FALSE(agrees({2, 1}, {2.6, 1}));
  CHECK_FALSE(agrees({2, 1}, {1.4, 1}));
  CHECK_FALSE(agrees({2, 1}, {2, 2}));
  CHECK_FALSE(agrees({1, 0}, {1, 1}));
  CHECK(agrees({26, 25}, {27.1, 25})); // 5 %: many passes leave more behind at their ends
  CHECK_FALSE(agrees({26, 25}, {28, 25}));
}
