#include "tablegen/classes.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace switchyard::tablegen {
namespace {

using evidence::Row;
using evidence::Status;

template <class Enum> std::optional<Enum> enum_of(std::string_view name, int count) {
  for (int i = 0; i < count; ++i) {
    if (name_of(static_cast<Enum>(i)) == name) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

// One variant's rows, sorted so that their order in the file cannot matter.
struct KeyedRow {
  std::string key;
  const Row *row;
};

std::vector<KeyedRow> sorted_rows(const evidence::VariantEvidence &file) {
  std::vector<KeyedRow> rows;
  for (const Row &row : file.rows) {
    rows.push_back({row.cell.key(), &row});
  }
  std::sort(rows.begin(), rows.end(), [](const KeyedRow &a, const KeyedRow &b) {
    const auto order = [](const KeyedRow &keyed) {
      const Row &row = *keyed.row;
      return std::tie(keyed.key, row.candidate, row.threads, row.version, row.status,
                      row.samples_ns);
    };
    return order(a) < order(b);
  });
  return rows;
}

// Arranges the rows of one variant.
class VariantGatherer {
public:
  VariantGatherer(const VariantInfo &variant, std::vector<std::string> &warnings)
      : variant_(variant), warnings_(warnings) {}

  void gather(const evidence::VariantEvidence &file, std::vector<ClassData> &classes) {
    const std::vector<KeyedRow> rows = sorted_rows(file);
    for (const KeyedRow &keyed : rows) {
      note_rejection(*keyed.row);
    }
    for (const KeyedRow &keyed : rows) {
      add(keyed);
    }
    for (const auto &[stale, count] : stale_) {
      warnings_.push_back(fmt::format("{}: {} rows of \"{}\" are of version {}, this build has {}: "
                                      "not used; measure again: ./scripts/regenerate.sh --ops '{}'",
                                      variant_.name, count, stale.first, stale.second,
                                      variant_.find(stale.first)->version, variant_.name));
    }
    for (auto &[key, rows_of_class] : classes_) {
      classes.push_back(class_data(key, rows_of_class));
    }
  }

private:
  using Cells = std::map<std::pair<std::int64_t, std::string>, std::vector<const Row *>>;

  void note_rejection(const Row &row) {
    const CandidateInfo *candidate = variant_.find(row.candidate);
    if (candidate != nullptr && candidate->version == row.version &&
        row.status == Status::rejected) {
      rejected_.emplace(row.cell.dtype, row.candidate);
    }
  }

  // Whether the candidate may be routed for this dtype.
  [[nodiscard]] bool routable(const CandidateInfo &candidate, const std::string &dtype) const {
    const int dtype_case = variant_.dtype_case(dtype);
    return candidate.built && dtype_case >= 0 &&
           candidate.exactness[static_cast<std::size_t>(dtype_case)] != Exactness::unsupported &&
           !rejected_.contains({dtype, candidate.id});
  }

  void add(const KeyedRow &keyed) {
    const Row &row = *keyed.row;
    const CandidateInfo *candidate = variant_.find(row.candidate);
    if (candidate == nullptr || !routable(*candidate, row.cell.dtype)) {
      return;
    }
    if (candidate->version != row.version) {
      ++stale_[{row.candidate, row.version}];
      return;
    }
    const auto layout = enum_of<LayoutClass>(row.cell.layout, kLayoutClasses);
    const auto output = enum_of<OutputMode>(row.cell.output, kOutputModes);
    const bool measured = row.status <= Status::dropped && !row.samples_ns.empty();
    if (!measured || row.cell.cache != "hot" || row.cell.elements() <= 0 || !layout || !output ||
        row.threads < 1 || row.threads > row.cell.thread_budget) {
      return;
    }
    const ClassKey key{variant_.name, row.cell.dtype, row.cell.channels(),
                       *layout,       *output,        row.cell.thread_budget};
    classes_[key][{row.cell.elements(), keyed.key}].push_back(&row);
  }

  [[nodiscard]] ClassData class_data(const ClassKey &key, const Cells &cells) const {
    ClassData data{key, alternatives_of(cells), {}, candidates_for(key.dtype), {}};
    const CandidateInfo &floor = variant_.candidates.back();
    if (routable(floor, key.dtype)) {
      data.floor = floor.id;
    }
    for (const auto &[place, rows] : cells) {
      if (data.points.empty() || data.points.back().size != place.first) {
        data.points.push_back({place.first, {}});
      }
      CellRows cell{place.second, std::vector<const Row *>(data.alternatives.size(), nullptr)};
      for (const Row *row : rows) {
        const Alternative alternative{row->candidate, row->threads};
        const auto found =
            std::find(data.alternatives.begin(), data.alternatives.end(), alternative);
        const Row *&slot = cell.rows[static_cast<std::size_t>(found - data.alternatives.begin())];
        slot = slot == nullptr ? row : slot; // of repeated rows the first one counts
      }
      data.points.back().cells.push_back(std::move(cell));
    }
    return data;
  }

  [[nodiscard]] std::vector<Alternative> alternatives_of(const Cells &cells) const {
    std::set<Alternative> unique;
    for (const auto &[place, rows] : cells) {
      for (const Row *row : rows) {
        unique.insert({row->candidate, row->threads});
      }
    }
    std::vector<Alternative> result(unique.begin(), unique.end());
    std::sort(result.begin(), result.end(), [&](const Alternative &a, const Alternative &b) {
      const auto order = [&](const Alternative &alternative) {
        return std::tuple(preference(variant_.find(alternative.candidate)->backend),
                          alternative.threads, std::string_view(alternative.candidate));
      };
      return order(a) < order(b);
    });
    return result;
  }

  [[nodiscard]] std::vector<std::string> candidates_for(const std::string &dtype) const {
    std::vector<std::pair<int, std::string>> order;
    for (const CandidateInfo &candidate : variant_.candidates) {
      if (routable(candidate, dtype)) {
        order.emplace_back(preference(candidate.backend), candidate.id);
      }
    }
    std::sort(order.begin(), order.end());
    std::vector<std::string> result;
    result.reserve(order.size());
    for (auto &[rank, id] : order) {
      result.push_back(std::move(id));
    }
    return result;
  }

  const VariantInfo &variant_;
  std::vector<std::string> &warnings_;
  std::set<std::pair<std::string, std::string>> rejected_; // dtype, candidate
  std::map<std::pair<std::string, int>, int> stale_;       // candidate, version → rows
  std::map<ClassKey, Cells> classes_;
};

} // namespace

std::vector<ClassData> gather(const evidence::Profile &profile, const CandidateSet &set,
                              std::vector<std::string> &warnings) {
  std::vector<ClassData> classes;
  for (const auto &[name, file] : profile.variants) {
    const VariantInfo *variant = set.find(name);
    if (variant != nullptr && !variant->candidates.empty()) {
      VariantGatherer(*variant, warnings).gather(file, classes);
    }
  }
  return classes;
}

} // namespace switchyard::tablegen
