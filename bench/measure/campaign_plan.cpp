#include "bench/measure/campaign_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace switchyard::measure {

std::vector<Step> matrix_steps(std::span<const Entry> entries, Mode mode,
                               std::span<const int> thread_budgets) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const MatrixCell &cell :
         matrix(*entries[i].variant, *entries[i].contract, mode, thread_budgets)) {
      Step step;
      step.entry = i;
      step.cell = cell.cell;
      // In full mode, what quick mode has comes first in importance.
      step.plan = {weight_of(cell.cell), cell.quick ? cell.priority : Priority::detail};
      steps.push_back(std::move(step));
    }
  }
  return steps;
}

namespace {

// Of steps [from, to), those of each dtype and parameter set count by themselves: none of them
// loses all of its cells before another has lost one.
void set_places(std::vector<Step> &steps, std::size_t from, std::size_t to) {
  using Part = std::pair<std::string_view, std::string_view>;
  const auto part = [&](std::size_t i) { return Part(steps[i].cell.dtype, steps[i].cell.params); };
  std::map<Part, std::size_t> sizes;
  for (std::size_t i = from; i < to; ++i) {
    ++sizes[part(i)];
  }
  // Among those of equal standing the parts take turns, so that variants lose equally many.
  std::map<Part, std::pair<std::size_t, double>> before; // cells, and the part's turn
  for (std::size_t i = from; i < to; ++i) {
    const double turn = static_cast<double>(before.size()) / static_cast<double>(sizes.size());
    auto &[cells, own] = before.try_emplace(part(i), 0, turn).first->second;
    steps[i].plan.place =
        (static_cast<double>(cells++) + own) / static_cast<double>(sizes[part(i)]);
  }
}

} // namespace

std::vector<Step> shard_of(std::vector<Step> steps, Shard shard) {
  if (shard.count <= 1) {
    return steps;
  }
  std::vector<std::size_t> heaviest_first(steps.size());
  std::iota(heaviest_first.begin(), heaviest_first.end(), std::size_t{0});
  std::stable_sort(heaviest_first.begin(), heaviest_first.end(), [&](std::size_t a, std::size_t b) {
    return steps[a].plan.weight > steps[b].plan.weight;
  });
  // Each goes to the shard that has least so far.
  std::vector<double> load(static_cast<std::size_t>(shard.count));
  std::vector<std::size_t> mine;
  for (const std::size_t i : heaviest_first) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += steps[i].plan.weight;
    if (least - load.begin() == shard.index - 1) {
      mine.push_back(i);
    }
  }
  std::sort(mine.begin(), mine.end());
  std::vector<Step> result;
  result.reserve(mine.size());
  for (const std::size_t i : mine) {
    result.push_back(std::move(steps[i]));
  }
  return result;
}

void put_important_first(std::vector<Step> &steps) {
  const auto group = [](const Step &step) { return std::tuple(step.plan.priority, step.entry); };
  std::stable_sort(steps.begin(), steps.end(),
                   [&](const Step &a, const Step &b) { return group(a) < group(b); });
  for (std::size_t from = 0; from < steps.size();) {
    std::size_t to = from;
    while (to < steps.size() && group(steps[to]) == group(steps[from])) {
      ++to;
    }
    set_places(steps, from, to);
    from = to;
  }
}

std::string name_of(std::span<const Entry> entries, const Step &step) {
  return fmt::format("{}#{}", entries[step.entry].variant->name, step.cell.key());
}

} // namespace switchyard::measure
