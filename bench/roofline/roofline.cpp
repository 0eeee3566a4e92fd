#include "bench/roofline/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/measure/race.hpp"
#include "bench/measure/subject.hpp"
#include "bench/measure/twin.hpp"
#include "bench/peers/cell.hpp"
#include "bench/verify/spread.hpp"

namespace switchyard::roofline {
namespace {

constexpr std::int64_t kChannels = 3;

constexpr Judged kJudged[] = {
    {"add/scalar", "f32"},          {"multiply/scalar", "f32"},
    {"multiply_add/scalar", "f32"}, {"add_weighted", "f32"},
    {"normalize/vector", "u8"},     {"to_float", "u8"},
    {"from_float", "u8"},           {"vflip", "u8"},
};

// The routed call in the shape of a candidate, so that it and the twins are run alike.
struct Routed : Candidate {
  peers::PublicCall *call = nullptr;
};

int execute(const Candidate &candidate, const Call &call, int /*threads*/) {
  const bool twin = candidate.run != nullptr;
  twin ? candidate.run(call) : static_cast<const Routed &>(candidate).call(call, kDefaultOptions);
  return 1;
}

// Bytes of all arrays for each element of the image, from a small problem of the same kind.
double bytes_per_element(const measure::Entry &entry, evidence::Cell cell) {
  constexpr std::int64_t kHeight = 20;
  constexpr std::int64_t kWidth = 24;
  cell.shape = {kHeight, kWidth, kChannels};
  const measure::Subject small(*entry.variant, *entry.contract,
                               measure::problem_of(*entry.variant, *entry.contract, cell),
                               measure::Hooks{});
  return static_cast<double>(small.bytes()) / (kHeight * kWidth * kChannels);
}

measure::MatrixPoint any_point() {
  measure::MatrixPoint point;
  point.shape = {1, 64, 80, kChannels};
  return point;
}

// A cell for each level, named by the cache state and the shape.
struct Cells {
  std::vector<verify::CellGroup> groups;
  std::vector<std::string> levels; // of the cells, in the order of the groups
};

Cells cells_of(std::span<const measure::Entry> entries, const Options &options) {
  constexpr int kOneThread = 1;
  Cells cells;
  cells.groups = verify::groups_of(
      entries,
      [](const measure::Entry &entry) {
        return entry.contract->shapes.empty() ? std::vector{any_point()}
                                              : std::vector<measure::MatrixPoint>{};
      },
      std::span(&kOneThread, 1));
  for (verify::CellGroup &group : cells.groups) {
    const evidence::Cell base = group.cells.front(); // one parameter set is enough here
    const double per_element = bytes_per_element(entries[group.entry], base);
    group.cells.clear();
    for (const Level &level : options.levels) {
      evidence::Cell cell = base;
      const Extents shape = shape_for(level.bytes, per_element);
      cell.shape = {shape[kH], shape[kW], shape[kC]};
      cell.cache = level.cold ? "cold" : "hot";
      group.cells.push_back(std::move(cell));
      cells.levels.push_back(level.name);
    }
  }
  return cells;
}

class CellRun {
public:
  CellRun(const measure::Entry &entry, const verify::SpreadCell &turn, const peers::Public &known,
          const Options &options)
      : options_(options), turn_(turn), start_(options.hooks.now()),
        subject_(*entry.variant, *entry.contract,
                 measure::problem_of(*entry.variant, *entry.contract, turn.cell), hooks(options),
                 measure::cache_of(turn.cell)) {
    routed_.call = known.run;
    const std::string mismatch =
        peers::routed_mismatch(subject_, routed_, entry.variant->candidates.back());
    if (!mismatch.empty()) {
      throw std::runtime_error("the routed call is wrong: " + mismatch);
    }
  }

  measure::RaceResult race() {
    field_.push_back({&routed_, 1});
    for (const Candidate &twin : measure::twins_of(subject_.call())) {
      field_.push_back({&twin, 1});
    }
    double fastest = std::numeric_limits<double>::infinity();
    for (const measure::Alternative &one : field_) {
      subject_.run_once(one);
      fastest =
          std::min(fastest, measure::warm_up([&](std::int64_t n) { return subject_.time(one, n); },
                                             slice_ns() / 2));
    }
    const std::int64_t calls = measure::iterations_for(fastest, slice_ns());
    measure::Track track;
    track.alternatives = field_.size();
    track.limits = field_.size() - 1; // nobody is dropped
    track.start_round = [&](int round) { subject_.start_round(round); };
    track.time_per_call = [&](std::size_t i) {
      subject_.run_once(field_[i]);
      return subject_.time(field_[i], calls) / static_cast<double>(calls);
    };
    return measure::race(track, rules());
  }

  [[nodiscard]] double elapsed_ns() const {
    return static_cast<double>(options_.hooks.now() - start_);
  }

private:
  static measure::Hooks hooks(const Options &options) {
    measure::Hooks hooks = options.hooks;
    hooks.execute = execute;
    return hooks;
  }

  [[nodiscard]] double slice_ns() const {
    return std::max(options_.slice_ns, options_.clock_error_ns * measure::kSliceOverClockError);
  }

