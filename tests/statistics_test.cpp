// The statistics of paired timings, on inputs whose answers are known.
#include "evidence/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace switchyard::evidence;

namespace {

using Values = std::vector<double>;

Values scaled(Values values, double factor) {
  for (double &value : values) {
    value *= factor;
  }
  return values;
}

} // namespace

TEST_CASE("The median is the middle value, and the mean of the two middle ones") {
  CHECK(median(Values{3, 1, 2}) == 2);
  CHECK(median(Values{4, 1, 3, 2}) == 2.5);
  CHECK(median(Values{7}) == 7);
  CHECK(std::isnan(median(Values{})));
  CHECK(median(Values{1, 1, 1, 1, 1e9}) == 1); // one interrupted round moves nothing
}

TEST_CASE("Quantiles interpolate and the spread is relative to the median") {
  const Values values{5, 1, 4, 2, 3};
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 0.25) == 2);
  CHECK(quantile(values, 0.625) == 3.5);
  CHECK(quantile(values, 1) == 5);
  CHECK(std::isnan(quantile(Values{}, 0.5)));
  CHECK(spread(values) == Approx(2.0 / 3));
  CHECK(spread(scaled(values, 1000)) == Approx(2.0 / 3));
  CHECK(spread(Values{9}) == 0);
  CHECK(spread(Values{9, 9, 9}) == 0);
}

TEST_CASE("Ranks of the sign-test interval are those of the published tables") {
  const std::pair<std::size_t, std::size_t> expected[] = {{0, 0},  {1, 0},  {5, 0},   {6, 1},
                                                          {8, 1},  {9, 2},  {10, 2},  {15, 4},
                                                          {20, 6}, {25, 8}, {100, 40}};
  for (const auto &[n, rank] : expected) {
    CAPTURE(n);
    CHECK(interval_rank(n, 0.05) == rank);
  }
  CHECK(interval_rank(8, 0.01) == 1);
  CHECK(interval_rank(7, 0.01) == 0);
  CHECK(interval_rank(20, 0.01) == 4);
}

TEST_CASE("The rank of a long series is near the normal approximation") {
  // 2^-n is 0 in a double from n = 1075 on: the sum must not lose its terms with it.
  for (const std::size_t n : {1000U, 5000U, 100000U}) {
    CAPTURE(n);
    const double half_width = 1.959964 * std::sqrt(static_cast<double>(n)) / 2;
    CHECK(static_cast<double>(interval_rank(n, 0.05)) ==
          Approx(static_cast<double>(n) / 2 - half_width).margin(1.5));
  }
}

TEST_CASE("The ratio of a multiple is the multiple in spite of drift") {
  const Values base{100, 120, 90, 400, 105, 99, 130};
  const Interval slower = paired_ratio(scaled(base, 2), base);
  CHECK(slower.estimate == 2);
  CHECK(slower.low == 2);
  CHECK(slower.high == 2);
  CHECK(paired_ratio(base, scaled(base, 2)).estimate == 0.5);
  CHECK(paired_ratio(base, base).estimate == 1);
}

TEST_CASE("Even numbers of rounds take the geometric mean, so that a swap gives the reciprocal") {
  const Values a{1, 8, 2, 9};
  const Values b{1, 2, 2, 1}; // ratios 1, 4, 1, 9
  CHECK(paired_ratio(a, b).estimate == 2);
  CHECK(paired_ratio(b, a).estimate == 0.5);
}

TEST_CASE("Intervals hold the order statistics of their confidence") {
  Values ratios;
  for (int i = 10; i >= 1; --i) {
    ratios.push_back(i);
  }
  const Values ones(ratios.size(), 1);
  const Interval one = paired_ratio(ratios, ones);
  CHECK(one.estimate == Approx(std::sqrt(30.0)));
  CHECK(one.low == 2);
  CHECK(one.high == 9);
  const Interval ten = paired_ratio(ratios, ones, 10);
  CHECK(ten.low == 1);
  CHECK(ten.high == 10);
  const Interval hundred = paired_ratio(ratios, ones, 100);
  CHECK(hundred.low == 0);
  CHECK(hundred.high == HUGE_VAL);
  CHECK(hundred.estimate == one.estimate);
}

TEST_CASE("Only the common rounds are compared") {
  const Values a{2, 2, 2, 2, 2, 2};
  const Values b{1, 1, 1, 1, 1, 1, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  CHECK(paired_ratio(a, b).estimate == 2);
  CHECK(paired_ratio(b, a).high == 0.5);
}

TEST_CASE("Too few rounds exclude nothing") {
  const Interval five = paired_ratio(Values{2, 2, 2, 2, 2}, Values{1, 1, 1, 1, 1});
  CHECK(five.estimate == 2);
  CHECK(five.low == 0);
  CHECK(five.high == HUGE_VAL);
  const Interval none = paired_ratio(Values{}, Values{1});
  CHECK(std::isnan(none.estimate));
  CHECK(none.high == HUGE_VAL);
}

TEST_CASE("Intervals of noisy pairs hold the true ratio about as often as they promise") {
  std::mt19937_64 random(7);
  const auto noise = [&] { // heavy right tail: one in eight is interrupted
    const double jitter = 1 + static_cast<double>(random() % 1000) / 10000;
    return random() % 8 == 0 ? 3 * jitter : jitter;
  };
  int held = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Values a;
    Values b;
    for (int round = 0; round < 21; ++round) {
      a.push_back(1.2 * noise());
      b.push_back(noise());
    }
    const Interval ratio = paired_ratio(a, b);
    held += ratio.low <= 1.2 && 1.2 <= ratio.high ? 1 : 0;
  }
  CHECK(held > 0.95 * kTrials); // exact coverage at n = 21 is 97.3 %
  CHECK(held < 0.99 * kTrials);
}

TEST_CASE("Times are rounded to four significant digits") {
  CHECK(round_to_four_digits(12345.678) == 12350);
  CHECK(round_to_four_digits(0.00123449) == 0.001234);
  CHECK(round_to_four_digits(99996) == 100000);
  CHECK(round_to_four_digits(7) == 7);
  CHECK(round_to_four_digits(0) == 0);
  CHECK(round_to_four_digits(-1.23456) == -1.235);
  CHECK(std::isinf(round_to_four_digits(HUGE_VAL)));
  for (const double value : {1.0 / 3, 2e-7 / 7, 1e12 / 9}) { // rounding twice changes nothing
    CHECK(round_to_four_digits(round_to_four_digits(value)) == round_to_four_digits(value));
  }
}
