#include "tablegen/ties.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace switchyard::tablegen {

TieBreak break_tie_with_reasons(std::span<const Contender> contenders) {
  TieBreak result{0, std::vector<std::optional<TieRule>>(contenders.size())};
  std::vector<std::size_t> left(contenders.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  const auto keep = [&](TieRule rule, auto holds) {
    std::vector<std::size_t> kept;
    std::copy_if(left.begin(), left.end(), std::back_inserter(kept),
                 [&](std::size_t i) { return holds(contenders[i]); });
    if (kept.empty()) {
      return;
    }
    for (const std::size_t i : left) {
      if (!holds(contenders[i])) {
        result.lost_by[i] = rule;
      }
    }
    left = std::move(kept);
  };
  std::ptrdiff_t most = 0;
  for (const Contender &each : contenders) {
    most = std::max(most, each.incumbent_points);
  }
  keep(TieRule::incumbent, [most](const Contender &each) { return each.incumbent_points == most; });
  keep(TieRule::present, [](const Contender &each) { return !each.stale; });
  // Within a page of the least, not of each other: a chain of small differences is no tie.
  std::optional<std::int64_t> least = contenders[left.front()].peak;
  for (const std::size_t i : left) {
    const std::optional<std::int64_t> &peak = contenders[i].peak;
    least = least && peak ? std::optional(std::min(*least, *peak)) : std::nullopt;
  }
  if (least) {
    keep(TieRule::memory, [least](const Contender &each) { return *each.peak <= *least + kPage; });
  }
  result.winner = left.front();
  for (const std::size_t i : left) {
    if (i != result.winner) {
      result.lost_by[i] = TieRule::preference;
    }
  }
  return result;
}

std::size_t break_tie(std::span<const Contender> contenders) {
  return break_tie_with_reasons(contenders).winner;
}

} // namespace switchyard::tablegen
