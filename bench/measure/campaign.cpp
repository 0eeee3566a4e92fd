#include "bench/measure/campaign.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include "bench/measure/budget.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/registry.hpp"
#include "evidence/cache_states.hpp"
#include "evidence/context.hpp"
#include "evidence/statistics.hpp"

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

std::filesystem::path file_of(const Entry &entry, const CampaignOptions &options) {
  return options.profile_folder / (std::string(entry.variant->name) + ".json");
}

// What is on disk for each entry, if anything. A broken file should be known before minutes are
// spent on its successor.
std::vector<std::optional<VariantEvidence>> read_existing(std::span<const Entry> entries,
                                                          const CampaignOptions &options) {
  std::vector<std::optional<VariantEvidence>> existing(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::filesystem::path file = file_of(entries[i], options);
    std::error_code none;
    const auto status = std::filesystem::symlink_status(file, none);
    if (!options.profile_folder.empty() && status.type() != std::filesystem::file_type::not_found) {
      existing[i] = evidence::read_variant(file);
    }
  }
  return existing;
}

// One step for each cell that has evidence.
std::vector<Step> existing_steps(const std::vector<std::optional<VariantEvidence>> &existing) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < existing.size(); ++i) {
    for (std::size_t row = 0; existing[i] && row < existing[i]->rows.size(); ++row) {
      const evidence::Cell &cell = existing[i]->rows[row].cell; // a cell's rows lie together
      if (row == 0 || !(existing[i]->rows[row - 1].cell == cell)) {
        steps.push_back({i, cell, {weight_of(cell), Priority::detail}, {}, {}});
      }
    }
  }
  return steps;
}

// About how long a race like that of these rows takes.
double race_s(const std::vector<const evidence::Row *> &rows, const MeasureOptions &options) {
  double fastest = std::numeric_limits<double>::infinity();
  double calls = 0; // the time of one call of each alternative in each of its rounds
  for (const evidence::Row *row : rows) {
    if (!row->samples_ns.empty()) {
      const double median = evidence::median(row->samples_ns);
      const auto rounds =
          std::min(row->samples_ns.size(),
                   static_cast<std::size_t>(std::max(options.rules.usual_rounds, 1)));
      if (row->status != evidence::Status::limit) { // slices are as long as candidates need
        fastest = std::min(fastest, median);
      }
      calls += median * static_cast<double>(rounds);
    }
  }
  // Each round has one untimed call. Proofs and warming up are about as much again as a few rounds.
  constexpr double kBeside = 1.5;
  const double iterations = std::max(1.0, options.slice_ns / fastest);
  return calls == 0 ? 0 : calls * (iterations + 1) * kBeside / 1e9;
}

double estimate_s(const std::vector<Step> &steps,
                  const std::vector<std::optional<VariantEvidence>> &existing,
                  const MeasureOptions &options) {
  std::vector<std::map<std::string, std::vector<const evidence::Row *>>> known(existing.size());
  for (std::size_t i = 0; i < existing.size(); ++i) {
    for (std::size_t row = 0; existing[i] && row < existing[i]->rows.size(); ++row) {
      known[i][existing[i]->rows[row].cell.key()].push_back(&existing[i]->rows[row]);
    }
  }
  Budget rate(0);
  double total = 0;
  double unknown_weight = 0;
  for (const Step &step : steps) {
    const auto rows = known[step.entry].find(step.cell.key());
    const double time = rows == known[step.entry].end() ? 0 : race_s(rows->second, options);
    if (time > 0) {
      rate.record(step.plan.weight, time, time);
      total += time;
    } else {
      unknown_weight += step.plan.weight;
    }
  }
  return total + (unknown_weight > 0 ? rate.eta_s(unknown_weight, 0) : 0);
}

