#include "evidence/rows.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "evidence/statistics.hpp"

namespace switchyard::evidence {
namespace {

using Order =
    std::tuple<std::string_view, std::size_t, std::size_t, std::size_t, int, std::string_view,
               std::int64_t, const std::vector<std::int64_t> &, int, std::string_view, int>;

Order order_of(const Row &row) {
  const Cell &cell = row.cell;
  return {cell.dtype,
          rank_of(cell.layout, kLayoutNames),
          rank_of(cell.output, kOutputNames),
          rank_of(cell.cache, kCacheNames),
          cell.thread_budget,
          cell.params,
          cell.elements(),
          cell.shape,
          row.race,
          row.candidate,
          row.threads};
}

void validate_cell(const Row &row, const std::string &pointer, const Source &source) {
  bool same = false;
  try {
    same = Cell::parse(row.cell.key()) == row.cell;
  } catch (const std::invalid_argument &error) {
    source.fail(pointer + "/cell", error.what());
  }
  if (!same) {
    source.fail(pointer + "/cell", "does not read back from its key");
  }
}

void validate_samples(const Row &row, const std::string &pointer, const Source &source) {
  const std::string samples = pointer + "/samples_ns";
  const bool has_mismatch = row.status == Status::rejected || row.status == Status::impossible;
  if (has_mismatch && row.mismatch.empty()) {
    source.fail(pointer + "/mismatch",
                fmt::format("{} row says what was wrong",
                            row.status == Status::rejected ? "a rejected" : "an impossible"));
  }
  if (!has_mismatch && !row.mismatch.empty()) {
    source.fail(pointer + "/mismatch", "only a rejected or impossible row has a mismatch");
  }
  if (row.status == Status::rejected) {
    if (!row.samples_ns.empty()) {
      source.fail(samples, "a rejected row is never timed");
    }
    return;
  }
  if (row.samples_ns.empty()) {
    source.fail(samples, "no times");
  }
  for (std::size_t i = 0; i < row.samples_ns.size(); ++i) {
    const double time = row.samples_ns[i];
    if (!(time >= kMinTime && time <= kMaxTime)) { // also true of NaN
      source.fail(
          fmt::format("{}/{}", samples, i),
          fmt::format("{} ns is no time of a call; accepted: {} to {}", time, kMinTime, kMaxTime));
    }
  }
}

void validate_allocations(const Allocations &counted, const std::string &pointer,
                          const Source &source) {
  const bool none = counted.count == 0 && counted.bytes == 0 && counted.peak == 0;
  const bool some = counted.count > 0 && counted.peak >= 0 && counted.peak <= counted.bytes;
  if (!none && !some) {
    source.fail(pointer + "/allocations", fmt::format("{} with {} bytes and a peak of {} cannot be",
                                                      counted.count, counted.bytes, counted.peak));
  }
}

void validate_context(const std::string &id, const Context &context, const Source &source) {
  const std::string pointer = "/contexts/" + id;
  if (context.harness < 1) {
    source.fail(pointer + "/harness", fmt::format("{}; accepted: 1 or more", context.harness));
  }
  if (static_cast<std::size_t>(context.quality) >= std::size(kQualityNames)) {
    source.fail(pointer + "/quality", "not a quality");
  }
  if (context.id() != id) {
    source.fail("/contexts", fmt::format("\"{}\" is not the id of its context, which is \"{}\"",
                                         printable(id), context.id()));
  }
}

void validate_no_duplicates(std::span<const Row> rows, std::span<const std::size_t> order,
                            const Source &source, const Attempts &attempts) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Row &before = rows[order[i - 1]];
    const Row &row = rows[order[i]];
    if (before.cell == row.cell && before.race == row.race && before.candidate == row.candidate &&
        before.threads == row.threads) {
      const auto [first, second] = std::minmax(order[i - 1], order[i]);
      attempts.run([&, a = first, b = second] {
        source.fail(fmt::format("/rows/{}", b), fmt::format("repeats /rows/{}", a));
      });
    }
  }
}

// Half-open ranges of `order` whose rows share a cell and a race.
template <class Visit>
void for_each_race(std::span<const Row> rows, std::span<const std::size_t> order, Visit visit) {
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from + 1;
    while (to < order.size() && rows[order[to]].race == rows[order[from]].race &&
           rows[order[to]].cell == rows[order[from]].cell) {
      ++to;
    }
    visit(order.subspan(from, to - from));
    from = to;
  }
}

// Rounds pair the rows of a cell; a row that misses some in the middle would be compared with
// the wrong rounds of the others.
void validate_rounds(std::span<const Row> rows, std::span<const std::size_t> cell,
                     const Source &source, const Attempts &attempts) {
  const auto accepted = std::find_if(
      cell.begin(), cell.end(), [&](std::size_t i) { return rows[i].status == Status::accepted; });
  if (accepted == cell.end()) {
    return;
  }
  const std::size_t rounds = rows[*accepted].samples_ns.size();
  for (const std::size_t i : cell) {
    const std::size_t given = rows[i].samples_ns.size();
    const bool wrong = rows[i].status == Status::accepted ? given != rounds : given > rounds;
    if (wrong) {
      attempts.run([&] {
        source.fail(fmt::format("/rows/{}/samples_ns", i),
                    fmt::format("{} rounds where /rows/{} has {}", given, *accepted, rounds));
      });
    }
  }
}

