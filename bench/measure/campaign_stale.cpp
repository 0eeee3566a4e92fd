#include "bench/measure/campaign_stale.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "evidence/context.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::measure {
namespace {

using evidence::Cell;
using evidence::Row;
using evidence::Status;
using evidence::VariantEvidence;

// Whether a candidate takes the problem of a cell. Most of them can be asked on a small image with
// the same channels and layout; only a candidate that agrees is asked about the real one.
class Domains {
public:
  Domains(const Variant &variant, const VariantContract &contract)
      : variant_(variant), contract_(contract) {}

  bool accepts(const Candidate &candidate, const Cell &cell) {
    Cell small = cell;
    const std::size_t rank = cell.shape.size();
    small.shape[rank - 3] = std::min<std::int64_t>(cell.shape[rank - 3], 24);
    small.shape[rank - 2] = std::min<std::int64_t>(cell.shape[rank - 2], 32);
    small.shape[0] = std::min<std::int64_t>(small.shape[0], 24);
    return ask(candidate, small) && ask(candidate, cell);
  }

private:
  bool ask(const Candidate &candidate, const Cell &cell) {
    const std::string key = cell.key();
    auto known = accepting_.find(key);
    if (known == accepting_.end()) {
      const conformance::Problem problem(variant_, contract_,
                                         problem_of(variant_, contract_, cell));
      std::set<std::string_view> accepting;
      for (const Candidate &other : variant_.candidates) {
        if (other.refuses(problem.call()) == nullptr) {
          accepting.insert(other.id);
        }
      }
      known = accepting_.emplace(key, std::move(accepting)).first;
    }
    return known->second.contains(candidate.id);
  }

  const Variant &variant_;
  const VariantContract &contract_;
  std::map<std::string, std::set<std::string_view>> accepting_; // by cell
};

// The stale rows of one entry.
class Search {
public:
  Search(std::size_t index, const Entry &entry, const VariantEvidence &existing,
         const evidence::Machine &now, StalePlan &plan)
      : index_(index), variant_(*entry.variant), contract_(*entry.contract), existing_(existing),
        now_(now), plan_(plan), domains_(variant_, contract_) {}

  void run(const Entry &entry, std::span<const int> thread_budgets) {
    priorities_ = priorities(entry, thread_budgets);
    std::map<std::string, std::vector<const Row *>> cells;
    std::vector<std::string> order; // that of the file
    for (const Row &row : existing_.rows) {
      std::vector<const Row *> &rows = cells[row.cell.key()];
      if (rows.empty()) {
        order.push_back(row.cell.key());
      }
      rows.push_back(&row);
    }
    for (const std::string &key : order) {
      const int budget = cells[key].front()->cell.thread_budget;
      if (std::find(thread_budgets.begin(), thread_budgets.end(), budget) != thread_budgets.end()) {
        look_at(cells[key]);
      }
    }
    for (const auto &[what, rows] : lost_) {
      plan_.notes.push_back(fmt::format("{}: {} rows of {}", variant_.name, rows, what));
    }
  }

private:
  static std::map<std::string, Priority> priorities(const Entry &entry,
                                                    std::span<const int> budgets) {
    std::map<std::string, Priority> result;
    for (const MatrixCell &cell : matrix(*entry.variant, *entry.contract, Mode::full, budgets)) {
      result.emplace(cell.cell.key(), cell.quick ? cell.priority : Priority::detail);
    }
    return result;
  }

  // The built candidate of a row, or nullptr.
  const Candidate *candidate_of(const Row &row) {
    for (const Candidate &candidate : variant_.candidates) {
      if (candidate.id == row.candidate) {
        if (!candidate.built()) {
          ++lost_[row.candidate + ", which is not in this build"];
        }
        return candidate.built() ? &candidate : nullptr;
      }
    }
    ++lost_[row.candidate + ", which this build does not know"];
    return nullptr;
  }

  std::optional<std::string> reason_of(const Row &row, const Candidate &candidate) const {
    return evidence::stale_reason(row, existing_.contexts.at(row.context),
                                  evidence::context_of(now_, candidate.backend), candidate.version);
  }

  void look_at(const std::vector<const Row *> &rows) {
    const Cell &cell = rows.front()->cell;
    std::map<std::string, std::string> stale; // reason by candidate
    std::vector<std::pair<const Row *, const Candidate *>> known;
    std::set<std::string_view> seen;
    for (const Row *row : rows) {
      seen.insert(row->candidate);
      const Candidate *candidate =
          row->status == Status::limit ? nullptr : candidate_of(*row); // limits are no candidates
      if (candidate == nullptr) {
        continue;
      }
      known.emplace_back(row, candidate);
      if (const auto reason = reason_of(*row, *candidate)) {
        stale.emplace(row->candidate, *reason);
      }
    }
    try {
      for (const Candidate &candidate : variant_.candidates) {
        if (candidate.built() && !seen.contains(candidate.id) &&
            domains_.accepts(candidate, cell)) {
          stale.emplace(candidate.id, "never measured");
        }
      }
    } catch (const std::invalid_argument &error) {
      plan_.notes.push_back(fmt::format("{} {}: {}", variant_.name, cell.key(), error.what()));
      return;
    }
    if (!stale.empty()) {
      append(cell, stale, known);
    }
  }

  void append(const Cell &cell, const std::map<std::string, std::string> &stale,
              const std::vector<std::pair<const Row *, const Candidate *>> &known) {
    Step step;
    step.entry = index_;
    step.cell = cell;
    const auto priority = priorities_.find(cell.key());
    step.plan = {weight_of(cell),
                 priority == priorities_.end() ? Priority::detail : priority->second};
    const Row *incumbent = nullptr;
    double least = 0;
    for (const auto &[row, candidate] : known) {
      if (row->status == Status::accepted && !stale.contains(row->candidate)) {
        const double median = evidence::median(row->samples_ns);
        if (incumbent == nullptr || median < least) {
          incumbent = row;
          least = median;
        }
      }
    }
    for (const auto &[candidate, reason] : stale) {
      plan_.stale.push_back({index_, cell, candidate, reason});
      if (incumbent != nullptr) {
        step.only.emplace(candidate, 0);
      }
    }
    if (incumbent != nullptr) {
      step.bridge.emplace(incumbent->candidate, incumbent->threads);
      step.only.insert(*step.bridge);
    }
    plan_.steps.push_back(std::move(step));
  }

  std::size_t index_;
  const Variant &variant_;
  const VariantContract &contract_;
  const VariantEvidence &existing_;
  const evidence::Machine &now_;
  StalePlan &plan_;
  Domains domains_;
  std::map<std::string, Priority> priorities_;
  std::map<std::string, int> lost_; // rows that cannot be measured again, by what they are of
};

} // namespace

StalePlan find_stale(std::span<const Entry> entries,
                     std::span<const std::optional<VariantEvidence>> existing,
                     const evidence::Machine &now, std::span<const int> thread_budgets) {
  StalePlan plan;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (existing[i]) {
      Search(i, entries[i], *existing[i], now, plan).run(entries[i], thread_budgets);
    }
  }
  return plan;
}

} // namespace switchyard::measure
