#include "tablegen/classes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "evidence/context.hpp"
#include "tablegen/class_points.hpp"
#include "tablegen/races.hpp"

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

// One variant's rows, sorted so that their order in the file cannot matter; the newest race of a
// cell first.
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
      return std::tuple<const std::string &, int, const std::string &, int, int, Status,
                        const std::vector<double> &>(keyed.key, -row.race, row.candidate,
                                                     row.threads, row.version, row.status,
                                                     row.samples_ns);
    };
    return order(a) < order(b);
  });
  return rows;
}

// Whether times can be compared at all. Files with others are refused when they are read; rows
// that a program made up itself come here without that.
bool has_times(const Row &row) {
  return !row.samples_ns.empty() &&
         std::all_of(row.samples_ns.begin(), row.samples_ns.end(),
                     [](double time) { return std::isfinite(time) && time > 0; });
}

// Why a row of `candidate` is stale in the eyes of `now`; nullopt where it isn't, or where the
// machine or the row's context is not known.
std::optional<std::string> stale_since(const Row &row, const CandidateInfo &candidate,
                                       const evidence::VariantEvidence &file,
                                       const evidence::Machine &now) {
  const auto context = file.contexts.find(row.context);
  if (now.facts.empty() || context == file.contexts.end()) {
    return std::nullopt;
  }
  return evidence::stale_reason(row, context->second, evidence::context_of(now, candidate.backend),
                                row.version);
}

// Rows of one alternative and version in a cell.
struct Found {
  Alternative alternative;
  int version = 1;
  bool routable = false;
  Lane lane;
};

// What is known of a cell: every lane, routable or not, and whether the only reason why it has no
// routable one is that present candidates' rows may not be used.
struct FoundCell {
  std::vector<Found> found;
  bool disqualified = false;
  std::vector<Alternative> impossible;

  // A row joins the lane of its alternative and version if it was measured in the same context as
  // the newest row there; of repeated rows of one race the first one counts.
  void add(const Row &row, bool routable) {
    const Alternative alternative{row.candidate, row.threads};
    auto place = std::find_if(found.begin(), found.end(), [&](const Found &each) {
      return each.alternative == alternative && each.version == row.version;
    });
    if (place == found.end()) {
      place = found.insert(found.end(), {alternative, row.version, routable, {}});
    }
    std::vector<const Row *> &rows = place->lane.rows;
    if (rows.empty() || (rows.front()->context == row.context && rows.back()->race != row.race)) {
      rows.push_back(&row);
    }
  }
};

struct Count {
  int rows = 0;
  std::string first; // the first one's cell, or what was wrong with it
  void add(const std::string &what) { first = rows++ == 0 ? what : first; }
};

// Arranges the rows of one variant.
class VariantGatherer {
public:
  VariantGatherer(const VariantInfo &variant, const evidence::VariantEvidence &file,
                  const evidence::Machine &machine)
      : variant_(variant), file_(file), machine_(machine) {}

  void gather(std::vector<ClassData> &classes) {
    const std::vector<KeyedRow> rows = sorted_rows(file_);
    for (const KeyedRow &keyed : rows) {
      note_rejection(*keyed.row);
    }
    for (const KeyedRow &keyed : rows) {
      add(keyed);
    }
    const std::size_t first = classes.size();
    for (auto &[key, cells] : classes_) {
      ClassData data = class_data(key, cells);
      if (!data.points.empty()) {
        classes.push_back(std::move(data));
      }
    }
    // From the largest budget down, so that none hands on what it has inherited itself.
    for (std::size_t i = classes.size(); i-- > first;) {
      if (const ClassData *fewer = with_fewer_threads(classes, first, classes[i].key)) {
        inherit_smaller(classes[i], *fewer, variant_);
      }
    }
  }