// What is stale changes as it is measured, so it is shared out by the cells that there are.
void keep_shard(CampaignPlan &plan, std::span<const Entry> entries, const CampaignOptions &options,
                const std::vector<std::optional<VariantEvidence>> &existing) {
  if (!options.stale) {
    plan.steps = shard_of(std::move(plan.steps), options.shard);
    return;
  }
  std::set<std::string> mine;
  for (const Step &step : shard_of(existing_steps(existing), options.shard)) {
    mine.insert(name_of(entries, step));
  }
  const auto elsewhere = [&](std::size_t entry, const evidence::Cell &cell) {
    return !mine.contains(name_of(entries, {entry, cell, {}, {}, {}}));
  };
  std::erase_if(plan.steps, [&](const Step &step) { return elsewhere(step.entry, step.cell); });
  std::erase_if(plan.stale,
                [&](const StaleCandidate &stale) { return elsewhere(stale.entry, stale.cell); });
}

CampaignPlan plan_of(std::span<const Entry> entries, const CampaignOptions &options,
                     const std::vector<std::optional<VariantEvidence>> &existing) {
  CampaignPlan plan;
  if (options.stale) {
    StalePlan stale =
        find_stale(entries, existing, options.measure.machine, options.thread_budgets);
    plan.steps = std::move(stale.steps);
    plan.stale = std::move(stale.stale);
    plan.notes = std::move(stale.notes);
  } else {
    plan.steps = matrix_steps(entries, options.mode, options.thread_budgets);
  }
  if (options.wanted) {
    std::erase_if(plan.steps, [&](const Step &step) { return !options.wanted(step.cell); });
    std::erase_if(plan.stale,
                  [&](const StaleCandidate &stale) { return !options.wanted(stale.cell); });
  }
  keep_shard(plan, entries, options, existing);
  if (options.budget_s > 0) {
    put_important_first(plan.steps);
  }
  return plan;
}

// The request with the contexts of all rows that it can lead to.
Request request_of(std::span<const Entry> entries, const CampaignOptions &options) {
  std::set<std::string> contexts;
  for (const Entry &entry : entries) {
    for (const Candidate &candidate : entry.variant->candidates) {
      contexts.insert(evidence::context_of(options.measure.machine, candidate.backend).id());
    }
  }
  std::string all;
  for (const std::string &id : contexts) {
    all += id;
  }
  Request request = options.request;
  request["context"] = evidence::hash_of(all);
  return request;
}

void check_same(const Request &before, const Request &now) {
  for (const auto &[name, value] : now) {
    const auto found = before.find(name);
    const std::string was = found == before.end() ? "" : found->second;
    if (was == value) {
      continue;
    }
    throw std::invalid_argument(
        name == "context"
            ? "--resume: the machine, its libraries or this build are not those of the interrupted "
              "campaign; start anew without --resume"
            : fmt::format("--resume: the interrupted campaign had {} \"{}\", not \"{}\"", name, was,
                          value));
  }
}

bool is_in(const VariantEvidence &evidence, const evidence::Row &row) {
  return std::any_of(evidence.rows.begin(), evidence.rows.end(), [&](const evidence::Row &other) {
    return other.cell == row.cell && other.candidate == row.candidate &&
           other.threads == row.threads && other.samples_ns == row.samples_ns;
  });
}

// Merges what a campaign that was killed left in its journal.
void recover(const std::filesystem::path &folder, const std::vector<DoneCell> &unmerged) {
  std::map<std::string, VariantEvidence> cells;
  for (const DoneCell &done : unmerged) {
    if (done.how == evidence::Merge::cells) {
      VariantEvidence &variant = cells[done.evidence.variant];
      variant.variant = done.evidence.variant;
      variant = evidence::merge(variant, done.evidence);
      continue;
    }
    // It may have been killed between merging and noting that: joining is not repeatable.
    const std::filesystem::path file = folder / (done.evidence.variant + ".json");
    const VariantEvidence present =
        std::filesystem::exists(file) ? evidence::read_variant(file) : VariantEvidence{};
    const bool there = std::all_of(done.evidence.rows.begin(), done.evidence.rows.end(),
                                   [&](const evidence::Row &row) { return is_in(present, row); });
    if (!there) {
      evidence::merge_into(folder, done.evidence, done.how);
    }
  }
  for (const auto &[name, variant] : cells) {
    if (!variant.rows.empty()) {
      evidence::merge_into(folder, variant);
    }
  }
}

