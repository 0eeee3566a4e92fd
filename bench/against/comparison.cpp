#include "bench/against/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace switchyard::against {
namespace {

using evidence::Row;
using evidence::Status;

bool timed(const Row &row) {
  return row.status != Status::rejected && !row.samples_ns.empty();
}

const Row *counterpart(const evidence::VariantEvidence &measured, const Row &row,
                       std::string_view id) {
  const auto found =
      std::find_if(measured.rows.begin(), measured.rows.end(), [&](const Row &other) {
        return other.candidate == id && other.threads == row.threads && other.race == row.race &&
               timed(other) && other.cell == row.cell;
      });
  return found == measured.rows.end() ? nullptr : &*found;
}

// The rows of a comparison, before the number of all comparisons is known.
struct Matched {
  const Pair *pair = nullptr;
  const Row *now = nullptr;
  const Row *old = nullptr;
};

std::vector<Matched> match(const Pairs &pairs,
                           std::span<const evidence::VariantEvidence> measured) {
  std::vector<Matched> result;
  for (const evidence::VariantEvidence &variant : measured) {
    const Pair *pair = pairs.find(variant.variant);
    for (const Row &row : variant.rows) {
      if (pair != nullptr && row.candidate == pair->id && timed(row)) {
        if (const Row *old = counterpart(variant, row, pair->old_id)) {
          result.push_back({pair, &row, old});
        }
      }
    }
  }
  return result;
}

std::size_t &counter_of(Summary &summary, Outcome outcome) {
  switch (outcome) {
  case Outcome::same:
    return summary.same;
  case Outcome::faster:
    return summary.faster;
  case Outcome::slower:
    return summary.slower;
  case Outcome::unclear:
    break;
  }
  return summary.unclear;
}

} // namespace

std::string_view name_of(Outcome outcome) {
  constexpr std::string_view kNames[] = {"same", "faster", "slower", "unclear"};
  return kNames[static_cast<int>(outcome)];
}

Outcome judge(const evidence::Interval &ratio) {
  constexpr double kHigh = 1 + kTieBand;
  constexpr double kLow = 1 / kHigh;
  if (ratio.low > kHigh) {
    return Outcome::slower;
  }
  if (ratio.high < kLow) {
    return Outcome::faster;
  }
  return ratio.low >= kLow && ratio.high <= kHigh ? Outcome::same : Outcome::unclear;
}

std::vector<Comparison> compare(const Pairs &pairs,
                                std::span<const evidence::VariantEvidence> measured) {
  const std::vector<Matched> matched = match(pairs, measured);
  std::vector<Comparison> result;
  for (const auto &[pair, now, old] : matched) {
    Comparison comparison;
    comparison.variant = pair->variant;
    comparison.cell = now->cell;
    comparison.candidate = pair->id;
    comparison.threads = now->threads;
    comparison.rounds = std::min(now->samples_ns.size(), old->samples_ns.size());
    comparison.ratio =
        evidence::paired_ratio(now->samples_ns, old->samples_ns, static_cast<int>(matched.size()));
    comparison.outcome = judge(comparison.ratio);
    result.push_back(std::move(comparison));
  }
  return result;
}

std::vector<Broken> broken_in(const Pairs &pairs,
                              std::span<const evidence::VariantEvidence> measured) {
  std::vector<Broken> result;
  for (const evidence::VariantEvidence &variant : measured) {
    const Pair *pair = pairs.find(variant.variant);
    for (const Row &row : variant.rows) {
      if (pair != nullptr && row.status == Status::rejected) {
        result.push_back({pair->variant, row.cell.key(), row.candidate, row.candidate == pair->id,
                          row.mismatch});
      }
    }
  }
  return result;
}

std::vector<std::string> unmatched(const Pairs &pairs,
                                   std::span<const evidence::VariantEvidence> measured) {
  std::vector<std::string> result;
  for (const evidence::VariantEvidence &variant : measured) {
    const Pair *pair = pairs.find(variant.variant);
    if (pair == nullptr) {
      continue;
    }
    // Of the rows of `id` on one thread, those without one of `other`.
    const auto alone = [&](std::string_view id, std::string_view other) {
      const auto count = std::count_if(variant.rows.begin(), variant.rows.end(), [&](const Row &r) {
        return r.candidate == id && r.threads == 1 && timed(r) &&
               counterpart(variant, r, other) == nullptr;
      });
      if (count > 0) {
        result.push_back(fmt::format("{}: {} cells for {} alone", pair->variant, count, id));
      }
    };
    alone(pair->id, pair->old_id);
    alone(pair->old_id, pair->id);
  }
  return result;
}

std::vector<Summary> summarize(std::span<const Comparison> comparisons) {
  std::vector<Summary> result;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const Comparison &comparison : comparisons) {
    const auto [place, added] = places.emplace(
        std::tuple(comparison.variant, comparison.cell.dtype, comparison.candidate), result.size());
    if (added) {
      Summary summary;
      summary.variant = comparison.variant;
      summary.dtype = comparison.cell.dtype;
      summary.candidate = comparison.candidate;
      summary.geomean = 0; // the sum of logarithms, until all are in
      result.push_back(std::move(summary));
    }
    Summary &summary = result[place->second];
    ++summary.cells;
    ++counter_of(summary, comparison.outcome);
    summary.geomean += std::log(comparison.ratio.estimate);
  }
  for (Summary &summary : result) {
    summary.geomean = std::exp(summary.geomean / static_cast<double>(summary.cells));
  }
  return result;
}

std::size_t Report::count(Outcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(comparisons.begin(), comparisons.end(),
                    [&](const Comparison &c) { return c.outcome == outcome; }));
}

bool Report::good() const {
  return count(Outcome::slower) == 0 &&
         std::none_of(broken.begin(), broken.end(), [](const Broken &b) { return b.is_new; });
}

std::string Report::verdict() const {
  const auto wrong =
      std::count_if(broken.begin(), broken.end(), [](const Broken &b) { return b.is_new; });
  if (wrong > 0) {
    return fmt::format("broken: {} results of new candidates are wrong", wrong);
  }
  if (comparisons.empty()) {
    return fmt::format("nothing to compare with {}", name);
  }
  if (const std::size_t slower = count(Outcome::slower); slower > 0) {
    double worst = 1;
    for (const Comparison &c : comparisons) {
      worst = c.outcome == Outcome::slower ? std::max(worst, c.ratio.estimate) : worst;
    }
    return fmt::format("slower than {}: {} of {} comparisons, at worst {:.2f} times", name, slower,
                       comparisons.size(), worst);
  }
  return fmt::format("not slower than {}: {} comparisons, {} same, {} faster, {} unclear", name,
                     comparisons.size(), count(Outcome::same), count(Outcome::faster),
                     count(Outcome::unclear));
}

} // namespace switchyard::against