  void report(std::vector<std::string> &warnings) const {
    const std::string again =
        "measure again: ./scripts/regenerate.sh --ops '" + variant_.name + "'";
    for (const auto &[stale, count] : other_versions_) {
      warnings.push_back(fmt::format("{}: {} rows of \"{}\" are of version {}, this build has {}: "
                                     "not used; {}",
                                     variant_.name, count, stale.first, stale.second,
                                     variant_.find(stale.first)->version, again));
    }
    for (const auto &[candidate, count] : impossible_) {
      warnings.push_back(
          fmt::format("{}: {} rows of \"{}\" are impossible: not used; the first: {}",
                      variant_.name, count.rows, candidate, count.first));
    }
    for (const auto &[candidate, count] : timeless_) {
      warnings.push_back(fmt::format("{}: {} rows of \"{}\" have times that are none: not used; "
                                     "the first: {}",
                                     variant_.name, count.rows, candidate, count.first));
    }
    if (unlinked_.rows > 0) {
      warnings.push_back(fmt::format("{}: {} rows share no race with the newest of their cell, and "
                                     "no bridge leads there: not used; the first: {}",
                                     variant_.name, unlinked_.rows, unlinked_.first));
    }
    if (doubtful_.rows > 0) {
      warnings.push_back(fmt::format("{}: {} cells passed over: what is best at the sizes on both "
                                     "sides was faster there than a limit allows; the first: {}",
                                     variant_.name, doubtful_.rows, doubtful_.first));
    }
    if (empty_.rows > 0) {
      warnings.push_back(fmt::format("{}: {} cells have no candidate that may be routed: other "
                                     "sizes of their class serve them, or else the floor; the "
                                     "first: {}",
                                     variant_.name, empty_.rows, empty_.first));
    }
  }

private:
  // The same class with the largest smaller thread budget; nullptr without one.
  [[nodiscard]] static const ClassData *with_fewer_threads(const std::vector<ClassData> &classes,
                                                           std::size_t first, ClassKey key) {
    const int budget = key.thread_budget;
    const ClassData *found = nullptr;
    for (std::size_t i = first; i < classes.size(); ++i) {
      key.thread_budget = classes[i].key.thread_budget;
      if (key.thread_budget < budget && classes[i].key == key &&
          (found == nullptr || found->key.thread_budget < key.thread_budget)) {
        found = &classes[i];
      }
    }
    return found;
  }

  // By size and key.
  using Cells = std::map<std::pair<std::int64_t, std::string>, FoundCell>;

  void note_rejection(const Row &row) {
    const CandidateInfo *candidate = variant_.find(row.candidate);
    if (candidate != nullptr && candidate->version == row.version &&
        row.status == Status::rejected) {
      rejected_.emplace(std::pair(row.cell.dtype, row.candidate), &row);
    }
  }

  [[nodiscard]] bool computes(const CandidateInfo &candidate, const std::string &dtype) const {
    const int dtype_case = variant_.dtype_case(dtype);
    return candidate.built && dtype_case >= 0 &&
           candidate.exactness[static_cast<std::size_t>(dtype_case)] != Exactness::unsupported;
  }

  // Whether the candidate may be routed for this dtype.
  [[nodiscard]] bool routable(const CandidateInfo &candidate, const std::string &dtype) const {
    return computes(candidate, dtype) && !rejected_.contains({dtype, candidate.id});
  }

  // The class of a row's cell; nullopt for cells that decide nothing.
  [[nodiscard]] std::optional<ClassKey> class_of(const evidence::Cell &cell) const {
    const auto layout = enum_of<LayoutClass>(cell.layout, kLayoutClasses);
    const auto output = enum_of<OutputMode>(cell.output, kOutputModes);
    const std::string *op_class = variant_.op_class_of(cell.params);
    if (cell.cache != "hot" || cell.elements() <= 0 || !layout || !output || op_class == nullptr) {
      return std::nullopt;
    }
    return ClassKey{variant_.name, cell.dtype, variant_.by_channels ? cell.channels() : 1,
                    *layout,       *output,    cell.thread_budget,
                    *op_class};
  }

  void add(const KeyedRow &keyed) {
    const Row &row = *keyed.row;
    const std::optional<ClassKey> key = class_of(row.cell);
    const CandidateInfo *candidate = variant_.find(row.candidate);
    const bool present =
        row.status != Status::limit && candidate != nullptr && computes(*candidate, row.cell.dtype);
    const bool current = present && candidate->version == row.version;
    const bool may_route = current && routable(*candidate, row.cell.dtype);
    if (present && !current && routable(*candidate, row.cell.dtype)) {
      ++other_versions_[{row.candidate, row.version}];
    }
    const bool usable = is_usable(row, may_route);
    if (!key) {
      return;
    }
    FoundCell &cell = classes_[*key][{row.cell.elements(), keyed.key}];
    fates_[*key].push_back({&row, fate_of(row, candidate)});
    cell.disqualified = cell.disqualified || (current && !(usable && may_route));
    if (may_route && row.status == Status::impossible) {
      cell.impossible.push_back({row.candidate, row.threads});
    }
    if (usable) {
      cell.add(row, may_route);
    }
  }

