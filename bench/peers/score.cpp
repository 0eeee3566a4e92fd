#include "bench/peers/score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace switchyard::peers {
namespace {

struct OpFamily {
  std::string_view op;
  std::string_view family;
};

constexpr std::string_view kFamilies[] = {"pointwise", "conversion", "statistics", "matrix",
                                          "geometry"};
constexpr OpFamily kOps[] = {
    {"add", "pointwise"},
    {"multiply", "pointwise"},
    {"multiply_add", "pointwise"},
    {"add_weighted", "pointwise"},
    {"power", "pointwise"},
    {"exp", "pointwise"},
    {"log", "pointwise"},
    {"sqrt", "pointwise"},
    {"normalize", "pointwise"},
    {"clip", "pointwise"},
    {"to_float", "conversion"},
    {"from_float", "conversion"},
    {"lut", "conversion"},
    {"reduce_sum", "statistics"},
    {"mean", "statistics"},
    {"std", "statistics"},
    {"mean_std", "statistics"},
    {"min_max", "statistics"},
    {"normalize_per_image", "statistics"},
    {"histogram", "statistics"},
    {"bincount", "statistics"},
    {"matmul", "matrix"},
    {"pairwise_distances_squared", "matrix"},
};

// Sums of a group that is being gathered.
struct Sums {
  std::size_t cells = 0;
  double logs = 0;
  double weighted_logs = 0;
  double weights = 0;
  double least = std::numeric_limits<double>::infinity();

  void add(double speedup, double weight) {
    ++cells;
    logs += std::log(speedup);
    weighted_logs += weight * std::log(speedup);
    weights += weight;
    least = std::min(least, speedup);
  }
  [[nodiscard]] GroupScore score() const {
    return {cells, std::exp(logs / static_cast<double>(cells)), std::exp(weighted_logs / weights),
            least};
  }
};

std::map<std::string, GroupScore, std::less<>>
scores_of(const std::map<std::string, Sums, std::less<>> &sums) {
  std::map<std::string, GroupScore, std::less<>> scores;
  for (const auto &[name, sum] : sums) {
    scores.emplace(name, sum.score());
  }
  return scores;
}

// A peer that left early did so for being many times slower in every round.
bool undecided(const PeerTimes &cell, const evidence::Interval &ratio) {
  return std::isinf(ratio.high) && cell.times.size() == cell.routed.size();
}

} // namespace

std::string_view op_of(std::string_view variant) {
  return variant.substr(0, variant.find('/'));
}

std::span<const std::string_view> families() {
  return kFamilies;
}

std::string_view family_of(std::string_view variant) {
  const auto *const found = std::find_if(std::begin(kOps), std::end(kOps), [&](const OpFamily &op) {
    return op.op == op_of(variant);
  });
  return found == std::end(kOps) ? "geometry" : found->family;
}

double weight_of(const evidence::Cell &cell) {
  const double dtype = cell.dtype.starts_with("u8") ? 0.7 : 0.3;
  const double layout = cell.layout == "contiguous" ? 0.7 : 0.3;
  const std::int64_t channels = cell.shape.empty() ? 1 : cell.shape.back();
  const double of_channels = channels == 3 ? 0.6 : 0.2;
  const double threads = cell.thread_budget == 1 ? 0.7 : 0.3;
  return dtype * layout * of_channels * threads;
}

evidence::Interval speedup(const PeerTimes &cell, int comparisons) {
  return evidence::paired_ratio(cell.times, cell.routed, comparisons);
}

PeerScore score(std::span<const PeerTimes> cells) {
  PeerScore result;
  result.cells = cells.size();
  std::map<std::string, Sums, std::less<>> by_family;
  std::map<std::string, Sums, std::less<>> by_op;
  for (const PeerTimes &cell : cells) {
    const evidence::Interval ratio = speedup(cell, static_cast<int>(cells.size()));
    const double weight = weight_of(cell.cell);
    by_family[std::string(family_of(cell.variant))].add(ratio.estimate, weight);
    by_op[std::string(op_of(cell.variant))].add(ratio.estimate, weight);
    result.undecided_cells += undecided(cell, ratio) ? 1 : 0;
    if (ratio.high < kSlowerBelow) {
      result.slower.push_back({cell.variant, cell.cell, ratio});
    }
  }
  std::stable_sort(result.slower.begin(), result.slower.end(),
                   [](const SlowerCell &a, const SlowerCell &b) {
                     return a.speedup.estimate < b.speedup.estimate;
                   });
  result.families = scores_of(by_family);
  result.ops = scores_of(by_op);
  return result;
}

int rounds_for(int comparisons) {
  constexpr double kAlpha = 0.05;
  constexpr std::size_t kRank = 2; // the extremes are left out
  std::size_t rounds = 1;
  while (evidence::interval_rank(rounds, kAlpha / std::max(comparisons, 1)) < kRank) {
    ++rounds;
  }
  return static_cast<int>(rounds);
}

} // namespace switchyard::peers
