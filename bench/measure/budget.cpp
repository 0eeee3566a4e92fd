#include "bench/measure/budget.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace switchyard::measure {
namespace {

// What slices cost, in elements of proof: a cell of 100 000 elements takes about twice as long as a
// tiny one.
constexpr double kConstantWeight = 100e3;

// Seconds for a weight of 1 before anything was measured. Low for what a cell needs at least: only
// what is known to be slow is given up.
constexpr double kFirstLeast = 0.002;
constexpr double kFirstElapsed = 0.1;

// One imagined cell keeps the first real one from deciding everything.
double rate(double seconds, double weight, double first) {
  return (seconds + first) / (weight + 1);
}

std::vector<std::size_t> least_important_first(std::span<const PlannedCell> cells) {
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) { return std::tuple(cells[i].priority, cells[i].place, i); };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  return order;
}

} // namespace

double weight_of(const evidence::Cell &cell) {
  return (kConstantWeight + static_cast<double>(cell.elements())) / kConstantWeight;
}

void Budget::record(double weight, double elapsed_s, double least_s) {
  weight_ += weight;
  elapsed_s_ += elapsed_s;
  least_s_ += least_s;
}

std::vector<bool> Budget::fit(std::span<const PlannedCell> remaining, double elapsed_s) const {
  std::vector<bool> kept(remaining.size(), true);
  if (!limited()) {
    return kept;
  }
  const double per_weight = rate(least_s_, weight_, kFirstLeast);
  double needed = 0;
  for (const PlannedCell &cell : remaining) {
    needed += cell.weight * per_weight;
  }
  for (const std::size_t i : least_important_first(remaining)) {
    if (needed <= left_s(elapsed_s)) {
      break;
    }
    kept[i] = false;
    needed -= remaining[i].weight * per_weight;
  }
  return kept;
}

double Budget::share_s(double weight, double remaining_weight, double elapsed_s) const {
  if (!limited()) {
    return std::numeric_limits<double>::infinity();
  }
  // Most cells end at the cap of rounds before their share is used up, so a plain share by weight
  // would leave time over. Too generous a one hurts nobody: it takes what others could only have
  // spent on more rounds than needed.
  constexpr double kGenerosity = 4;
  const double per_weight = rate(least_s_, weight_, kFirstLeast);
  const double left = std::max(left_s(elapsed_s), 0.0);
  const double spare = std::max(left - remaining_weight * per_weight, 0.0);
  const double part = std::min(kGenerosity * weight / std::max(remaining_weight, weight), 1.0);
  return std::min(weight * per_weight + spare * part, left);
}

double Budget::eta_s(double remaining_weight, double elapsed_s) const {
  const double expected = remaining_weight * rate(elapsed_s_, weight_, kFirstElapsed);
  return limited() ? std::clamp(expected, 0.0, std::max(left_s(elapsed_s), 0.0)) : expected;
}

} // namespace switchyard::measure