  // Unless a later row of its cell supersedes it.
  [[nodiscard]] RowUse fate_of(const Row &row, const CandidateInfo *candidate) const {
    if (row.status == Status::limit) {
      return RowUse::limit;
    }
    if (candidate == nullptr || !candidate->built) {
      return RowUse::not_built;
    }
    if (!computes(*candidate, row.cell.dtype)) {
      return RowUse::unsupported;
    }
    if (candidate->version != row.version) {
      return RowUse::other_version;
    }
    if (!routable(*candidate, row.cell.dtype)) {
      return RowUse::rejected;
    }
    if (row.status == Status::impossible) {
      return RowUse::impossible;
    }
    if (!has_times(row)) {
      return RowUse::timeless;
    }
    return row.threads > row.cell.thread_budget ? RowUse::too_many_threads : RowUse::used;
  }

  // Whether the row's times may be compared with others. Counts what is wrong with it otherwise.
  bool is_usable(const Row &row, bool may_route) {
    if (may_route && row.status == Status::impossible) {
      impossible_[row.candidate].add(row.cell.key() + ": " + row.mismatch);
    }
    const bool timed = row.status <= Status::dropped || row.status == Status::limit;
    if (timed && !has_times(row)) {
      timeless_[row.candidate].add(row.cell.key());
      return false;
    }
    return timed && row.threads >= 1 && row.threads <= row.cell.thread_budget;
  }

  [[nodiscard]] ClassData class_data(const ClassKey &key, const Cells &cells) {
    ClassData data{key, alternatives_of(cells), {}, candidates_for(key.dtype), {}, {}};
    data.bitwise = bitwise_among(data.candidates, variant_, key.dtype);
    const CandidateInfo &floor = variant_.candidates.back();
    if (routable(floor, key.dtype)) {
      data.floor = floor.id;
    }
    for (const auto &[place, found] : cells) {
      const auto &[size, cell_key] = place;
      CellRows cell = cell_rows(cell_key, found, data.alternatives);
      const bool empty = std::none_of(cell.lanes.begin(), cell.lanes.end(),
                                      [](const Lane &lane) { return lane.measured(); });
      if (empty && found.disqualified) {
        empty_.add(cell_key);
      }
      // Without any alternative, the cells tell which sizes the floor is to serve.
      const bool kept =
          data.alternatives.empty() ? found.disqualified && !data.floor.empty() : !empty;
      if (!kept) {
        continue;
      }
      add_cell(data.points, size, std::move(cell));
    }
    const std::vector<std::string> doubtful = take_out_doubtful(data);
    for (const std::string &each : doubtful) {
      doubtful_.add(each);
    }
    note_fates(data, {doubtful.begin(), doubtful.end()});
    return data;
  }

  void note_fates(ClassData &data, const std::set<std::string> &doubtful) {
    std::set<const Row *> compared;
    for (const Point &point : data.points) {
      for (const CellRows &cell : point.cells) {
        for (const Lane &lane : cell.lanes) {
          compared.insert(lane.rows.begin(), lane.rows.end());
        }
      }
    }
    data.rows = std::move(fates_[data.key]);
    for (RowFate &fate : data.rows) {
      if (fate.use == RowUse::used && !compared.contains(fate.row)) {
        fate.use = doubtful.contains(fate.row->cell.key()) ? RowUse::doubtful : RowUse::superseded;
      }
    }
    for (const auto &[of, row] : rejected_) {
      if (of.first == data.key.dtype) {
        data.rejected.emplace(of.second, row);
      }
    }
  }

  [[nodiscard]] CellRows cell_rows(const std::string &key, const FoundCell &found,
                                   const std::vector<Alternative> &alternatives) {
    CellRows cell{key, std::vector<Lane>(alternatives.size()), {}, found.impossible};
    for (const Found &each : found.found) {
      if (!each.routable) {
        cell.bridges.push_back(each.lane);
        continue;
      }
      const auto place = std::find(alternatives.begin(), alternatives.end(), each.alternative);
      Lane &lane = cell.lanes[static_cast<std::size_t>(place - alternatives.begin())];
      lane = each.lane;
      const CandidateInfo &candidate = *variant_.find(each.alternative.candidate);
      lane.stale = stale_since(lane.newest(), candidate, file_, machine_).has_value();
    }
    drop_unlinked(cell);
    return cell;
  }