class Campaign {
public:
  Campaign(std::span<const Entry> entries, const CampaignOptions &options)
      : entries_(entries), options_(options), budget_(options.budget_s),
        start_(options.measure.hooks.now()), measured_(entries.size()) {
    if (will_refine() && budget_.limited()) {
      // The matrix leaves time for what follows it.
      budget_.set_total(options.budget_s * (1 - kRefinement));
    }
  }

  CampaignReport run() {
    static_cast<void>(read_existing(entries_, options_));
    open_journal();
    plan();
    if (options_.before_first_cell && !steps_.empty() && !stopped()) {
      options_.before_first_cell();
    }
    settle_slices();
    measure_steps();
    refine();
    finish();
    return std::move(report_);
  }

private:
  // The part of a campaign that cells beyond the matrix may take.
  static constexpr double kRefinement = 0.13;

  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  [[nodiscard]] double elapsed_s() const {
    return static_cast<double>(options_.measure.hooks.now() - start_) / 1e9;
  }

  [[nodiscard]] bool will_refine() const {
    return options_.more_cells != nullptr && !options_.stale && options_.shard.count <= 1;
  }

  void open_journal() {
    if (options_.profile_folder.empty()) {
      return;
    }
    if (options_.resume && !interrupted_request(options_.profile_folder)) {
      throw std::invalid_argument(fmt::format("--resume: there is no interrupted campaign in {}",
                                              options_.profile_folder.string()));
    }
    create_folder();
    journal_ = Journal::open(options_.profile_folder);
    if (journal_ == nullptr) {
      if (options_.resume) {
        throw std::invalid_argument("--resume: the campaign of this profile is still running");
      }
      report_.notes.emplace_back("another campaign of this profile is running beside this one, "
                                 "which therefore cannot be resumed");
      return;
    }
    const Request request = request_of(entries_, options_);
    if (options_.resume) {
      check_same(journal_->contents().request, request);
      done_ = journal_->contents().done;
      report_.resumed = done_.size();
    }
    recover(options_.profile_folder, journal_->contents().unmerged);
    if (options_.resume) {
      journal_->mark_merged();
    } else {
      journal_->begin(request);
    }
  }

  void create_folder() const {
    std::error_code error;
    std::filesystem::create_directories(options_.profile_folder, error);
    if (error) {
      throw evidence::EvidenceError(fmt::format("{}: cannot be created: {}",
                                                options_.profile_folder.string(), error.message()));
    }
  }

  void plan() {
    CampaignPlan plan = plan_of(entries_, options_, read_existing(entries_, options_));
    report_.notes.insert(report_.notes.end(), plan.notes.begin(), plan.notes.end());
    for (Step &step : plan.steps) {
      append(std::move(step));
    }
  }

