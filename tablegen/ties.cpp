#include "tablegen/ties.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace switchyard::tablegen {

std::size_t break_tie(std::span<const Contender> contenders) {
  std::vector<std::size_t> left(contenders.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  const auto keep = [&](auto holds) {
    std::vector<std::size_t> kept;
    std::copy_if(left.begin(), left.end(), std::back_inserter(kept),
                 [&](std::size_t i) { return holds(contenders[i]); });
    if (!kept.empty()) {
      left = std::move(kept);
    }
  };
  std::ptrdiff_t most = 0;
  for (const Contender &each : contenders) {
    most = std::max(most, each.incumbent_points);
  }
  keep([most](const Contender &each) { return each.incumbent_points == most; });
  keep([](const Contender &each) { return !each.stale; });
  // Within a page of the least, not of each other: a chain of small differences is no tie.
  std::optional<std::int64_t> least = contenders[left.front()].peak;
  for (const std::size_t i : left) {
    const std::optional<std::int64_t> &peak = contenders[i].peak;
    least = least && peak ? std::optional(std::min(*least, *peak)) : std::nullopt;
  }
  if (least) {
    keep([least](const Contender &each) { return *each.peak <= *least + kPage; });
  }
  return left.front();
}

} // namespace switchyard::tablegen
