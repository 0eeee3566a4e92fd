#include "bench/measure/campaign.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <fnmatch.h>

#include "bench/measure/budget.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/registry.hpp"
#include "evidence/cache_states.hpp"

namespace switchyard::measure {
namespace {

using evidence::VariantEvidence;

bool matches(const std::string &pattern, std::string_view name) {
  return fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
}

std::vector<std::string> split_patterns(std::string_view patterns) {
  std::vector<std::string> result;
  for (bool more = true; more;) {
    const std::size_t comma = patterns.find(',');
    result.emplace_back(patterns.substr(0, comma));
    more = comma != std::string_view::npos;
    patterns.remove_prefix(more ? comma + 1 : patterns.size());
  }
  return result;
}

// A cell of the campaign.
struct Step {
  std::size_t entry = 0;
  evidence::Cell cell;
  PlannedCell plan;
};

class Campaign {
public:
  Campaign(std::span<const Entry> entries, const CampaignOptions &options)
      : entries_(entries), options_(options), budget_(options.budget_s),
        start_(options.measure.hooks.now()) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Entry &entry = entries[i];
      for (const MatrixCell &cell :
           matrix(*entry.variant, *entry.contract, options.mode, options.thread_budgets)) {
        // In full mode, what quick mode has comes first in importance.
        const Priority priority = cell.quick ? cell.priority : Priority::detail;
        steps_.push_back({i, cell.cell, {weight_of(cell.cell), priority}});
        remaining_weight_ += steps_.back().plan.weight;
      }
    }
  }

  CampaignReport run() {
    check_existing();
    if (options_.before_first_cell) {
      options_.before_first_cell();
    }
    settle_slices();
    for (std::size_t i = 0; i < entries_.size() && !stopped(); ++i) {
      measure_entry(i);
    }
    report_.interrupted = stopped();
    report_.elapsed_s = elapsed_s();
    note_skipped();
    note_disagreements();
    if (options_.progress) {
      options_.progress({next_, steps_.size(), elapsed_s(), 0, {}, {}});
    }
    return std::move(report_);
  }

private:
  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  [[nodiscard]] double elapsed_s() const {
    return static_cast<double>(options_.measure.hooks.now() - start_) / 1e9;
  }

  [[nodiscard]] std::filesystem::path file_of(const Entry &entry) const {
    return options_.profile_folder / (std::string(entry.variant->name) + ".json");
  }

  // What is on disk for this entry, if anything.
  [[nodiscard]] std::optional<VariantEvidence> existing(const Entry &entry) const {
    if (options_.profile_folder.empty() || !std::filesystem::exists(file_of(entry))) {
      return std::nullopt;
    }
    return evidence::read_variant(file_of(entry));
  }

  // A broken file should be known before minutes are spent on its successor.
  void check_existing() const {
    for (const Entry &entry : entries_) {
      static_cast<void>(existing(entry));
    }
  }

  // The first cell, a small one, shows what measuring itself adds to a slice here today.
  void settle_slices() {
    slice_ns_ = options_.measure.slice_ns;
    if (steps_.empty() || stopped()) {
      return;
    }
    const Step &step = steps_.front();
    const Entry &entry = entries_[step.entry];
    const auto ratio_at = [&](double slice_ns) {
      MeasureOptions options = options_.measure;
      options.rules.stop = options_.stop;
      options.slice_ns = slice_ns;
      return duplicate_ratio(*entry.variant, *entry.contract, step.cell, options, gate_);
    };
    try {
      slice_ns_ = settle_slice(slice_ns_, ratio_at);
    } catch (const std::exception &) {
      return; // measuring the cell will meet the same, and note it
    }
    if (slice_ns_ > options_.measure.slice_ns) {
      report_.notes.push_back(
          fmt::format("slices last {:.0f} us: in shorter ones a candidate differed from itself",
                      slice_ns_ / 1e3));
    }
  }

  void measure_entry(std::size_t entry) {
    VariantEvidence evidence;
    evidence.variant = entries_[entry].variant->name;
    for (; next_ < steps_.size() && steps_[next_].entry == entry && !stopped(); ++next_) {
      const Step &step = steps_[next_];
      announce(step);
      if (fits()) {
        measure_step(step, evidence);
      } else {
        skip(step);
      }
    }
    save(std::move(evidence));
  }

  void announce(const Step &step) {
    if (options_.progress) {
      const double elapsed = elapsed_s();
      options_.progress({next_, steps_.size(), elapsed, budget_.eta_s(remaining_weight_, elapsed),
                         entries_[step.entry].variant->name, step.cell.key()});
    }
  }