// Index of a race's reference row; nullptr where no candidate was timed.
const std::size_t *reference_of(std::span<const Row> rows, std::span<const std::size_t> cell,
                                std::span<const Summary> summaries) {
  const auto cost = [&](std::size_t i) {
    return std::pair(rows[i].status, summaries[i].median_ns);
  };
  const auto best = std::min_element(
      cell.begin(), cell.end(), [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
  return rows[*best].status > Status::dropped ? nullptr : &*best;
}

void summarise_cell(std::span<const Row> rows, std::span<const std::size_t> cell,
                    std::span<Summary> summaries) {
  for (const std::size_t i : cell) {
    if (rows[i].status != Status::rejected) {
      summaries[i].median_ns = median(rows[i].samples_ns);
      summaries[i].spread = spread(rows[i].samples_ns);
    }
  }
  const std::size_t *reference = reference_of(rows, cell, summaries);
  for (const std::size_t i : cell) {
    if (rows[i].status == Status::rejected || reference == nullptr || i == *reference) {
      continue; // a row compared with itself is 1 for certain
    }
    const Interval ratio = paired_ratio(rows[i].samples_ns, rows[*reference].samples_ns);
    summaries[i].ratio = ratio.estimate;
    summaries[i].low = ratio.low;
    summaries[i].high = ratio.high;
  }
}

} // namespace

std::size_t rank_of(std::string_view name, std::span<const std::string_view> names) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

void validate_row(const Row &row, const std::string &pointer, const Source &source) {
  validate_cell(row, pointer, source);
  if (!is_token(row.candidate)) {
    source.fail(pointer + "/candidate",
                fmt::format("\"{}\"; accepted: [a-z0-9_]+", printable(row.candidate)));
  }
  if (row.version < 1) {
    source.fail(pointer + "/version", fmt::format("{}; accepted: 1 or more", row.version));
  }
  if (row.threads < 1 || row.threads > row.cell.thread_budget) {
    source.fail(pointer + "/threads", fmt::format("{}; accepted: 1 to the cell's budget of {}",
                                                  row.threads, row.cell.thread_budget));
  }
  if (row.race < 1) {
    source.fail(pointer + "/race", fmt::format("{}; accepted: 1 or more", row.race));
  }
  if (static_cast<std::size_t>(row.status) >= std::size(kStatusNames)) {
    source.fail(pointer + "/status", "not a status");
  }
  if (row.allocations) {
    validate_allocations(*row.allocations, pointer, source);
  }
  validate_samples(row, pointer, source);
}

void validate_together(const VariantEvidence &evidence, const Source &source,
                       const Attempts &attempts) {
  attempts.run([&] {
    if (!is_variant_name(evidence.variant)) {
      source.fail("/variant", fmt::format("\"{}\"; accepted: [a-z0-9_]+, joined by /",
                                          printable(evidence.variant)));
    }
  });
  std::set<std::string_view> unused;
  for (const auto &[id, context] : evidence.contexts) {
    attempts.run(
        [&, name = std::cref(id), of = std::cref(context)] { validate_context(name, of, source); });
    unused.insert(id);
  }
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    attempts.run([&] {
      if (!evidence.contexts.contains(evidence.rows[i].context)) {
        source.fail(
            fmt::format("/rows/{}/context", i),
            fmt::format("\"{}\" is no context of this file", printable(evidence.rows[i].context)));
      }
    });
    unused.erase(evidence.rows[i].context);
  }
  for (const std::string_view id : unused) {
    attempts.run([&] { source.fail("/contexts", fmt::format("no row is of context \"{}\"", id)); });
  }
  const std::vector<std::size_t> order = canonical_order(evidence.rows);
  validate_no_duplicates(evidence.rows, order, source, attempts);
  for_each_race(evidence.rows, order, [&](std::span<const std::size_t> cell) {
    validate_rounds(evidence.rows, cell, source, attempts);
  });
}

void validate(const VariantEvidence &evidence, const Source &source) {
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    validate_row(evidence.rows[i], fmt::format("/rows/{}", i), source);
  }
  validate_together(evidence, source, {});
}

void validate(const Machine &machine, const Source &source) {
  if (!is_profile_name(machine.profile)) {
    source.fail("/profile",
                fmt::format("\"{}\"; accepted: [a-z0-9_.-]+", printable(machine.profile)));
  }
  for (const auto &[group, facts] : machine.facts) {
    if (!is_fact_name(group)) {
      source.fail("/facts", fmt::format("group \"{}\" has no printable name", printable(group)));
    }
    for (const auto &[name, value] : facts) {
      if (!is_fact_name(name)) {
        source.fail("/facts/" + group,
                    fmt::format("fact \"{}\" has no printable name", printable(name)));
      }
    }
  }
}

std::vector<std::size_t> canonical_order(std::span<const Row> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return order_of(rows[a]) < order_of(rows[b]); });
  return order;
}

std::vector<Summary> summarise(std::span<const Row> rows, std::span<const std::size_t> order) {
  std::vector<Summary> summaries(rows.size());
  for_each_race(rows, order,
                [&](std::span<const std::size_t> cell) { summarise_cell(rows, cell, summaries); });
  return summaries;
}

} // namespace switchyard::evidence