  // Leaves what can be compared with the newest race. Campaigns see to it that this is everything.
  void drop_unlinked(CellRows &cell) {
    std::size_t newest = kNone;
    for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
      if (cell.measured(a) &&
          (newest == kNone || cell.lanes[a].newest().race > cell.lanes[newest].newest().race)) {
        newest = a;
      }
    }
    if (newest == kNone) {
      return;
    }
    const std::vector<bool> linked = linked_to(cell, newest);
    for (std::size_t a = 0; a < cell.lanes.size(); ++a) {
      if (cell.measured(a) && !linked[a]) {
        unlinked_.add(fmt::format("\"{}\" in {}", cell.lanes[a].newest().candidate, cell.key));
        cell.lanes[a] = {};
      }
    }
  }

  [[nodiscard]] std::vector<Alternative> alternatives_of(const Cells &cells) const {
    std::set<Alternative> unique;
    for (const auto &[place, cell] : cells) {
      for (const Found &each : cell.found) {
        if (each.routable) {
          unique.insert(each.alternative);
        }
      }
    }
    std::vector<Alternative> result(unique.begin(), unique.end());
    sort_by_preference(result, variant_);
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
  const evidence::VariantEvidence &file_;
  const evidence::Machine &machine_;
  std::map<std::pair<std::string, std::string>, const Row *> rejected_; // by dtype and candidate
  std::map<std::pair<std::string, int>, int> other_versions_; // candidate, version → rows
  std::map<std::string, Count> impossible_;                   // by candidate
  std::map<std::string, Count> timeless_;                     // by candidate
  Count unlinked_;
  Count empty_;    // cells
  Count doubtful_; // cells
  std::map<ClassKey, Cells> classes_;
  std::map<ClassKey, std::vector<RowFate>> fates_;
};

} // namespace

std::vector<ClassData> gather(const evidence::Profile &profile, const CandidateSet &set,
                              std::vector<std::string> &warnings) {
  std::vector<ClassData> classes;
  for (const auto &[name, file] : profile.variants) {
    const VariantInfo *variant = set.find(name);
    if (variant != nullptr && !variant->candidates.empty()) {
      VariantGatherer gatherer(*variant, file, profile.machine);
      gatherer.gather(classes);
      gatherer.report(warnings);
    }
  }
  const std::vector<std::string> stale = stale_rows(profile, set, profile.machine);
  warnings.insert(warnings.end(), stale.begin(), stale.end());
  return classes;
}

std::vector<std::string> stale_rows(const evidence::Profile &profile, const CandidateSet &set,
                                    const evidence::Machine &now) {
  std::vector<std::string> lines;
  for (const auto &[name, file] : profile.variants) {
    const VariantInfo *variant = set.find(name);
    std::map<std::string, int> causes;
    for (const Row &row : file.rows) {
      const CandidateInfo *candidate = variant == nullptr ? nullptr : variant->find(row.candidate);
      if (candidate == nullptr || !candidate->built || candidate->version != row.version ||
          row.status == Status::limit) {
        continue;
      }
      if (const auto reason = stale_since(row, *candidate, file, now)) {
        ++causes[*reason];
      }
    }
    for (const auto &[reason, count] : causes) {
      lines.push_back(fmt::format("{}: {} rows stale: {}: measure again: switchyard bench --stale",
                                  name, count, reason));
    }
  }
  return lines;
}

void sort_by_preference(std::vector<Alternative> &alternatives, const VariantInfo &variant) {
  std::sort(alternatives.begin(), alternatives.end(),
            [&](const Alternative &a, const Alternative &b) {
              const auto order = [&](const Alternative &alternative) {
                return std::tuple(preference(variant.find(alternative.candidate)->backend),
                                  alternative.threads, std::string_view(alternative.candidate));
              };
              return order(a) < order(b);
            });
}

std::set<std::string> bitwise_among(const std::vector<std::string> &candidates,
                                    const VariantInfo &variant, const std::string &dtype) {
  const auto dtype_case = static_cast<std::size_t>(variant.dtype_case(dtype));
  std::set<std::string> bitwise;
  for (const std::string &id : candidates) {
    if (variant.find(id)->exactness[dtype_case] == Exactness::bitwise) {
      bitwise.insert(id);
    }
  }
  return bitwise;
}

} // namespace switchyard::tablegen
