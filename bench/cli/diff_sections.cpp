#include "bench/cli/diff_sections.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "bench/cli/text.hpp"
#include "evidence/text.hpp"
#include "tablegen/class_parts.hpp"

namespace switchyard::cli {
namespace {

using namespace tablegen;
using evidence::Interval;
using evidence::printable;

// Rows are listed one by one when a reader would still read them.
constexpr std::size_t kFewRows = 20;

std::string percent(double part) {
  return fmt::format("{:+.1f} %", 100 * part);
}

// "+12.0 % [+10.1 … +14.2]" of a ratio − 1.
std::string percent(const Interval &interval) {
  return std::isfinite(interval.high)
             ? fmt::format("{} [{:+.1f} … {:+.1f}]", percent(interval.estimate), 100 * interval.low,
                           100 * interval.high)
             : fmt::format("{} [too few rounds]", percent(interval.estimate));
}

std::string sizes(std::int64_t from, std::int64_t to) {
  return to == kUnbounded ? fmt::format("from {} elements", from)
                          : fmt::format("{} to {} elements", from, to);
}

std::string demanded(Exactness demand) {
  return demand == Exactness::bitwise ? " (bitwise results)" : "";
}

std::string cell_label(const std::string &variant, const std::string &cell) {
  return variant + "#" + cell;
}

std::string routed_by(const Alternative &before, const Alternative &after) {
  return before == after ? label_of(after)
                         : fmt::format("{} → {}", label_of(before), label_of(after));
}

std::string_view says(FlipVerdict verdict) {
  switch (verdict) {
  case FlipVerdict::better:
    return "proven better";
  case FlipVerdict::worse:
    return "PROVEN WORSE";
  case FlipVerdict::open:
    return "not told apart";
  case FlipVerdict::unknown:
    break;
  }
  return "the new evidence has not measured both";
}

DiffEntry entry_of(const RouteChange &change) {
  std::string detail =
      fmt::format("{}: {}", routed_by(change.before, change.after), says(change.verdict));
  if (change.regret) {
    detail += "; the old one would take " + percent(*change.regret);
  }
  detail += "; margin over the next " + percent(change.margin);
  return {fmt::format("{}, {}{}", label_of(change.of_class), sizes(change.from, change.to),
                      demanded(change.demand)),
          std::move(detail)};
}

DiffEntry entry_of(const BoundaryMove &move) {
  std::string detail = fmt::format("{} gives way to {} at {}, was at {}", label_of(move.below),
                                   label_of(move.above), move.after, move.before);
  if (move.regret) {
    detail += "; between them the old one would take " + percent(*move.regret);
  }
  return {label_of(move.of_class) + demanded(move.demand), std::move(detail)};
}

// "1.2 times [1.1 … 1.3]"
std::string times(const Interval &ratio) {
  return std::isfinite(ratio.high)
             ? fmt::format("{:.3g} times [{:.3g} … {:.3g}]", ratio.estimate, ratio.low, ratio.high)
             : fmt::format("{:.3g} times [too few rounds]", ratio.estimate);
}

DiffEntry entry_of(const TimeChange &change) {
  std::string detail =
      fmt::format("{}: {} → {}, {}; ", routed_by(change.before, change.after),
                  time_text(change.before_ns), time_text(change.after_ns), times(change.ratio));
  detail += change.beside_limit ? fmt::format("beside the limits {}; ", times(*change.beside_limit))
                                : std::string("no limit was measured on both sides; ");
  detail += fmt::format("over {} % beyond noise", change.percent);
  return {cell_label(change.of_class.variant, change.cell), std::move(detail)};
}

DiffEntry entry_of(const MemoryChange &change) {
  return {cell_label(change.of_class.variant, change.cell),
          fmt::format("{}: peak {} → {}", routed_by(change.before, change.after),
                      bytes_text(change.before_bytes), bytes_text(change.after_bytes))};
}

DiffEntry entry_of(const Refusal &refusal) {
  const bool rejected = refusal.status == evidence::Status::rejected;
  return {fmt::format("{} {}: {}", refusal.variant, refusal.dtype, refusal.candidate),
          fmt::format("{} in {} cell{}, first {}: {}", rejected ? "rejected" : "impossible",
                      refusal.cells, refusal.cells == 1 ? "" : "s", refusal.cell,
                      printable(refusal.mismatch, 160))};
}

DiffEntry entry_of(const StaleRows &stale) {
  return {fmt::format("{}: {}", stale.variant, stale.candidate),
          fmt::format("{} row{}: {}", stale.rows, stale.rows == 1 ? "" : "s",
                      printable(stale.reason, 300))};
}

DiffEntry entry_of(const FactChange &fact) {
  const auto text = [](const std::optional<std::string> &value) {
    return value ? printable(*value, 200) : std::string("none");
  };
  return {fmt::format("{}{}{}", fact.group, fact.group.empty() ? "" : " ", fact.name),
          fmt::format("{} → {}", text(fact.before), text(fact.after))};
}

DiffEntry entry_of(const RowChange &row) {
  std::string subject =
      fmt::format("{} {} t{}", cell_label(row.variant, row.cell), row.candidate, row.threads);
  if (row.race != 1) {
    subject += fmt::format(", race {}", row.race);
  }
  const auto text = [](const std::optional<double> &ns) {
    return ns ? time_text(*ns) : std::string("no times");
  };
  if (!row.had || !row.has) {
    return {std::move(subject), fmt::format("{}: {}", row.has ? "new" : "gone",
                                            text(row.has ? row.after_ns : row.before_ns))};
  }
  std::string detail = fmt::format("changed: {} → {}", text(row.before_ns), text(row.after_ns));
  if (row.before_ns && row.after_ns) {
    detail += fmt::format(", {:.3g} times", *row.after_ns / *row.before_ns);
  }
  return {std::move(subject), std::move(detail)};
}

template <class Item> DiffSection section(std::string title, const std::vector<Item> &items) {
  DiffSection result{std::move(title), items.size(), {}};
  for (const Item &item : items) {
    result.entries.push_back(entry_of(item));
  }
  return result;
}

// One entry a variant: the labels of classes repeat its name.
DiffSection classes_section(std::string title, const std::vector<ClassKey> &classes) {
  std::map<std::string, std::vector<std::string>> by_variant;
  for (const ClassKey &key : classes) {
    by_variant[key.variant].push_back(label_of(key).substr(key.variant.size() + 1));
  }
  DiffSection result{std::move(title), classes.size(), {}};
  for (const auto &[variant, labels] : by_variant) {
    constexpr std::size_t kFew = 4;
    std::string detail;
    for (std::size_t i = 0; i < labels.size() && i < kFew; ++i) {
      detail += (i == 0 ? "" : "; ") + labels[i];
    }
    if (labels.size() > kFew) {
      detail += fmt::format("; and {} more", labels.size() - kFew);
    }
    result.entries.push_back({variant, std::move(detail)});
  }
  return result;
}

} // namespace

std::vector<DiffSection> sections_of(const ProfileDiff &diff) {
  std::vector<DiffSection> all{
      section("Slower", diff.slower),
      section("Newly rejected or impossible", diff.refused),
      section("Routes that flipped", diff.routes),
      section("Boundaries moved", diff.boundaries),
      classes_section("Classes newly covered", diff.covered),
      classes_section("Classes no longer covered", diff.uncovered),
      section("More peak memory", diff.memory),
      section("Newly stale", diff.stale),
      section("Machine, compiler and libraries", diff.facts),
      section("Faster", diff.faster),
  };
  if (diff.rows.size() <= kFewRows) {
    all.push_back(section("Rows", diff.rows));
  }
  std::erase_if(all, [](const DiffSection &each) { return each.entries.empty(); });
  return all;
}

std::vector<std::string> basis_of(const ProfileDiff &diff) {
  if (diff.added || diff.removed) {
    return {diff.added ? fmt::format("new: {} cells", diff.cells_added)
                       : fmt::format("gone: {} cells", diff.cells_removed)};
  }
  std::vector<std::string> lines{fmt::format(
      "{} cells measured anew, {} new, {} gone; {} rows differ", diff.cells_measured_anew,
      diff.cells_added, diff.cells_removed, diff.rows.size())};
  if (diff.rows.empty()) {
    return lines;
  }
  lines.push_back(fmt::format("{} routed cells compared, {} slower and {} faster beyond noise",
                              diff.compared, diff.slower.size(), diff.faster.size()));
  if (diff.drift.cells > 0) {
    lines.push_back(fmt::format("physical limits took {:.3g} times as long, within a factor of "
                                "{:.3g} (median and nine in ten of {})",
                                diff.drift.ratio, diff.drift.scatter, diff.drift.cells));
  }
  if (diff.regret_of_old && diff.regret_of_new) {
    lines.push_back(fmt::format("by the new measurements, the old routes are {} off the best, the "
                                "new ones {}",
                                percent(*diff.regret_of_old), percent(*diff.regret_of_new)));
  }
  return lines;
}

} // namespace switchyard::cli