  // Decides whether the next step can be afforded. Later ones are judged again when their turn
  // comes, since estimates improve.
  bool fits() {
    std::vector<PlannedCell> plans;
    for (std::size_t i = next_; i < steps_.size(); ++i) {
      plans.push_back(steps_[i].plan);
    }
    const std::vector<bool> kept = budget_.fit(plans, elapsed_s());
    remaining_weight_ = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      remaining_weight_ += kept[i] ? plans[i].weight : 0;
    }
    return kept.front();
  }

  void skip(const Step &step) {
    ++skipped_[entries_[step.entry].variant->name];
    ++report_.skipped;
  }

  [[nodiscard]] MeasureOptions options_of(const Step &step) const {
    // Cells end a little late rather than early: a round or a proof is not cut short. A race that
    // has not seen enough rounds by then gives up, for the sake of the whole.
    constexpr double kGrace = 1.05;
    MeasureOptions options = options_.measure;
    options.rules.stop = options_.stop;
    options.slice_ns = slice_ns_;
    if (budget_.limited()) {
      options.cell_budget_ns =
          budget_.share_s(step.plan.weight, remaining_weight_, elapsed_s()) * 1e9;
      options.rules.deadline_ns =
          start_ + static_cast<std::int64_t>(options_.budget_s * kGrace * 1e9);
      options.rules.budget_ns = std::numeric_limits<double>::infinity();
    }
    return options;
  }

  void measure_step(const Step &step, VariantEvidence &evidence) {
    const Entry &entry = entries_[step.entry];
    const MeasureOptions options = options_of(step);
    try {
      CellResult result = measure_cell(*entry.variant, *entry.contract, step.cell, options, gate_);
      budget_.record(step.plan.weight, result.elapsed_ns / 1e9,
                     result.least_ns(options.rules.least_rounds) / 1e9);
      if (!result.complete && !stopped()) {
        skip(step);
      }
      report_.cells += result.complete ? 1 : 0;
      for (evidence::Row &row : result.rows) {
        report_.rejected += row.status == evidence::Status::rejected ? 1 : 0;
        evidence.rows.push_back(std::move(row));
      }
      evidence.contexts.merge(result.contexts);
    } catch (const std::exception &error) { // of the cell or of a library: others still count
      note_failure(entry, step.cell, error.what());
    }
  }

  void note_failure(const Entry &entry, const evidence::Cell &cell, std::string_view what) {
    report_.notes.push_back(
        fmt::format("{} {}: not measured: {}", entry.variant->name, cell.key(), what));
  }

  void note_skipped() {
    for (const auto &[variant, cells] : skipped_) {
      report_.notes.push_back(
          fmt::format("{}: {} cells left out: the time budget does not hold them", variant, cells));
    }
  }

  void note_disagreements() {
    for (const VariantEvidence &measured : report_.measured) {
      for (const evidence::Disagreement &found : evidence::disagreements(measured)) {
        report_.notes.push_back(evidence::text_of(found, measured.variant));
      }
    }
  }

  void save(VariantEvidence evidence) {
    if (evidence.rows.empty()) {
      return;
    }
    if (!options_.profile_folder.empty()) {
      evidence::merge_into(options_.profile_folder, evidence);
    }
    report_.measured.push_back(std::move(evidence));
  }

  std::span<const Entry> entries_;
  const CampaignOptions &options_;
  Budget budget_;
  Gate gate_;
  std::int64_t start_;
  double slice_ns_ = 0;
  std::vector<Step> steps_;
  std::size_t next_ = 0;        // of steps_
  double remaining_weight_ = 0; // of the steps that are expected to be measured from here on
  std::map<std::string_view, std::size_t> skipped_;
  CampaignReport report_;
};

} // namespace

std::vector<Entry> select(std::string_view patterns) {
  std::vector<std::string> wanted = split_patterns(patterns);
  std::vector<bool> used(wanted.size());
  std::vector<Entry> entries;
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      bool selected = false;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (matches(wanted[i], op->name) || matches(wanted[i], variant.name)) {
          used[i] = true;
          selected = true;
        }
      }
      const VariantContract *contract = candidates::find_contract(variant.name);
      if (contract == nullptr) {
        throw std::logic_error(fmt::format("{} has no contract", variant.name));
      }
      if (selected) {
        entries.push_back({&variant, contract});
      }
    }
  }
  if (const auto unused = std::find(used.begin(), used.end(), false); unused != used.end()) {
    throw std::invalid_argument(
        fmt::format("no op or variant matches \"{}\"",
                    wanted[static_cast<std::size_t>(unused - used.begin())]));
  }
  return entries;
}

CampaignReport run_campaign(std::span<const Entry> entries, const CampaignOptions &options) {
  return Campaign(entries, options).run();
}

} // namespace switchyard::measure
