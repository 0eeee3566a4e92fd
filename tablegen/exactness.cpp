#include "tablegen/exactness.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::tablegen {
namespace {

std::vector<std::string> keys_between(const ClassData &data, std::int64_t from, std::int64_t to) {
  std::vector<std::string> keys;
  for (const Point &point : data.points) {
    for (const CellRows &cell : point.cells) {
      if (point.size >= from && point.size < to) {
        keys.push_back(cell.key);
      }
    }
  }
  return keys;
}

// `winner` before all other bitwise alternatives. The floor accepts every problem, so that nothing
// behind it is ever reached: where it is the winner, the other bitwise ones go, and faithful ones,
// which may be faster, stay before it.
void promote(const ClassData &data, std::vector<Alternative> &ranking, const Alternative &winner) {
  std::erase(ranking, winner);
  if (winner == Alternative{data.floor, 1}) {
    std::erase_if(ranking, [&](const Alternative &each) { return data.is_bitwise(each); });
  }
  const auto first =
      std::find_if(ranking.begin(), ranking.end(),
                   [&](const Alternative &alternative) { return data.is_bitwise(alternative); });
  ranking.insert(first, winner);
}

std::vector<Region> divided(const ClassData &data, const Region &region,
                            const std::vector<Region> &bitwise) {
  std::vector<Region> pieces;
  for (const Region &part : bitwise) {
    Region piece = region;
    piece.from = std::max(region.from, part.from);
    piece.to = std::min(region.to, part.to);
    if (piece.from >= piece.to) {
      continue;
    }
    piece.bitwise = part.ranking.front();
    promote(data, piece.ranking, *piece.bitwise);
    if (!pieces.empty() && pieces.back().ranking == piece.ranking) {
      pieces.back().to = piece.to;
    } else {
      pieces.push_back(std::move(piece));
    }
  }
  for (Region &piece : pieces) {
    std::vector<std::string> keys = keys_between(data, piece.from, piece.to);
    if (!keys.empty()) { // a piece between two measured sizes cites those of the whole
      piece.cells = std::move(keys);
    }
  }
  return pieces;
}

} // namespace

std::optional<BitwisePart> bitwise_part(const ClassData &data, const Regrets &regrets) {
  std::vector<std::size_t> kept;
  for (std::size_t a = 0; a < data.alternatives.size(); ++a) {
    if (data.is_bitwise(data.alternatives[a])) {
      kept.push_back(a);
    }
  }
  if (kept.empty() || kept.size() == data.alternatives.size()) {
    return std::nullopt;
  }
  BitwisePart part{{data.key, {}, {}, data.candidates, data.floor, data.bitwise}, {}};
  for (const std::size_t a : kept) {
    part.data.alternatives.push_back(data.alternatives[a]);
  }
  for (std::size_t p = 0; p < data.points.size(); ++p) {
    std::vector<double> regrets_here;
    double least = HUGE_VAL;
    for (const std::size_t a : kept) {
      regrets_here.push_back(regrets[p][a]);
      least = std::isnan(regrets[p][a]) ? least : std::min(least, regrets[p][a]);
    }
    if (!std::isfinite(least)) {
      continue;
    }
    for (double &regret : regrets_here) {
      regret -= least;
    }
    Point point{data.points[p].size, {}, data.points[p].largest, data.points[p].inherited};
    for (const CellRows &cell : data.points[p].cells) {
      CellRows only{cell.key, {}, cell.bridges, cell.impossible};
      // Faithful ones are no alternatives here, but can link races all the same.
      for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
        const bool kept_here = data.is_bitwise(data.alternatives[a]);
        (kept_here ? only.lanes : only.bridges).push_back(cell.lanes[a]);
      }
      point.cells.push_back(std::move(only));
    }
    part.data.points.push_back(std::move(point));
    part.regrets.push_back(std::move(regrets_here));
  }
  return part.data.points.empty() ? std::nullopt : std::optional(std::move(part));
}

std::vector<Region> with_bitwise(const ClassData &data, std::vector<Region> regions,
                                 const std::vector<Region> &bitwise) {
  std::vector<Region> result;
  for (Region &region : regions) {
    if (data.is_bitwise(region.ranking.front())) {
      region.bitwise = region.ranking.front();
    } else if (!bitwise.empty()) {
      const std::vector<Region> pieces = divided(data, region, bitwise);
      result.insert(result.end(), pieces.begin(), pieces.end());
      continue;
    }
    result.push_back(std::move(region));
  }
  return result;
}

} // namespace switchyard::tablegen