  // Adds the step, unless its cell was measured before an interruption.
  void append(Step step) {
    if (done_.contains(name_of(entries_, step))) {
      return;
    }
    remaining_weight_ += step.plan.weight;
    steps_.push_back(std::move(step));
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

  void measure_steps() {
    for (; next_ < steps_.size() && !stopped(); ++next_) {
      if (next_ > 0 && steps_[next_].entry != steps_[next_ - 1].entry) {
        merge_batch();
      }
      const Step &step = steps_[next_];
      announce(&step);
      if (fits()) {
        measure_step(step);
      } else {
        skip(step);
      }
    }
    merge_batch();
  }

  // The matrix is measured and kept by now: what cannot be judged further is no failure of it.
  std::vector<std::pair<std::string, evidence::Cell>> further_cells() {
    try {
      return options_.more_cells();
    } catch (const std::exception &error) {
      report_.notes.push_back(fmt::format("no further cells: {}", error.what()));
      return {};
    }
  }

  // Cells where the routes' boundaries are uncertain, within what is left of the time.
  void refine() {
    if (!will_refine() || stopped()) {
      return;
    }
    budget_.set_total(options_.budget_s);
    std::set<std::string> known = done_;
    for (const Step &step : steps_) {
      known.insert(name_of(entries_, step));
    }
    std::size_t most = std::numeric_limits<std::size_t>::max();
    if (options_.mode == Mode::quick) {
      most = static_cast<std::size_t>(static_cast<double>(known.size()) * kRefinement);
    }
    remaining_weight_ = 0;
    for (const auto &[variant, cell] : further_cells()) {
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        Step step{i, cell, {weight_of(cell), Priority::detail}, {}, {}};
        if (entries_[i].variant->name == variant && most > 0 &&
            known.insert(name_of(entries_, step)).second) {
          --most;
          append(std::move(step));
        }
      }
    }
    // What the matrix had no time for, since some of it was kept for these cells.
    for (Step &step : std::exchange(left_out_, {})) {
      append(std::move(step));
      ++again_;
    }
    skipped_.clear();
    report_.skipped = 0;
    // A budget gives up the last ones.
    for (std::size_t i = next_; i < steps_.size(); ++i) {
      steps_[i].plan.place = static_cast<double>(i) / static_cast<double>(steps_.size());
    }
    measure_steps();
  }

  void finish() {
    report_.interrupted = stopped();
    report_.elapsed_s = elapsed_s();
    note_skipped();
    for (VariantEvidence &evidence : measured_) {
      if (!evidence.rows.empty()) {
        report_.measured.push_back(std::move(evidence));
      }
    }
    report_.resumable = report_.interrupted && journal_ != nullptr;
    if (journal_ != nullptr && !report_.interrupted) {
      journal_->remove();
    }
    note_disagreements();
    announce(nullptr);
  }

  // nullptr: the end.
  void announce(const Step *step) {
    if (!options_.progress) {
      return;
    }
    const double elapsed = elapsed_s();
    Progress progress;
    progress.done = report_.resumed + next_ - again_;
    progress.total = report_.resumed + steps_.size() - again_;
    progress.elapsed_s = elapsed;
    if (step != nullptr) {
      progress.eta_s = budget_.eta_s(remaining_weight_, elapsed);
      progress.variant = entries_[step->entry].variant->name;
      progress.cell = step->cell.key();
    }
    options_.progress(progress);
  }

  // Decides whether the next step can be afforded. Later ones are judged again when their turn
  // comes, since estimates improve.
  bool fits() {
    const auto [first, weight] =
        budget_.fit_plans(std::span<const Step>(steps_).subspan(next_), elapsed_s());
    remaining_weight_ = weight;
    return first;
  }

  void skip(const Step &step) {
    ++skipped_[entries_[step.entry].variant->name];
    ++report_.skipped;
    left_out_.push_back(step);
  }

  [[nodiscard]] MeasureOptions options_of(const Step &step) const {
    // Cells end a little late rather than early: a round or a proof is not cut short. A race that
    // has not seen enough rounds by then gives up, for the sake of the whole.
    constexpr double kGrace = 1.05;
    MeasureOptions options = options_.measure;
    options.rules.stop = options_.stop;
    options.slice_ns = slice_ns_;
    options.only = step.only;
    if (budget_.limited()) {
      options.cell_budget_ns =
          budget_.share_s(step.plan.weight, remaining_weight_, elapsed_s()) * 1e9;
      options.rules.deadline_ns =
          start_ + static_cast<std::int64_t>(options_.budget_s * kGrace * 1e9);
      options.rules.budget_ns = std::numeric_limits<double>::infinity();
    }
    return options;
  }

  static bool bridged(const Step &step, const CellResult &result) {
    return std::any_of(result.rows.begin(), result.rows.end(), [&](const evidence::Row &row) {
      return std::pair(row.candidate, row.threads) == *step.bridge &&
             row.status <= evidence::Status::dropped;
    });
  }

