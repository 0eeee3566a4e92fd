#include "tablegen/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

namespace switchyard::tablegen {
namespace {

using evidence::Cell;

std::int64_t between(std::int64_t a, std::int64_t b, double share) {
  const double log =
      (1 - share) * std::log(static_cast<double>(a)) + share * std::log(static_cast<double>(b));
  return std::max<std::int64_t>(1, std::llround(std::exp(log)));
}

// `share` of the way from `smaller` to `larger`, from 0 to 1.
Cell cell_between(const Cell &smaller, const Cell &larger, double share) {
  Cell cell = smaller;
  const std::size_t rank = smaller.shape.size();
  if (larger.shape.size() == rank) {
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) { // the last one is C
      cell.shape[axis] = between(smaller.shape[axis], larger.shape[axis], share);
    }
    return cell;
  }
  const double growth = std::pow(
      static_cast<double>(larger.elements()) / static_cast<double>(smaller.elements()), share / 2);
  for (const std::size_t axis : {rank - 3, rank - 2}) {
    cell.shape[axis] = std::llround(static_cast<double>(cell.shape[axis]) * growth);
  }
  return cell;
}

// The cells on both sides of a handover: of the same parameters and rank if there are such.
struct Neighbours {
  Cell smaller;
  Cell larger;
};

// The cells of a region's largest or smallest size.
std::vector<Cell> outermost(const Region &region, bool largest) {
  std::vector<Cell> cells;
  for (const std::string &key : region.cells) {
    Cell cell = Cell::parse(key);
    const std::int64_t before = cells.empty() ? cell.elements() : cells.front().elements();
    const bool further = largest ? cell.elements() > before : cell.elements() < before;
    if (further) {
      cells.clear();
    }
    if (further || cell.elements() == before) {
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

std::optional<Neighbours> neighbours(const Region &before, const Region &after) {
  std::optional<Neighbours> best;
  int most = -1;
  for (const Cell &smaller : outermost(before, true)) {
    for (const Cell &larger : outermost(after, false)) {
      const int alike = (smaller.params == larger.params ? 2 : 0) +
                        (smaller.shape.size() == larger.shape.size() ? 1 : 0);
      if (alike > most) {
        best = Neighbours{smaller, larger};
        most = alike;
      }
    }
  }
  return best;
}

int sizes_between(double ratio) {
  const double steps = std::ceil(std::log(ratio) / std::log(kNearSizes) - 1e-9);
  return std::min(kRefinementSizes, static_cast<int>(steps) - 1);
}

void refine(const Neighbours &sides, std::set<std::string> &taken, std::vector<Cell> &cells) {
  const double ratio =
      static_cast<double>(sides.larger.elements()) / static_cast<double>(sides.smaller.elements());
  const int count = sizes_between(ratio);
  for (int i = 1; i <= count; ++i) {
    Cell cell = cell_between(sides.smaller, sides.larger, i / (count + 1.0));
    // The smaller one may be inherited from a class of fewer threads.
    cell.thread_budget = sides.larger.thread_budget;
    if (cell.elements() > sides.smaller.elements() && cell.elements() < sides.larger.elements() &&
        taken.insert(cell.key()).second) {
      cells.push_back(std::move(cell));
    }
  }
}

} // namespace

std::vector<Cell> refinement_cells(const Plan &plan, const evidence::Profile &profile,
                                   std::string_view variant) {
  std::set<std::string> taken;
  if (const auto file = profile.variants.find(std::string(variant));
      file != profile.variants.end()) {
    for (const evidence::Row &row : file->second.rows) {
      taken.insert(row.cell.key());
    }
  }
  std::vector<Cell> cells;
  for (const ClassPlan &of_class : plan.classes) {
    if (of_class.key.variant != variant) {
      continue;
    }
    for (std::size_t i = 1; i < of_class.regions.size(); ++i) {
      const Region &before = of_class.regions[i - 1];
      const Region &after = of_class.regions[i];
      const bool differ =
          before.ranking.front() != after.ranking.front() || before.bitwise != after.bitwise;
      if (const auto sides = differ ? neighbours(before, after) : std::nullopt) {
        refine(*sides, taken, cells);
      }
    }
  }
  return cells;
}

} // namespace switchyard::tablegen