  [[nodiscard]] measure::RaceRules rules() const {
    constexpr int kLeast = 9;
    measure::RaceRules rules;
    rules.most_rounds = options_.rounds;
    rules.least_rounds = std::min(kLeast, options_.rounds);
    rules.now = options_.hooks.now;
    rules.stop = options_.stop;
    rules.deadline_ns = turn_.deadline_ns;
    rules.budget_ns = std::max(turn_.budget_ns - elapsed_ns(), 0.0);
    return rules;
  }

  const Options &options_;
  const verify::SpreadCell &turn_;
  std::int64_t start_;
  measure::Subject subject_;
  Routed routed_;
  std::vector<measure::Alternative> field_;
};

// Of the twin with the least median.
Fraction fraction_of(const measure::RaceResult &result) {
  const auto better = std::min_element(
      result.times.begin() + 1, result.times.end(),
      [](const auto &a, const auto &b) { return evidence::median(a) < evidence::median(b); });
  const evidence::Interval ratio = evidence::paired_ratio(*better, result.times.front());
  return {{}, {}, {}, ratio.estimate, ratio.low, ratio.high};
}

class Run {
public:
  Run(std::span<const measure::Entry> entries, const Options &options)
      : entries_(entries), options_(options), cells_(cells_of(entries, options)) {}

  Report run() {
    const verify::SpreadOptions spread{options_.budget_s, options_.hooks.now, options_.stop,
                                       options_.progress};
    verify::Spread done =
        verify::spread(entries_, cells_.groups, spread,
                       [&](const verify::SpreadCell &turn) { return measure(turn); });
    for (auto &[place, fraction] : fractions_) {
      report_.fractions.push_back(std::move(fraction));
    }
    report_.skipped = done.skipped;
    report_.elapsed_s = done.elapsed_s;
    report_.interrupted = done.interrupted;
    report_.notes = std::move(done.notes);
    return std::move(report_);
  }

private:
  verify::CellTime measure(const verify::SpreadCell &turn) {
    const measure::Entry &entry = entries_[turn.entry];
    const peers::Public *known = options_.find(entry.variant->name);
    if (known == nullptr) {
      throw std::runtime_error("no public call is known");
    }
    CellRun cell(entry, turn, *known, options_);
    const measure::RaceResult result = cell.race();
    const double elapsed = cell.elapsed_ns();
    constexpr int kLeast = 9;
    if (result.complete) {
      Fraction fraction = fraction_of(result);
      fraction.variant = entry.variant->name;
      fraction.dtype = turn.cell.dtype;
      fraction.level = cells_.levels[turn.place];
      fractions_.emplace(turn.place, std::move(fraction));
    }
    return {elapsed, verify::least_ns(elapsed, result.elapsed_ns, result.rounds, kLeast),
            result.complete};
  }

  std::span<const measure::Entry> entries_;
  const Options &options_;
  Cells cells_;
  std::map<std::size_t, Fraction> fractions_; // by place
  Report report_;
};

} // namespace

std::vector<Level> levels_of(std::span<const measure::MemoryLevel> memory) {
  std::vector<Level> levels;
  for (const measure::MemoryLevel &cache : memory) {
    if (cache.name == "L2" || cache.name == "L3") {
      levels.push_back({cache.name == "L2" ? "l2" : "l3", cache.bytes / 2, false});
    }
  }
  // Large enough for the memory's own pace, small enough for a ring of several copies.
  constexpr std::int64_t kFromMemory = std::int64_t{24} << 20;
  levels.push_back({"dram", kFromMemory, true});
  return levels;
}

Extents shape_for(std::int64_t bytes, double per_element) {
  constexpr double kAspect = 4.0 / 3;
  const double pixels =
      std::max(1.0, static_cast<double>(bytes) / (per_element * static_cast<double>(kChannels)));
  const auto height = std::max<std::int64_t>(1, std::llround(std::sqrt(pixels / kAspect)));
  auto width = std::max<std::int64_t>(1, std::llround(pixels / static_cast<double>(height)));
  width += width == height ? 1 : 0;
  return {1, height, width, kChannels};
}

std::span<const Judged> judged() {
  return kJudged;
}

std::optional<double> geomean(std::span<const Fraction> fractions, std::string_view level) {
  double logs = 0;
  int count = 0;
  for (const Fraction &one : fractions) {
    const bool counts = one.level == level &&
                        std::any_of(std::begin(kJudged), std::end(kJudged), [&](const Judged &op) {
                          return op.variant == one.variant && op.dtype == one.dtype;
                        });
    if (counts) {
      logs += std::log(one.fraction);
      ++count;
    }
  }
  return count > 0 ? std::optional(std::exp(logs / count)) : std::nullopt;
}

Options default_options() {
  Options options;
  options.levels = levels_of(measure::memory_levels());
  options.clock_error_ns = measure::examine_clock(measure::steady_now).error_ns();
  return options;
}

Report measure_roofline(std::span<const measure::Entry> entries, const Options &options) {
  return Run(entries, options).run();
}

} // namespace switchyard::roofline