  void measure_step(const Step &step) {
    const Entry &entry = entries_[step.entry];
    MeasureOptions options = options_of(step);
    DoneCell done{name_of(entries_, step), evidence::Merge::cells, {}};
    try {
      CellResult result = measure_cell(*entry.variant, *entry.contract, step.cell, options, gate_);
      if (step.bridge && result.complete) {
        done.how = evidence::Merge::rows;
        if (!bridged(step, result)) { // nothing to compare the cell's other rows by
          done.how = evidence::Merge::cells;
          options.only.clear();
          result = measure_cell(*entry.variant, *entry.contract, step.cell, options, gate_);
        }
      }
      budget_.record(step.plan.weight, result.elapsed_ns / 1e9,
                     result.least_ns(options.rules.least_rounds) / 1e9);
      if (!result.complete) {
        if (!stopped()) {
          skip(step);
        }
        return;
      }
      done.evidence.rows = std::move(result.rows);
      done.evidence.contexts = std::move(result.contexts);
    } catch (const std::exception &error) { // of the cell or of a library: others still count
      note_failure(entry, step.cell, error.what());
      return;
    }
    done.evidence.variant = entry.variant->name;
    keep(step.entry, std::move(done));
  }

  void keep(std::size_t entry, DoneCell done) {
    ++report_.cells;
    for (const evidence::Row &row : done.evidence.rows) {
      report_.rejected += row.status == evidence::Status::rejected ? 1 : 0;
    }
    add(measured_[entry], done.evidence);
    if (options_.profile_folder.empty()) {
      return;
    }
    if (journal_ != nullptr) {
      journal_->append(done);
    }
    if (done.how == evidence::Merge::rows) {
      joining_.push_back(std::move(done.evidence));
    } else {
      add(batch_, done.evidence);
    }
    // Without a journal nothing may wait.
    if (journal_ == nullptr || elapsed_s() - merged_at_s_ >= options_.merge_every_s) {
      merge_batch();
    }
  }

  static void add(VariantEvidence &to, const VariantEvidence &cell) {
    to.variant = cell.variant;
    to.rows.insert(to.rows.end(), cell.rows.begin(), cell.rows.end());
    to.contexts.insert(cell.contexts.begin(), cell.contexts.end());
  }

  // Brings what was measured since the last time into the evidence.
  void merge_batch() {
    const bool any = !batch_.rows.empty() || !joining_.empty();
    if (!batch_.rows.empty()) {
      evidence::merge_into(options_.profile_folder, batch_);
      batch_ = {};
    }
    for (const VariantEvidence &cell : joining_) {
      evidence::merge_into(options_.profile_folder, cell, evidence::Merge::rows);
    }
    joining_.clear();
    if (any && journal_ != nullptr) {
      journal_->mark_merged();
    }
    merged_at_s_ = elapsed_s();
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

  std::span<const Entry> entries_;
  const CampaignOptions &options_;
  Budget budget_;
  Gate gate_;
  std::int64_t start_;
  double slice_ns_ = 0;
  std::unique_ptr<Journal> journal_; // nullptr: no folder, or another campaign's
  std::set<std::string> done_;       // cells of the campaign that is resumed
  std::vector<Step> steps_;
  std::size_t next_ = 0;        // of steps_
  double remaining_weight_ = 0; // of the steps that are expected to be measured from here on
  std::vector<VariantEvidence> measured_; // by entry
  VariantEvidence batch_;                 // whole cells that are not in the evidence yet
  std::vector<VariantEvidence> joining_;  // cells whose rows are to join it
  double merged_at_s_ = 0;
  std::map<std::string_view, std::size_t> skipped_;
  std::vector<Step> left_out_; // the same ones
  std::size_t again_ = 0;      // steps that were left out once, and have a second turn
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

CampaignPlan plan_campaign(std::span<const Entry> entries, const CampaignOptions &options) {
  const auto existing = read_existing(entries, options);
  CampaignPlan plan = plan_of(entries, options, existing);
  plan.estimate_s = estimate_s(plan.steps, existing, options.measure);
  return plan;
}

CampaignReport run_campaign(std::span<const Entry> entries, const CampaignOptions &options) {
  return Campaign(entries, options).run();
}

} // namespace switchyard::measure
